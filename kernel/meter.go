package kernel

import "schedlab/machine"

// Line is a metered cache line: it knows who wrote it last and whether another
// CPU has read it since. What touching it costs follows from that (DESIGN.md,
// "A decision pays for what it touches"):
//
//	read   the last writer: own; shared already: as from the own caches; else
//	       the distance to the writer, and the line becomes shared
//	write  the last writer with nobody sharing: own; with sharers: one trip
//	       to the LLC to take it back; else the distance to the writer
type Line struct {
	writer int32
	shared bool
}

// Meter adds up what a decision costs the CPU that takes it, in ns.
type Meter struct {
	Ns    int64
	costs machine.Costs
	where []place
}

type place struct{ core, llc, node int32 }

func newMeter(m *machine.Machine) Meter {
	mt := Meter{costs: m.Costs, where: make([]place, len(m.CPUs))}
	for i, c := range m.CPUs {
		mt.where[i] = place{int32(c.Core), int32(c.LLC), int32(c.Node)}
	}
	return mt
}

// Add charges ns beside any line.
func (m *Meter) Add(ns int64) { m.Ns += ns }

// Costs are the costs that the meter charges.
func (m *Meter) Costs() *machine.Costs { return &m.costs }

// Read charges cpu for reading l.
func (m *Meter) Read(l *Line, cpu int32) {
	if l.shared && l.writer != cpu {
		m.Ns += m.costs.LineCore
		return
	}
	m.readAlone(l, cpu)
}

// readAlone is a read of a line that only its writer holds.
func (m *Meter) readAlone(l *Line, cpu int32) {
	if l.writer == cpu {
		m.Ns += m.costs.LineOwn
		return
	}
	m.Ns += m.distance(cpu, l.writer)
	l.shared = true
}

// Write charges cpu for writing l and makes it the last writer.
func (m *Meter) Write(l *Line, cpu int32) {
	switch {
	case l.writer != cpu:
		m.Ns += m.distance(cpu, l.writer)
	case l.shared:
		m.Ns += m.costs.LineLLC
	default:
		m.Ns += m.costs.LineOwn
	}
	l.writer, l.shared = cpu, false
}

func (m *Meter) distance(a, b int32) int64 {
	p, q := &m.where[a], &m.where[b]
	switch {
	case p.core == q.core:
		return m.costs.LineCore
	case p.llc == q.llc:
		return m.costs.LineLLC
	case p.node == q.node:
		return m.costs.LineNode
	}
	return m.costs.LineRemote
}

// Take returns what was charged since the last Take.
func (m *Meter) Take() int64 {
	ns := m.Ns
	m.Ns = 0
	return ns
}
