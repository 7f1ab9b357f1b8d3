package kernel

// PELT, per-entity load tracking (reference C.7): time is cut in periods of
// 1024 units of 1024 ns; what was accumulated y^n periods ago counts y^n, with
// y^32 = 1/2.

const (
	peltPeriod     = 1024
	peltMax        = 47742                // the sum that a signal always on converges to
	peltMinDivider = peltMax - peltPeriod // plus the running period's part: the divider of averages
	peltForget     = 2016                 // periods after which nothing is left
	capacityScale  = 1024
)

// halfLife[n] is y^n in parts of 2^32.
var halfLife = [32]uint32{
	0xffffffff, 0xfa83b2da, 0xf5257d14, 0xefe4b99a, 0xeac0c6e6, 0xe5b906e6, 0xe0ccdeeb, 0xdbfbb796,
	0xd744fcc9, 0xd2a81d91, 0xce248c14, 0xc9b9bd85, 0xc5672a10, 0xc12c4cc9, 0xbd08a39e, 0xb8fbaf46,
	0xb504f333, 0xb123f581, 0xad583ee9, 0xa9a15ab4, 0xa5fed6a9, 0xa2704302, 0x9ef5325f, 0x9b8d39b9,
	0x9837f050, 0x94f4efa8, 0x91c3d373, 0x8ea4398a, 0x8b95c1e3, 0x88980e80, 0x85aac367, 0x82cd8698,
}

// Avg is one PELT signal set, of a task or of a queue. Sums of a task's load
// carry no weight, sums of a queue's load do.
type Avg struct {
	Last    int64 // last update, ns; 0: not attached to a queue
	LoadSum uint64
	RunSum  uint64 // runnable; under Config.RunnableLoad of a queue: runnable load
	UtilSum uint64
	part    uint32 // units of the running period that are accounted

	Load, Run, Util int64 // averages
}

// recent reports whether less than a unit of time has passed since the last
// update, so that there is nothing to do.
func (a *Avg) recent(now int64) bool { return uint64(now-a.Last) < 1<<10 && a.Last != 0 }

// decay returns v after n periods.
func decay(v uint64, n uint64) uint64 {
	if n > peltForget {
		return 0
	}
	if n >= 32 {
		v >>= n / 32
		n %= 32
	}
	// The factor has 32 bits, v fewer than 64-32 in every signal that fits a
	// weight of 2^20 times a few thousand tasks; the high part is kept exact.
	f := uint64(halfLife[n])
	return v>>32*f + (v&0xffffffff)*f>>32
}

// accumulate ages the sums to now and adds the time since: load and run per
// unit (0 adds nothing), util while running. It reports whether a period
// boundary was crossed, which is when averages are to be renewed.
func (a *Avg) accumulate(now int64, load, run, util uint64) bool {
	elapsed := now - a.Last
	if elapsed < 0 {
		a.Last = now
		return false
	}
	units := uint64(elapsed) >> 10
	if units == 0 {
		return false
	}
	a.Last += int64(units << 10)
	if load == 0 {
		run, util = 0, 0
	}
	contrib := units
	units += uint64(a.part)
	periods := units / peltPeriod
	if periods > 0 {
		a.LoadSum = decay(a.LoadSum, periods)
		a.RunSum = decay(a.RunSum, periods)
		a.UtilSum = decay(a.UtilSum, periods)
		units %= peltPeriod
		if load != 0 {
			contrib = segments(periods, peltPeriod-uint64(a.part), units)
		}
	}
	a.part = uint32(units)
	if load != 0 {
		a.LoadSum += load * contrib
		a.RunSum += run * contrib * capacityScale
		a.UtilSum += util * contrib * capacityScale
	}
	return periods > 0
}

// segments is the contribution of a stretch that ends the running period
// (first units), spans whole periods and has last units in the newest one.
func segments(periods, first, last uint64) uint64 {
	whole := peltMax - decay(peltMax, periods) - peltPeriod
	return decay(first, periods) + whole + last
}

