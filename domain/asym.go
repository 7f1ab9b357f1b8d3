package domain

import "schedlab/cpumask"

// asymmetry knows which domains of a partition show unequal CPU capacities
// (reference A.2). It is idle where all are equal.
type asymmetry struct {
	p     *partition
	total int // distinct capacities of the partition
	known map[*span]Flags
	level int // for AsymLevel: index of the level that shows them; -1 when none
}

func newAsymmetry(p *partition) *asymmetry {
	a := &asymmetry{p: p, known: map[*span]Flags{}, level: -1}
	a.total = a.distinct(p.cpus.mask)
	if a.total > 1 && p.r.Asym == AsymLevel {
		a.level = a.findLevel()
	}
	return a
}

// distinct counts the different capacities among cpus.
func (a *asymmetry) distinct(cpus cpumask.Mask) int {
	capacities := map[int]bool{}
	for c := range cpus.All() {
		capacities[a.p.m.CPUs[c].Capacity] = true
	}
	return len(capacities)
}

// apply sets the flags of a domain that shows unequal capacities, and takes
// from the domains below what does not fit.
func (a *asymmetry) apply(n *node) {
	f := a.flags(n)
	if f == 0 {
		return
	}
	n.Flags |= f
	if n.child != nil {
		n.child.Flags &^= PreferSibling
	}
	if a.p.r.Asym != AsymLevel {
		return
	}
	for t := n.child; t != nil; t = t.child {
		t.Flags |= BalanceWake
	}
}

func (a *asymmetry) flags(n *node) Flags {
	switch {
	case a.total < 2 || a.p.r.Asym == AsymNone:
		return 0
	case a.p.r.Asym == AsymLevel:
		if n.level == a.level {
			return AsymCPUCapacity
		}
		return 0
	}
	f, ok := a.known[n.span]
	if !ok {
		f = a.classify(n.span)
		a.known[n.span] = f
	}
	return f
}

// classify compares a span's capacities with those of the whole partition.
func (a *asymmetry) classify(s *span) Flags {
	switch n := a.distinct(s.mask); {
	case n < 2:
		return 0
	case n < a.total:
		return AsymCPUCapacity
	default:
		return AsymCPUCapacity | AsymCPUCapacityFull
	}
}

// findLevel returns the lowest level at which every CPU has seen the greatest
// capacity that it sees at any.
func (a *asymmetry) findLevel() int {
	p, found := a.p, -1
	for c := range p.cpus.mask.All() {
		greatest := p.m.CPUs[c].Capacity
		for l := max(found, 0); l < len(p.levels); l++ {
			seen := p.levels[l].seen[c].mask
			for o := seen.FirstAnd(p.cpus.mask); o >= 0; o = seen.NextAnd(p.cpus.mask, o+1) {
				if v := p.m.CPUs[o].Capacity; v > greatest {
					greatest, found = v, l
				}
			}
		}
	}
	return found
}
