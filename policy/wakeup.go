package policy

import "schedlab/kernel"

// TryToWakeUp is try_to_wake_up(), the first composite: t is woken by CPU cpu
// at now (reference B.1). It reports whether t was asleep. Where t goes is in
// t.CPU; whether it is enqueued there already or waits on that CPU's wake list
// is in t.State. The meter holds what it cost the waker.
func (s *Sched) TryToWakeUp(t *kernel.Task, cpu int32, fl kernel.WakeFlags, now int64) bool {
	k := s.K
	if t.State != kernel.TaskSleeping {
		return false
	}
	k.Meter.Add(k.Meter.Costs().Wakeup)
	if t.Delayed {
		s.wakeDelayed(t, cpu, now)
		return true
	}
	prev := t.CPU
	to := s.selectCPU(t, prev, cpu, fl|kernel.WakeTTWU, now)
	t.WokenMoved = to != prev
	if t.WokenMoved {
		k.SetTaskCPU(t, to)
	}
	if s.throughWakeList(t, cpu) {
		k.Meter.Write(&k.RQ[to].Line, cpu)
		k.WakeListAdd(t, cpu)
		return true
	}
	s.activate(t, cpu, now)
	return true
}

// selectCPU is select_task_rq(): the class's choice, or the one CPU that is
// allowed, or a fallback where the choice may not be used.
func (s *Sched) selectCPU(t *kernel.Task, prev, cpu int32, fl kernel.WakeFlags, now int64) int32 {
	to := prev
	switch {
	case t.Allowed == 1:
		to = int32(s.K.Mask(t).FirstAnd(s.K.M.Online))
	case t.Class == kernel.RT:
		to = s.selectRT(t, prev, cpu)
	default:
		to = s.SelectTaskRQ(t, s.current(cpu), prev, cpu, fl, now).CPU
	}
	if to < 0 || !s.K.RQ[to].Active || !s.K.AllowedOn(t, to) {
		to = s.fallback(t, prev)
	}
	return to
}

// fallback is select_fallback_rq(): an allowed CPU, of the same node if one is.
func (s *Sched) fallback(t *kernel.Task, prev int32) int32 {
	mask, m := s.K.Mask(t), s.K.M
	if node := m.CPUs[prev].Node; node < len(m.Nodes) {
		for c := range m.Nodes[node].CPUs.All() {
			if mask.Test(c) && m.Online.Test(c) {
				return int32(c)
			}
		}
	}
	if c := mask.FirstAnd(m.Online); c >= 0 {
		return int32(c)
	}
	return int32(m.Online.First())
}

// current is the task that runs on a CPU; nil: idle.
func (s *Sched) current(cpu int32) *kernel.Task {
	if c := s.K.Face[cpu].Curr; c != kernel.None {
		return s.K.Task(c)
	}
	return nil
}

// throughWakeList is ttwu_queue_cond(): whether the woken CPU is to enqueue the
// task itself.
func (s *Sched) throughWakeList(t *kernel.Task, cpu int32) bool {
	if !s.K.TTWUQueue {
		return false
	}
	if !s.K.SharesCache(cpu, t.CPU) {
		return true
	}
	return s.gen >= GenV61 && t.CPU != cpu && s.K.RQ[t.CPU].NrRunning == 0
}

// activate is ttwu_do_activate(): enqueue, preempt, and average how long the
// CPU was idle.
func (s *Sched) activate(t *kernel.Task, by int32, now int64) {
	k := s.K
	rq := &k.RQ[t.CPU]
	k.Meter.Write(&rq.Line, by)
	k.Meter.Add(k.Meter.Costs().Enqueue)
	fl := kernel.EnqueueWakeup
	if t.WokenMoved {
		fl |= kernel.EnqueueMigrated
	}
	k.Enqueue(t, now, fl)
	k.CheckPreempt(rq, t, now, by)
	s.endIdle(rq, now)
}

// endIdle averages the idle period that a wake-up ends (reference B.1).
func (s *Sched) endIdle(rq *kernel.RQ, now int64) {
	if rq.IdleStamp == 0 {
		return
	}
	diff := now - rq.IdleStamp - rq.AvgIdle
	if s.K.WakeAvgShift {
		rq.AvgIdle += diff >> 3
	} else {
		rq.AvgIdle += diff / 8
	}
	rq.AvgIdle = min(rq.AvgIdle, 2*rq.MaxIdleBalanceCost)
	rq.WakeStamp, rq.WakeAvgIdle = s.K.Jiffies(now), rq.AvgIdle/2
	rq.IdleStamp = 0
}

// wakeDelayed is ttwu_runnable() for a task that is asleep but still queued: it
// goes on where it is, and no CPU is chosen (reference C.6).
func (s *Sched) wakeDelayed(t *kernel.Task, by int32, now int64) {
	k := s.K
	rq := &k.RQ[t.CPU]
	k.Meter.Write(&rq.Line, by)
	k.Meter.Add(k.Meter.Costs().Enqueue)
	k.Requeue(t, now)
	if !t.OnCPU {
		k.CheckPreempt(rq, t, now, by)
	}
	s.Stats.Delayed++
}

// EnqueuePending is sched_ttwu_pending(): a CPU enqueues what others woke for it.
func (s *Sched) EnqueuePending(cpu int32, now int64) {
	rq := &s.K.RQ[cpu]
	for id := s.K.WakeListTake(rq); id != kernel.None; id = s.K.WakeListTake(rq) {
		s.activate(s.K.Task(id), cpu, now)
	}
}

// WakeUpNew is wake_up_new_task(): places a new task, which counts as having
// run on the CPU of its parent, and enqueues it there (reference B.9).
func (s *Sched) WakeUpNew(t *kernel.Task, parent kernel.TaskID, cpu int32, now int64) {
	k := s.K
	k.PlaceFork(&k.RQ[cpu], parent, t, now)
	t.RecentUsed = t.CPU
	to := s.selectCPU(t, t.CPU, cpu, kernel.WakeFork, now)
	s.startOn(t, to, cpu, now)
}

// StartOn enqueues a new task on a CPU without placing it.
func (s *Sched) StartOn(t *kernel.Task, cpu int32, now int64) {
	s.K.PlaceFork(&s.K.RQ[cpu], kernel.None, t, now)
	t.RecentUsed = cpu
	s.startOn(t, cpu, cpu, now)
}

func (s *Sched) startOn(t *kernel.Task, to, by int32, now int64) {
	k := s.K
	if t.CPU != to {
		k.SetTaskCPU(t, to)
	}
	rq := &k.RQ[to]
	if t.Class != kernel.RT {
		k.PostInitUtil(rq, t, now)
	}
	k.Meter.Write(&rq.Line, by)
	k.Meter.Add(k.Meter.Costs().Enqueue)
	k.Enqueue(t, now, kernel.EnqueueInitial)
	k.CheckPreempt(rq, t, now, by)
}
