package policy

import "schedlab/kernel"

// newidleBalance is newidle_balance(): a CPU that has nothing to run searches
// its domains for a task (reference D.1, L). It reports whether there is work now.
func (s *Sched) newidleBalance(rq *kernel.RQ, now int64) bool {
	if s.gen >= GenV514 && rq.WakePending() {
		return false
	}
	rq.IdleStamp = max(now, 1)
	sds := s.domains(rq.CPU)
	if !rq.Active || !s.newidle {
		return false
	}
	next := s.K.Jiffies(now) + s.hz
	pulled := false
	if len(sds) > 0 && s.newidleGate(rq) {
		pulled = s.searchDomains(rq, now, &next)
	} else if len(sds) > 0 {
		s.nextBalanceAt(rq, 0, &next)
	}
	rq.NextBalance = min(rq.NextBalance, next)
	if pulled || rq.NrRunning > 0 {
		rq.IdleStamp = 0
		return true
	}
	return false
}

// newidleGate says whether the search is worth its time.
func (s *Sched) newidleGate(rq *kernel.RQ) bool {
	r := s.at[rq.CPU].root
	if r < 0 || !s.K.Roots[r].Overload {
		return false
	}
	if s.gen < GenV61 {
		return rq.AvgIdle >= s.K.MigrationCost
	}
	return rq.AvgIdle >= rq.SD[0].MaxNewidleCost
}

// searchDomains climbs the domains until something came, each one charged for
// what its search cost.
func (s *Sched) searchDomains(rq *kernel.RQ, now int64, next *int64) bool {
	before := s.K.Meter.Ns
	s.updateBlocked(rq, rq.CPU, now)
	if s.gen < GenV61 {
		before = s.K.Meter.Ns // the first domain is charged from v6.1 on
	}
	spent, pulled := int64(0), false
	for level, sd := range s.domains(rq.CPU) {
		st := &rq.SD[level]
		worth := rq.AvgIdle >= spent+st.MaxNewidleCost
		if s.gen >= GenV61 || !worth {
			s.nextBalanceAt(rq, level, next)
		}
		if !worth {
			break
		}
		goOn := true
		if sd.Flags&newidleFlag != 0 {
			weight := uint32(1)
			if s.K.NIRandom {
				weight = 1 + st.NewidleRatio
				if s.draw() > weight {
					countNewidle(st, 0)
					continue
				}
				weight = (1024 + weight/2) / weight
			}
			var n int
			n, goOn = s.balanceRQ(rq.CPU, level, newlyIdle, now)
			pulled = n > 0
			cost := s.K.Meter.Ns - before
			before = s.K.Meter.Ns
			spent += cost
			if !pulled {
				weight = 0
			}
			s.newidleCost(st, cost, weight, now)
		}
		if s.gen < GenV61 {
			s.nextBalanceAt(rq, level, next) // by the interval that the pass left
		}
		if pulled || !goOn || rq.NrRunning > 0 {
			break
		}
	}
	rq.MaxIdleBalanceCost = max(rq.MaxIdleBalanceCost, spent)
	return pulled
}

// newidleCost is update_newidle_cost(): the most that a search of the domain
// has cost, decayed by about 1 % a second. It reports a decay.
func (s *Sched) newidleCost(st *kernel.SDState, cost int64, success uint32, now int64) bool {
	if cost > 0 && s.K.NIRandom {
		countNewidle(st, success)
	}
	jiffies := s.K.Jiffies(now)
	switch {
	case cost > st.MaxNewidleCost:
		st.MaxNewidleCost = cost
		if s.gen >= GenV61 {
			st.CostDecay = jiffies
		}
	case (cost == 0 || s.gen >= GenV61) && jiffies > st.CostDecay+s.hz:
		st.MaxNewidleCost = st.MaxNewidleCost * 253 / 256
		st.CostDecay = jiffies
		return true
	}
	return false
}

// countNewidle is update_newidle_stats() of 6.12.117 (reference L).
func countNewidle(st *kernel.SDState, success uint32) {
	st.NewidleCalls++
	st.NewidleSuccess += success
	if st.NewidleCalls >= 1024 {
		st.NewidleRatio = st.NewidleSuccess
		st.NewidleCalls /= 2
		st.NewidleSuccess /= 2
	}
}

// nextBalanceAt moves *next to the domain's next periodic balance if that is earlier.
func (s *Sched) nextBalanceAt(rq *kernel.RQ, level int, next *int64) {
	*next = min(*next, rq.SD[level].LastBalance+s.interval(rq.CPU, level, false))
}

// updateBlocked is update_blocked_averages(), done by CPU by.
func (s *Sched) updateBlocked(rq *kernel.RQ, by int32, now int64) {
	s.K.Meter.Write(&rq.Line, by)
	s.K.UpdateBlocked(rq, now)
	rq.BlockedAt = s.K.Jiffies(now)
	rq.HasBlocked = rq.HasBlocked && rq.Avg.Load|rq.Avg.Util != 0
}
