package kernel

// The RT class in the simplest form that is right on one CPU: SCHED_FIFO by
// priority above every fair task. Its own balancing is not modelled (docs/model.md).

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
