package kernel

// The EEVDF order, v6.12 (reference C.4).

// load returns the sums over all queued tasks, the running one included, of
// weight*(vruntime-ref) and of weight.
func (k *Kernel) load(rq *RQ) (wv, w int64) {
	wv, w = rq.sumWV, rq.sumW
	if rq.fairCurr != None {
		if c := &k.Tasks[rq.fairCurr]; c.OnRQ {
			wv += c.Weight * (c.VRuntime - rq.ref)
			w += c.Weight
		}
	}
	return wv, w
}

// avgVRuntime is the queue's average vruntime, rounded toward -inf.
func (k *Kernel) avgVRuntime(rq *RQ) int64 {
	wv, w := k.load(rq)
	if w == 0 {
		return rq.ref
	}
	if wv < 0 {
		wv -= w - 1
	}
	return rq.ref + wv/w
}

// eligible reports whether a vruntime is not above the average, without rounding.
func (k *Kernel) eligible(rq *RQ, v int64) bool {
	wv, w := k.load(rq)
	return wv >= (v-rq.ref)*w
}

// rebase moves the reference point of the sums, which keeps them small.
func (k *Kernel) rebase(rq *RQ, ref int64) {
	rq.sumWV -= rq.sumW * (ref - rq.ref)
	rq.ref = ref
}

// clampLag limits what a task may carry away: two slices or a tick, whichever is more.
func (k *Kernel) clampLag(t *Task, lag int64) int64 {
	limit := vdelta(max(2*t.Slice, k.Config.Tick), t.Weight)
	return min(max(lag, -limit), limit)
}

// placeEEVDF sets the vruntime and deadline of a task that joins the queue.
func (k *Kernel) placeEEVDF(rq *RQ, t *Task, initial bool) {
	v := k.avgVRuntime(rq)
	t.Slice = k.BaseSlice
	vslice := vdelta(t.Slice, t.Weight)
	var lag int64
	if _, w := k.load(rq); k.PlaceLag && w > 0 {
		lag = t.lag * (w + t.Weight) / w
	}
	t.VRuntime = v - lag
	if k.PlaceRelDeadline && t.rel {
		t.Deadline += t.VRuntime
		t.rel = false
		return
	}
	if k.PlaceDeadlineInitial && initial {
		vslice /= 2
	}
	t.Deadline = t.VRuntime + vslice
}

// renewDeadline starts a new request when the old one is served.
func (k *Kernel) renewDeadline(t *Task) bool {
	if t.VRuntime < t.Deadline {
		return false
	}
	t.Slice = k.BaseSlice
	t.Deadline = t.VRuntime + vdelta(t.Slice, t.Weight)
	return true
}

// protected reports whether RUN_TO_PARITY still protects the running task:
// nothing has changed its request since it was picked.
func (k *Kernel) protected(t *Task) bool { return t.lag == t.Deadline }

// cancelProtection ends the protection of a task that it still has.
func (k *Kernel) cancelProtection(t *Task) {
	if k.protected(t) {
		t.lag = t.Deadline + 1
	}
}

// pickNextEEVDF is pick_next_entity(): the task woken last if NEXT_BUDDY says so
// and it is eligible, else the order's choice.
func (k *Kernel) pickNextEEVDF(rq *RQ) TaskID {
	if b := rq.nextBuddy; k.NextBuddy && b != None && k.eligible(rq, k.Tasks[b].VRuntime) {
		return b
	}
	return k.pickEEVDF(rq)
}

func (k *Kernel) pickEEVDF(rq *RQ) TaskID {
	curr := rq.fairCurr
	if curr != None && !k.Tasks[curr].OnRQ {
		curr = None
	}
	first := rq.line.first()
	if rq.HNrQueued == 1 {
		if curr != None {
			return curr
		}
		return first.id
	}
	if curr != None && !k.eligible(rq, k.Tasks[curr].VRuntime) {
		curr = None
	}
	if curr != None && k.RunToParity && k.protected(&k.Tasks[curr]) {
		return curr
	}
	best := k.firstEligible(rq)
	if best == nil || curr != None && k.Tasks[curr].Deadline < best.key {
		if curr == None {
			// Nothing is eligible by rounding alone: cannot be, since the
			// lowest vruntime never exceeds the average.
			return first.id
		}
		return curr
	}
	return best.id
}

// firstEligible is the waiting task with the earliest deadline among the eligible.
func (k *Kernel) firstEligible(rq *RQ) *timeEntry {
	wv, w := k.load(rq)
	for i := range rq.line.e {
		if e := &rq.line.e[i]; wv >= (e.v-rq.ref)*w {
			return e
		}
	}
	return nil
}

func (k *Kernel) checkPreemptEEVDF(rq *RQ, c, t *Task, now int64, from int32) {
	k.UpdateCurr(rq, now)
	if k.PreemptShort && t.Slice < c.Slice && k.eligible(rq, t.VRuntime) &&
		(t.Deadline < c.Deadline || !k.eligible(rq, c.VRuntime)) {
		k.cancelProtection(c)
	}
	if k.pickEEVDF(rq) == t.ID {
		k.Resched(rq, from)
	}
}
