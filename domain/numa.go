package domain

import (
	"slices"

	"schedlab/cpumask"
	"schedlab/machine"
)

// Distances that Linux accepts; with any other it builds no NUMA level.
const (
	localDistance = 10
	maxDistance   = 255
)

// numaReach returns the distinct distances, ascending, and what each node
// reaches within them (reference A.1). It is nil when a distance is invalid.
func numaReach(m *machine.Machine, r Rules) []Reach {
	perNode := nodeCPUs(m)
	distances := numaDistances(m, r, perNode)
	reach := make([]Reach, len(distances))
	for k, d := range distances {
		reach[k] = Reach{Distance: d, CPUs: make([]cpumask.Mask, len(m.Nodes))}
		for from, own := range perNode {
			if own == nil {
				continue
			}
			within := cpumask.New(len(m.CPUs))
			for to, cpus := range perNode {
				if cpus != nil && distance(m, from, to) <= d {
					within.Or(cpus)
				}
			}
			reach[k].CPUs[from] = within
		}
	}
	return reach
}

// nodeCPUs returns the online CPUs by node; nil for a node without any.
func nodeCPUs(m *machine.Machine) []cpumask.Mask {
	cpus := make([]cpumask.Mask, len(m.Nodes))
	for c := range m.Online.All() {
		n := m.CPUs[c].Node
		if cpus[n] == nil {
			cpus[n] = cpumask.New(len(m.CPUs))
		}
		cpus[n].Set(c)
	}
	return cpus
}

// numaDistances returns the distances that make levels.
func numaDistances(m *machine.Machine, r Rules, perNode []cpumask.Mask) []int {
	nodes := numaNodes(m, r, perNode)
	rows := nodes
	if r.NodeZeroRow {
		rows = nodes[:1]
	}
	var ds []int
	for _, a := range rows {
		for _, b := range nodes {
			d := distance(m, a, b)
			if d < localDistance || d > maxDistance {
				return nil
			}
			// The first row's own distance is the identity, and nothing is nearer.
			if !r.NodeZeroRow || d >= distance(m, a, a) {
				ds = append(ds, d)
			}
		}
	}
	slices.Sort(ds)
	return slices.Compact(ds)
}

// numaNodes returns the ids of the nodes whose distances count, ascending.
func numaNodes(m *machine.Machine, r Rules, perNode []cpumask.Mask) []int {
	var nodes []int
	for n := range m.Nodes {
		if perNode[n] != nil || r.MemoryNodes && m.Nodes[n].Exists {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// distance is the distance between two nodes. A machine of one node needs no table.
func distance(m *machine.Machine, from, to int) int {
	row := m.Nodes[from].Distance
	if to < len(row) {
		return row[to]
	}
	return localDistance
}

// numaLevels returns the NODE level and a NUMA level for each further distance.
func numaLevels(m *machine.Machine, s *spans, reach []Reach) []level {
	var ls []level
	for k, rc := range reach {
		l := level{name: "NODE", seen: seenFromNode(m, s, rc)}
		if k > 0 {
			l.name, l.flags, l.distance = "NUMA", NUMA, rc.Distance
		}
		ls = append(ls, l)
	}
	return ls
}

func seenFromNode(m *machine.Machine, s *spans, rc Reach) []*span {
	byNode := make([]*span, len(m.Nodes))
	seen := make([]*span, len(m.CPUs))
	for c := range m.Online.All() {
		n := m.CPUs[c].Node
		if byNode[n] == nil {
			byNode[n] = s.intern(rc.CPUs[n])
		}
		seen[c] = byNode[n]
	}
	return seen
}

// numaShape tells how the nodes are connected: what lies between the first two
// that are as far apart as any decides.
func numaShape(m *machine.Machine, r Rules, reach []Reach) NUMAShape {
	if len(reach) <= 2 {
		return Direct
	}
	nodes := numaNodes(m, r, nodeCPUs(m))
	far := reach[len(reach)-1].Distance
	for _, a := range nodes {
		for _, b := range nodes {
			if distance(m, a, b) < far {
				continue
			}
			between := slices.ContainsFunc(nodes, func(c int) bool {
				return distance(m, a, c) < far && distance(m, b, c) < far
			})
			if between {
				return GluelessMesh
			}
			return Backplane
		}
	}
	return Direct
}
