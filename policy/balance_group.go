package policy

import "schedlab/domain"

// findBusiestGroup is sched_balance_find_src_group() of v6.12: the group to
// take from, with the imbalance set in e; nil: balanced (reference D.5).
func (s *Sched) findBusiestGroup(e *balanceEnv) *domain.Group {
	if s.gen == GenV420 {
		return s.findBusiestGroup419(e)
	}
	var local, busiest *domain.Group
	var l, b groupStats
	var total struct{ load, capacity, util int64 }
	overloaded := false
	for i := range e.sd.Groups {
		g := e.sd.Groups[(e.sd.First+i)%len(e.sd.Groups)]
		isLocal := g.Span.Test(int(e.dst))
		st := s.groupStatsOf(e, g, isLocal, &overloaded)
		if isLocal {
			local, l = g, st
		} else if busier(busiest, g, &b, &st) {
			busiest, b = g, st
		}
		total.load += st.load
		total.capacity += st.capacity
		total.util += st.util
	}
	s.updateRootOverload(e, overloaded)
	s.updateIdleScan(e, total.util)
	if busiest == nil || local == nil {
		return nil
	}
	avg := int64(0)
	if total.capacity > 0 {
		avg = total.load * 1024 / total.capacity
	}
	prefer := busiest.Flags&domain.PreferSibling != 0
	if !worthBalancing(e, local, busiest, &l, &b, prefer, avg) {
		return nil
	}
	s.calculateImbalance(e, local, busiest, &l, &b, prefer, avg)
	if e.imbalance == 0 {
		return nil
	}
	return busiest
}

// busier is update_sd_pick_busiest(): whether g replaces the busiest so far.
func busier(was, g *domain.Group, b, st *groupStats) bool {
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
		return st.avgLoad > b.avgLoad || st.avgLoad == b.avgLoad && was.Flags&domain.ShareCPUCapacity == 0
	case classHasSpare:
		if mixedSMT(was, g) {
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
func worthBalancing(e *balanceEnv, local, busiest *domain.Group, l, b *groupStats, prefer bool, avg int64) bool {
	if b.class == classImbalanced {
		return true
	}
	if l.class > b.class {
		return false
	}
	if l.class == classOverloaded &&
		(l.avgLoad >= b.avgLoad || l.avgLoad >= avg || 100*b.avgLoad <= int64(e.sd.ImbalancePct)*l.avgLoad) {
		return false
	}
	if prefer && l.class == classHasSpare && siblingImbalance(e, local, busiest, l, b) > 1 {
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
func siblingImbalance(e *balanceEnv, local, busiest *domain.Group, l, b *groupStats) int64 {
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
func (s *Sched) calculateImbalance(e *balanceEnv, local, busiest *domain.Group, l, b *groupStats, prefer bool, avg int64) {
	switch {
	case b.class == classSMTBalance || b.class == classImbalanced:
		e.kind, e.imbalance = migrateTask, 1
	case l.class == classHasSpare:
		s.fillSpare(e, local, busiest, l, b, prefer)
	default:
		s.evenLoad(e, l, b, avg)
	}
}

// fillSpare moves tasks into a local group that has spare capacity.
func (s *Sched) fillSpare(e *balanceEnv, local, busiest *domain.Group, l, b *groupStats, prefer bool) {
	if b.class > classFullyBusy && e.sd.Flags&domain.ShareLLC == 0 {
		e.kind, e.imbalance = migrateUtil, max(l.capacity, l.util)-l.util
		if e.idle != notIdle && e.imbalance == 0 {
			e.kind, e.imbalance = migrateTask, 1
		}
		return
	}
	e.kind = migrateTask
	if b.weight == 1 || prefer {
		e.imbalance = siblingImbalance(e, local, busiest, l, b)
	} else {
		e.imbalance = max(0, l.idle-b.idle)
	}
	if e.sd.Flags&domain.NUMA != 0 {
		e.imbalance = allowedImbalance(e.imbalance, l.running+1, int64(e.sd.ImbNUMA))
	}
	e.imbalance >>= 1
}

// evenLoad moves load towards the domain's average.
func (s *Sched) evenLoad(e *balanceEnv, l, b *groupStats, avg int64) {
	e.kind, e.imbalance = migrateLoad, 0
	if l.class < classOverloaded {
		l.avgLoad = l.load * 1024 / l.capacity
		if l.avgLoad >= b.avgLoad || l.avgLoad >= avg {
			return
		}
	}
	e.imbalance = min((b.avgLoad-avg)*b.capacity, (avg-l.avgLoad)*l.capacity) / 1024
}

// allowedImbalance is adjust_numa_imbalance(): none up to two tasks while the
// destination runs few.
func allowedImbalance(imbalance, dstRunning, allowed int64) int64 {
	if dstRunning > allowed || imbalance > 2 {
		return imbalance
	}
	return 0
}
