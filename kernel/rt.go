package kernel

// The RT class on one CPU: SCHED_FIFO and SCHED_RR by priority above every fair
// task. Which CPU an RT task goes to is package policy's.

// rrSlice is how long a SCHED_RR task runs before its equals get a turn.
const rrSlice = 100_000_000 // ns

// rtInsert queues a task behind those of its priority.
func (k *Kernel) rtInsert(rq *RQ, t *Task) {
	i := len(rq.rt)
	for i > 0 && k.Tasks[rq.rt[i-1]].prio < t.prio {
		i--
	}
	k.rtPut(rq, t, i)
	t.OnRQ = true
}

// rtPushFront queues the current task again, before those of its priority.
func (k *Kernel) rtPushFront(rq *RQ, t *Task) {
	i := 0
	for i < len(rq.rt) && k.Tasks[rq.rt[i]].prio > t.prio {
		i++
	}
	k.rtPut(rq, t, i)
}

// rtPutPrev queues the current task again: at the end of its priority once its
// turn is over.
func (k *Kernel) rtPutPrev(rq *RQ, t *Task) {
	if t.Slice > 0 {
		k.rtPushFront(rq, t)
		return
	}
	t.Slice = rrSlice
	k.rtInsert(rq, t)
}

func (k *Kernel) rtPut(rq *RQ, t *Task, i int) {
	rq.rt = append(rq.rt, None)
	copy(rq.rt[i+1:], rq.rt[i:])
	rq.rt[i] = t.ID
}

func (k *Kernel) rtTake(rq *RQ, t *Task) {
	for i, id := range rq.rt {
		if id == t.ID {
			rq.rt = append(rq.rt[:i], rq.rt[i+1:]...)
			return
		}
	}
}

// rtRemove takes a task off the queue; the running one is not among the waiting.
func (k *Kernel) rtRemove(rq *RQ, t *Task) {
	k.rtTake(rq, t)
	t.OnRQ = false
}

// rtPick is the RT task that is to run, None if there is none.
func (k *Kernel) rtPick(rq *RQ) TaskID {
	curr := k.rtCurr(rq)
	if len(rq.rt) == 0 {
		if curr == nil {
			return None
		}
		if curr.Slice <= 0 {
			curr.Slice = rrSlice // nobody to give way to
		}
		return curr.ID
	}
	first := &k.Tasks[rq.rt[0]]
	if curr != nil && (curr.prio > first.prio || curr.prio == first.prio && curr.Slice > 0) {
		return curr.ID
	}
	return first.ID
}

// rtCurr is the current task if it is an RT one that can go on.
func (k *Kernel) rtCurr(rq *RQ) *Task {
	if rq.Curr == None {
		return nil
	}
	if c := &k.Tasks[rq.Curr]; c.Class == RT && c.OnRQ {
		return c
	}
	return nil
}

// rtTick ends the turn of a SCHED_RR task that has had its slice (task_tick_rt).
func (k *Kernel) rtTick(rq *RQ, t *Task) {
	if !t.RR {
		return
	}
	if t.Slice -= k.Config.Tick; t.Slice > 0 {
		return
	}
	if len(rq.rt) > 0 && k.Tasks[rq.rt[0]].prio == t.prio {
		k.Resched(rq, rq.CPU)
		return
	}
	t.Slice = rrSlice
}

// Prio is the priority of an RT task, 1 to 99; 0 for others.
func (t *Task) Prio() int8 {
	if t.Class != RT {
		return 0
	}
	return t.prio
}

// RTWaits lists the RT tasks that wait on a queue, the first to run first. It
// must not be changed.
func (rq *RQ) RTWaits() []TaskID { return rq.rt }
