package kernel

import "math"

// The fair-task list of a runqueue (cfs_tasks): most recently queued or picked
// first, so that its tail holds what has waited longest. The balancer takes
// from the tail (reference D.7). The running task is on it.

func (k *Kernel) listAdd(rq *RQ, t *Task) {
	t.prev, t.next = None, rq.head
	if rq.head != None {
		k.Tasks[rq.head].prev = t.ID
	} else {
		rq.tail = t.ID
	}
	rq.head = t.ID
}

func (k *Kernel) listDel(rq *RQ, t *Task) {
	if t.prev != None {
		k.Tasks[t.prev].next = t.next
	} else {
		rq.head = t.next
	}
	if t.next != None {
		k.Tasks[t.next].prev = t.prev
	} else {
		rq.tail = t.prev
	}
	t.next, t.prev = None, None
}

// ListToHead moves a task to the head of its runqueue's list.
func (k *Kernel) ListToHead(rq *RQ, t *Task) {
	if rq.head != t.ID {
		k.listDel(rq, t)
		k.listAdd(rq, t)
	}
}

// ListTail is the task that was queued or picked longest ago, or None.
func (rq *RQ) ListTail() TaskID { return rq.tail }

// ListTowardsHead is the next task of a walk from the tail, or None.
func (k *Kernel) ListTowardsHead(t *Task) TaskID { return t.prev }

// RenewRanUntil makes RanUntil of a queue exact, which falls behind when tasks
// leave.
func (k *Kernel) RenewRanUntil(rq *RQ) {
	oldest := int64(math.MaxInt64)
	for id := rq.head; id != None; id = k.Tasks[id].next {
		if t := &k.Tasks[id]; !t.OnCPU {
			oldest = min(oldest, t.ExecStart)
		}
	}
	rq.RanUntil = oldest
}
