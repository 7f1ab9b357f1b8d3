package machine

import (
	"fmt"

	"schedlab/cpumask"
)

// Validate checks what the rooms above rely on: at least one CPU online, ids
// that are the lowest of their groups, threads of a core in one LLC, nodes and
// distances that fit together, costs and idle states that are set. The error
// names the machine and the first thing that is wrong.
func (m *Machine) Validate() error {
	for _, check := range []func() error{m.checkCPUs, m.checkNodes, m.checkIdle, m.checkCosts} {
		if err := check(); err != nil {
			return fmt.Errorf("machine %s: %w", m.Name, err)
		}
	}
	return nil
}

func (m *Machine) checkCPUs() error {
	if m.Online.Empty() {
		return errNoCPUs
	}
	if len(m.CPUs) > cpumask.MaxParsed || m.Online.Last() >= len(m.CPUs) {
		return fmt.Errorf("online CPU %d: there are %d ids, of at most %d", m.Online.Last(), len(m.CPUs), cpumask.MaxParsed)
	}
	for id := range m.CPUs {
		if err := m.checkCPU(id); err != nil {
			return fmt.Errorf("CPU %d: %w", id, err)
		}
	}
	return nil
}

func (m *Machine) checkCPU(id int) error {
	c := &m.CPUs[id]
	if c.ID != id || c.Online != m.Online.Test(id) || c.Online && !c.Possible {
		return fmt.Errorf("id %d, possible %v, online %v contradict the machine's lists", c.ID, c.Possible, c.Online)
	}
	for _, part := range []struct {
		name string
		id   int
		of   func(*CPU) int
	}{
		{"core", c.Core, func(c *CPU) int { return c.Core }},
		{"cluster", c.Cluster, func(c *CPU) int { return c.Cluster }},
		{"LLC", c.LLC, func(c *CPU) int { return c.LLC }},
		{"package", c.Package, func(c *CPU) int { return c.Package }},
		{"die", c.Die, func(c *CPU) int { return c.Die }},
	} {
		if part.id < 0 || part.id > id || part.of(&m.CPUs[part.id]) != part.id || m.CPUs[part.id].Online != c.Online {
			return fmt.Errorf("%s %d is not the lowest CPU id that shares it", part.name, part.id)
		}
	}
	if first := &m.CPUs[c.Core]; first.LLC != c.LLC || first.Cluster != c.Cluster {
		return fmt.Errorf("is not in the LLC and cluster of CPU %d, a thread of its core", c.Core)
	}
	if c.Capacity < 1 || c.Capacity > maxCapacity {
		return fmt.Errorf("capacity %d is not within 1..%d", c.Capacity, maxCapacity)
	}
	if c.Node < 0 || c.Node >= len(m.Nodes) || c.Online && !m.Nodes[c.Node].CPUs.Test(id) {
		return fmt.Errorf("node %d does not have it", c.Node)
	}
	return nil
}

func (m *Machine) checkNodes() error {
	cpus := 0
	for id, n := range m.Nodes {
		if n.ID != id || !n.Exists && !n.CPUs.Empty() || !n.CPUs.Subset(m.Online) {
			return fmt.Errorf("node %d: its id, existence or CPUs contradict the machine's", id)
		}
		cpus += n.CPUs.Weight()
		if len(n.Distance) != len(m.Nodes) {
			return fmt.Errorf("node %d: %d distances for %d nodes", id, len(n.Distance), len(m.Nodes))
		}
		for to, d := range n.Distance {
			if both := n.Exists && m.Nodes[to].Exists; both != (d > 0) || d > maxDistance {
				return fmt.Errorf("node %d: distance %d to node %d", id, d, to)
			}
		}
	}
	if cpus != m.Online.Weight() {
		return fmt.Errorf("nodes have %d CPUs, of %d online", cpus, m.Online.Weight())
	}
	return nil
}

func (m *Machine) checkIdle() error {
	if len(m.Idle) == 0 {
		return fmt.Errorf("no idle state")
	}
	for i, s := range m.Idle {
		if s.Name == "" || s.Latency < 0 || s.Residency < 0 || i > 0 && s.Latency < m.Idle[i-1].Latency {
			return fmt.Errorf("idle state %d (%s): latency %d, residency %d ns: not shallow to deep", i, s.Name, s.Latency, s.Residency)
		}
	}
	return nil
}

// maxCost is above what any operation may take: a second.
const maxCost = 1e9

func (m *Machine) checkCosts() error {
	for _, f := range costFields {
		if v := *f.at(&m.Costs); v < 0 || v > maxCost {
			return fmt.Errorf("cost %s = %d is not within 0..%d", f.name, v, int64(maxCost))
		}
	}
	if m.Costs.SMTSpeed < 1 || m.Costs.SMTSpeed > 1000 {
		return fmt.Errorf("cost smt_speed = %d is not within 1..1000", m.Costs.SMTSpeed)
	}
	return nil
}
