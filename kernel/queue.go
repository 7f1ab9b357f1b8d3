package kernel

// EnqueueFlags say why a task is enqueued.
type EnqueueFlags uint8

const (
	EnqueueWakeup   EnqueueFlags = 1 << iota // it was asleep
	EnqueueMigrated                          // ... and comes from another CPU
	EnqueueInitial                           // it is new
	EnqueueMoved                             // it was moved while runnable
)

// Enqueue puts a task on the queue of its CPU (enqueue_task, activate_task).
func (k *Kernel) Enqueue(t *Task, now int64, fl EnqueueFlags) {
	rq := &k.RQ[t.CPU]
	if t.Class == RT {
		k.rtInsert(rq, t)
	} else {
		k.enqueueFair(rq, t, now, fl)
	}
	rq.NrRunning++
	k.touch(rq.CPU)
	if rq.NrRunning == 2 {
		k.setOverload(rq)
	}
	if !t.Delayed { // else it was moved in its sleep, and sleeps on
		t.State = TaskQueued
	}
	if k.Hooks.Enqueued != nil {
		k.Hooks.Enqueued(t)
	}
}

// setOverload notes in the root domain that one of its runqueues has two tasks
// or more (reference A.7).
func (k *Kernel) setOverload(rq *RQ) {
	if r := k.Dom.CPUs[rq.CPU].Root; r >= 0 && !k.Roots[r].Overload {
		k.Roots[r].Overload = true
	}
}

func (k *Kernel) enqueueFair(rq *RQ, t *Task, now int64, fl EnqueueFlags) {
	if t.Delayed {
		rq.HNrDelayed++
	} else {
		rq.UtilEst += int64(t.UtilEst)
	}
	k.UpdateCurr(rq, now)
	if !k.EEVDF && (fl&EnqueueWakeup == 0 || fl&EnqueueMigrated != 0) {
		t.VRuntime += rq.MinVRuntime
	}
	k.updateLoadAvg(rq, t, now, true)
	if k.groups != nil {
		k.groupEnqueue(rq, t, now)
	}
	if k.RunnableLoad {
		rq.Avg.addRunnable(t.Avg.Load, uint64(t.Weight)*t.Avg.LoadSum)
	}
	switch {
	case k.EEVDF:
		k.placeEEVDF(rq, t, fl&EnqueueInitial != 0)
	case fl&EnqueueWakeup != 0:
		k.placeWakeup(rq, t)
	}
	rq.LoadWeight += t.Weight
	rq.RanUntil = min(rq.RanUntil, t.ExecStart)
	if rq.HNrQueued == b2i(rq.fairCurr != None && k.Tasks[rq.fairCurr].OnRQ) {
		rq.RanUntil = t.ExecStart // the only one that waits
	}
	k.listAdd(rq, t)
	k.treeInsert(rq, t)
	t.OnRQ = true
	rq.HNrQueued++
	if t.Class == IdlePolicy {
		rq.HNrIdle++
	}
}

// DequeueReason says why a task leaves its queue.
type DequeueReason uint8

const (
	DequeueSleep DequeueReason = iota // it blocks
	DequeueDead                       // it exits, which is never delayed
	DequeueMove                       // it goes to another CPU, still runnable
)

// Dequeue takes a task off its queue. Under EEVDF a task that falls asleep
// without being eligible stays there (Delayed) and false is returned.
func (k *Kernel) Dequeue(t *Task, now int64, why DequeueReason) bool {
	rq := &k.RQ[t.CPU]
	if t.Class == RT {
		k.rtRemove(rq, t)
	} else if !k.dequeueFair(rq, t, now, why) {
		return false
	}
	rq.NrRunning--
	k.touch(rq.CPU)
	switch why {
	case DequeueSleep:
		t.State = TaskSleeping
	case DequeueDead:
		t.State = TaskDead
	}
	return true
}

