package machine

import (
	"errors"
	"fmt"

	"schedlab/cpumask"
)

// layout is a regular machine. CPUs are numbered as on Intel machines: the
// first threads of all cores, socket by socket, then their siblings.
type layout struct {
	Sockets   int     `yaml:"sockets"`
	Cores     int     `yaml:"cores"`     // in each socket
	Threads   int     `yaml:"threads"`   // in each core
	LLC       int     `yaml:"llc"`       // cores that share an LLC; 0: all of the socket, or of the node where that is smaller
	Nodes     int     `yaml:"nodes"`     // NUMA nodes of the machine; 0: one for each socket
	Distances [][]int `yaml:"distances"` // between nodes; absent: 10, 11 within a socket, 21
	Source    string  `yaml:"source"`
}

// Distances of a machine whose firmware table is not given: a usual two-socket
// Xeon's, with sub-NUMA clusters where a socket has several nodes.
const (
	sameSocketDistance  = 11
	otherSocketDistance = 21
)

// check completes l and finds what does not fit together.
func (l layout) check() (layout, error) {
	for _, f := range []struct {
		name string
		n    int
	}{{"sockets", l.Sockets}, {"cores", l.Cores}, {"threads", l.Threads}} {
		if f.n < 1 || f.n > cpumask.MaxParsed {
			return l, fmt.Errorf("%s=%d is not within 1..%d", f.name, f.n, cpumask.MaxParsed)
		}
	}
	if n := int64(l.Sockets) * int64(l.Cores); n > cpumask.MaxParsed || n*int64(l.Threads) > cpumask.MaxParsed {
		return l, fmt.Errorf("more than the limit of %d CPUs", cpumask.MaxParsed)
	}
	if l.Nodes == 0 {
		l.Nodes = l.Sockets
	}
	cores := l.Sockets * l.Cores
	if l.Nodes < 1 || l.Nodes > maxNodes || cores%l.Nodes != 0 || l.Nodes%l.Sockets != 0 && l.Sockets%l.Nodes != 0 {
		return l, fmt.Errorf("nodes=%d: %d sockets of %d cores do not divide into that many (limit %d)", l.Nodes, l.Sockets, l.Cores, maxNodes)
	}
	if l.LLC == 0 {
		l.LLC = min(l.Cores, cores/l.Nodes)
	}
	if l.LLC < 1 || l.Cores%l.LLC != 0 {
		return l, fmt.Errorf("llc=%d: a socket of %d cores does not divide into LLCs of that many", l.LLC, l.Cores)
	}
	return l, l.checkDistances()
}

func (l layout) checkDistances() error {
	if l.Distances == nil {
		return nil
	}
	if len(l.Distances) != l.Nodes {
		return fmt.Errorf("distances: %d rows for %d nodes", len(l.Distances), l.Nodes)
	}
	for i, row := range l.Distances {
		if len(row) != l.Nodes {
			return fmt.Errorf("distances: row %d has %d values for %d nodes", i, len(row), l.Nodes)
		}
	}
	return nil
}

// build makes the machine, without costs and idle states.
func (l layout) build(name string) (*Machine, error) {
	l, err := l.check()
	if err != nil {
		return nil, err
	}
	cores := l.Sockets * l.Cores
	m := &Machine{Name: name, CPUs: make([]CPU, cores*l.Threads), Online: cpumask.Full(cores * l.Threads)}
	for id := range m.CPUs {
		core := id % cores
		pkg := core - core%l.Cores
		m.CPUs[id] = CPU{
			ID: id, Possible: true, Online: true,
			Core: core, Cluster: core, LLC: core - core%l.Cores%l.LLC, Package: pkg, Die: pkg,
			Node: core / (cores / l.Nodes), Capacity: maxCapacity,
		}
	}
	m.Nodes = l.buildNodes(m.CPUs)
	m.countRegular()
	return m, nil
}

func (l layout) buildNodes(cpus []CPU) []Node {
	nodes := make([]Node, l.Nodes)
	for i := range nodes {
		nodes[i] = Node{ID: i, Exists: true, CPUs: cpumask.New(len(cpus)), Distance: make([]int, l.Nodes)}
		for j := range nodes {
			nodes[i].Distance[j] = l.distance(i, j)
		}
	}
	for _, c := range cpus {
		nodes[c.Node].CPUs.Set(c.ID)
	}
	return nodes
}

func (l layout) distance(a, b int) int {
	perSocket := max(1, l.Nodes/l.Sockets)
	switch {
	case l.Distances != nil:
		return l.Distances[a][b]
	case a == b:
		return localDistance
	case a/perSocket == b/perSocket:
		return sameSocketDistance
	}
	return otherSocketDistance
}

var errNoCPUs = errors.New("has no CPU that is online")
