package domain

import (
	"fmt"
	"slices"
	"testing"

	"schedlab/cpumask"
	"schedlab/machine"
)

// shape describes a machine to make. CPUs are numbered as on Intel servers:
// the first threads of all cores, socket after socket, then the second ones.
type shape struct {
	sockets, cores, threads int
	perCluster, perLLC      int     // cores that share an L2, a last-level cache; 0: one, all of the socket
	nodesPerSocket          int     // 0: one
	distances               [][]int // by node; nil: 10 and 21
	uma                     bool    // one node for all sockets
}

func (s shape) machine() *machine.Machine {
	if s.threads == 0 {
		s.threads = 1
	}
	if s.perCluster == 0 {
		s.perCluster = 1
	}
	if s.perLLC == 0 {
		s.perLLC = s.cores
	}
	if s.nodesPerSocket == 0 {
		s.nodesPerSocket = 1
	}
	all := s.sockets * s.cores
	m := &machine.Machine{Name: fmt.Sprintf("%+v", s), X86: true, CPUs: make([]machine.CPU, all*s.threads)}
	m.Online = cpumask.Full(len(m.CPUs))
	for id := range m.CPUs {
		core := id % all
		socket := core / s.cores
		at := core - socket*s.cores
		node := socket*s.nodesPerSocket + at/max(1, s.cores/s.nodesPerSocket)
		if s.uma {
			node = 0
		}
		m.CPUs[id] = machine.CPU{
			ID: id, Possible: true, Online: true, Core: core,
			Cluster:  core - at%s.perCluster,
			LLC:      core - at%s.perLLC,
			Package:  socket * s.cores,
			Die:      socket * s.cores,
			Node:     node,
			Capacity: 1024,
		}
		if node >= len(m.Nodes) {
			m.Nodes = slices.Grow(m.Nodes, node+1-len(m.Nodes))[:node+1]
		}
	}
	for n := range m.Nodes {
		m.Nodes[n] = machine.Node{ID: n, Exists: true, CPUs: cpumask.New(len(m.CPUs))}
		for o := range m.Nodes {
			d := 21
			switch {
			case s.distances != nil:
				d = s.distances[n][o]
			case o == n:
				d = 10
			}
			m.Nodes[n].Distance = append(m.Nodes[n].Distance, d)
		}
	}
	for id, c := range m.CPUs {
		m.Nodes[c.Node].CPUs.Set(id)
	}
	return m
}

// lineOf returns the distances of nodes in a row, ten for each hop.
func lineOf(n int) [][]int {
	d := make([][]int, n)
	for i := range d {
		for j := range n {
			d[i] = append(d[i], 10+10*max(i-j, j-i))
		}
	}
	return d
}

// setOffline takes CPUs away.
func setOffline(m *machine.Machine, cpus ...int) {
	for _, c := range cpus {
		m.Online.Clear(c)
		m.CPUs[c].Online = false
	}
}

func mustBuild(t testing.TB, m *machine.Machine, r Rules) *Domains {
	t.Helper()
	d, err := Build(m, r)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// walk returns the spans of a domain's groups in the order in which its CPU
// meets them.
func walk(d *Domain) []string {
	var spans []string
	for i := range d.Groups {
		spans = append(spans, d.Groups[(d.First+i)%len(d.Groups)].Span.String())
	}
	return spans
}

func mask(t testing.TB, list string) cpumask.Mask {
	t.Helper()
	m, err := cpumask.ParseList(list)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
