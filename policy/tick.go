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

// updateCPULoad is cpu_load_update() of v4.20: histories of the load, each
// level twice as slow as the one below (reference C.7).
func (s *Sched) updateCPULoad(rq *kernel.RQ, now int64) {
	jiffies := s.K.Jiffies(now)
	missed := jiffies - rq.LoadUpdated - 1
	rq.LoadUpdated = jiffies
	load := rq.Avg.Run
	rq.CPULoad[0] = load
	for i := 1; i < len(rq.CPULoad); i++ {
		old := rq.CPULoad[i]
		for n := int64(0); n < missed && old > 0; n++ {
			old -= old >> i // an idle tick; what decay_load_missed does in one step
		}
		scale := int64(1) << i
		add := load
		if load > old {
			add += scale - 1
		}
		rq.CPULoad[i] = (old*(scale-1) + add) >> i
	}
}
