package domain

// node is a domain under construction, one per CPU and level. What is known of
// the result stands in Domain; its Span, Weight and Groups are set at the end.
type node struct {
	Domain
	level         int // index into builder.levels
	span          *span
	child, parent *node
	ring          *ring
	head          *group // replaces the ring's first group; for overlapping levels
}

// partition is a set of CPUs that is balanced on its own, under construction.
type partition struct {
	*builder
	cpus *span
	cuts map[cut]*span
	asym *asymmetry
}

// cut is what a span is made from: the level's CPUs, of which the partition's
// are taken, and the child's, which are always in.
type cut struct{ seen, child *span }

// plant builds the domains of one CPU bottom up, and stops after the first
// that spans the whole partition.
func (p *partition) plant(cpu int) {
	var child *node
	for l := range p.levels {
		n := p.newNode(l, cpu, child)
		p.at[l][cpu] = n
		if n.span == p.cpus {
			return
		}
		child = n
	}
}

func (p *partition) newNode(l, cpu int, child *node) *node {
	lv := &p.levels[l]
	n := &node{level: l, child: child}
	var below *span
	if child != nil {
		child.parent, n.Level, below = n, child.Level+1, child.span
	}
	n.span = p.cut(lv.seen[cpu], below)
	n.Domain.Name = lv.name
	setAttributes(&n.Domain, p.r, lv, lv.seen[cpu].weight)
	p.asym.apply(n)
	return n
}

// cut returns the CPUs of seen that are in the partition, and those of below.
func (p *partition) cut(seen, below *span) *span {
	key := cut{seen, below}
	if s := p.cuts[key]; s != nil {
		return s
	}
	m := p.spans.scratch()
	m.SetAnd(seen.mask, p.cpus.mask)
	if below != nil {
		m.Or(below.mask)
	}
	s := p.spans.intern(m)
	p.cuts[key] = s
	return s
}
