package policy

import (
	"schedlab/cpumask"
	"schedlab/kernel"
)

// Where RT tasks go: a simple form of what the kernel's RT class does. A task
// that cannot run where it was goes to a CPU that runs nothing of its priority
// or above; one that has to wait is pushed to such a CPU, and a CPU that has no
// RT task left pulls one. Priorities of CPUs are looked up for free.

// selectRT is select_task_rq_rt(): prev, unless what runs there would keep the
// task waiting or could not go elsewhere itself.
func (s *Sched) selectRT(t *kernel.Task, prev, cpu int32) int32 {
	curr := s.current(prev)
	if curr == nil || curr.Class != kernel.RT || curr.Allowed > 1 && curr.Prio() < t.Prio() {
		return prev
	}
	if to := s.lowestRQ(t, cpu); to >= 0 {
		return to
	}
	return prev
}

// lowestRQ is find_lowest_rq(): among the allowed CPUs whose highest RT priority
// is lowest, and below the task's, its own one, that of cpu, the nearest to its
// own, or the first; -1 when there is none.
func (s *Sched) lowestRQ(t *kernel.Task, cpu int32) int32 {
	lowest, prio := s.scan, t.Prio()
	lowest.Zero()
	mask := s.K.Mask(t)
	for c := mask.NextAnd(s.K.Active, 0); c >= 0; c = mask.NextAnd(s.K.Active, c+1) {
		p := s.rtPrio(int32(c))
		if p < prio {
			lowest.Zero()
			prio = p
		}
		if p == prio && p < t.Prio() {
			lowest.Set(c)
		}
	}
	switch {
	case lowest.Empty():
		return -1
	case lowest.Test(int(t.CPU)):
		return t.CPU
	}
	return s.nearestOf(lowest, t.CPU, cpu)
}

// nearestOf is the member of a set that shares the lowest domain with a CPU,
// by's own one if that is no farther.
func (s *Sched) nearestOf(set cpumask.Mask, cpu, by int32) int32 {
	for _, sd := range s.domains(cpu) {
		if set.Test(int(by)) && sd.Span.Test(int(by)) {
			return by
		}
		if c := set.FirstAnd(sd.Span); c >= 0 {
			return int32(c)
		}
	}
	if set.Test(int(by)) {
		return by
	}
	return int32(set.First())
}

// rtPrio is the highest RT priority on a CPU, running or waiting; 0: none.
func (s *Sched) rtPrio(cpu int32) int8 {
	p := int8(0)
	if curr := s.current(cpu); curr != nil && curr.OnRQ {
		p = curr.Prio()
	}
	if waits := s.K.RQ[cpu].RTWaits(); len(waits) > 0 {
		p = max(p, s.K.Task(waits[0]).Prio())
	}
	return p
}

// pullRT takes the highest RT task that waits elsewhere to a CPU on which
// nothing of its priority is left, now that a task of priority prev gives the
// CPU up (balance_rt, pull_rt_task).
func (s *Sched) pullRT(rq *kernel.RQ, prev int8, now int64) {
	prio := s.rtPrio(rq.CPU)
	if prev <= prio {
		return
	}
	best := kernel.None
	for c := s.K.Active.Next(0); c >= 0; c = s.K.Active.Next(c + 1) {
		if int32(c) == rq.CPU || !s.rtOverloaded(&s.K.RQ[c]) {
			continue
		}
		for _, id := range s.K.RQ[c].RTWaits() {
			if t := s.K.Task(id); t.Prio() > prio && s.K.AllowedOn(t, rq.CPU) {
				best, prio = id, t.Prio()
				break
			}
		}
	}
	if best != kernel.None {
		s.moveRT(s.K.Task(best), rq.CPU, now)
	}
}

// rtOverloaded reports whether a queue has two RT tasks: one alone is to run
// where it is, if not yet.
func (s *Sched) rtOverloaded(rq *kernel.RQ) bool {
	n := len(rq.RTWaits())
	if n == 1 && rq.Curr != kernel.None && s.K.Task(rq.Curr).Prio() > 0 {
		n++
	}
	return n > 1
}

// pushRT moves the RT tasks that wait behind another one to CPUs where they can
// run (push_rt_tasks).
func (s *Sched) pushRT(rq *kernel.RQ, now int64) {
	for {
		t := s.pushable(rq)
		if t == nil {
			return
		}
		to := s.lowestRQ(t, rq.CPU)
		if to < 0 || to == rq.CPU {
			return
		}
		s.moveRT(t, to, now)
		s.K.CheckPreempt(&s.K.RQ[to], t, now, rq.CPU)
	}
}

// pushable is the first RT task waiting on a queue that may go elsewhere.
func (s *Sched) pushable(rq *kernel.RQ) *kernel.Task {
	for _, id := range rq.RTWaits() {
		if t := s.K.Task(id); t.Allowed > 1 {
			return t
		}
	}
	return nil
}

func (s *Sched) moveRT(t *kernel.Task, to int32, now int64) {
	s.moveTo(t, to, now)
	s.Stats.Pulls++
}
