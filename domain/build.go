package domain

import (
	"errors"
	"fmt"

	"schedlab/cpumask"
	"schedlab/machine"
)

// Build builds the domains of all online CPUs that isolcpus= leaves, as one
// partition. When it leaves none, the lowest online CPU is kept (reference A.10).
//
// Errors name the machine and the CPU, node or level in question. They are
// about machines for which Linux itself builds no domains, or breaks.
func Build(m *machine.Machine, r Rules) (*Domains, error) {
	balanced := m.Online.Clone()
	balanced.AndNot(m.Boot.Isolated)
	if first := m.Online.First(); first >= 0 && balanced.Empty() {
		balanced.Set(first)
	}
	return BuildPartitions(m, r, []cpumask.Mask{balanced})
}

// BuildPartitions builds the domains of the given partitions, each on its own,
// as cpusets make them. Offline CPUs in a partition do not count. Partitions
// must not overlap. CPUs in none of them get no domains; isolcpus= is not
// looked at.
func BuildPartitions(m *machine.Machine, r Rules, parts []cpumask.Mask) (*Domains, error) {
	d, err := buildPartitions(m, r, parts)
	if err != nil {
		return nil, fmt.Errorf("sched domains of %s: %w", m.Name, err)
	}
	return d, nil
}

func buildPartitions(m *machine.Machine, r Rules, parts []cpumask.Mask) (*Domains, error) {
	if r.TopName == "" {
		return nil, errors.New("the rules are those of no kernel version")
	}
	if err := check(m); err != nil {
		return nil, err
	}
	b := newBuilder(m, r)
	taken := b.spans.scratch()
	for i, part := range parts {
		cpus := b.spans.scratch()
		cpus.SetAnd(m.Online, part)
		if cpus.Empty() {
			return nil, fmt.Errorf("partition %d (CPUs %v) has no online CPU", i, part)
		}
		if c := cpus.FirstAnd(taken); c >= 0 {
			return nil, fmt.Errorf("partition %d (CPUs %v): CPU %d is in an earlier one too", i, part, c)
		}
		taken.Or(cpus)
		if err := b.partition(cpus); err != nil {
			return nil, err
		}
	}
	return b.out, nil
}

// check finds what would make an id or a table point nowhere.
func check(m *machine.Machine) error {
	if m.Online.Empty() {
		return errors.New("no online CPU")
	}
	if last := m.Online.Last(); last >= len(m.CPUs) {
		return fmt.Errorf("CPU %d is online, but the machine has only CPU ids below %d", last, len(m.CPUs))
	}
	exists := 0
	for i := range m.Nodes {
		if m.Nodes[i].Exists {
			exists++
		}
	}
	for i := range m.Nodes {
		if n := &m.Nodes[i]; n.Exists && exists > 1 && len(n.Distance) < len(m.Nodes) {
			return fmt.Errorf("node %d has %d distances for %d nodes", i, len(n.Distance), len(m.Nodes))
		}
	}
	for c := range m.Online.All() {
		if n := m.CPUs[c].Node; n < 0 || n >= len(m.Nodes) || !m.Nodes[n].Exists {
			return fmt.Errorf("CPU %d is on node %d, which does not exist", c, n)
		}
	}
	return nil
}

// builder is one call of Build.
type builder struct {
	m      *machine.Machine
	r      Rules
	spans  *spans
	levels []level
	at     [][]*node // by level and CPU: the domain as built, nil where there is none
	states map[stateKey]int
	out    *Domains
}

func newBuilder(m *machine.Machine, r Rules) *builder {
	s := newSpans(len(m.CPUs))
	reach := numaReach(m, r)
	b := &builder{
		m: m, r: r, spans: s,
		levels: levels(m, r, s, reach),
		states: map[stateKey]int{},
		out: &Domains{
			CPUs:  make([]CPU, len(m.CPUs)),
			Reach: reach,
			Shape: numaShape(m, r, reach),
		},
	}
	for c := range b.out.CPUs {
		b.out.CPUs[c].Capacity = int64(m.CPUs[c].Capacity)
	}
	b.at = make([][]*node, len(b.levels))
	for l := range b.at {
		b.at[l] = make([]*node, len(m.CPUs))
	}
	for c := range b.out.CPUs {
		b.out.CPUs[c] = CPU{Root: -1, LLC: c, LLCSize: 1, Share: c, LLCAt: -1, NUMAAt: -1}
	}
	return b
}

// partition builds one partition and adds it to the result.
func (b *builder) partition(cpus cpumask.Mask) error {
	p := &partition{builder: b, cpus: b.spans.intern(cpus), cuts: map[cut]*span{}}
	p.asym = newAsymmetry(p)
	for c := range p.cpus.mask.All() {
		p.plant(c)
	}
	for l := range p.levels {
		if err := p.group(l); err != nil {
			return err
		}
	}
	if b.r.ImbNUMA {
		for c := range p.cpus.mask.All() {
			setImbNUMA(b.at[0][c])
		}
	}
	b.out.Roots = append(b.out.Roots, Root{Span: p.cpus.mask})
	// All CPUs are attached before any is published: they change shared groups.
	bottoms := make([]*node, len(b.m.CPUs))
	for c := range p.cpus.mask.All() {
		bottoms[c] = p.attach(b.at[0][c])
	}
	for c := range p.cpus.mask.All() {
		b.publish(c, len(b.out.Roots)-1, bottoms[c])
	}
	return nil
}
