package policy

import "schedlab/kernel"

// idleSibling is select_idle_sibling(): an idle CPU near target, tried in the
// order target, prev, the waker's kthread rule, recent_used_cpu, and a search of
// target's LLC (reference B.5). cpu pays.
func (s *Sched) idleSibling(t, waker *kernel.Task, cpu, prev, target int32, fl kernel.WakeFlags, now int64) (int32, Path) {
	k := s.K
	if s.available(target, cpu) {
		return target, PathTarget
	}
	prevFallback := int32(-1)
	if prev != target && k.SharesCache(prev, target) && s.available(prev, cpu) {
		if s.nearEnough(prev, target) {
			return prev, PathPrev
		}
		prevFallback = prev
	}
	if s.gen >= GenV514 && waker != nil && waker.PerCPUKthread && (fl&kernel.WakeIRQ == 0 || s.gen < GenV61) && prev == cpu && k.Face[cpu].NrRunning <= 1 {
		return prev, PathKthread
	}
	recent, hit := s.recentUsed(t, cpu, prev, target)
	if hit {
		return recent, PathRecent
	}
	if s.llc(target) != nil {
		if c, path := s.searchLLC(t, cpu, prev, target, now); c >= 0 {
			return c, path
		}
	}
	switch {
	case prevFallback >= 0:
		return prevFallback, PathPrev
	case recent >= 0:
		return recent, PathRecent
	}
	return target, PathNone
}

// nearEnough says whether an idle CPU of the LLC may be taken before the search:
// on machines with clusters, v6.12 wants one of the target's cluster.
func (s *Sched) nearEnough(c, target int32) bool {
	return s.gen < GenV612 || s.K.SharesResources(c, target)
}

// recentUsed is the step of recent_used_cpu (reference B.6): the CPU if it may
// be taken (hit), else the one to fall back to or -1.
func (s *Sched) recentUsed(t *kernel.Task, cpu, prev, target int32) (int32, bool) {
	if s.recent == RecentOff {
		return -1, false
	}
	r := t.RecentUsed
	if s.recent == RecentPrev {
		t.RecentUsed = prev
	}
	if r == prev || r == target || !s.K.SharesCache(r, target) ||
		!s.available(r, cpu) || !s.K.AllowedOn(t, r) {
		return -1, false
	}
	if !s.nearEnough(r, target) {
		return r, false
	}
	if s.recent == RecentWaker {
		t.RecentUsed = prev
	}
	return r, true
}

// searchLLC looks for an idle CPU in target's LLC; -1 when there is none.
func (s *Sched) searchLLC(t *kernel.Task, cpu, prev, target int32, now int64) (int32, Path) {
	if s.gen < GenV514 {
		return s.searchLLC419(t, cpu, target, now)
	}
	return s.searchLLCOnce(t, cpu, prev, target, now)
}

// hasIdleCores is test_idle_cores(): the LLC's flag, which may be stale.
func (s *Sched) hasIdleCores(target, by int32) bool {
	if !s.K.HasSMT {
		return false
	}
	sh := s.shared(target)
	s.K.Meter.Read(&sh.Line, by)
	return sh.HasIdleCores
}

func (s *Sched) setIdleCores(target int32, on bool, by int32) {
	sh := s.shared(target)
	s.K.Meter.Write(&sh.Line, by)
	sh.HasIdleCores = on
}

// updateIdleCore is __update_idle_core(): a CPU that enters idle and finds its
// siblings idle tells its LLC that there is an idle core.
func (s *Sched) updateIdleCore(cpu int32) {
	if !s.K.HasSMT || s.llc(cpu) == nil || s.hasIdleCores(cpu, cpu) {
		return
	}
	smt := s.K.Smt[cpu]
	for c := smt.Next(0); c >= 0; c = smt.Next(c + 1) {
		if int32(c) != cpu && !s.K.IdleCPU(int32(c), cpu) {
			return
		}
	}
	s.setIdleCores(cpu, true, cpu)
}
