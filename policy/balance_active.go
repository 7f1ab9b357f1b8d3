package policy

import "schedlab/kernel"

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
		s.moveTo(t, to, now)
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
	s.moveTo(t, s.fallback(t, cpu), now)
	s.K.CheckPreempt(&s.K.RQ[t.CPU], t, now, cpu)
}

// moveTo takes a task from its queue to the one of another CPU (move_queued_task).
func (s *Sched) moveTo(t *kernel.Task, to int32, now int64) {
	s.K.Dequeue(t, now, kernel.DequeueMove)
	s.K.SetTaskCPU(t, to)
	s.K.Enqueue(t, now, kernel.EnqueueMoved)
}