func (k *Kernel) dequeueFair(rq *RQ, t *Task, now int64, why DequeueReason) bool {
	sleep := why != DequeueMove
	if !t.Delayed {
		rq.UtilEst = max(rq.UtilEst-int64(t.UtilEst), 0)
	}
	if sleep && k.Fixes612 { // before the averages are brought up to date
		k.utilEstUpdate(t)
	}
	off := k.dequeueEntity(rq, t, now, why)
	if sleep && !k.Fixes612 {
		k.utilEstUpdate(t)
	}
	return off
}

// dequeueEntity is the rest of a dequeue; false: it was put off.
func (k *Kernel) dequeueEntity(rq *RQ, t *Task, now int64, why DequeueReason) bool {
	k.UpdateCurr(rq, now)
	k.clearBuddies(rq, t)
	if why == DequeueSleep && k.EEVDF && k.DelayDequeue && !t.Delayed && !k.eligible(rq, t.VRuntime) {
		k.updateLoadAvg(rq, t, now, false)
		t.Delayed = true
		t.State = TaskSleeping
		rq.HNrDelayed++
		return false
	}
	k.removeFair(rq, t, now, why != DequeueMove)
	return true
}

// removeFair is the part of a dequeue that no rule can put off.
func (k *Kernel) removeFair(rq *RQ, t *Task, now int64, sleep bool) {
	k.updateLoadAvg(rq, t, now, false)
	if k.RunnableLoad {
		rq.Avg.dropRunnable(t.Avg.Load, uint64(t.Weight)*t.Avg.LoadSum)
	}
	if k.EEVDF {
		t.lag = k.clampLag(t, k.avgVRuntime(rq)-t.VRuntime)
	}
	if rq.fairCurr != t.ID {
		k.treeRemove(rq, t)
	}
	if k.EEVDF && k.PlaceRelDeadline && !sleep {
		t.Deadline -= t.VRuntime
		t.rel = true
	}
	k.listDel(rq, t)
	t.OnRQ = false
	rq.LoadWeight -= t.Weight
	rq.HNrQueued--
	if t.Class == IdlePolicy {
		rq.HNrIdle--
	}
	if t.Delayed {
		rq.HNrDelayed--
		t.Delayed = !sleep // a move keeps it
	}
	if !k.EEVDF {
		if !sleep {
			t.VRuntime -= rq.MinVRuntime
		}
		k.updateMinVRuntime(rq)
	}
	if k.groups != nil {
		k.groupDequeue(rq, t, now)
	}
}

// finishDelayed completes the dequeue of a delayed task that was picked.
func (k *Kernel) finishDelayed(rq *RQ, t *Task, now int64) {
	k.UpdateCurr(rq, now)
	k.removeFair(rq, t, now, true)
	if k.DelayZero && t.lag > 0 {
		t.lag = 0
	}
	rq.NrRunning--
	k.touch(rq.CPU)
}

// Requeue takes a woken task out of delay, in place (requeue_delayed_entity):
// no CPU is chosen for it (reference C.6).
func (k *Kernel) Requeue(t *Task, now int64) {
	rq := &k.RQ[t.CPU]
	if k.DelayZero {
		t.lag = k.clampLag(t, k.avgVRuntime(rq)-t.VRuntime)
		if t.lag > 0 {
			if rq.fairCurr != t.ID {
				k.treeRemove(rq, t)
			}
			t.lag = 0
			k.placeEEVDF(rq, t, false)
			if rq.fairCurr != t.ID {
				k.treeInsert(rq, t)
			}
		}
	}
	k.updateLoadAvg(rq, t, now, false)
	rq.UtilEst += int64(t.UtilEst)
	t.Delayed = false
	t.State = TaskQueued
	rq.HNrDelayed--
	k.touch(rq.CPU)
	if k.Hooks.Enqueued != nil {
		k.Hooks.Enqueued(t)
	}
}

// UpdateCurr accounts the run time of the current fair task up to now.
func (k *Kernel) UpdateCurr(rq *RQ, now int64) {
	if rq.fairCurr == None {
		return
	}
	t := &k.Tasks[rq.fairCurr]
	delta := now - t.ExecStart
	if delta <= 0 {
		return
	}
	t.ExecStart = now
	t.SumExec += delta
	t.VRuntime += vdelta(delta, t.Weight)
	if !k.EEVDF {
		k.updateMinVRuntime(rq)
		return
	}
	renewed := k.renewDeadline(t)
	if t.VRuntime-rq.ref > 1<<33 {
		k.rebase(rq, t.VRuntime)
	}
	if rq.HNrQueued > 1 && (renewed || k.PreemptShort && !k.protected(t) && !k.eligible(rq, t.VRuntime)) {
		k.Resched(rq, rq.CPU)
	}
}