func (a *Avg) divider() uint64 { return peltMinDivider + uint64(a.part) }

// average renews the averages; weight scales the load of a task and is 1 for a queue.
func (a *Avg) average(weight int64) {
	d := a.divider()
	a.Load = int64(uint64(weight) * a.LoadSum / d)
	a.Run = int64(a.RunSum / d)
	a.Util = int64(a.UtilSum / d)
}

// removed collects the averages of tasks that left a queue while asleep; they
// are taken out at its next update.
type removed struct {
	n               int32
	load, run, util int64
}

// updateTaskAvg ages a task's averages on its queue.
func (k *Kernel) updateTaskAvg(t *Task, now int64, running bool) {
	on, run, util := b2u(t.OnRQ), uint64(0), b2u(running)
	if t.OnRQ && !t.Delayed {
		run = 1
	}
	if t.Avg.accumulate(now, on, run, util) {
		t.Avg.average(t.Weight)
		t.utilKept = false
	}
}

// updateQueueAvg ages a queue's averages and takes out what was removed. It
// reports whether they changed.
func (k *Kernel) updateQueueAvg(rq *RQ, now int64) bool {
	a := &rq.Avg
	changed := false
	if rq.removed.n > 0 {
		d := a.divider()
		r := rq.removed
		rq.removed = removed{}
		takeOut(&a.Load, &a.LoadSum, r.load, uint64(r.load)*d)
		takeOut(&a.Util, &a.UtilSum, r.util, uint64(r.util)*d)
		if !k.RunnableLoad {
			takeOut(&a.Run, &a.RunSum, r.run, uint64(r.run)*d)
		}
		changed = true
	}
	var run uint64
	switch {
	case k.RunnableLoad:
		// RunSum of a queue holds runnable load here; accumulate scales by
		// capacityScale, which average takes out again.
		run = uint64(rq.LoadWeight)
	case k.Fixes612:
		run = uint64(rq.HNrQueued - rq.HNrDelayed)
	default:
		run = uint64(rq.HNrQueued)
	}
	if a.accumulate(now, uint64(rq.LoadWeight), run, b2u(rq.fairCurr >= 0)) {
		a.average(1)
		if k.RunnableLoad {
			a.Run /= capacityScale
		}
		changed = true
	}
	if changed {
		k.touchAvg(rq.CPU)
	}
	return changed
}

// takeOut subtracts an average and its sum, neither below zero, and keeps the
// sum consistent with what is left of the average.
func takeOut(avg *int64, sum *uint64, a int64, s uint64) {
	*avg = max(*avg-a, 0)
	if *sum > s {
		*sum -= s
	} else {
		*sum = 0
	}
	*sum = max(*sum, uint64(*avg)*peltMinDivider)
}

// updateLoadAvg is the kernel's update at every queue event: the task's
// averages (if it has a place here), then the queue's; an unattached task is
// attached when asked.
func (k *Kernel) updateLoadAvg(rq *RQ, t *Task, now int64, attach bool) {
	if rq.Avg.recent(now) && t.Avg.recent(now) && rq.removed.n == 0 {
		return
	}
	if t.Avg.Last != 0 {
		k.updateTaskAvg(t, now, rq.fairCurr == t.ID)
	}
	k.updateQueueAvg(rq, now)
	if attach && t.Avg.Last == 0 {
		k.attachAvg(rq, t)
	}
}

// attachAvg adds a task's averages to a queue and aligns its periods to it.
func (k *Kernel) attachAvg(rq *RQ, t *Task) {
	q, a := &rq.Avg, &t.Avg
	d := q.divider()
	a.Last, a.part = max(q.Last, 1), q.part
	a.UtilSum = uint64(a.Util) * d
	a.RunSum = uint64(a.Run) * d
	a.LoadSum = uint64(a.Load) * d
	if uint64(t.Weight) < a.LoadSum {
		a.LoadSum /= uint64(t.Weight)
	} else {
		a.LoadSum = 1
	}
	q.Load += a.Load
	q.LoadSum += uint64(t.Weight) * a.LoadSum
	q.Util += a.Util
	q.UtilSum += a.UtilSum
	if !k.RunnableLoad {
		q.Run += a.Run
		q.RunSum += a.RunSum
	}
}

