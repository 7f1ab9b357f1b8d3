package policy

import (
	"schedlab/domain"
	"schedlab/kernel"
)

type groupState = kernel.GroupState

const newidleFlag = domain.BalanceNewidle

// interval is get_sd_balance_interval(), in jiffies (reference D.8).
func (s *Sched) interval(cpu int32, level int, busy bool) int64 {
	sd, st := s.domains(cpu)[level], &s.K.RQ[cpu].SD[level]
	ms := st.BalanceInterval
	if busy {
		ms *= int64(sd.BusyFactor)
	}
	jiffies := (ms*s.hz + 999) / 1000
	if busy && s.gen >= GenV514 {
		jiffies--
	}
	return min(max(jiffies, 1), s.longest)
}

// Stagger draws when each CPU balanced its domains last: within the last interval
// of an idle CPU, as on a machine that has been up for a while. Without it every
// CPU would count from the same instant, and nothing would cross nodes before
// their first interval is over. below draws a number from 0 up to its argument.
func (s *Sched) Stagger(below func(n int64) int64) {
	for c := range s.K.RQ {
		rq := &s.K.RQ[c]
		for level := range s.domains(int32(c)) {
			wait := s.interval(int32(c), level, false)
			rq.SD[level].LastBalance = -below(wait)
			if level == 0 {
				rq.NextBalance = wait
			}
			s.nextBalanceAt(rq, level, &rq.NextBalance)
		}
	}
}

// busyFor reports whether a CPU balances in the long intervals of busy ones. One
// that runs nothing but SCHED_IDLE tasks does not, from v5.14 on.
func (s *Sched) busyFor(cpu int32, why idleType) bool {
	return why != idle && !(s.gen >= GenV514 && s.K.SchedIdleCPU(cpu))
}

// rebalanceDomains is rebalance_domains(): the periodic balance of a CPU's
// domains that are due.
func (s *Sched) rebalanceDomains(cpu int32, why idleType, now int64) {
	rq := &s.K.RQ[cpu]
	jiffies := s.K.Jiffies(now)
	next, due := jiffies+60*s.hz, false
	decayed, cost := false, int64(0)
	s.updateBlocked(rq, cpu, now)
	goOn := true
	for level := range s.domains(cpu) {
		st := &rq.SD[level]
		decays := s.newidleCost(st, 0, 0, now)
		decayed = decays || decayed && s.gen < GenV61
		cost += st.MaxNewidleCost
		if !goOn {
			if decayed {
				continue
			}
			break
		}
		busy := s.busyFor(cpu, why)
		wait := s.interval(cpu, level, busy)
		if jiffies >= st.LastBalance+wait {
			var moved int
			moved, goOn = s.balanceRQ(cpu, level, why, now)
			if moved > 0 {
				why = notIdle
				if s.K.IsIdle(cpu) {
					why = idle
				}
				busy = s.busyFor(cpu, why)
			}
			st.LastBalance = jiffies
			wait = s.interval(cpu, level, busy)
		}
		if at := st.LastBalance + wait; at < next {
			next, due = at, true
		}
	}
	if decayed {
		rq.MaxIdleBalanceCost = max(s.K.MigrationCost, cost)
	}
	if due {
		rq.NextBalance = next
		if s.gen < GenV514 && why == idle {
			s.K.Nohz.NextBalance = min(s.K.Nohz.NextBalance, next)
		}
	}
}
