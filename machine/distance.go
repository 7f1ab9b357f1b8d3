package machine

// Dist is how far two CPUs are from each other, near to far.
type Dist uint8

const (
	DistSelf   Dist = iota // one and the same CPU
	DistCore               // threads of one core
	DistLLC                // cores that share the last-level cache
	DistNode               // LLCs of one NUMA node
	DistRemote             // different nodes

	NumDists = iota
)

var distNames = [...]string{"self", "core", "llc", "node", "remote"}

// String returns the distance's name: "self", "core", "llc", "node", "remote".
func (d Dist) String() string {
	if int(d) < len(distNames) {
		return distNames[d]
	}
	return "invalid"
}

// Distance returns how far the CPUs a and b are from each other. Both must be
// ids of the machine. An LLC that spans nodes makes its CPUs near.
func (m *Machine) Distance(a, b int) Dist {
	x, y := &m.CPUs[a], &m.CPUs[b]
	switch {
	case a == b:
		return DistSelf
	case x.Core == y.Core:
		return DistCore
	case x.LLC == y.LLC:
		return DistLLC
	case x.Node == y.Node:
		return DistNode
	}
	return DistRemote
}
