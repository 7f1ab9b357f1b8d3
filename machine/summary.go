package machine

import "fmt"

// Counts says how many of each kind a machine has, offline CPUs left aside.
type Counts struct {
	Packages        int
	Nodes           int // with and without CPUs
	MemoryOnlyNodes int
	LLCs            int
	Cores           int
	Online          int // CPUs
	Possible        int // CPUs
}

// Summary counts the machine's parts.
func (m *Machine) Summary() Counts {
	var n Counts
	for id, c := range m.CPUs {
		if c.Possible {
			n.Possible++
		}
		if !c.Online {
			continue
		}
		n.Online++
		n.Packages += one(c.Package == id)
		n.LLCs += one(c.LLC == id)
		n.Cores += one(c.Core == id)
	}
	for _, node := range m.Nodes {
		n.Nodes += one(node.Exists)
		n.MemoryOnlyNodes += one(node.Exists && node.CPUs.Empty())
	}
	return n
}

// String says it in a line: "2 packages, 2 nodes, 2 LLCs, 44 cores, 88 of 88 CPUs online".
func (n Counts) String() string {
	nodes := plural(n.Nodes, "node")
	if n.MemoryOnlyNodes > 0 {
		nodes += fmt.Sprintf(" (%d without CPUs)", n.MemoryOnlyNodes)
	}
	return fmt.Sprintf("%s, %s, %s, %s, %d of %s online", plural(n.Packages, "package"), nodes,
		plural(n.LLCs, "LLC"), plural(n.Cores, "core"), n.Online, plural(n.Possible, "CPU"))
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
