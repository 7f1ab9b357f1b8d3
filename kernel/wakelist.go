package kernel

// The wake list of a CPU holds tasks that other CPUs placed there and that it
// has not enqueued yet (ttwu_queue_wakelist, reference B.1 step 5).

// WakeListAdd puts a placed task on its CPU's wake list on behalf of from.
func (k *Kernel) WakeListAdd(t *Task, from int32) {
	rq := &k.RQ[t.CPU]
	first := rq.wakeHead == None
	t.State = TaskWaking
	t.nextWake = None
	if first {
		rq.wakeHead = t.ID
		rq.pending = true
		k.touch(rq.CPU)
	} else {
		k.Tasks[rq.wakeTail].nextWake = t.ID
	}
	rq.wakeTail = t.ID
	if first && k.Hooks.WakeQueued != nil {
		k.Hooks.WakeQueued(rq.CPU, from)
	}
}

// WakeListTake takes the first task off a CPU's wake list; None when empty.
func (k *Kernel) WakeListTake(rq *RQ) TaskID {
	id := rq.wakeHead
	if id != None {
		rq.wakeHead = k.Tasks[id].nextWake
		if rq.wakeHead == None {
			rq.wakeTail = None
			rq.pending = false
			k.touch(rq.CPU)
		}
	}
	return id
}
