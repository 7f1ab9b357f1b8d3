package policy

import (
	"math"

	"schedlab/domain"
	"schedlab/kernel"
)

// findIdlestCPU is find_idlest_cpu(), the slow path of fork and exec: down the
// domains, each time to the idlest group and its idlest CPU (reference B.9).
func (s *Sched) findIdlestCPU(sd *domain.Domain, t *kernel.Task, cpu, prev int32, flag domain.Flags) int32 {
	mask := s.K.Mask(t)
	if !sd.Span.Intersects(mask) {
		return prev
	}
	at := cpu
	level := s.levelOf(cpu, sd)
	found := cpu
	for level >= 0 {
		sd := s.domains(at)[level]
		if sd.Flags&flag == 0 {
			level--
			continue
		}
		g := s.findIdlestGroup(sd, t, at, flag)
		if g == nil {
			level--
			continue
		}
		found = s.idlestOfGroup(g, t, at)
		if found == at {
			level--
			continue
		}
		at = found
		level = s.highestBelow(at, sd.Weight, flag)
	}
	return found
}

func (s *Sched) levelOf(cpu int32, sd *domain.Domain) int {
	for i, d := range s.domains(cpu) {
		if d == sd {
			return i
		}
	}
	return -1
}

// highestBelow is the highest domain of a CPU that is smaller than weight and
// has the flag; -1 when there is none.
func (s *Sched) highestBelow(cpu int32, weight int, flag domain.Flags) int {
	level := -1
	for i, d := range s.domains(cpu) {
		if d.Weight >= weight {
			break
		}
		if d.Flags&flag != 0 {
			level = i
		}
	}
	return level
}

// idlestOfGroup is find_idlest_group_cpu(): the idle CPU that wakes fastest or
// went idle last, else the least loaded one.
func (s *Sched) idlestOfGroup(g *domain.Group, t *kernel.Task, cpu int32) int32 {
	if g.Weight == 1 {
		return int32(g.Span.First())
	}
	mask := s.K.Mask(t)
	least, leastCPU := int64(math.MaxInt64), cpu
	idle, latency, stamp := int32(-1), int64(math.MaxInt64), int64(0)
	for c := g.Span.NextAnd(mask, 0); c >= 0; c = g.Span.NextAnd(mask, c+1) {
		s.search()
		rq := &s.K.RQ[c]
		if s.gen >= GenV514 && s.K.SchedIdleCPU(int32(c)) {
			return int32(c)
		}
		if s.K.IdleCPU(int32(c), cpu) {
			if l := rq.IdleLatency; l != 0 && l < latency {
				latency, stamp, idle = l, rq.IdleStamp, int32(c)
			} else if (l == 0 || l == latency) && rq.IdleStamp > stamp {
				stamp, idle = rq.IdleStamp, int32(c)
			}
		} else if idle < 0 {
			if load := s.placeLoad(int32(c)); load < least {
				least, leastCPU = load, int32(c)
			}
		}
	}
	if idle >= 0 {
		return idle
	}
	return leastCPU
}

// findIdlestGroup is find_idlest_group(): the group to go on in; nil: stay.
func (s *Sched) findIdlestGroup(sd *domain.Domain, t *kernel.Task, cpu int32, flag domain.Flags) *domain.Group {
	if s.gen < GenV514 {
		return s.findIdlestGroup419(sd, t, cpu, flag)
	}
	var local, best *domain.Group
	var localStat, bestStat groupStats
	for i := range sd.Groups {
		g := sd.Groups[(sd.First+i)%len(sd.Groups)]
		if !g.Span.Intersects(s.K.Mask(t)) {
			continue
		}
		st := s.wakeupStats(sd, g, t, cpu)
		if g.Span.Test(int(cpu)) {
			local, localStat = g, st
			continue
		}
		if best == nil || idlerGroup(&st, &bestStat) {
			best, bestStat = g, st
		}
	}
	if best == nil {
		return nil
	}
	if local == nil {
		return best
	}
	return s.leaveFor(sd, t, local, best, &localStat, &bestStat)
}

// idlerGroup is update_pick_idlest(): whether a replaces b.
func idlerGroup(a, b *groupStats) bool {
	if a.class != b.class {
		return a.class < b.class
	}
	switch a.class {
	case classOverloaded, classFullyBusy:
		return a.avgLoad < b.avgLoad
	case classHasSpare:
		return a.idle > b.idle || a.idle == b.idle && a.util < b.util
	}
	return false
}

// leaveFor decides between the local group and the idlest other one.
func (s *Sched) leaveFor(sd *domain.Domain, t *kernel.Task, local, best *domain.Group, l, b *groupStats) *domain.Group {
	if l.class < b.class {
		return nil
	}
	if l.class > b.class {
		return best
	}
	switch l.class {
	case classOverloaded, classFullyBusy:
		margin := 1024 * (int64(sd.ImbalancePct) - 100) / 100
		switch {
		case sd.Flags&domain.NUMA != 0 && b.avgLoad+margin >= l.avgLoad,
			b.avgLoad >= l.avgLoad+margin,
			100*l.avgLoad <= int64(sd.ImbalancePct)*b.avgLoad:
			return nil
		}
	case classHasSpare:
		if sd.Flags&domain.NUMA != 0 {
			if s.gen == GenV514 {
				if l.running < int64(sd.Weight)>>2 {
					return nil
				}
				return moreIdle(l, b, best)
			}
			n := int64(sd.ImbNUMA)
			if int(t.Allowed) != s.K.M.Online.Weight() {
				n = min(n, int64(local.Span.WeightAnd(s.K.Mask(t))))
			}
			diff := l.idle - b.idle
			if diff < 0 {
				diff = -diff
			}
			if allowedImbalance(diff, l.running+1, n) == 0 {
				return nil
			}
		}
		return moreIdle(l, b, best)
	default:
		return nil
	}
	return best
}

