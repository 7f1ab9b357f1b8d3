package policy

import (
	"math"
	"math/bits"

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
	own := sd.Groups[sd.First]
	clustered := own.Flags&domain.Cluster != 0
	m := sd.Span
	if clustered || s.K.MaskIndex(t) != 0 {
		m = s.scan
		m.SetAnd(sd.Span, s.K.Mask(t))
	}
	s.scans++
	sc := llcScan{s: s, m: m, allowed: m, cores: cores, cpu: cpu, limit: limit, idle: -1}
	if s.gen < GenV612 {
		sc.allowed = s.K.Mask(t)
	}
	start := int(target) + 1
	if s.gen < GenV61 {
		start--
	}
	if clustered {
		if done := sc.walk(own.Span, start); done {
			return sc.idle, sc.path
		}
		m.AndNot(own.Span)
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
	m cpumask.Mask // candidates
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
	end := len(sc.m) * 64
	return sc.between(span, start, end) || sc.between(span, 0, min(start, end))
}

// between is walk from one CPU to below another one.
func (sc *llcScan) between(span cpumask.Mask, from, to int) bool {
	for w := from / 64; w*64 < to; w++ {
		left := sc.m[w] & span[w]
		if w*64 < from {
			left &= ^uint64(0) << (uint(from) % 64)
		}
		for ; left != 0; left &= left - 1 {
			c := int32(w*64 + bits.TrailingZeros64(left))
			switch {
			case int(c) >= to:
				return false
			case sc.cores:
				if sc.core(c) {
					sc.idle, sc.path = c, PathCore
					return true
				}
				continue
			}
			sc.s.search()
			sc.limit--
			if sc.limit <= 0 {
				sc.idle, sc.path = -1, PathNone
				return true
			}
			if sc.s.available(c, sc.cpu) {
				sc.idle, sc.path = c, PathCPU
				return true
			}
		}
	}
	return false
}

// core is select_idle_core(): whether every thread of c's core is idle. It
// remembers the first idle thread that the task may use. A core that the search
// has looked at is no candidate any more.
func (sc *llcScan) core(c int32) bool {
	s, k := sc.s, sc.s.K
	core := &s.coreScans[s.coreAt[c]]
	if core.last == s.scans {
		return false
	}
	core.last = s.scans
	s.search()
	whole := true
	for _, th := range core.threads {
		// IdleCPU, written out: the innermost loop of a wake-up.
		f := &k.Face[th]
		k.Meter.Read(&f.Line, sc.cpu)
		if f.Idle() {
			if sc.idle < 0 && sc.allowed.Test(int(th)) {
				sc.idle, sc.path = th, PathCPU
			}
			continue
		}
		whole = false
		if sc.idle >= 0 {
			break
		}
		if k.SchedIdleCPU(th) && sc.allowed.Test(int(th)) {
			sc.idle, sc.path = th, PathCPU
			break
		}
	}
	return whole
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
