package workload

import (
	"fmt"

	"schedlab/cpumask"
	"schedlab/machine"
)

// Bindings of a pair of tasks to a pair of CPUs, by mmtests' names (its
// shellpacks' --bind-* and bin/list-cpu-siblings.pl).
const (
	bindOff    = "off"
	bindHT     = "cross-ht"
	bindSocket = "cross-socket"
	bindNode   = "cross-node"
)

// bound is the pair of CPUs of a binding, nil for bindOff. The error says that
// the machine has no such pair.
func bound(m *machine.Machine, bind string) (cpumask.Mask, error) {
	if bind == bindOff {
		return nil, nil
	}
	a, last := firstAndLast(m)
	b := -1
	switch x := &m.CPUs[a]; bind {
	case bindHT:
		b = firstBeside(m, func(c *machine.CPU) bool { return c.ID != a && c.Core == x.Core })
	case bindSocket:
		b = firstBeside(m, func(c *machine.CPU) bool { return c.Core != x.Core && c.Node == x.Node && c.LLC == x.LLC })
		if b < 0 {
			b = firstBeside(m, func(c *machine.CPU) bool { return c.Core != x.Core && c.Node == x.Node })
		}
	case bindNode:
		if m.CPUs[last].Node != x.Node {
			b = last
		}
	}
	if b < 0 {
		return nil, fmt.Errorf("bind=%s: CPU %d has no such CPU beside it on this machine", bind, a)
	}
	return cpumask.Of(a, b), nil
}

// Bindable reports whether the machine has the CPUs that pipe's key bind asks for.
func Bindable(m *machine.Machine, bind string) bool {
	_, err := bound(m, bind)
	return err == nil
}

// firstAndLast are the first online CPU of the first node that has one, and the
// last of the last.
func firstAndLast(m *machine.Machine) (first, last int) {
	first, last = m.Online.First(), m.Online.Last()
	for i := range m.Nodes {
		if n := &m.Nodes[i]; n.Exists && !n.CPUs.Empty() {
			first = n.CPUs.First()
			break
		}
	}
	for i := len(m.Nodes) - 1; i >= 0; i-- {
		if n := &m.Nodes[i]; n.Exists && !n.CPUs.Empty() {
			last = n.CPUs.Last()
			break
		}
	}
	return first, last
}

// firstBeside is the lowest online CPU of a kind, -1 if there is none.
func firstBeside(m *machine.Machine, is func(*machine.CPU) bool) int {
	for c := range m.Online.All() {
		if is(&m.CPUs[c]) {
			return c
		}
	}
	return -1
}
