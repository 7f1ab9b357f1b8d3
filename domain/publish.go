package domain

// publish adds what is left of one CPU's domains to the result.
func (b *builder) publish(cpu, root int, bottom *node) {
	out := &b.out.CPUs[cpu]
	out.Root = root
	out.Capacity = b.capacity(cpu)
	for n := bottom; n != nil; n = n.parent {
		d := n.Domain
		d.Span, d.Weight = n.span.mask, n.span.weight
		d.Groups = b.publishRing(n.ring, n.head)
		out.Levels = append(out.Levels, &d)
	}
	out.setShortcuts()
}

// publishRing returns the ring's groups, the first replaced by head if there is one.
func (b *builder) publishRing(r *ring, head *group) []*Group {
	if gs := r.public[head]; gs != nil {
		return gs
	}
	gs := make([]*Group, len(r.groups))
	for i, g := range r.groups {
		if i == 0 && head != nil {
			g = head
		}
		gs[i] = b.publishGroup(g)
	}
	if r.public == nil {
		r.public = map[*group][]*Group{}
	}
	r.public[head] = gs
	return gs
}

func (b *builder) publishGroup(g *group) *Group {
	if g.public != nil {
		return g.public
	}
	id, ok := b.states[g.state]
	if !ok {
		id = b.out.States
		b.states[g.state] = id
		b.out.States++
	}
	g.public = &Group{
		Span:      g.span.mask,
		Balance:   g.balance.mask,
		BalanceAt: g.balance.mask.First(),
		Weight:    g.span.weight,
		Cores:     b.cores(g.span),
		Flags:     g.flags,
		ID:        id,
	}
	for c := range g.span.mask.All() {
		g.public.Capacity += b.capacity(c)
	}
	return g.public
}

// capacity is arch_scale_cpu_capacity() of a CPU in its lowest domain.
func (b *builder) capacity(c int) int64 {
	if threads := b.levels[0].seen[c]; b.r.SMTGain > 0 && b.levels[0].flags&ShareCPUCapacity != 0 && threads != nil && threads.weight > 1 {
		return int64(b.r.SMTGain / threads.weight)
	}
	return int64(b.m.CPUs[c].Capacity)
}

// cores counts the physical cores that have a CPU in s.
func (b *builder) cores(s *span) int {
	n := 0
	left := s.mask.Clone()
	for c := left.First(); c >= 0; c = left.Next(c + 1) {
		n++
		left.AndNot(b.levels[0].seen[c].mask)
	}
	return n
}

// setShortcuts derives what the scheduler keeps beside the domains (reference A.4).
func (c *CPU) setShortcuts() {
	for i, d := range c.Levels {
		if d.Flags&ShareLLC == 0 {
			break
		}
		c.LLCAt, c.LLC, c.LLCSize = i, d.Span.First(), d.Weight
	}
	c.Share = c.LLC
	if i := c.lowest(Cluster); i >= 0 {
		c.Share = c.Levels[i].Span.First()
	}
	c.NUMAAt = c.lowest(NUMA)
}

// lowest returns the index of the lowest domain with a flag; -1 when none has it.
func (c *CPU) lowest(f Flags) int {
	for i, d := range c.Levels {
		if d.Flags&f != 0 {
			return i
		}
	}
	return -1
}
