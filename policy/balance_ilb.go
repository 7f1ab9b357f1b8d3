package policy

import "schedlab/kernel"

// nohzPass is one pass over the idle CPUs with a stopped tick (_nohz_idle_balance).
type nohzPass struct {
	by             int32 // the CPU that does it, an idle one itself
	now            int64
	balance, stats bool
	next           int64 // jiffies: when the first of those looked at is to balance
	due            bool  // next is of one of them
	blocked        bool  // blocked load was left
}

// blockedPeriod is how often the blocked load of idle CPUs is refreshed: 32 ms.
func (s *Sched) blockedPeriod() int64 { return (32*s.hz + 999) / 1000 }

// NohzIdleBalance is nohz_idle_balance(): the kicked CPU, if it is idle still,
// does what it was kicked for, for each idle CPU whose tick is stopped.
func (s *Sched) NohzIdleBalance(cpu int32, now int64) {
	rq := &s.K.RQ[cpu]
	what := rq.NohzKick
	rq.NohzKick = 0
	if what == 0 || !s.K.IsIdle(cpu) || rq.NeedResched {
		return
	}
	p := nohzPass{
		by: cpu, now: now, balance: what&nohzBalance != 0, stats: what&nohzStats != 0 || s.gen < GenV61,
		next: s.K.Jiffies(now) + 60*s.hz,
	}
	n := &s.K.Nohz
	n.HasBlocked = n.HasBlocked && !p.stats
	n.NeedsUpdate = n.NeedsUpdate && what&nohzNext == 0
	done := s.balanceOthers(&p)
	if !done {
		// It has work to do now. Whoever is kicked next begins again.
		p.blocked = p.blocked || p.stats
		n.NeedsUpdate = n.NeedsUpdate || what&nohzNext != 0
	} else if s.gen < GenV514 {
		s.balanceSelf(&p)
	}
	n.HasBlocked = n.HasBlocked || p.blocked
	if p.due && (done || s.gen < GenV514) {
		n.NextBalance = p.next
	}
	if done && p.stats {
		n.NextBlocked = s.K.Jiffies(now) + s.blockedPeriod()
	}
}

// balanceOthers goes over the idle CPUs: from v5.14 on from the one behind the
// balancing CPU round to itself, before in ascending order and without itself.
// It returns false when that CPU got work.
func (s *Sched) balanceOthers(p *nohzPass) bool {
	from := 0
	if s.gen >= GenV514 {
		from = int(p.by) + 1
	}
	mask := s.K.IdleMask
	for c := mask.NextWrap(from, -1); c >= 0; c = mask.NextWrap(from, c) {
		if s.gen < GenV514 && int32(c) == p.by || !s.K.IdleCPU(int32(c), p.by) {
			continue
		}
		if s.K.RQ[p.by].NeedResched && !(s.gen >= GenV612 && s.K.IsIdle(p.by)) {
			return false
		}
		s.balanceFor(p, &s.K.RQ[c])
	}
	return true
}

// balanceFor does for one idle CPU what the pass is for.
func (s *Sched) balanceFor(p *nohzPass, rq *kernel.RQ) {
	jiffies := s.K.Jiffies(p.now)
	if p.stats && rq.HasBlocked {
		if s.gen < GenV514 || jiffies > rq.BlockedAt {
			s.updateBlocked(rq, p.by, p.now)
		}
		p.blocked = p.blocked || rq.HasBlocked
	}
	if jiffies >= rq.NextBalance {
		if s.gen == GenV420 && rq.Avg.Run == 0 && rq.LoadUpdated != jiffies {
			s.updateCPULoad(rq, p.now) // cpu_load_update_idle
		}
		if p.balance {
			s.rebalanceDomains(rq.CPU, idle, p.now)
		}
	}
	if rq.NextBalance < p.next {
		p.next, p.due = rq.NextBalance, true
	}
}

// balanceSelf is the end of a pass before v5.14: the balancing CPU's own turn.
func (s *Sched) balanceSelf(p *nohzPass) {
	rq := &s.K.RQ[p.by]
	s.updateBlocked(rq, p.by, p.now)
	p.blocked = p.blocked || rq.HasBlocked
	if p.balance {
		s.rebalanceDomains(p.by, idle, p.now)
	}
}