// detachAvg takes a task's averages out of its queue at once.
func (k *Kernel) detachAvg(rq *RQ, t *Task) {
	q, a := &rq.Avg, &t.Avg
	takeOut(&q.Load, &q.LoadSum, a.Load, uint64(t.Weight)*a.LoadSum)
	takeOut(&q.Util, &q.UtilSum, a.Util, a.UtilSum)
	if !k.RunnableLoad {
		takeOut(&q.Run, &q.RunSum, a.Run, a.RunSum)
	}
}

// addRunnable adds the load of a task that is queued now to a queue's runnable
// load (enqueue_runnable_load_avg); sum is its weighted LoadSum.
func (a *Avg) addRunnable(load int64, sum uint64) {
	a.Run += load
	a.RunSum += sum * capacityScale
}

// dropRunnable takes it out again (dequeue_runnable_load_avg).
func (a *Avg) dropRunnable(load int64, sum uint64) {
	a.Run = max(a.Run-load, 0)
	a.RunSum -= min(a.RunSum, sum*capacityScale)
}

// removeAvg notes that a sleeping task leaves its queue for another: its
// averages, aged to the queue's last update, are taken out at the next one.
func (k *Kernel) removeAvg(rq *RQ, t *Task) {
	if rq.Avg.Last > t.Avg.Last && t.Avg.accumulate(rq.Avg.Last, 0, 0, 0) {
		t.Avg.average(t.Weight)
	}
	rq.removed.n++
	rq.removed.load += t.Avg.Load
	rq.removed.run += t.Avg.Run
	rq.removed.util += t.Avg.Util
}

// UpdateBlocked ages a queue's averages with nothing else happening: the
// balancer's refresh of blocked load (update_blocked_averages).
func (k *Kernel) UpdateBlocked(rq *RQ, now int64) { k.updateQueueAvg(rq, now) }

// initTaskAvg gives a new task its first averages (reference C.7): full load
// of its weight; utilisation is set when it first meets a queue.
func initTaskAvg(t *Task) {
	t.Avg = Avg{Load: t.Weight, LoadSum: peltMinDivider}
}

// PostInitUtil guesses a new task's utilisation from its queue's
// (post_init_entity_util_avg): its share by load, at most half of what is free.
func (k *Kernel) PostInitUtil(rq *RQ, t *Task, now int64) {
	limit := (capacityScale - rq.Avg.Util) / 2
	if limit > 0 {
		if rq.Avg.Util != 0 {
			weight := t.Weight
			if k.NewUtilScaled {
				weight *= weightScale
			}
			t.Avg.Util = min(rq.Avg.Util*weight/(rq.Avg.Load+1), limit)
		} else {
			t.Avg.Util = limit
		}
	}
	t.Avg.Run = t.Avg.Util
	k.updateQueueAvg(rq, now)
	k.attachAvg(rq, t)
}

const utilEstMargin = capacityScale / 100

// utilEstUpdate keeps the estimate of a task's utilisation when it falls asleep
// (util_est_update): up at once, down by a quarter of the difference, but not
// when the task waited for the CPU much of the time, and not twice for one and
// the same average.
func (k *Kernel) utilEstUpdate(t *Task) {
	if !k.UtilEst || t.utilKept {
		return
	}
	t.utilKept = true
	util := int32(t.Avg.Util)
	switch diff := t.UtilEst - util; {
	case diff <= 0:
		t.UtilEst = util
	case diff < utilEstMargin:
	case k.EEVDF && util+utilEstMargin < int32(t.Avg.Run):
	default:
		t.UtilEst = (4*t.UtilEst - diff) >> 2
	}
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func b2i(b bool) int32 {
	if b {
		return 1
	}
	return 0
}
