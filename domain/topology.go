package domain

import (
	"schedlab/cpumask"
	"schedlab/machine"
)

// level is one topology level: what each CPU sees there, in no partition.
type level struct {
	name     string
	flags    Flags // topology flags
	distance int   // NUMA distance of a NUMA level
	seen     []*span
}

// levels returns the topology levels bottom up (reference A.1).
func levels(m *machine.Machine, r Rules, s *spans, reach []Reach) []level {
	var cluster Flags
	if r.ClusterFlag {
		cluster = Cluster
	}
	ls := []level{{
		name:  "SMT",
		flags: ShareCPUCapacity | ShareLLC,
		seen:  seenByID(m, s, func(c machine.CPU) int { return c.Core }),
	}}
	if r.Cluster {
		ls = append(ls, level{
			name:  "CLS",
			flags: cluster | ShareLLC,
			seen:  seenByID(m, s, func(c machine.CPU) int { return c.Cluster }),
		})
	}
	ls = append(ls, level{
		name:  "MC",
		flags: ShareLLC,
		seen:  seenByID(m, s, func(c machine.CPU) int { return c.LLC }),
	})
	if !m.X86 || !packageHoldsNodes(m) {
		ls = append(ls, level{
			name: r.TopName,
			seen: seenByID(m, s, func(c machine.CPU) int { return c.Node }),
		})
	}
	return append(ls, numaLevels(m, s, reach)...)
}

// seenByID returns for every online CPU the online CPUs with the same id.
func seenByID(m *machine.Machine, s *spans, id func(machine.CPU) int) []*span {
	members := map[int]cpumask.Mask{}
	for c := range m.Online.All() {
		k := id(m.CPUs[c])
		if members[k] == nil {
			members[k] = s.scratch()
		}
		members[k].Set(c)
	}
	known := make(map[int]*span, len(members))
	seen := make([]*span, len(m.CPUs))
	for c := range m.Online.All() {
		k := id(m.CPUs[c])
		if known[k] == nil {
			known[k] = s.intern(members[k])
		}
		seen[c] = known[k]
	}
	return seen
}

// packageHoldsNodes reports whether a package has CPUs of several nodes: x86
// then has no level between the LLC and the NUMA levels.
func packageHoldsNodes(m *machine.Machine) bool {
	node := map[int]int{}
	for c := range m.Online.All() {
		cpu := &m.CPUs[c]
		if n, ok := node[cpu.Package]; ok && n != cpu.Node {
			return true
		}
		node[cpu.Package] = cpu.Node
	}
	return false
}