// moreIdle is best if it has more idle CPUs than the local group.
func moreIdle(l, b *groupStats, best *domain.Group) *domain.Group {
	if l.idle >= b.idle {
		return nil
	}
	return best
}

// wakeupStats is update_sg_wakeup_stats(): a group as it would be without t.
// Before 6.12.117 CPUs that t may not use count as well.
func (s *Sched) wakeupStats(sd *domain.Domain, g *domain.Group, t *kernel.Task, cpu int32) groupStats {
	st := groupStats{capacity: g.Capacity, weight: int64(g.Weight)}
	mask := g.Span
	if s.K.Fixes612 {
		mask = s.K.Mask(t)
	}
	for c := g.Span.NextAnd(mask, 0); c >= 0; c = g.Span.NextAnd(mask, c+1) {
		s.search()
		rq := &s.K.RQ[c]
		s.K.Meter.Read(&rq.Line, cpu)
		mine := int64(0)
		if t.OnRQ && t.CPU == int32(c) {
			mine = 1
		}
		load, run, util := s.withoutTask(rq, t)
		st.load += load
		st.runnable += run
		st.util += util
		st.fair += int64(rq.HNrQueued) - mine
		running := int64(rq.NrRunning) - mine
		st.running += running
		if running == 0 && s.idleWithout(rq, t) {
			st.idle++
		}
	}
	st.classify(sd, s.K.Group[g.ID].Imbalance)
	if st.class == classFullyBusy || st.class == classOverloaded {
		st.avgLoad = st.load * 1024 / st.capacity
	}
	return st
}

// idleWithout is idle_cpu_without(): the CPU runs nothing but t.
func (s *Sched) idleWithout(rq *kernel.RQ, t *kernel.Task) bool {
	return (rq.Curr == kernel.None || rq.Curr == t.ID) && !rq.WakePending()
}

// withoutTask is a queue's load, runnable and utilisation without what t adds
// (the kernel's *_without helpers). The estimate holds t only while it is queued.
func (s *Sched) withoutTask(rq *kernel.RQ, t *kernel.Task) (load, run, util int64) {
	if t.CPU != rq.CPU || t.Avg.Last == 0 {
		return rq.Avg.Load, rq.Avg.Run, s.utilCFS(rq)
	}
	load = max(rq.Avg.Load-t.Avg.Load, 0)
	run = max(rq.Avg.Run-t.Avg.Run, 0)
	util = max(rq.Avg.Util-t.Avg.Util, 0)
	if s.K.UtilEst {
		est := rq.UtilEst
		if t.OnRQ && !t.Delayed {
			est = max(est-int64(t.UtilEst), 0)
		}
		util = max(util, est)
	}
	return load, run, min(util, s.capacity(rq.CPU))
}

// findIdlestGroup419 is v4.20's rule, by runnable load and spare capacity.
func (s *Sched) findIdlestGroup419(sd *domain.Domain, t *kernel.Task, cpu int32, flag domain.Flags) *domain.Group {
	margin := 1024 * (int64(sd.ImbalancePct) - 100) / 100
	scale := 100 + (int64(sd.ImbalancePct)-100)/2
	var best, mostSpare *domain.Group
	minRun, minAvg := int64(math.MaxInt64), int64(math.MaxInt64)
	localRun, localAvg := int64(math.MaxInt64), int64(math.MaxInt64)
	localSpare, spare := int64(0), int64(0)
	for i := range sd.Groups {
		g := sd.Groups[(sd.First+i)%len(sd.Groups)]
		if !g.Span.Intersects(s.K.Mask(t)) {
			continue
		}
		run, avg, free := s.idleness419(g, t, cpu)
		if g.Span.Test(int(cpu)) {
			localRun, localAvg, localSpare = run, avg, free
			continue
		}
		if minRun > add(run, margin) || run < add(minRun, margin) && 100*big(minAvg) > scale*avg {
			minRun, minAvg, best = run, avg, g
		}
		if free > spare {
			spare, mostSpare = free, g
		}
	}
	if flag != domain.BalanceFork {
		util := t.Avg.Util
		if localSpare > util/2 && scale*localSpare > 100*spare {
			return nil
		}
		if spare > util/2 {
			return mostSpare
		}
	}
	switch {
	case best == nil,
		localRun == math.MaxInt64 && minRun >= margin, // the kernel's sum wraps
		sd.Flags&domain.NUMA != 0 && add(minRun, margin) >= localRun,
		minRun > add(localRun, margin),
		localRun < add(minRun, margin) && 100*big(localAvg) < scale*big(minAvg):
		return nil
	}
	return best
}

// idleness419 is a group's runnable load, average load and largest spare
// capacity of a CPU.
func (s *Sched) idleness419(g *domain.Group, t *kernel.Task, cpu int32) (run, avg, spare int64) {
	for c := g.Span.Next(0); c >= 0; c = g.Span.Next(c + 1) {
		s.search()
		rq := &s.K.RQ[c]
		s.K.Meter.Read(&rq.Line, cpu)
		run += rq.Avg.Run
		avg += rq.Avg.Load
		_, _, util := s.withoutTask(rq, t)
		spare = max(spare, s.capacity(int32(c))-util)
	}
	return run * 1024 / g.Capacity, avg * 1024 / g.Capacity, spare
}

// add saturates, so that "nothing seen yet" stays larger than everything.
func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// big keeps products with "nothing seen yet" in range.
func big(a int64) int64 { return min(a, math.MaxInt64/1000) }
