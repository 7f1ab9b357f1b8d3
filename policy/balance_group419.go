package policy

import (
	"math"

	"schedlab/domain"
	"schedlab/kernel"
)

// stats419 is what v4.20 learns of a group (reference D.4).
type stats419 struct {
	groupStats
	perTask int64
	noCap   bool
}

// findBusiestGroup419 is find_busiest_group() of v4.20.
func (s *Sched) findBusiestGroup419(e *balanceEnv) *domain.Group {
	var busiest *domain.Group
	var l, b stats419
	var totalLoad, totalCap int64
	overloaded, haveLocal := false, false
	s.idleRefreshed = false
	prefer := s.childPrefersSibling(e)
	for i := range e.sd.Groups {
		g := e.sd.Groups[(e.sd.First+i)%len(e.sd.Groups)]
		local := g.Span.Test(int(e.dst))
		st := s.groupStats419(e, g, local, &overloaded)
		switch {
		case local:
			l, haveLocal = st, true
		default:
			if prefer && haveLocal && l.hasCapacity419(e.sd) && st.fair > l.fair+1 {
				st.noCap, st.class = true, classOverloaded
			}
			if st.class > b.class || st.class == b.class && st.avgLoad > b.avgLoad {
				busiest, b = g, st
			}
		}
		totalLoad += st.load
		totalCap += st.capacity
	}
	if s.idleRefreshed && s.K.IdleMask.Subset(e.sd.Span) {
		s.K.Nohz.NextBlocked = s.K.Jiffies(e.now) + s.blockedPeriod()
	}
	s.updateRootOverload(e, overloaded)
	s.updateIdleScan(e)
	if busiest == nil || b.fair == 0 || totalCap == 0 {
		return nil
	}
	avg := 1024 * totalLoad / totalCap
	if !worthBalancing419(e, &l, &b, avg) {
		return nil
	}
	s.calculateImbalance419(e, &l, &b, avg)
	if e.imbalance == 0 {
		return nil
	}
	return busiest
}

func (s *Sched) groupStats419(e *balanceEnv, g *domain.Group, local bool, overloaded *bool) stats419 {
	st := stats419{groupStats: groupStats{capacity: g.Capacity, weight: int64(g.Weight)}}
	index := loadIndex(e.sd, e.idle) // all zero in v5.3
	for c := g.Span.NextAnd(e.cpus, 0); c >= 0; c = g.Span.NextAnd(e.cpus, c+1) {
		s.search()
		rq := &s.K.RQ[c]
		s.K.Meter.Read(&rq.Line, e.cpu)
		s.refreshIdle(e, rq)
		st.load += s.indexedLoad(rq, index, local)
		st.util += s.utilCFS(rq)
		st.fair += int64(rq.HNrQueued)
		st.running += int64(rq.NrRunning)
		st.runnable += rq.Avg.Run
		if rq.NrRunning > 1 {
			*overloaded = true
		}
		if rq.NrRunning == 0 && s.K.IsIdle(int32(c)) {
			st.idle++
		}
	}
	st.avgLoad = st.load * 1024 / st.capacity
	if st.fair > 0 {
		st.perTask = st.runnable / st.fair
	}
	pct := int64(e.sd.ImbalancePct)
	st.noCap = st.fair > st.weight && 100*st.capacity < st.util*pct
	switch {
	case st.noCap:
		st.class = classOverloaded
	case s.K.Group[g.ID].Imbalance:
		st.class = classImbalanced
	}
	return st
}

// refreshIdle lets a newidle pass age the averages of the CPUs that idle with a
// stopped tick (update_nohz_stats), at most once a jiffy each.
func (s *Sched) refreshIdle(e *balanceEnv, rq *kernel.RQ) {
	if e.idle != newlyIdle || !s.K.Nohz.HasBlocked || !rq.HasBlocked || !rq.NohzIdle {
		return
	}
	if s.K.Jiffies(e.now) > rq.BlockedAt {
		s.updateBlocked(rq, e.cpu, e.now)
	}
	s.idleRefreshed = s.idleRefreshed || rq.HasBlocked
}

