package policy

import "schedlab/kernel"

// Attributes are what sched_setattr sets of a task.
type Attributes struct {
	Class     kernel.Class
	RR, Batch bool
	Nice      int  // fair tasks
	Prio      int8 // RT tasks, 1 to 99
}

// SetAttributes changes how a task is scheduled (__sched_setscheduler), wherever
// it is, on behalf of CPU by. Its CPU is to reschedule if the task ran.
func (s *Sched) SetAttributes(t *kernel.Task, a Attributes, by int32, now int64) {
	k := s.K
	t.RR, t.Batch = a.RR, a.Batch
	if t.Class == a.Class && t.Class == kernel.Fair {
		k.SetNice(t, a.Nice, now)
		return
	}
	rq := &k.RQ[t.CPU]
	queued, running := t.OnRQ, t.OnCPU
	if running {
		k.PutPrev(rq, now)
	}
	if queued {
		k.Dequeue(t, now, kernel.DequeueMove)
	}
	k.SetClass(t, a.Class, a.Nice, a.Prio)
	if !queued {
		return
	}
	k.Enqueue(t, now, kernel.EnqueueMoved)
	if running {
		k.SetNext(rq, t, now)
		k.Resched(rq, by)
		return
	}
	k.CheckPreempt(rq, t, now, by)
}
