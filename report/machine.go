package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"schedlab/cpumask"
	"schedlab/machine"
)

// Machine prints one machine: its CPUs, nodes, idle states, costs and where
// they come from.
func (o Out) Machine(m *machine.Machine) error {
	return o.print(
		func(w io.Writer) error { return machineTable(w, m) },
		func(w io.Writer) error { return writeJSON(w, newMachineDoc(m)) },
		func(w io.Writer) error { return machineCSV(w, m) },
		nil,
	)
}

func machineTable(w io.Writer, m *machine.Machine) error {
	steps := []func() error{
		func() error { return facts(w, machineFacts(m)...) },
		func() error { return section(w, "nodes", nodeGrid(m)) },
		func() error { return section(w, "idle states", idleGrid(m)) },
		func() error { return section(w, "costs", costGrid(m)) },
	}
	if m.Kernel != nil {
		steps = append(steps, func() error { return section(w, "its own kernel", kernelGrid(m.Kernel)) })
	}
	if len(m.Sources) > 0 {
		steps = append(steps, func() error {
			out := []string{"", "sources"}
			for _, s := range m.Sources {
				out = append(out, "  "+clean(s))
			}
			return lines(w, out...)
		})
	}
	return inOrder(steps...)
}

func section(w io.Writer, title string, g *grid) error {
	return inOrder(
		func() error { return lines(w, "", title) },
		func() error { return g.write(w) },
	)
}

func machineFacts(m *machine.Machine) [][2]string {
	out := [][2]string{
		{"machine", m.Name},
		{"has", m.Summary().String()},
		{"online", m.Online.String()},
	}
	out = append(out, capacityFacts(m)...)
	for _, b := range bootMasks(&m.Boot) {
		if !b.cpus.Empty() {
			out = append(out, [2]string{b.name, b.cpus.String()})
		}
	}
	return out
}

// capacityFacts are the classes of CPUs of a machine that has several.
func capacityFacts(m *machine.Machine) [][2]string {
	classes := map[int]cpumask.Mask{}
	for c := range m.Online.All() {
		n := m.CPUs[c].Capacity
		if classes[n] == nil {
			classes[n] = cpumask.New(len(m.CPUs))
		}
		classes[n].Set(c)
	}
	if len(classes) < 2 {
		return nil
	}
	var out [][2]string
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(classes))) {
		out = append(out, [2]string{fmt.Sprintf("capacity %d", n), classes[n].String()})
	}
	return out
}

// bootMask is one boot parameter that names CPUs.
type bootMask struct {
	name string
	cpus cpumask.Mask
}

func bootMasks(b *machine.Boot) []bootMask {
	return []bootMask{
		{"isolcpus=domain", b.Isolated},
		{"isolcpus=nohz", b.NohzTick},
		{"isolcpus=managed_irq", b.ManagedIRQ},
		{"nohz_full", b.NohzFull},
	}
}

func nodeGrid(m *machine.Machine) *grid {
	g := &grid{header: []string{"node", "CPUs", "distances"}, right: 3}
	for _, n := range m.Nodes {
		if n.Exists {
			g.add(strconv.Itoa(n.ID), orNone(n.CPUs.String()), strings.Trim(fmt.Sprint(n.Distance), "[]"))
		}
	}
	return g
}

func idleGrid(m *machine.Machine) *grid {
	g := &grid{header: []string{"state", "exit latency", "residency"}, right: 1}
	for _, s := range m.Idle {
		name := s.Name
		switch {
		case s.Polling:
			name += " (polls)"
		case s.Halt:
			name += " (halts)"
		}
		g.add(name, ns(s.Latency), ns(s.Residency))
	}
	return g
}

func costGrid(m *machine.Machine) *grid {
	g := &grid{header: []string{"cost", "", "what"}, right: 3}
	for _, c := range costs(&m.Costs) {
		g.add(c.name, c.text(), c.doc)
	}
	return g
}

func kernelGrid(k *machine.KernelConfig) *grid {
	g := &grid{header: []string{"setting", "value"}, right: 2}
	g.add("release", orUnknown(k.Release))
	hz := "unknown"
	if k.HZ > 0 {
		hz = strconv.Itoa(k.HZ)
	}
	g.add("HZ", hz)
	g.add("preemption", orUnknown(k.Preempt))
	for _, name := range slices.Sorted(maps.Keys(k.Tunables)) {
		g.add(name, strconv.FormatInt(k.Tunables[name], 10))
	}
	for _, name := range slices.Sorted(maps.Keys(k.Features)) {
		g.add(name, onOff(k.Features[name]))
	}
	return g
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// ns is a duration in ns for people.
func ns(v int64) string { return newScale("us", float64(v)/1e3).format(float64(v) / 1e3) }
