package policy

import (
	"math"

	"schedlab/domain"
	"schedlab/kernel"
)

// searchLLC419 is the search of v4.20: three passes, for an idle core, an idle
// CPU, an idle thread of target's core (reference B.5, 6a).
func (s *Sched) searchLLC419(t *kernel.Task, cpu, target int32, now int64) (int32, Path) {
	sd := s.llc(target)
	if c := s.idleCore419(t, sd, cpu, target); c >= 0 {
		return c, PathCore
	}
	if c := s.idleCPU419(t, sd, cpu, target); c >= 0 {
		return c, PathCPU
	}
	if c := s.idleSMT419(t, cpu, target); c >= 0 {
		return c, PathSMT
	}
	return -1, PathNone
}

func (s *Sched) idleCore419(t *kernel.Task, sd *domain.Domain, cpu, target int32) int32 {
	if !s.hasIdleCores(target, cpu) {
		return -1
	}
	m := s.scan
	m.SetAnd(sd.Span, s.K.Mask(t))
	for c := m.NextWrap(int(target), -1); c >= 0; c = m.NextWrap(int(target), c) {
		smt := s.K.Smt[c]
		whole := true
		for th := smt.Next(0); th >= 0; th = smt.Next(th + 1) {
			s.search()
			m.Clear(th)
			whole = whole && s.K.IdleCPU(int32(th), cpu)
		}
		if whole {
			return int32(c)
		}
	}
	s.setIdleCores(target, false, cpu)
	return -1
}

// idleCPU419 charges every CPU that it meets to the limit, target and the
// disallowed ones included, and does not look at the one that ends it.
func (s *Sched) idleCPU419(t *kernel.Task, sd *domain.Domain, cpu, target int32) int32 {
	if s.llc(cpu) == nil {
		return -1
	}
	nr, ok := s.limit419(sd, cpu, target)
	if !ok {
		return -1
	}
	before, found := s.K.Meter.Ns, int32(-1)
	for c := sd.Span.NextWrap(int(target), -1); c >= 0; c = sd.Span.NextWrap(int(target), c) {
		nr--
		if nr == 0 {
			return -1
		}
		s.search()
		if s.K.AllowedOn(t, int32(c)) && s.K.IdleCPU(int32(c), cpu) {
			found = int32(c)
			break
		}
	}
	avg := &s.K.ScanCost[cpu]
	*avg += (s.K.Meter.Ns - before - *avg) / 8
	return found
}

// limit419 is the limit of SIS_PROP as v4.20 has it, of SIS_UTIL where it was
// asked for; false: do not search.
func (s *Sched) limit419(sd *domain.Domain, cpu, target int32) (int64, bool) {
	idle, cost := s.K.RQ[cpu].AvgIdle/512, s.K.ScanCost[cpu]+1
	switch {
	case s.K.SISUtil:
		return s.utilLimit(target)
	case s.K.SISAvgCPU && idle < cost:
		return 0, false
	case s.K.SISProp:
		return propLimit(int64(sd.Weight)*idle, cost), true
	}
	return math.MaxInt64, true
}

func (s *Sched) idleSMT419(t *kernel.Task, cpu, target int32) int32 {
	if !s.K.HasSMT {
		return -1
	}
	smt, mask := s.K.Smt[target], s.K.Mask(t)
	for c := smt.NextAnd(mask, 0); c >= 0; c = smt.NextAnd(mask, c+1) {
		s.search()
		if s.K.IdleCPU(int32(c), cpu) {
			return int32(c)
		}
	}
	return -1
}
