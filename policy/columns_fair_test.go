package policy

import (
	"testing"

	"schedlab/kernel"
)

const eightCPUs = "synthetic:sockets=1,cores=8,threads=1" // on which tunables are four times their base

// settleTurn lets a new task run on a CPU for 100 ms and begin another turn: its
// vruntime is the queue's floor, and its request whole.
func (b *bench) settleTurn(cpu int32, class kernel.Class, nice int) kernel.TaskID {
	id := b.run1(cpu, class, nice)
	rq := &b.K.RQ[cpu]
	b.now += 100 * ms
	b.K.UpdateCurr(rq, b.now)
	b.K.PutPrev(rq, b.now)
	b.K.SetNext(rq, b.K.Task(id), b.now)
	return id
}

// wakeHere enqueues a sleeper on its CPU and lets it preempt.
func (b *bench) wakeHere(id kernel.TaskID) {
	t := b.K.Task(id)
	rq := &b.K.RQ[t.CPU]
	b.K.Enqueue(t, b.now, kernel.EnqueueWakeup)
	b.K.CheckPreempt(rq, t, b.now, t.CPU)
}

// firstFrom is the lowest number up to hi for which something holds; never: none.
func firstFrom(lo, hi int64, holds func(int64) bool) int64 {
	if !holds(hi) {
		return never
	}
	for lo < hi {
		if mid := lo + (hi-lo)/2; holds(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

const never = 1 << 40

// TestSliceColumns is the turn of a running task: slice(se) of reference C.3 up to
// v6.1, the request of C.4 in v6.12. A task of weight w runs beside others of
// weight 1024; from which of these times on does a tick end its turn?
func TestSliceColumns(t *testing.T) {
	for _, tc := range []struct {
		what   string
		nice   int
		beside int
		wants  columns[int64]
	}{
		// 24 ms * 1024/2048, short by the 32 bits of an inverse weight, and exceeded.
		{"two alike", 0, 1, columns[int64]{11_999_995, 11_999_995, 11_999_995, 11_999_995, 3_000_000, 2_800_000}},
		// Nine tasks share 9 * 3 ms; BASE_SLICE makes up for what is short.
		{"nine alike", 0, 8, columns[int64]{2_999_995, 2_999_995, 3_000_001, 3_000_001, 3_000_000, 2_800_000}},
		// 24 ms * 15/1039 = 346487. BASE_SLICE: 3 ms; and min_granularity is up then, with
		// the task far ahead of the other one.
		{"nice 19", 19, 1, columns[int64]{346_488, 346_488, 3_000_000, 3_000_000, 3_000_000, 2_800_000}},
	} {
		by(t, tc.what, "", tc.wants, func(t *testing.T, spec string) int64 {
			return firstFrom(0, 100*ms, func(after int64) bool {
				b := newBench(t, eightCPUs, spec)
				b.settleTurn(0, kernel.Fair, tc.nice)
				for range tc.beside {
					b.add(0, kernel.Fair, 0)
				}
				b.K.RQ[0].NeedResched = false
				b.K.Tick(&b.K.RQ[0], b.now+after)
				return b.K.RQ[0].NeedResched
			})
		})
	}
}

// TestPlaceWakeup is where a sleeper of no vruntime is put beside a task that ran
// for 100 ms: up to v6.1 12 ms before the queue's floor (half of the latency), 24
// without GENTLE_FAIR_SLEEPERS; in v6.12 at the average with the lag that it had, which is none.
func TestPlaceWakeup(t *testing.T) {
	for settings, wants := range map[string]columns[int64]{
		"":                          {-12 * ms, -12 * ms, -12 * ms, -12 * ms, 0, 0},
		",GENTLE_FAIR_SLEEPERS=off": {-24 * ms, -24 * ms, -24 * ms, -24 * ms},
	} {
		by(t, "after a long sleep", settings, wants, func(t *testing.T, spec string) int64 {
			if _, err := Parse(spec); err != nil {
				return 0
			}
			b := newBench(t, eightCPUs, spec)
			p := b.task(0).ID
			runs := b.run1(0, kernel.Fair, 0)
			b.K.Task(p).VRuntime = b.K.Task(runs).VRuntime // it slept as this one began
			b.now += 100 * ms
			b.K.UpdateCurr(&b.K.RQ[0], b.now)
			b.K.Enqueue(b.K.Task(p), b.now, kernel.EnqueueWakeup)
			return b.K.Task(p).VRuntime - b.K.Task(runs).VRuntime
		})
	}
	// One that slept for less keeps what it has: 5 ms behind.
	by(t, "after a short sleep", "", columns[int64]{-5 * ms, -5 * ms, -5 * ms, -5 * ms, 0, 0}, func(t *testing.T, spec string) int64 {
		b := newBench(t, eightCPUs, spec)
		p := b.task(0).ID
		runs := b.run1(0, kernel.Fair, 0)
		b.now += 100 * ms
		b.K.UpdateCurr(&b.K.RQ[0], b.now)
		b.K.Task(p).VRuntime = b.K.Task(runs).VRuntime - 5*ms
		b.K.Enqueue(b.K.Task(p), b.now, kernel.EnqueueWakeup)
		return b.K.Task(p).VRuntime - b.K.Task(runs).VRuntime
	})
}

// TestPlaceFork is where a new task is put beside its parent: one slice behind the
// floor up to v6.1 (START_DEBIT), at the average with half a request in v6.12.
func TestPlaceFork(t *testing.T) {
	for _, tc := range []struct {
		what, settings string
		nice           int
		vruntime       columns[int64] // over the parent's
		request        columns[int64] // of v6.12
	}{
		{"alike", "", 0, columns[int64]{11_999_994, 11_999_994, 11_999_994, 11_999_994, 0, 0}, columns[int64]{4: 1_500_000, 5: 1_400_000}},
		// 24 ms * 15/1039, weighed: 346487 * 1024/15; BASE_SLICE: 3 ms * 1024/15
		{"nice 19", "", 19, columns[int64]{23_653_512, 23_653_512, 204_799_999, 204_799_999, 0, 0}, columns[int64]{4: 102_399_999, 5: 95_573_333}},
		{"no debit", ",START_DEBIT=off", 0, columns[int64]{}, columns[int64]{}},
		{"a whole request", ",PLACE_DEADLINE_INITIAL=off", 0, columns[int64]{}, columns[int64]{4: 3 * ms, 5: 2_800_000}},
	} {
		place := func(t *testing.T, spec string) (v, r int64) {
			if _, err := Parse(spec); err != nil {
				return 0, 0
			}
			b := newBench(t, eightCPUs, spec)
			parent := b.settleTurn(0, kernel.Fair, 0)
			id := b.K.NewTask(kernel.Fair, tc.nice, 0, nil, 0)
			b.K.PlaceFork(&b.K.RQ[0], parent, b.K.Task(id), b.now)
			b.K.Enqueue(b.K.Task(id), b.now, kernel.EnqueueInitial)
			p := b.K.Task(id)
			if !b.K.EEVDF {
				return p.VRuntime - b.K.Task(parent).VRuntime, 0
			}
			return p.VRuntime - b.K.Task(parent).VRuntime, p.Deadline - p.VRuntime
		}
		by(t, tc.what, tc.settings, tc.vruntime, func(t *testing.T, spec string) int64 { v, _ := place(t, spec); return v })
		by(t, tc.what+", request", tc.settings, tc.request, func(t *testing.T, spec string) int64 { _, r := place(t, spec); return r })
	}
}

// TestPreemptionColumns is how far behind the running task a woken one must be to
// preempt it (reference C.3): by more than 4 ms, weighed by the woken task's
// weight. v6.12 has no such margin: who is eligible with the earlier deadline runs,
// unless RUN_TO_PARITY protects what runs.
func TestPreemptionColumns(t *testing.T) {
	for _, tc := range []struct {
		what, settings string
		nice           int
		wants          columns[int64]
	}{
		{"alike", "", 0, columns[int64]{4_000_001, 4_000_001, 4_000_001, 4_000_001, never, never}},
		// 4 ms * 1024/3121
		{"nice -5", "", -5, columns[int64]{1_312_400, 1_312_400, 1_312_400, 1_312_400, never, never}},
		{"switched off", ",WAKEUP_PREEMPTION=off", -5, all[int64](never)},
	} {
		by(t, tc.what, tc.settings, tc.wants, func(t *testing.T, spec string) int64 {
			return firstFrom(-ms, 11*ms, func(behind int64) bool {
				b := newBench(t, eightCPUs, spec)
				p := b.niceTask(0, tc.nice).ID
				runs := b.settleTurn(0, kernel.Fair, 0)
				b.K.Task(p).VRuntime = b.K.Task(runs).VRuntime - behind
				b.wakeHere(p)
				return b.K.RQ[0].NeedResched
			})
		})
	}
}

// TestIdlePolicyColumns: a normal task preempts a SCHED_IDLE one, never the reverse.
func TestIdlePolicyColumns(t *testing.T) {
	for _, tc := range []struct {
		what        string
		runs, wakes kernel.Class
		wants       columns[bool]
	}{
		{"SCHED_IDLE runs", kernel.IdlePolicy, kernel.Fair, all(true)},
		{"SCHED_IDLE wakes", kernel.Fair, kernel.IdlePolicy, all(false)},
	} {
		by(t, tc.what, "", tc.wants, func(t *testing.T, spec string) bool {
			b := newBench(t, eightCPUs, spec)
			b.run1(0, tc.runs, 0)
			b.K.RQ[0].NeedResched = false
			b.now += ms
			b.K.CheckPreempt(&b.K.RQ[0], b.K.Task(b.K.NewTask(tc.wakes, 0, 0, nil, 0)), b.now, 0)
			return b.K.RQ[0].NeedResched
		})
	}
}

// TestBuddiesColumns is what a preemption leaves up to v6.1 (reference C.3): the
// woken task is `next`; who was preempted is `last` if nr_latency (8) tasks or more are
// queued. `next` is picked before it, and both before a third one further behind
// by no more than the wake-up granularity.
func TestBuddiesColumns(t *testing.T) {
	type buddies struct{ next, last, picked bool }
	cfs := func(b buddies) columns[buddies] { return columns[buddies]{b, b, b, b, {}, {}} }
	for _, tc := range []struct {
		what, settings string
		queued         int
		wants          columns[buddies]
	}{
		{"seven", "", 7, cfs(buddies{true, false, true})},
		{"eight", "", 8, cfs(buddies{true, true, true})},
		{"eight, LAST_BUDDY off", ",LAST_BUDDY=off", 8, cfs(buddies{true, false, true})},
	} {
		by(t, tc.what, tc.settings, tc.wants, func(t *testing.T, spec string) buddies {
			p, err := Parse(spec)
			if err != nil || p.gen >= GenV612 {
				return buddies{}
			}
			b := newBench(t, eightCPUs, spec)
			woken := b.niceTask(0, -5).ID
			runs := b.settleTurn(0, kernel.Fair, 0)
			var others []kernel.TaskID
			for range tc.queued - 2 {
				others = append(others, b.add(0, kernel.Fair, 0))
			}
			b.K.RQ[0].NeedResched = false
			b.K.Task(woken).VRuntime = b.K.Task(runs).VRuntime - 2*ms
			b.wakeHere(woken)
			got := buddies{next: b.K.RQ[0].IsBuddy(woken), last: b.K.RQ[0].IsBuddy(runs)}
			// One of the others is 1 ms behind the woken task, 3 ms behind the preempted one.
			o := b.K.Task(others[0])
			b.K.Dequeue(o, b.now, kernel.DequeueSleep)
			o.VRuntime = b.K.Task(woken).VRuntime - ms
			b.K.Enqueue(o, b.now, kernel.EnqueueWakeup)
			b.K.PutPrev(&b.K.RQ[0], b.now)
			got.picked = b.K.PickNext(&b.K.RQ[0], b.now) == woken
			return got
		})
	}
}

// TestTooFarForBuddies: `next` gives way to a task that is more than the wake-up
// granularity behind it.
func TestTooFarForBuddies(t *testing.T) {
	for behind, want := range map[int64]bool{4 * ms: true, 4*ms + 1: false} {
		for _, spec := range []string{"v4.20", "v5.3", "v5.14", "v6.1"} {
			b := newBench(t, eightCPUs, spec)
			woken, third := b.task(0).ID, b.task(0).ID
			runs := b.settleTurn(0, kernel.Fair, 0)
			b.K.Task(woken).VRuntime = b.K.Task(runs).VRuntime - 5*ms
			b.wakeHere(woken)
			b.K.Task(third).VRuntime = b.K.Task(woken).VRuntime - behind
			b.K.Enqueue(b.K.Task(third), b.now, kernel.EnqueueWakeup)
			if got := b.K.PickNext(&b.K.RQ[0], b.now) == woken; got != want {
				t.Errorf("%s: %d ns further behind: the buddy is picked %v, want %v", spec, behind, got, want)
			}
		}
	}
}

// TestLagColumns is reference C.4: a task that ran 2 ms ahead of another one sleeps
// 1 ms over the average; on its return to a queue of one of its weight it is put
// 1 ms * (1024+1024)/1024 ahead. One that ran 40 ms may owe two requests: 6 ms.
func TestLagColumns(t *testing.T) {
	for _, tc := range []struct {
		settings string
		ran      int64
		wants    [2]int64 // v6.12, v6.12.117
	}{
		{"", 2 * ms, [2]int64{2 * ms, 2 * ms}},
		{"", 40 * ms, [2]int64{12 * ms, 11_200_000}},
		{",PLACE_LAG=off", 2 * ms, [2]int64{}},
		{",base_slice_ns=1ms,hz=250", 40 * ms, [2]int64{8 * ms, 8 * ms}}, // a tick is more than two requests
	} {
		for i, v := range []string{"v6.12", "v6.12.117"} {
			b := newBench(t, eightCPUs, v+",DELAY_DEQUEUE=off"+tc.settings)
			runs, waits := b.run1(0, kernel.Fair, 0), b.add(0, kernel.Fair, 0)
			b.K.Task(waits).Deadline++ // never the first
			b.now += tc.ran
			b.Schedule(0, Blocks, b.now)
			if b.K.RQ[0].Curr != waits {
				t.Fatal("the other task does not run")
			}
			b.now += 500_000
			b.K.UpdateCurr(&b.K.RQ[0], b.now)
			b.K.Enqueue(b.K.Task(runs), b.now, kernel.EnqueueWakeup)
			if got := b.K.Task(runs).VRuntime - b.K.Task(waits).VRuntime; got != tc.wants[i] {
				t.Errorf("%s%s after %d ns: %d ahead, want %d", v, tc.settings, tc.ran, got, tc.wants[i])
			}
		}
	}
}

// TestMovedRequest is PLACE_REL_DEADLINE: what is left of a request survives a move,
// 3 ms less 1 ms; without the feature, and up to the sleep, it is a new one.
func TestMovedRequest(t *testing.T) {
	for _, tc := range []struct {
		settings string
		wants    [2]int64
	}{{"", [2]int64{2 * ms, 1_800_000}}, {",PLACE_REL_DEADLINE=off", [2]int64{3 * ms, 2_800_000}}} {
		for i, v := range []string{"v6.12", "v6.12.117"} {
			b := newBench(t, eightCPUs, v+tc.settings)
			id := b.run1(0, kernel.Fair, 0)
			b.K.Task(id).Deadline = b.K.Task(id).VRuntime + b.K.BaseSlice
			b.run1(1, kernel.Fair, 0)
			b.now += ms
			b.K.PutPrev(&b.K.RQ[0], b.now)
			b.K.Dequeue(b.K.Task(id), b.now, kernel.DequeueMove)
			b.K.SetTaskCPU(b.K.Task(id), 1)
			b.K.Enqueue(b.K.Task(id), b.now, kernel.EnqueueMoved)
			if got := b.K.Task(id).Deadline - b.K.Task(id).VRuntime; got != tc.wants[i] {
				t.Errorf("%s%s: a request of %d, want %d", v, tc.settings, got, tc.wants[i])
			}
		}
	}
}

// TestDelayColumns is reference C.6: who blocks ahead of the average stays queued in
// v6.12 and counts; woken when the average has passed it (8 ms later, 5 ms > 2 ms)
// it is put anew where the other one is; without DELAY_ZERO it stays where it was.
func TestDelayColumns(t *testing.T) {
	type outcome struct {
		delayed bool
		running int32
		gained  int64 // vruntime since it blocked, where it was delayed
	}
	for settings, wants := range map[string]columns[outcome]{
		"":                {{false, 1, 0}, {false, 1, 0}, {false, 1, 0}, {false, 1, 0}, {true, 2, 6 * ms}, {true, 2, 6 * ms}},
		",DELAY_ZERO=off": {4: {true, 2, 0}, 5: {true, 2, 0}},
	} {
		by(t, "blocks ahead", settings, wants, func(t *testing.T, spec string) outcome {
			if _, err := Parse(spec); err != nil {
				return outcome{}
			}
			b := newBench(t, eightCPUs, spec)
			first, other := b.run1(0, kernel.Fair, 0), b.add(0, kernel.Fair, 0)
			b.now += 2 * ms
			b.Schedule(0, Blocks, b.now)
			p := b.K.Task(first)
			got := outcome{delayed: p.Delayed, running: b.K.RQ[0].NrRunning}
			if !got.delayed {
				return got
			}
			if b.K.RQ[0].Curr != other {
				t.Fatal("the other task does not run")
			}
			before := p.VRuntime
			b.now += 8 * ms
			b.K.UpdateCurr(&b.K.RQ[0], b.now)
			b.TryToWakeUp(p, 0, 0, b.now)
			got.gained = p.VRuntime - before
			return got
		})
	}
}

// TestNewUtilColumns is the first utilisation of reference C.7 by version: beside a
// queue of 200 with a load of 2047 it is 200*1024/2048 = 100 in v6.12; before, the
// weight is scaled up first, so that the limit holds: (1024-200)/2.
func TestNewUtilColumns(t *testing.T) {
	by(t, "beside a load", "", columns[int64]{412, 412, 412, 412, 100, 100}, func(t *testing.T, spec string) int64 {
		b := newBench(t, eightCPUs, spec)
		b.K.RQ[0].Avg.Util, b.K.RQ[0].Avg.Load = 200, 2047
		return b.K.Task(b.add(0, kernel.Fair, 0)).Avg.Util
	})
	by(t, "on an idle CPU", "", all[int64](512), func(t *testing.T, spec string) int64 {
		b := newBench(t, eightCPUs, spec)
		return b.K.Task(b.add(0, kernel.Fair, 0)).Avg.Util
	})
}

// TestSecondAverage is reference C.7: what a queue averages beside its load and its
// utilisation. Three tasks, one of weight 15, are there for so long that averages
// have settled: up to v5.3 it is the load of runnable tasks, later 1024 for each;
// 6.12.117 leaves out those that are asleep (delayed).
func TestSecondAverage(t *testing.T) {
	for _, tc := range []struct {
		what    string
		delayed int32
		wants   columns[int64]
	}{
		{"three tasks", 0, columns[int64]{2063, 2063, 3072, 3072, 3072, 3072}},
		{"one of them delayed", 1, columns[int64]{2063, 2063, 3072, 3072, 3072, 2048}},
	} {
		by(t, tc.what, "", tc.wants, func(t *testing.T, spec string) int64 {
			b := newBench(t, eightCPUs, spec)
			rq := &b.K.RQ[0]
			b.run1(0, kernel.Fair, 0)
			b.add(0, kernel.Fair, 0)
			b.add(0, kernel.Fair, 19)
			rq.HNrDelayed = tc.delayed
			for range 2000 {
				b.now += ms
				b.K.UpdateBlocked(rq, b.now)
			}
			// Settled averages are up to 1 % off, as period sums are cut.
			want := tc.wants[0]
			for i, v := range Versions() {
				if v.Name == spec {
					want = tc.wants[i]
				}
			}
			if d := rq.Avg.Run - want; d < -want/100 || d > want/100 {
				return rq.Avg.Run
			}
			return want
		})
	}
}
