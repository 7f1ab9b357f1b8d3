package domain

import (
	"fmt"

	"schedlab/cpumask"
)

// group is a group under construction.
type group struct {
	span    *span
	balance *span
	flags   Flags
	state   stateKey
	public  *Group
}

// stateKey names the live state of a group: the level whose domains were its
// model, and its balance CPU.
type stateKey struct{ level, cpu int }

// ring is a circular list of groups, shared by the domains that have it.
type ring struct {
	groups []*group
	heads  []*group            // versions of the first group with other flags
	public map[*group][]*Group // by the head in place of the first group; nil: its own
}

// group builds the groups of every CPU's domain at a level.
func (p *partition) group(l int) error {
	if p.levels[l].flags&NUMA != 0 {
		return p.groupOverlapping(l)
	}
	if err := p.checkDisjoint(l); err != nil {
		return err
	}
	rings := map[*span]*ring{}
	first := make([]int, len(p.m.CPUs))
	left := p.spans.scratch()
	// From the top, since the highest CPU of a span decides the order.
	for c := p.cpus.mask.Last(); c >= 0; c-- {
		n := p.at[l][c]
		if n == nil || !p.cpus.mask.Test(c) {
			continue
		}
		if rings[n.span] == nil {
			rings[n.span] = p.newRing(n, c, left)
			noteFirst(rings[n.span], first)
		}
		n.ring, n.First = rings[n.span], first[c]
	}
	return nil
}

// checkDisjoint returns an error when two spans of a level overlap in part,
// for which Linux builds no domains, or broken ones.
func (p *partition) checkDisjoint(l int) error {
	owner := make([]*span, len(p.m.CPUs))
	for c := range p.cpus.mask.All() {
		n := p.at[l][c]
		if n == nil || owner[n.span.mask.First()] == n.span {
			continue
		}
		for o := range n.span.mask.All() {
			if owner[o] != nil {
				return fmt.Errorf("level %s: CPUs %v and %v overlap in part", p.levels[l].name, owner[o].mask, n.span.mask)
			}
			owner[o] = n.span
		}
	}
	return nil
}

// newRing makes the groups of a span in the order that cpu sees: one for each
// child domain, or for each CPU where there is none. left is room to work in.
func (p *partition) newRing(n *node, cpu int, left cpumask.Mask) *ring {
	r := &ring{}
	left.CopyFrom(n.span.mask)
	for c := left.NextWrap(cpu, -1); c >= 0; c = left.NextWrap(cpu, c) {
		g := p.childGroup(n.level, c)
		r.groups = append(r.groups, g)
		left.AndNot(g.span.mask)
	}
	return r
}

// childGroup makes the group of a level that holds cpu.
func (p *partition) childGroup(l, cpu int) *group {
	n := p.at[l][cpu]
	if n.child != nil {
		s := n.child.span
		return &group{span: s, balance: s, flags: n.child.Flags, state: stateKey{l, s.mask.First()}}
	}
	m := p.spans.scratch()
	m.Set(cpu)
	s := p.spans.intern(m)
	return &group{span: s, balance: s, state: stateKey{l, cpu}}
}

// noteFirst notes for every CPU of the ring the index of its group.
func noteFirst(r *ring, first []int) {
	for i, g := range r.groups {
		for c := range g.span.mask.All() {
			first[c] = i
		}
	}
}
