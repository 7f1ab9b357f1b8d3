package replay

import "schedlab/cpumask"

// placement says which CPU of a machine takes the part of which recorded one:
// the same where it is online, another one otherwise.
type placement struct {
	online cpumask.Mask
	ids    []int32
}

func newPlacement(online cpumask.Mask) placement {
	p := placement{online: online}
	for id := range online.All() {
		p.ids = append(p.ids, int32(id))
	}
	return p
}

func (p *placement) cpu(recorded int32) int32 {
	if p.online.Test(int(recorded)) {
		return recorded
	}
	return p.ids[uint32(recorded)%uint32(len(p.ids))]
}

// mask translates a set of CPUs. No set is every CPU, and so is an empty one.
func (p *placement) mask(recorded cpumask.Mask) cpumask.Mask {
	if recorded.Empty() {
		return p.online
	}
	m := cpumask.New(p.online.Last() + 1)
	for id := range recorded.All() {
		m.Set(int(p.cpu(int32(id))))
	}
	return m
}
