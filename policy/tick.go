package policy

import "schedlab/kernel"

// Tick is scheduler_tick(), the third composite: accounting, the end of a slice,
// and what the tick triggers: this CPU's own periodic balance when it is due,
// and a kick to the idle ones (reference C.5, D.8, D.9).
func (s *Sched) Tick(cpu int32, now int64) {
	rq := &s.K.RQ[cpu]
	s.K.Tick(rq, now)
	if s.gen == GenV420 {
		s.updateCPULoad(rq, now)
	}
	if rq.Active && len(s.domains(cpu)) > 0 {
		s.triggerLoadBalance(rq, now)
	}
}

// triggerLoadBalance is trigger_load_balance() and the softirq that it raises,
// which runs when the tick has ended.
func (s *Sched) triggerLoadBalance(rq *kernel.RQ, now int64) {
	why, due := idle, s.K.Jiffies(now) >= rq.NextBalance
	if rq.Curr != kernel.None {
		why = notIdle
		s.nohzKick(rq, now)
	}
	if due {
		s.rebalanceDomains(rq.CPU, why, now)
	}
}
