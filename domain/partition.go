package domain

import (
	"fmt"

	"schedlab/cpumask"
	"schedlab/machine"
)

// BuildCpusets builds the domains as cpuset partitions make them: each list is a
// partition of its own, and what is left of the CPUs that are not isolated stays
// together, as the members of the root do. Without lists it is Build. A partition
// cannot have isolated CPUs, nor share any with another one.
func BuildCpusets(m *machine.Machine, r Rules, parts []cpumask.Mask) (*Domains, error) {
	if len(parts) == 0 {
		return Build(m, r)
	}
	rest := m.Online.Clone()
	rest.AndNot(m.Boot.Isolated)
	for i, p := range parts {
		if c := p.FirstAnd(m.Boot.Isolated); c >= 0 {
			return nil, fmt.Errorf("sched domains of %s: partition %d (CPUs %v): CPU %d is isolated by isolcpus", m.Name, i, p, c)
		}
		rest.AndNot(p)
	}
	if !rest.Empty() {
		parts = append(append([]cpumask.Mask{}, parts...), rest)
	}
	return BuildPartitions(m, r, parts)
}
