package machine

import (
	"fmt"

	"schedlab/cpumask"
)

// parts is a machine as a description lists it: for every CPU what it is a part
// of, by numbers that mean nothing but whether they are equal. Equal cores of
// different packages are different cores.
type parts struct {
	cpus  []part // in any order
	nodes []nodePart
	arch  string // as uname -m has it; "": unknown, taken as x86
}

// part is one CPU. A number below zero says nothing.
type part struct {
	id                                          int
	online                                      bool
	core, cluster, llc, pkg, die, node, private int
	capacity                                    int
}

// unknownPart is a CPU of which only the number is known.
func unknownPart(id int) part {
	return part{id: id, online: true, core: -1, cluster: -1, llc: -1, pkg: -1, die: -1, node: -1, private: -1, capacity: maxCapacity}
}

// nodePart is one NUMA node; distance is by position in parts.nodes, nil where
// nothing is said.
type nodePart struct {
	id       int
	distance []int
}

// assemble makes the machine. What its source says of nothing else comes from the
// default cost family. The errors are one line without the machine's name.
func (p *parts) assemble(name string) (*Machine, error) {
	m := &Machine{Name: name, X86: p.arch == "" || isX86(p.arch)}
	if err := p.fillCPUs(m); err != nil {
		return nil, err
	}
	p.group(m)
	if err := p.fillNodes(m); err != nil {
		return nil, err
	}
	return m, nil
}

func isX86(arch string) bool {
	switch arch {
	case "x86_64", "i386", "i486", "i586", "i686", "x86":
		return true
	}
	return false
}

func (p *parts) fillCPUs(m *Machine) error {
	highest := -1
	for _, c := range p.cpus {
		if c.id < 0 || c.id >= cpumask.MaxParsed {
			return fmt.Errorf("CPU %d is not within 0..%d", c.id, cpumask.MaxParsed-1)
		}
		highest = max(highest, c.id)
	}
	m.CPUs, m.Online = make([]CPU, highest+1), cpumask.New(highest+1)
	for id := range m.CPUs {
		m.CPUs[id] = CPU{ID: id, Core: id, Cluster: id, LLC: id, Package: id, Die: id, Capacity: maxCapacity}
	}
	for _, c := range p.cpus {
		x := &m.CPUs[c.id]
		if x.Possible {
			return fmt.Errorf("CPU %d is described twice", c.id)
		}
		x.Possible, x.Online, x.Capacity = true, c.online, c.capacity
		if c.online {
			m.Online.Set(c.id)
		}
	}
	if m.Online.Empty() {
		return errNoCPUs
	}
	return nil
}

// group sets what CPUs share, each named by the lowest one. Threads of a core
// share its caches whatever is said of them.
func (p *parts) group(m *Machine) {
	of := make([]*part, len(m.CPUs))
	for i := range p.cpus {
		of[p.cpus[i].id] = &p.cpus[i]
	}
	type pair [3]int
	by := func(key func(*part) (pair, bool), set func(c *CPU, first int)) {
		g := groupBy(m.Online, func(c int) (pair, bool) { return key(of[c]) })
		for _, cpus := range g.members {
			for _, c := range cpus {
				set(&m.CPUs[c], cpus[0])
			}
		}
	}
	by(func(x *part) (pair, bool) { return pair{max(x.pkg, 0)}, true }, func(c *CPU, first int) { c.Package = first })
	by(func(x *part) (pair, bool) { return pair{m.CPUs[x.id].Package, x.die}, true }, func(c *CPU, first int) { c.Die = first })
	by(func(x *part) (pair, bool) { return pair{m.CPUs[x.id].Package, x.core, x.private}, x.core >= 0 }, func(c *CPU, first int) { c.Core = first })
	byCore := func(number func(*part) int) func(*part) (pair, bool) {
		return func(x *part) (pair, bool) {
			first := of[m.CPUs[x.id].Core]
			if n := number(first); n >= 0 {
				return pair{1, n}, true
			}
			return pair{0, first.id}, true
		}
	}
	by(byCore(func(x *part) int { return x.cluster }), func(c *CPU, first int) { c.Cluster = first })
	by(byCore(func(x *part) int { return x.llc }), func(c *CPU, first int) { c.LLC = first })
}

// fillNodes makes the nodes; CPUs of none are in the first.
func (p *parts) fillNodes(m *Machine) error {
	if len(p.nodes) == 0 {
		m.Nodes = []Node{{Exists: true, CPUs: m.Online.Clone(), Distance: []int{localDistance}}}
		return nil
	}
	highest := 0
	for _, n := range p.nodes {
		if n.id < 0 || n.id >= maxNodes {
			return fmt.Errorf("node %d is not within 0..%d", n.id, maxNodes-1)
		}
		highest = max(highest, n.id)
	}
	m.Nodes = make([]Node, highest+1)
	for id := range m.Nodes {
		m.Nodes[id] = Node{ID: id, CPUs: cpumask.New(len(m.CPUs)), Distance: make([]int, highest+1)}
	}
	for _, n := range p.nodes {
		if m.Nodes[n.id].Exists {
			return fmt.Errorf("node %d is described twice", n.id)
		}
		m.Nodes[n.id].Exists = true
	}
	for _, a := range p.nodes {
		for j, b := range p.nodes {
			d := remoteDistance
			switch {
			case len(a.distance) == len(p.nodes) && a.distance[j] > 0 && a.distance[j] <= maxDistance:
				d = a.distance[j]
			case a.id == b.id:
				d = localDistance
			}
			m.Nodes[a.id].Distance[b.id] = d
		}
	}
	homeless := cpumask.New(len(m.CPUs))
	for _, c := range p.cpus {
		node := c.node
		if node < 0 || node > highest || !m.Nodes[node].Exists {
			if node = p.nodes[0].id; c.online {
				homeless.Set(c.id)
			}
		}
		m.CPUs[c.id].Node = node
		if !c.online {
			continue
		}
		m.Nodes[node].CPUs.Set(c.id)
	}
	if !homeless.Empty() {
		m.warnf("no node has CPUs %s: taken to be in node %d", homeless, p.nodes[0].id)
	}
	return nil
}

func (m *Machine) warnf(format string, args ...any) {
	m.Warnings = append(m.Warnings, fmt.Sprintf(format, args...))
}

// finish gives a machine that a description of its parts made the costs and idle
// states of the default family.
func (m *Machine) finish() (*Machine, error) {
	if err := m.applyFamily(defaultFamily); err != nil {
		return nil, err
	}
	return m, m.Validate()
}