// treeInsert puts a waiting task on the timeline.
func (k *Kernel) treeInsert(rq *RQ, t *Task) {
	if !k.EEVDF {
		rq.line.insert(t.VRuntime, t.VRuntime, t.ID)
		return
	}
	if len(rq.line.e) == 0 && rq.sumW == 0 {
		rq.ref = t.VRuntime
	}
	rq.line.insert(t.Deadline, t.VRuntime, t.ID)
	rq.sumW += t.Weight
	rq.sumWV += t.Weight * (t.VRuntime - rq.ref)
}

func (k *Kernel) treeRemove(rq *RQ, t *Task) {
	if !k.EEVDF {
		rq.line.remove(t.VRuntime, t.ID)
		return
	}
	rq.line.remove(t.Deadline, t.ID)
	rq.sumW -= t.Weight
	rq.sumWV -= t.Weight * (t.VRuntime - rq.ref)
}

// PutPrev takes the current task off the CPU (put_prev_task): back to the
// timeline if it can go on.
func (k *Kernel) PutPrev(rq *RQ, now int64) {
	if rq.Curr == None {
		return
	}
	t := &k.Tasks[rq.Curr]
	if t.State == TaskRunning {
		t.State = TaskQueued
	}
	if t.Class == RT {
		if t.OnRQ {
			k.rtPutPrev(rq, t)
		}
	} else {
		if t.OnRQ {
			k.UpdateCurr(rq, now)
			k.treeInsert(rq, t)
			k.updateLoadAvg(rq, t, now, false)
		}
		rq.fairCurr = None
	}
	t.OnCPU = false
	rq.Curr = None
	k.touch(rq.CPU)
}

// SetNext makes a queued task the current one (set_next_task).
func (k *Kernel) SetNext(rq *RQ, t *Task, now int64) {
	if t.Class == RT {
		k.rtTake(rq, t)
	} else {
		k.treeRemove(rq, t)
		k.updateLoadAvg(rq, t, now, false)
		if k.EEVDF {
			t.lag = t.Deadline // the slice-protection marker
			k.clearBuddies(rq, t)
		}
		k.ListToHead(rq, t)
		rq.fairCurr = t.ID
	}
	t.ExecStart = now
	t.prevSumExec = t.SumExec
	t.State = TaskRunning
	t.OnCPU = true
	rq.Curr = t.ID
	k.touch(rq.CPU)
}

// PickNext chooses the task to run next among those queued and the current one
// if it can go on; None when there is none. Delayed tasks that the order would
// run are dequeued on the way (reference C.6).
func (k *Kernel) PickNext(rq *RQ, now int64) TaskID {
	if k.SawRT {
		if id := k.rtPick(rq); id != None {
			return id
		}
	}
	for rq.HNrQueued > 0 {
		if rq.fairCurr != None && k.Tasks[rq.fairCurr].OnRQ {
			k.UpdateCurr(rq, now)
		}
		var id TaskID
		if k.EEVDF {
			id = k.pickNextEEVDF(rq)
		} else {
			id = k.pickCFS(rq)
		}
		t := &k.Tasks[id]
		if !t.Delayed {
			return id
		}
		k.finishDelayed(rq, t, now)
	}
	return None
}

// Tick is the class's part of a tick: accounting, and the end of a slice (reference C.3, C.4).
func (k *Kernel) Tick(rq *RQ, now int64) {
	if rq.fairCurr == None {
		if t := k.rtCurr(rq); t != nil {
			k.rtTick(rq, t)
		}
		return
	}
	t := &k.Tasks[rq.fairCurr]
	k.UpdateCurr(rq, now)
	k.updateLoadAvg(rq, t, now, false)
	if k.groups != nil {
		k.groupTick(rq, t, now)
	}
	if !k.EEVDF && rq.HNrQueued > 1 {
		k.checkPreemptTick(rq, t)
	}
}

