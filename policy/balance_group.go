package policy

import (
	"schedlab/domain"
	"schedlab/kernel"
)

// findBusiestGroup is sched_balance_find_src_group() of v6.12: the group to
// take from, with the imbalance set in e; nil: balanced (reference D.5).
func (s *Sched) findBusiestGroup(e *balanceEnv) *domain.Group {
	if s.gen < GenV514 {
		return s.findBusiestGroup419(e)
	}
	if s.coreWise(e) {
		return s.findBusiestCore(e)
	}
	var local, busiest *domain.Group
	var localFaces kernel.Faces
	b, st := &s.stats[0], &s.stats[1]
	overloaded, overlap := false, e.sd.Flags&domain.Overlap != 0
	for i, n := e.sd.First, len(e.sd.Groups); n > 0; n-- {
		g := e.sd.Groups[i]
		if i++; i == len(e.sd.Groups) {
			i = 0
		}
		f := s.look(e, g)
		overloaded = overloaded || f.Over > 0
		if n == len(e.sd.Groups) || overlap && g.Span.Test(int(e.dst)) {
			local, localFaces = g, f // the walk begins at the CPU's own group
			continue
		}
		s.fillStats(e, g, f, false, st)
		if s.busier(busiest, g, b, st) {
			busiest = g
			b, st = st, b
		}
	}
	s.updateRootOverload(e, overloaded)
	s.updateIdleScan(e)
	if busiest == nil || local == nil {
		return nil
	}
	s.fillStats(e, local, localFaces, true, st)
	return s.settleBusiest(e, local, busiest, st, b)
}

// settleBusiest decides between the local group l and the busiest b, and sets
// what is to move.
func (s *Sched) settleBusiest(e *balanceEnv, local, busiest *domain.Group, l, b *groupStats) *domain.Group {
	prefer := s.prefersSibling(e, busiest)
	if !s.worthBalancing(e, local, busiest, l, b, prefer) {
		return nil
	}
	s.calculateImbalance(e, local, busiest, l, b, prefer)
	if e.imbalance == 0 {
		return nil
	}
	return busiest
}

// busier is update_sd_pick_busiest(): whether g replaces the busiest so far.
func (s *Sched) busier(was, g *domain.Group, b, st *groupStats) bool {
	if st.fair == 0 {
		return false
	}
	if was == nil {
		// The kernel starts from an imaginary idle group with spare capacity
		// and as many idle CPUs as can be.
		return true
	}
	if st.class != b.class {
		return st.class > b.class
	}
	switch st.class {
	case classOverloaded:
		return st.avgLoad > b.avgLoad
	case classSMTBalance:
		if st.idle == 0 && b.idle == 0 {
			return was.Flags&domain.ShareCPUCapacity == 0
		}
		return busierSpare(b, st)
	case classFullyBusy:
		if s.gen < GenV612 {
			return st.avgLoad > b.avgLoad
		}
		return st.avgLoad > b.avgLoad || st.avgLoad == b.avgLoad && was.Flags&domain.ShareCPUCapacity == 0
	case classHasSpare:
		if s.gen >= GenV612 && mixedSMT(was, g) {
			return !(g.Flags&domain.ShareCPUCapacity != 0 && st.fair <= 1)
		}
		return busierSpare(b, st)
	}
	return false
}

func busierSpare(b, st *groupStats) bool {
	return st.idle < b.idle || st.idle == b.idle && st.running > b.running
}

// mixedSMT is smt_vs_nonsmt_groups().
func mixedSMT(a, b *domain.Group) bool {
	return (a.Flags^b.Flags)&domain.ShareCPUCapacity != 0
}

// worthBalancing is the decision between local and busiest (reference D.5, 1 to 5).
func (s *Sched) worthBalancing(e *balanceEnv, local, busiest *domain.Group, l, b *groupStats, prefer bool) bool {
	if b.class == classImbalanced {
		return true
	}
	if l.class > b.class {
		return false
	}
	if l.class == classOverloaded &&
		(l.avgLoad >= b.avgLoad || l.avgLoad >= s.domainLoad(e) || 100*b.avgLoad <= int64(e.sd.ImbalancePct)*l.avgLoad) {
		return false
	}
	if prefer && l.class == classHasSpare && s.siblingImbalance(e, local, busiest, l, b) > 1 {
		return true
	}
	if b.class == classOverloaded {
		return true
	}
	switch {
	case e.idle == notIdle:
		return false
	case b.class == classSMTBalance && mixedSMT(local, busiest):
		return true
	case b.weight > 1 && l.idle <= b.idle+1:
		return false
	case b.fair == 1:
		return false
	}
	return true
}

