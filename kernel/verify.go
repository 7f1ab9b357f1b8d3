package kernel

import "fmt"

// Verify checks what must hold between any two events: every task is where its
// state says and nowhere else, and the counts and sums of each queue are those
// of its tasks. It is for tests; it costs time in proportion to all tasks.
func (k *Kernel) Verify() error {
	seen := make([]int32, len(k.Tasks))
	for c := range k.RQ {
		if err := k.verifyRQ(&k.RQ[c], seen); err != nil {
			return fmt.Errorf("CPU %d: %w", c, err)
		}
	}
	if err := k.verifyGroups(); err != nil {
		return err
	}
	for id := range k.Tasks {
		if err := k.verifyTask(&k.Tasks[id], seen[id]); err != nil {
			return fmt.Errorf("task %d: %w", id, err)
		}
	}
	return nil
}

// verifyRQ counts in seen how often each task stands on this queue.
func (k *Kernel) verifyRQ(rq *RQ, seen []int32) error {
	var fair, delayed, idle int32
	var weight, wv, w int64
	count := func(id TaskID) error {
		t := &k.Tasks[id]
		seen[id]++
		if t.CPU != rq.CPU {
			return fmt.Errorf("task %d of CPU %d is queued here", id, t.CPU)
		}
		return nil
	}
	for i := range rq.line.e {
		e := &rq.line.e[i]
		t := &k.Tasks[e.id]
		if err := count(e.id); err != nil {
			return err
		}
		if i > 0 && rq.line.e[i-1].key > e.key {
			return fmt.Errorf("the timeline is out of order at %d", i)
		}
		if e.v != t.VRuntime {
			return fmt.Errorf("task %d has vruntime %d, its entry %d", e.id, t.VRuntime, e.v)
		}
		w += t.Weight
		wv += t.Weight * (t.VRuntime - rq.ref)
	}
	if k.EEVDF && (w != rq.sumW || wv != rq.sumWV) {
		return fmt.Errorf("sums of the timeline are %d/%d, kept as %d/%d", wv, w, rq.sumWV, rq.sumW)
	}
	for _, id := range rq.rt {
		if err := count(id); err != nil {
			return err
		}
	}
	if rq.Curr != None {
		if err := count(rq.Curr); err != nil {
			return err
		}
	}
	for id, last := rq.head, None; id != None; id = k.Tasks[id].next {
		t := &k.Tasks[id]
		if t.prev != last {
			return fmt.Errorf("the task list is broken at task %d", id)
		}
		last = id
		fair++
		weight += t.Weight
		if t.Delayed {
			delayed++
		}
		if t.Class == IdlePolicy {
			idle++
		}
	}
	if fair != rq.HNrQueued || delayed != rq.HNrDelayed || idle != rq.HNrIdle || weight != rq.LoadWeight {
		return fmt.Errorf("holds %d fair tasks (%d delayed, %d idle) of weight %d, counts %d (%d, %d) of %d",
			fair, delayed, idle, weight, rq.HNrQueued, rq.HNrDelayed, rq.HNrIdle, rq.LoadWeight)
	}
	return nil
}

// verifyGroups checks that a group's queues hold the weight of its queued tasks.
func (k *Kernel) verifyGroups() error {
	if k.groups == nil {
		return nil
	}
	for id := int32(1); int(id) < len(k.groups.list); id++ {
		want := make([]int64, len(k.RQ))
		for i := range k.Tasks {
			if t := &k.Tasks[i]; t.Class != RT && t.OnRQ && k.GroupOf(t) == id {
				want[t.CPU] += k.groups.base[i]
			}
		}
		for c := range k.RQ {
			if got := k.groups.list[id].q[c].weight; got != want[c] {
				return fmt.Errorf("group %d has weight %d on CPU %d, its tasks there %d", id, got, c, want[c])
			}
		}
	}
	return nil
}

func (k *Kernel) verifyTask(t *Task, queued int32) error {
	want := int32(0)
	switch t.State {
	case TaskQueued, TaskRunning:
		want = 1
	case TaskSleeping:
		if t.Delayed {
			want = 1
		}
	}
	if queued != want {
		return fmt.Errorf("in state %d stands on %d queues", t.State, queued)
	}
	if t.State == TaskRunning && k.RQ[t.CPU].Curr != t.ID {
		return fmt.Errorf("runs, but CPU %d runs task %d", t.CPU, k.RQ[t.CPU].Curr)
	}
	if t.State == TaskWaking && !k.onWakeList(t) {
		return fmt.Errorf("is on its way to CPU %d, which does not know", t.CPU)
	}
	if t.State != TaskNew && t.State != TaskDead && t.State != TaskSleeping && !k.AllowedOn(t, t.CPU) {
		return fmt.Errorf("is on CPU %d, which its mask %v excludes", t.CPU, k.Mask(t))
	}
	return nil
}

func (k *Kernel) onWakeList(t *Task) bool {
	for id := k.RQ[t.CPU].wakeHead; id != None; id = k.Tasks[id].nextWake {
		if id == t.ID {
			return true
		}
	}
	return false
}
