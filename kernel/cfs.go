package kernel

// The CFS order, v4.20 (reference C.3).

// updateMinVRuntime moves the queue's floor up, never down.
func (k *Kernel) updateMinVRuntime(rq *RQ) {
	v := rq.MinVRuntime
	curr := rq.fairCurr != None && k.Tasks[rq.fairCurr].OnRQ
	if curr {
		v = k.Tasks[rq.fairCurr].VRuntime
	}
	if f := rq.line.first(); f != nil {
		if !curr || f.v < v {
			v = f.v
		}
	}
	rq.MinVRuntime = max(rq.MinVRuntime, v)
}

// slice is sched_slice(): the task's share of the period in which each task of
// the queue runs once.
func (k *Kernel) slice(rq *RQ, t *Task) int64 {
	n, load := int64(rq.HNrQueued), rq.LoadWeight
	if !t.OnRQ {
		n++
		load += t.Weight
	}
	period := k.Latency
	if n > k.NrLatency() {
		period = n * k.MinGranularity
	}
	slice := scaleDelta(period, t.Weight, load)
	if k.FloorSlice {
		slice = max(slice, k.leastSlice(rq, t))
	}
	return slice
}

// leastSlice is min_granularity, from v6.1 on less for a SCHED_IDLE task beside
// others.
func (k *Kernel) leastSlice(rq *RQ, t *Task) int64 {
	if k.IdleEntities && t.Class == IdlePolicy && rq.HNrIdle < rq.HNrQueued {
		return k.IdleGranularity
	}
	return k.MinGranularity
}

// placeWakeup sets a woken task back by at most the sleeper's bonus.
func (k *Kernel) placeWakeup(rq *RQ, t *Task) {
	bonus := k.Latency
	if k.IdleEntities && t.Class == IdlePolicy {
		bonus = k.MinGranularity
	}
	if k.GentleFairSleepers {
		bonus /= 2
	}
	t.VRuntime = max(t.VRuntime, rq.MinVRuntime-bonus)
}

// PlaceFork gives a new task its first vruntime, beside its parent on rq
// (task_fork_fair), relative to the queue's floor.
func (k *Kernel) PlaceFork(rq *RQ, parent TaskID, t *Task, now int64) {
	if k.EEVDF || t.Class == RT {
		return
	}
	k.UpdateCurr(rq, now)
	if parent != None && k.Tasks[parent].OnRQ && rq.fairCurr == parent {
		t.VRuntime = k.Tasks[parent].VRuntime
	}
	first := rq.MinVRuntime
	if k.StartDebit {
		first += vdelta(k.slice(rq, t), t.Weight)
	}
	t.VRuntime = max(t.VRuntime, first) - rq.MinVRuntime
}

func (k *Kernel) pickCFS(rq *RQ) TaskID {
	var left *Task
	if f := rq.line.first(); f != nil {
		left = &k.Tasks[f.id]
	}
	if rq.fairCurr != None {
		if c := &k.Tasks[rq.fairCurr]; c.OnRQ && (left == nil || c.VRuntime < left.VRuntime) {
			left = c
		}
	}
	pick := left.ID
	for _, buddy := range [2]TaskID{rq.lastBuddy, rq.nextBuddy} {
		if buddy != None && !k.tooFarAhead(&k.Tasks[buddy], left) {
			pick = buddy
		}
	}
	k.clearBuddies(rq, &k.Tasks[pick])
	return pick
}

// tooFarAhead reports whether running a instead of b would be unfair to b by
// more than the wake-up granularity.
func (k *Kernel) tooFarAhead(a, b *Task) bool {
	return a.VRuntime-b.VRuntime > vdelta(k.WakeupGranularity, b.Weight)
}

func (k *Kernel) clearBuddies(rq *RQ, t *Task) {
	if rq.lastBuddy == t.ID {
		rq.lastBuddy = None
	}
	if rq.nextBuddy == t.ID {
		rq.nextBuddy = None
	}
}

// checkPreemptTick ends the turn of a task that has had its slice, or that is
// ahead of the leftmost by more than it.
func (k *Kernel) checkPreemptTick(rq *RQ, t *Task) {
	ideal := k.slice(rq, t)
	ran := t.SumExec - t.prevSumExec
	if ran > ideal {
		k.Resched(rq, rq.CPU)
		k.clearBuddies(rq, t)
		return
	}
	if ran < k.MinGranularity {
		return
	}
	if f := rq.line.first(); f != nil && t.VRuntime-f.v > ideal {
		k.Resched(rq, rq.CPU)
	}
}

func (k *Kernel) checkPreemptCFS(rq *RQ, c, t *Task, now int64, from int32) {
	k.UpdateCurr(rq, now)
	if !k.tooFarAhead(c, t) {
		return
	}
	rq.nextBuddy = t.ID
	k.Resched(rq, from)
	if k.LastBuddy && int64(rq.HNrQueued) >= k.NrLatency() && c.OnRQ {
		rq.lastBuddy = c.ID
	}
}

// IsBuddy reports whether a task is a buddy of its queue, which CACHE_HOT_BUDDY
// takes as cache-hot.
func (rq *RQ) IsBuddy(id TaskID) bool { return rq.nextBuddy == id || rq.lastBuddy == id }