// siblingImbalance is sibling_imbalance(): how many tasks more the busiest
// group has, weighed by cores.
func (s *Sched) siblingImbalance(e *balanceEnv, local, busiest *domain.Group, l, b *groupStats) int64 {
	if s.gen < GenV612 {
		return max(b.running-l.running, 0)
	}
	if e.idle == notIdle || b.running == 0 {
		return 0
	}
	cb, cl := int64(busiest.Cores), int64(local.Cores)
	if cb == cl {
		return max(b.running-l.running, 0)
	}
	x := max(cl*b.running-cb*l.running, 0)
	x = (2*x + cl + cb) / (cl + cb)
	if x <= 1 && l.running == 0 && b.running > 1 {
		return 2
	}
	return x
}

// calculateImbalance sets what to move, and how much of it.
func (s *Sched) calculateImbalance(e *balanceEnv, local, busiest *domain.Group, l, b *groupStats, prefer bool) {
	switch {
	case b.class == classSMTBalance || b.class == classImbalanced:
		e.kind, e.imbalance = migrateTask, 1
	case l.class == classHasSpare:
		s.fillSpare(e, local, busiest, l, b, prefer)
	default:
		s.evenLoad(e, local, l, b)
	}
}

// fillSpare moves tasks into a local group that has spare capacity.
func (s *Sched) fillSpare(e *balanceEnv, local, busiest *domain.Group, l, b *groupStats, prefer bool) {
	if !l.summed && b.class > classFullyBusy && e.sd.Flags&domain.ShareLLC == 0 {
		s.sumAverages(e, local, l)
	}
	if b.class > classFullyBusy && e.sd.Flags&domain.ShareLLC == 0 {
		e.kind, e.imbalance = migrateUtil, max(l.capacity, l.util)-l.util
		if e.idle != notIdle && e.imbalance == 0 {
			e.kind, e.imbalance = migrateTask, 1
		}
		return
	}
	e.kind = migrateTask
	if b.weight == 1 || prefer {
		e.imbalance = s.siblingImbalance(e, local, busiest, l, b)
	} else {
		e.imbalance = max(0, l.idle-b.idle)
	}
	if s.gen == GenV514 {
		e.imbalance >>= 1
		if e.sd.Flags&domain.NUMA != 0 && b.running < b.weight>>2 && e.imbalance <= 2 {
			e.imbalance = 0
		}
		return
	}
	if e.sd.Flags&domain.NUMA != 0 {
		e.imbalance = allowedImbalance(e.imbalance, l.running+1, int64(e.sd.ImbNUMA))
	}
	e.imbalance >>= 1
}

// evenLoad moves load towards the domain's average.
func (s *Sched) evenLoad(e *balanceEnv, local *domain.Group, l, b *groupStats) {
	e.kind, e.imbalance = migrateLoad, 0
	avg := s.domainLoad(e)
	if l.class < classOverloaded {
		if !l.summed {
			s.sumAverages(e, local, l)
		}
		l.avgLoad = l.load * 1024 / l.capacity
		if l.avgLoad >= b.avgLoad || s.gen >= GenV612 && l.avgLoad >= avg {
			return
		}
	}
	e.imbalance = min(unsigned(b.avgLoad-avg)*b.capacity, unsigned(avg-l.avgLoad)*l.capacity) / 1024
}

// unsigned is what a difference below zero amounts to in the kernel's unsigned
// arithmetic: more than anything that it is compared with.
func unsigned(diff int64) int64 {
	if diff < 0 {
		return 1 << 40
	}
	return diff
}

// prefersSibling says whether a pass is to spread tasks over the groups: of
// v6.12, what the busiest group was made from says so; before, what is below
// this domain.
func (s *Sched) prefersSibling(e *balanceEnv, busiest *domain.Group) bool {
	if s.gen >= GenV612 {
		return busiest.Flags&domain.PreferSibling != 0
	}
	return s.childPrefersSibling(e)
}

// childPrefersSibling reports whether the level below the pass's spreads tasks
// over its groups.
func (s *Sched) childPrefersSibling(e *balanceEnv) bool {
	return e.level > 0 && s.domains(e.cpu)[e.level-1].Flags&domain.PreferSibling != 0
}

// allowedImbalance is adjust_numa_imbalance(): none up to two tasks while the
// destination runs few.
func allowedImbalance(imbalance, dstRunning, allowed int64) int64 {
	if dstRunning > allowed || imbalance > 2 {
		return imbalance
	}
	return 0
}