func (st *stats419) hasCapacity419(sd *domain.Domain) bool {
	return st.fair < st.weight || 100*st.capacity > st.util*int64(sd.ImbalancePct)
}

// loadIndex is the history that a pass of this kind compares (reference A.2).
func loadIndex(sd *domain.Domain, why idleType) int {
	switch why {
	case notIdle:
		return sd.BusyIdx
	case newlyIdle:
		return sd.NewidleIdx
	}
	return sd.IdleIdx
}

// indexedLoad is target_load (local) or source_load: the load now, or with
// history the larger or smaller of both. Index 1 is the load of the last tick.
func (s *Sched) indexedLoad(rq *kernel.RQ, index int, local bool) int64 {
	load := rq.Avg.Run
	switch {
	case index == 0 || !s.K.LBBias:
		return load
	case local:
		return max(rq.CPULoad[index-1], load)
	}
	return min(rq.CPULoad[index-1], load)
}

func worthBalancing419(e *balanceEnv, l, b *stats419, avg int64) bool {
	switch {
	case b.class == classImbalanced:
		return true
	case e.idle != notIdle && l.hasCapacity419(e.sd) && b.noCap:
		return true
	case l.avgLoad >= b.avgLoad, l.avgLoad >= avg:
		return false
	case e.idle == idle:
		return b.class == classOverloaded || l.idle > b.idle+1
	}
	return 100*b.avgLoad > int64(e.sd.ImbalancePct)*l.avgLoad
}

// calculateImbalance419 is calculate_imbalance() of v4.20, in units of load.
func (s *Sched) calculateImbalance419(e *balanceEnv, l, b *stats419, avg int64) {
	e.kind = migrateLoad
	if b.class == classImbalanced {
		b.perTask = min(b.perTask, avg)
	}
	if b.avgLoad <= avg || l.avgLoad >= avg {
		e.imbalance = 0
		s.smallImbalance419(e, l, b)
		return
	}
	above := int64(math.MaxInt64)
	if b.class == classOverloaded && l.class == classOverloaded {
		if extra := b.fair*1024 - b.capacity; extra > 0 {
			above = extra * 1024 / b.capacity
		}
	}
	pull := min(b.avgLoad-avg, above)
	e.imbalance = min(pull*b.capacity, (avg-l.avgLoad)*l.capacity) / 1024
	if e.imbalance < b.perTask {
		s.smallImbalance419(e, l, b)
	}
}

// smallImbalance419 is fix_small_imbalance(): one task moves if that uses more
// of the capacity than before; else it stays with what was worked out.
func (s *Sched) smallImbalance419(e *balanceEnv, l, b *stats419) {
	factor := int64(2)
	if l.fair == 0 {
		l.perTask = s.loadPerTask(&s.K.RQ[e.dst])
	} else if b.perTask > l.perTask {
		factor = 1
	}
	step := b.perTask * 1024 / b.capacity
	if b.avgLoad+step >= l.avgLoad+step*factor {
		e.imbalance = b.perTask
		return
	}
	now := b.capacity*min(b.perTask, b.avgLoad) + l.capacity*min(l.perTask, l.avgLoad)
	now /= 1024
	moved := int64(0)
	if b.avgLoad > step {
		moved = b.capacity * min(b.perTask, b.avgLoad-step)
	}
	var arrives int64
	if b.avgLoad*b.capacity < b.perTask*1024 {
		arrives = b.avgLoad * b.capacity / l.capacity
	} else {
		arrives = b.perTask * 1024 / l.capacity
	}
	moved += l.capacity * min(l.perTask, l.avgLoad+arrives)
	moved /= 1024
	if moved > now {
		e.imbalance = b.perTask
	}
}

// loadPerTask is the mean load of a CPU's tasks.
func (s *Sched) loadPerTask(rq *kernel.RQ) int64 {
	if rq.HNrQueued == 0 {
		return 0
	}
	return rq.Avg.Run / int64(rq.HNrQueued)
}
