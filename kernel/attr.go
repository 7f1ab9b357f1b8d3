package kernel

// SetNice changes the nice value of a fair task (set_user_nice), wherever it is.
func (k *Kernel) SetNice(t *Task, nice int, now int64) {
	if t.Class != Fair {
		return
	}
	rq := &k.RQ[t.CPU]
	weight := NiceWeight(nice)
	if t.OnRQ {
		k.UpdateCurr(rq, now)
		k.updateLoadAvg(rq, t, now, false)
	}
	id := k.GroupOf(t)
	if id == 0 {
		k.reweigh(rq, t, weight)
		return
	}
	if t.OnRQ {
		k.updateGroup(id, rq.CPU, now).weight += weight - k.groups.base[t.ID]
	}
	k.groups.base[t.ID] = weight
	k.reweighGroup(rq, id)
}

// SetClass makes a task that is on no queue one of another class: prio is the
// RT priority, nice that of a fair task.
func (k *Kernel) SetClass(t *Task, class Class, nice int, prio int8) {
	if t.Class != RT && class == RT && t.Avg.Last != 0 {
		// RT tasks are no part of the fair load (detached_entity).
		k.detachAvg(&k.RQ[t.CPU], t)
		k.touch(t.CPU)
		t.Avg.Last = 0
	}
	t.Class, t.prio = class, 0
	k.noteClass(class)
	if class == RT {
		t.prio, t.Slice = prio, rrSlice
	}
	weight := classWeight(class, nice)
	if k.GroupOf(t) != 0 {
		k.groups.base[t.ID] = weight
	} else {
		k.reweigh(&k.RQ[t.CPU], t, weight)
	}
}
