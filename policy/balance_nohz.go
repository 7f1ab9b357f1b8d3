package policy

import "schedlab/kernel"

// What a kick asks of the CPU that balances for the idle ones.
const (
	nohzBalance uint8 = 1 << iota // balance (NOHZ_BALANCE_KICK)
	nohzStats                     // refresh blocked load (NOHZ_STATS_KICK)
	nohzNext                      // collect when the next balance is due (NOHZ_NEXT_KICK, v6.1)
)

// EnterNohzIdle puts a CPU that stops its tick in idle into the mask of those
// that others balance for (nohz_balance_enter_idle).
func (s *Sched) EnterNohzIdle(cpu int32) {
	rq := &s.K.RQ[cpu]
	if !rq.Active {
		return
	}
	rq.HasBlocked = true
	if !rq.NohzIdle {
		if len(s.domains(cpu)) == 0 {
			return
		}
		rq.NohzIdle = true
		s.K.IdleMask.Set(int(cpu))
		s.shared(cpu).NrBusy--
		s.K.Nohz.NeedsUpdate = s.gen >= GenV61
	}
	s.K.Nohz.HasBlocked = true
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
// woken to do something for the idle ones (reference D.9).
func (s *Sched) nohzKick(rq *kernel.RQ, now int64) {
	s.exitNohzIdle(rq)
	if s.K.IdleMask.Empty() {
		return
	}
	jiffies := s.K.Jiffies(now)
	var what uint8
	switch {
	case jiffies >= s.K.Nohz.NextBalance && s.worthNohzBalance(rq):
		what = nohzStats | nohzBalance
	case s.K.Nohz.HasBlocked && jiffies > s.K.Nohz.NextBlocked:
		what = nohzStats
	}
	if s.K.Nohz.NeedsUpdate {
		what |= nohzNext
	}
	if what != 0 {
		s.kickIdleBalancer(rq.CPU, what, jiffies)
	}
}

// worthNohzBalance reports whether a busy CPU sees something to balance: a task
// of its own that waits, or another busy CPU in its LLC.
func (s *Sched) worthNohzBalance(rq *kernel.RQ) bool {
	return rq.NrRunning >= 2 || s.llc(rq.CPU) != nil && s.shared(rq.CPU).NrBusy > 1
}

// kickIdleBalancer is kick_ilb().
func (s *Sched) kickIdleBalancer(by int32, what uint8, jiffies int64) {
	switch {
	case s.gen < GenV514:
		s.K.Nohz.NextBalance++
	case what&nohzBalance != 0:
		s.K.Nohz.NextBalance = jiffies + 1
	}
	target := s.idleBalancer(by)
	if target < 0 {
		return
	}
	rq := &s.K.RQ[target]
	kicked := rq.NohzKick != 0
	rq.NohzKick |= what
	if !kicked && s.NohzKick != nil {
		s.NohzKick(target, by)
	}
}

// idleBalancer is find_new_ilb(): the first idle housekeeper among the CPUs
// with a stopped tick; -1 when there is none.
func (s *Sched) idleBalancer(by int32) int32 {
	full := s.K.M.Boot.NohzFull
	for c := s.K.IdleMask.Next(0); c >= 0; c = s.K.IdleMask.Next(c + 1) {
		if full.Test(c) || s.gen >= GenV514 && int32(c) == by {
			continue
		}
		s.search()
		if s.K.IdleCPU(int32(c), by) {
			return int32(c)
		}
	}
	return -1
}
