package domain

// attach removes the domains of one CPU that add nothing (reference A.3) and
// returns the lowest that is left; nil when none is.
func (p *partition) attach(bottom *node) *node {
	for n := bottom; n.parent != nil; {
		up := n.parent
		if !p.r.removable(n, up) {
			n = up
			continue
		}
		n.parent = up.parent
		if n.parent != nil {
			n.parent.child = n
			if p.r.FirstGroup {
				n.parent.setFirstGroup(n.Flags)
			}
		}
		n.Flags |= up.Flags & PreferSibling
	}
	if !p.r.degenerate(bottom) {
		return bottom
	}
	if bottom = bottom.parent; bottom != nil {
		bottom.child = nil
		bottom.setFirstGroup(0)
	}
	return bottom
}

// degenerate reports whether a domain balances nothing.
func (r Rules) degenerate(n *node) bool {
	if n.span.weight == 1 {
		return true
	}
	if n.Flags&r.NeedGroups != 0 && len(n.ring.groups) > 1 {
		return false
	}
	return n.Flags&WakeAffine == 0
}

// removable reports whether the domain above n adds nothing to it.
func (r Rules) removable(n, up *node) bool {
	if r.degenerate(up) {
		return true
	}
	if n.span != up.span {
		return false
	}
	adds := up.Flags &^ n.Flags
	if len(up.ring.groups) == 1 {
		adds &^= r.ParentNeedGroups
	}
	return adds == 0
}

// setFirstGroup gives this CPU's first group the flags f. Below the NUMA levels
// the group is shared, and all see it; at NUMA levels it is this CPU's own.
func (n *node) setFirstGroup(f Flags) {
	if n.Flags&Overlap == 0 {
		n.ring.groups[n.First].flags = f
		return
	}
	n.head = n.ring.withFlags(f)
}

// withFlags returns the ring's first group with the flags f; nil when it has them.
func (r *ring) withFlags(f Flags) *group {
	if r.groups[0].flags == f {
		return nil
	}
	for _, g := range r.heads {
		if g.flags == f {
			return g
		}
	}
	g := *r.groups[0]
	g.flags = f
	r.heads = append(r.heads, &g)
	return &g
}
