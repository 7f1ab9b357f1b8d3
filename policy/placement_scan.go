package policy

import (
	"math"

	"schedlab/cpumask"
	"schedlab/domain"
	"schedlab/kernel"
)

// searchLLCOnce is the search from v5.14 on (reference B.5, 6b): siblings of
// prev first where no core is known to be idle, then one pass over the LLC.
func (s *Sched) searchLLCOnce(t *kernel.Task, cpu, prev, target int32, now int64) (int32, Path) {
	sd := s.llc(target)
	cores := s.hasIdleCores(target, cpu)
	if s.K.HasSMT && !cores && s.K.SharesCache(prev, target) {
		if c := s.scanSMT(t, sd, prev, cpu); c >= 0 {
			return c, PathSMT
		}
	}
	return s.scanLLC(t, sd, cores, cpu, target, now)
}

// scanSMT is select_idle_smt(): the threads of prev's core. prev itself counts
// in v5.14 only; threads outside the LLC's domain do not, but in v6.1 (reference B.8).
func (s *Sched) scanSMT(t *kernel.Task, sd *domain.Domain, prev, cpu int32) int32 {
	smt := s.K.Smt[prev]
	mask := s.K.Mask(t)
	for c := smt.NextAnd(mask, 0); c >= 0; c = smt.NextAnd(mask, c+1) {
		if int32(c) == prev && s.gen >= GenV61 {
			continue
		}
		s.search()
		if (s.gen == GenV61 || sd.Span.Test(c)) && s.available(int32(c), cpu) {
			return int32(c)
		}
	}
	return -1
}

// scanLLC is select_idle_cpu(): over the allowed CPUs of the LLC from behind
// target, for a whole idle core if there is said to be one, else for any idle
// CPU within the limit. What SIS_PROP keeps lies in the LLC domain of the CPU
// that searches: without one there is no search, in v5.14 whatever the limit.
func (s *Sched) scanLLC(t *kernel.Task, sd *domain.Domain, cores bool, cpu, target int32, now int64) (int32, Path) {
	limit, ok := s.scanLimit(cores, cpu, target, now)
	if !ok || s.llc(cpu) == nil && (s.gen == GenV514 || s.K.SISProp && !cores) {
		return -1, PathNone
	}
	m := s.scan
	m.SetAnd(sd.Span, s.K.Mask(t))
	sc := llcScan{s: s, m: m, allowed: m, cores: cores, cpu: cpu, limit: limit, idle: -1}
	if s.gen < GenV612 {
		sc.allowed = s.K.Mask(t)
	}
	start := int(target) + 1
	if s.gen < GenV61 {
		start--
	}
	if g := sd.Groups[sd.First]; g.Flags&domain.Cluster != 0 {
		if done := sc.walk(g.Span, start); done {
			return sc.idle, sc.path
		}
		m.AndNot(g.Span)
	}
	before := s.K.Meter.Ns
	if done := sc.walk(m, start); done && sc.idle < 0 {
		return -1, PathNone
	}
	if cores && sc.path != PathCore {
		s.setIdleCores(target, false, cpu)
	}
	if s.K.SISProp && !cores {
		s.accountScan(cpu, s.K.Meter.Ns-before)
	}
	return sc.idle, sc.path
}

// llcScan is one pass over CPUs of an LLC.
type llcScan struct {
	s *Sched
	m cpumask.Mask // candidates; shrinks by the cores that were looked at
	// allowed: what core may remember; by affinity alone before v6.12.
	allowed cpumask.Mask
	cores   bool
	cpu     int32
	limit   int64
	idle    int32 // the best so far
	path    Path
}

// walk looks at the candidates within span, wrapped from start. It reports
// whether the search is over: a hit that ends it, or the limit reached.
func (sc *llcScan) walk(span cpumask.Mask, start int) bool {
	n := start
	for wrapped := false; ; {
		c := sc.m.NextAnd(span, n)
		if c < 0 || wrapped && c >= start {
			if wrapped {
				return false
			}
			wrapped, n = true, 0
			continue
		}
		n = c + 1
		sc.s.search()
		if sc.cores {
			if sc.core(int32(c)) {
				sc.idle, sc.path = int32(c), PathCore
				return true
			}
			continue
		}
		sc.limit--
		if sc.limit <= 0 {
			sc.idle, sc.path = -1, PathNone
			return true
		}
		if sc.s.available(int32(c), sc.cpu) {
			sc.idle, sc.path = int32(c), PathCPU
			return true
		}
	}
}

// core is select_idle_core(): whether every thread of c's core is idle. It
// remembers the first idle thread that the task may use, and takes the core's
// threads out of the candidates.
func (sc *llcScan) core(c int32) bool {
	k := sc.s.K
	smt := k.Smt[c]
	whole := true
	for th := smt.Next(0); th >= 0; th = smt.Next(th + 1) {
		if k.IdleCPU(int32(th), sc.cpu) {
			if sc.idle < 0 && sc.allowed.Test(th) {
				sc.idle, sc.path = int32(th), PathCPU
			}
			continue
		}
		whole = false
		if sc.idle >= 0 {
			break
		}
		if k.SchedIdleCPU(int32(th)) && sc.allowed.Test(th) {
			sc.idle, sc.path = int32(th), PathCPU
			break
		}
	}
	if whole {
		return true
	}
	sc.m.AndNot(smt)
	return false
}

// scanLimit is the number of CPUs that a search may look at, plus one (reference
// B.7); false: do not search.
func (s *Sched) scanLimit(cores bool, cpu, target int32, now int64) (int64, bool) {
	switch {
	case s.K.SISUtil:
		return s.utilLimit(target)
	case s.K.SISProp && !cores:
		rq := &s.K.RQ[cpu]
		s.ageWakeIdle(rq, now)
		span := int64(s.llc(target).Weight) * rq.WakeAvgIdle
		return propLimit(span, s.K.ScanCost[cpu]+1), true
	}
	return math.MaxInt64, true
}

// utilLimit is the limit of SIS_UTIL: what the last periodic pass over target's
// LLC allowed.
func (s *Sched) utilLimit(target int32) (int64, bool) {
	nr := int64(s.shared(target).NrIdleScan) + 1
	return nr, nr > 1
}

func propLimit(span, cost int64) int64 {
	if span > 4*cost {
		return span / cost
	}
	return 4
}

// ageWakeIdle halves wake_avg_idle for each jiffy since it was set.
func (s *Sched) ageWakeIdle(rq *kernel.RQ, now int64) {
	jiffies := s.K.Jiffies(now)
	for rq.WakeStamp < jiffies && rq.WakeAvgIdle > 0 {
		rq.WakeStamp++
		rq.WakeAvgIdle >>= 1
	}
}

// accountScan charges a finished search to the waker's CPU.
func (s *Sched) accountScan(cpu int32, took int64) {
	rq := &s.K.RQ[cpu]
	rq.WakeAvgIdle -= min(rq.WakeAvgIdle, took)
	avg := &s.K.ScanCost[cpu]
	*avg += (took - *avg) / 8
}