// CheckPreempt decides whether a task that just became runnable preempts the
// current one (check_preempt_curr, wakeup_preempt); from is the CPU that asks.
func (k *Kernel) CheckPreempt(rq *RQ, t *Task, now int64, from int32) {
	if rq.Curr == None {
		k.Resched(rq, from)
		return
	}
	c := &k.Tasks[rq.Curr]
	if t.Class == RT {
		if c.Class != RT || t.prio > c.prio {
			k.Resched(rq, from)
		}
		return
	}
	if c.Class == RT || c.ID == t.ID {
		return
	}
	if k.NextBuddy {
		k.markNextBuddy(rq, t)
	}
	switch {
	case rq.NeedResched:
	// Before v6.12 the feature is not asked for a SCHED_IDLE task that gives way.
	case !k.WakeupPreemption && (k.EEVDF || c.Class != IdlePolicy):
	case c.Class == IdlePolicy && t.Class != IdlePolicy:
		if k.Fixes612 {
			k.cancelProtection(c)
		}
		k.Resched(rq, from)
	case t.Class == IdlePolicy || t.Batch:
	case k.EEVDF:
		k.checkPreemptEEVDF(rq, c, t, now, from)
	default:
		k.checkPreemptCFS(rq, c, t, now, from)
	}
}

// markNextBuddy is what NEXT_BUDDY does with a woken task, not a new one: it is to
// run next, if that is fair. CFS does so only on queues longer than a period.
func (k *Kernel) markNextBuddy(rq *RQ, t *Task) {
	if t.SumExec > 0 && t.Class != IdlePolicy && !t.Delayed && (k.EEVDF || int64(rq.HNrQueued) >= k.NrLatency()) {
		rq.nextBuddy = t.ID
	}
}

// SetTaskCPU changes the CPU of a task that is on no queue (set_task_cpu).
func (k *Kernel) SetTaskCPU(t *Task, cpu int32) {
	if t.CPU == cpu {
		return
	}
	if t.Class != RT {
		k.migrateFair(t)
	}
	t.ExecStart = 0 // not cache-hot any more
	if k.Hooks.Migrate != nil {
		k.Hooks.Migrate(t, t.CPU, cpu)
	}
	t.CPU = cpu
}

// migrateFair makes what a task carries relative to the queue that it leaves
// (migrate_task_rq_fair).
func (k *Kernel) migrateFair(t *Task) {
	rq := &k.RQ[t.CPU]
	if t.State == TaskSleeping || t.State == TaskWaking {
		if !k.EEVDF {
			t.VRuntime -= rq.MinVRuntime
		}
		if t.Avg.Last != 0 {
			k.removeAvg(rq, t)
		}
	} else if t.State != TaskNew && t.Avg.Last != 0 {
		k.detachAvg(rq, t)
	}
	t.Avg.Last = 0
}

// Yield gives the rest of the current task's turn away (reference C.4; CFS: it
// is passed over once if another may run; RT: its equals go first).
func (k *Kernel) Yield(rq *RQ, now int64) {
	if t := k.rtCurr(rq); t != nil {
		t.Slice = 0
	}
	if rq.fairCurr != None && !(k.Fixes612 && rq.NrRunning == 1) {
		k.UpdateCurr(rq, now)
		k.yieldFair(rq, &k.Tasks[rq.fairCurr])
	}
	k.Resched(rq, rq.CPU)
}

func (k *Kernel) yieldFair(rq *RQ, t *Task) {
	switch {
	case k.Fixes612:
		k.clearBuddies(rq, t)
		if k.eligible(rq, t.VRuntime) {
			t.VRuntime = t.Deadline
			k.renewDeadline(t)
		}
	case k.EEVDF:
		t.Deadline += vdelta(t.Slice, t.Weight)
		t.lag = t.Deadline + 1
	default:
		k.clearBuddies(rq, t)
		if f := rq.line.first(); f != nil {
			t.VRuntime = max(t.VRuntime, f.v)
		}
	}
}
