package policy

import "schedlab/kernel"

// blockedPeriod is how often the blocked load of idle CPUs is refreshed: 32 ms.
func (s *Sched) blockedPeriod() int64 { return (32*s.hz + 999) / 1000 }

// EnterNohzIdle puts a CPU that stops its tick in idle into the mask of those
// that others balance for (nohz_balance_enter_idle).
func (s *Sched) EnterNohzIdle(cpu int32) {
	rq := &s.K.RQ[cpu]
	if rq.NohzIdle || len(s.domains(cpu)) == 0 {
		return
	}
	rq.NohzIdle = true
	s.K.IdleMask.Set(int(cpu))
	s.shared(cpu).NrBusy--
}

// exitNohzIdle takes it out, at its first busy tick (nohz_balance_exit_idle).
func (s *Sched) exitNohzIdle(rq *kernel.RQ) {
	if !rq.NohzIdle {
		return
	}
	rq.NohzIdle = false
	s.K.IdleMask.Clear(int(rq.CPU))
	s.shared(rq.CPU).NrBusy++
}

// nohzKick is nohz_balancer_kick(), at a busy tick: whether an idle CPU is to be
// woken to balance for the idle ones (reference D.9).
func (s *Sched) nohzKick(rq *kernel.RQ, now int64) {
	s.exitNohzIdle(rq)
	if s.K.IdleMask.Empty() {
		return
	}
	jiffies := s.K.Jiffies(now)
	balance := false
	if jiffies >= s.K.NohzNextBalance {
		balance = rq.NrRunning >= 2 || s.llc(rq.CPU) != nil && s.shared(rq.CPU).NrBusy > 1
	}
	if !balance && jiffies <= s.K.NohzNextBlocked {
		return
	}
	if balance {
		s.K.NohzNextBalance = jiffies + 1
	}
	if target := s.idleBalancer(rq.CPU); target >= 0 && s.NohzKick != nil {
		s.NohzKick(target, rq.CPU)
	}
}

// idleBalancer is find_new_ilb(): the first idle housekeeper among the CPUs
// with a stopped tick; -1 when there is none.
func (s *Sched) idleBalancer(by int32) int32 {
	full := s.K.M.Boot.NohzFull
	for c := s.K.IdleMask.Next(0); c >= 0; c = s.K.IdleMask.Next(c + 1) {
		if full.Test(c) || s.gen >= GenV612 && int32(c) == by {
			continue
		}
		s.search()
		if s.K.IdleCPU(int32(c), by) {
			return int32(c)
		}
	}
	return -1
}

// NohzIdleBalance is nohz_idle_balance(): the kicked CPU balances for each idle
// CPU whose tick is stopped and whose balance is due.
func (s *Sched) NohzIdleBalance(cpu int32, now int64) {
	jiffies := s.K.Jiffies(now)
	next, due := jiffies+60*s.hz, false
	mask := s.K.IdleMask
	start := int(cpu) + 1
	for c := mask.NextWrap(start, -1); c >= 0; c = mask.NextWrap(start, c) {
		if !s.K.IdleCPU(int32(c), cpu) {
			continue
		}
		if s.K.RQ[cpu].NeedResched {
			break
		}
		rq := &s.K.RQ[c]
		s.K.UpdateBlocked(rq, now)
		if jiffies >= rq.NextBalance {
			s.rebalanceDomains(int32(c), idle, now)
		}
		if rq.NextBalance < next {
			next, due = rq.NextBalance, true
		}
	}
	if due {
		s.K.NohzNextBalance = next
	}
	s.K.NohzNextBlocked = jiffies + s.blockedPeriod()
}

// ActiveBalance is active_load_balance_cpu_stop(): the stopper of from, which
// has taken the running task off the CPU, moves one task to to: the first from
// the tail of the list that may go (reference D.2, 6). It reports whether one went.
func (s *Sched) ActiveBalance(from, to int32, now int64) bool {
	if !s.K.RQ[to].Active {
		return false
	}
	src := &s.K.RQ[from]
	for id := src.ListTail(); id != kernel.None; {
		t := s.K.Task(id)
		id = s.K.ListTowardsHead(t)
		if t.OnCPU || !s.K.AllowedOn(t, to) || s.gen >= GenV514 && t.PerCPUKthread {
			continue
		}
		s.K.Dequeue(t, now, kernel.DequeueMove)
		s.K.SetTaskCPU(t, to)
		s.K.Enqueue(t, now, kernel.EnqueueMoved)
		s.K.CheckPreempt(&s.K.RQ[to], t, now, from)
		s.Stats.Pulls++
		for level, sd := range s.domains(to) {
			if sd.Span.Test(int(from)) {
				s.K.RQ[to].SD[level].NrBalanceFailed = 0
				break
			}
		}
		return true
	}
	return false
}

// Evict moves the current task of a CPU that its mask no longer allows to one
// that it does (migration_cpu_stop). The CPU is to reschedule.
func (s *Sched) Evict(cpu int32, now int64) {
	rq := &s.K.RQ[cpu]
	t := s.K.Task(rq.Curr)
	s.K.PutPrev(rq, now)
	s.K.Dequeue(t, now, kernel.DequeueMove)
	s.K.SetTaskCPU(t, s.fallback(t, cpu))
	s.K.Enqueue(t, now, kernel.EnqueueMoved)
	s.K.CheckPreempt(&s.K.RQ[t.CPU], t, now, cpu)
}
