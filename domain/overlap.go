package domain

import (
	"encoding/binary"
	"fmt"

	"schedlab/cpumask"
)

// overlapping holds what the lists of groups of one level have in common.
type overlapping struct {
	p       *partition
	level   int
	groups  map[groupKey]*group
	balance map[balanceKey]*span
	rings   map[string]*ring
	serial  map[*group]uint64
	latest  map[run]*ring
	last    map[run]int // the CPU that latest was made for
	left    cpumask.Mask
}

// groupKey is what makes two groups of overlapping levels equal.
type groupKey struct {
	level int // of the domain that is the model
	span  *span
	flags Flags
}

type balanceKey struct {
	level int
	span  *span
}

// run is what neighbouring CPUs must share for their lists to be equal.
type run struct {
	span, child *span
	flags       Flags
}

// groupOverlapping builds the groups of a NUMA level, where every CPU has its
// own list (reference A.5).
func (p *partition) groupOverlapping(l int) error {
	o := &overlapping{
		p: p, level: l,
		groups:  map[groupKey]*group{},
		balance: map[balanceKey]*span{},
		rings:   map[string]*ring{},
		serial:  map[*group]uint64{},
		latest:  map[run]*ring{},
		last:    map[run]int{},
		left:    p.spans.scratch(),
	}
	for c := range p.cpus.mask.All() {
		n := p.at[l][c]
		if n == nil {
			continue
		}
		key := run{n.span, n.child.span, n.child.Flags}
		// With no other CPU of the span between them, two CPUs under one child
		// walk the same way.
		if r := o.latest[key]; r == nil || n.span.mask.Next(o.last[key]+1) != c {
			var err error
			if o.latest[key], err = o.list(n, c); err != nil {
				return err
			}
		}
		n.ring, o.last[key] = o.latest[key], c
	}
	return nil
}

// list makes the list of groups that cpu sees in its domain n.
func (o *overlapping) list(n *node, cpu int) (*ring, error) {
	var groups []*group
	var key []byte
	o.left.CopyFrom(n.span.mask)
	for c := o.left.NextWrap(cpu, -1); c >= 0; c = o.left.NextWrap(cpu, c) {
		sibling := o.p.at[o.level][c]
		if sibling == nil { // it stopped at a lower level
			continue
		}
		if o.p.r.Descend {
			sibling = descend(sibling, n.span)
		}
		g, err := o.group(sibling)
		if err != nil {
			return nil, err
		}
		groups = append(groups, g)
		key = binary.AppendUvarint(key, o.serial[g])
		o.left.AndNot(g.span.mask)
	}
	if r := o.rings[string(key)]; r != nil {
		return r, nil
	}
	r := &ring{groups: groups}
	o.rings[string(key)] = r
	return r, nil
}

// descend returns the domain of the same CPU whose child fits in span.
func descend(n *node, span *span) *node {
	for n.child != nil && !n.child.span.mask.Subset(span.mask) {
		n = n.child
	}
	return n
}

// group returns the group that a domain's child is, or the domain itself where
// it has none.
func (o *overlapping) group(model *node) (*group, error) {
	key := groupKey{level: model.level, span: model.span}
	if model.child != nil {
		key.span, key.flags = model.child.span, model.child.Flags
	}
	if g := o.groups[key]; g != nil {
		return g, nil
	}
	balance := o.balanceMask(balanceKey{key.level, key.span})
	if balance.weight == 0 {
		return nil, fmt.Errorf("level %s: no CPU of group %v could balance for it", o.p.levels[o.level].name, key.span.mask)
	}
	g := &group{
		span: key.span, balance: balance, flags: key.flags,
		state: stateKey{key.level, balance.mask.First()},
	}
	o.serial[g] = uint64(len(o.serial))
	o.groups[key] = g
	return g, nil
}

// balanceMask returns the CPUs of a group that come to it from below: those
// whose own domain of the level has just that child.
func (o *overlapping) balanceMask(key balanceKey) *span {
	if s := o.balance[key]; s != nil {
		return s
	}
	m := o.p.spans.scratch()
	for c := range key.span.mask.All() {
		n := o.p.at[key.level][c]
		if n != nil && n.child != nil && n.child.span == key.span {
			m.Set(c)
		}
	}
	s := o.p.spans.intern(m)
	o.balance[key] = s
	return s
}
