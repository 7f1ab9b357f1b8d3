package policy

import (
	"slices"
	"testing"

	"schedlab/cpumask"
	"schedlab/domain"
	"schedlab/kernel"
)

// Rules of v4.20 and v5.3 that a review beside Linux 4.19 and 5.3 found wrong.

// TestSMTCapacity: two threads of a core have 1178 together in 4.19 (smt_gain),
// and 1024 each from 5.3 on. A queue's utilisation is capped at that.
func TestSMTCapacity(t *testing.T) {
	for spec, want := range map[string]int64{"v4.20": 589, "v5.3": 1024, "v5.14": 1024, "v6.12": 1024} {
		b := newBench(t, "synthetic:sockets=1,cores=2,threads=2", spec)
		b.K.RQ[0].Avg.Util = 800
		core := b.domains(0)[1].Groups[0]
		if got, util := b.capacity(0), b.utilCFS(&b.K.RQ[0]); got != want || core.Capacity != 2*want || util != min(800, want) {
			t.Errorf("%s: capacity of a thread %d, of a core %d, utilisation %d; want %d", spec, got, core.Capacity, util, want)
		}
	}
	b := newBench(t, "synthetic:sockets=1,cores=2,threads=1", "v4.20")
	if got := b.capacity(0); got != 1024 {
		t.Errorf("a core of one thread has %d", got)
	}
}

// TestSmallImbalanceKeeps: fix_small_imbalance raises what calculate_imbalance
// worked out, or leaves it.
func TestSmallImbalanceKeeps(t *testing.T) {
	for _, spec := range []string{"v4.20", "v5.3"} {
		b := newBench(t, "synthetic:sockets=2,cores=8,threads=1", spec)
		e := balanceEnv{sd: b.domains(0)[1], st: &b.K.RQ[0].SD[1], level: 1, idle: idle}
		l := stats419{groupStats: groupStats{capacity: 8192, fair: 5, avgLoad: 640}, perTask: 1024}
		busiest := stats419{groupStats: groupStats{capacity: 8192, fair: 8, avgLoad: 700}, perTask: 700}
		b.calculateImbalance419(&e, &l, &busiest, 670)
		if e.imbalance != 240 { // (670 - 640) * 8192 / 1024
			t.Errorf("%s: imbalance %d, want 240", spec, e.imbalance)
		}
		e.imbalance = 77
		l.avgLoad = 700
		b.calculateImbalance419(&e, &l, &busiest, 700)
		if e.imbalance == 77 {
			t.Errorf("%s: what an earlier pass left stays", spec)
		}
	}
}

// TestLoadHistoryOverIdle is cpu_load of 4.19: index 1 is the load of the last tick;
// missed ticks decay; the tick's stop and restart leave what they met.
func TestLoadHistoryOverIdle(t *testing.T) {
	b := newBench(t, "synthetic:sockets=1,cores=2,threads=1", "v4.20")
	rq := &b.K.RQ[1]
	rq.CPULoad, rq.Avg.Run = [5]int64{10, 20, 30, 40, 50}, 1000
	for index, want := range []int64{1000, 10, 20, 30} {
		if got := b.indexedLoad(rq, index, false); got != want {
			t.Errorf("source_load at index %d: %d, want %d", index, got, want)
		}
	}
	for _, tc := range []struct{ ticks, index, want int64 }{
		{0, 3, 1000}, {1, 1, 500}, {3, 1, 125}, {8, 1, 0}, {1, 2, 750}, {3, 2, 421}, {1, 4, 937}, {32, 2, 0}, {127, 4, 0}, {64, 3, 0},
	} {
		if got := decayMissed(1000, tc.ticks, int(tc.index)); got != tc.want {
			t.Errorf("1000 after %d ticks at index %d: %d, want %d", tc.ticks, tc.index, got, tc.want)
		}
	}
	tick := b.K.Config.Tick
	for range 50 {
		b.now += tick
		rq.Avg.Run = 1024
		b.updateCPULoad(rq, b.now)
	}
	if rq.CPULoad[0] != 1024 || rq.CPULoad[1] != 1024 || rq.CPULoad[3] < 1015 {
		t.Fatalf("after 50 busy ticks: %v", rq.CPULoad)
	}
	rq.Avg.Run = 0
	b.TickStopped(1)
	if rq.CPULoad[0] != 0 {
		t.Errorf("the tick stopped with load 0: %v", rq.CPULoad)
	}
	rq.Avg.Run = 1024
	b.RestartTick(1, b.now+10*tick)
	if got := rq.CPULoad; got[0] != 1024 || got[1] != 512 || got[2] < 260 || got[2] > 330 {
		t.Errorf("ten idle ticks later it is woken: %v", got)
	}
	before := rq.CPULoad
	b.RestartTick(1, b.now+10*tick)
	if rq.CPULoad != before {
		t.Error("a second restart in the same jiffy counts")
	}
}

// TestAttachOrder: of several tasks moved in one pass the last one detached is
// attached first, under every version.
func TestAttachOrder(t *testing.T) {
	for _, v := range Versions() {
		b := newBench(t, "synthetic:sockets=1,cores=2,threads=1", v.Name)
		var order []kernel.TaskID
		b.K.Hooks.Enqueued = func(task *kernel.Task) { order = append(order, task.ID) }
		for range 3 {
			id := b.K.NewTask(kernel.Fair, 0, 0, nil, 0)
			b.tasks = append(b.tasks, id)
		}
		b.attachTasks(&balanceEnv{cpu: 0, dst: 0, now: b.now})
		if !slices.Equal(order, []kernel.TaskID{2, 1, 0}) {
			t.Errorf("%s: attached in the order %v", v.Name, order)
		}
	}
}

// TestPickedAgain: before v6.12 a task that is picked again goes to the head of
// the list that balancing takes the tail of; from v6.12 on it stays.
func TestPickedAgain(t *testing.T) {
	for _, v := range Versions() {
		b := newBench(t, "synthetic:sockets=1,cores=1,threads=1", v.Name)
		first := b.occupy(0)[0].ID
		other := b.K.NewTask(kernel.Fair, 19, 0, nil, 0)
		b.K.Task(other).VRuntime = 1e12 // far behind, under CFS
		b.StartOn(b.K.Task(other), 0, b.now)
		want := other
		if v.Name >= "v6.12" {
			want = first
		}
		if got := b.Schedule(0, Preempted, b.now); got != first || b.K.RQ[0].ListTail() != want {
			t.Errorf("%s: runs %d, at the tail %d; want %d, %d", v.Name, got, b.K.RQ[0].ListTail(), first, want)
		}
	}
}

// TestNewidleRefreshes: a newidle pass of v4.20 and v5.3 ages the averages of
// CPUs that idle with a stopped tick, once a jiffy.
func TestNewidleRefreshes(t *testing.T) {
	for _, v := range Versions() {
		b, _ := nohzBench(t, "synthetic:sockets=1,cores=3,threads=1", v.Name)
		rq := &b.K.RQ[2]
		rq.Avg.Util, rq.Avg.UtilSum, rq.Avg.Last = 1000, 1000*47742, b.now
		b.occupy(0, 0)
		b.now += 200 * ms
		b.balanceRQ(1, 0, newlyIdle, b.now)
		old := v.Name == "v4.20" || v.Name == "v5.3"
		if got := rq.Avg.Util < 100; got != old {
			t.Errorf("%s: utilisation of an idle CPU is %d", v.Name, rq.Avg.Util)
		}
		if got := b.K.Nohz.NextBlocked > b.K.Jiffies(b.now); got && !old {
			t.Errorf("%s: next_blocked moves on", v.Name)
		}
	}
}

// TestIdleTaskWakes: what interrupts wake on an idle CPU counts as woken by its
// idle task, which can have too many partners too.
func TestIdleTaskWakes(t *testing.T) {
	for _, v := range Versions() {
		b := newBench(t, "synthetic:sockets=2,cores=4,threads=1", v.Name)
		var ids []kernel.TaskID
		for range 40 {
			ids = append(ids, b.task(5).ID)
		}
		b.occupy(5)
		for _, id := range ids {
			b.K.Task(id).Flips = 5
			b.SelectTaskRQ(b.K.Task(id), nil, 5, 0, kernel.WakeTTWU|kernel.WakeIRQ, b.now)
		}
		if got := b.K.RQ[0].IdleWakees.Flips; got != 40 || !b.wide(b.wakees(nil, 0), b.K.Task(ids[0]), 0) {
			t.Errorf("%s: the idle task has %d flips", v.Name, got)
		}
	}
}

// TestPinnedFlagCleared: a balanced pass in which all was pinned leaves the
// parent's imbalance flag, but in 5.3 does not.
func TestPinnedFlagCleared(t *testing.T) {
	for _, v := range Versions() {
		b := newBench(t, "synthetic:sockets=2,cores=3,threads=1", v.Name)
		e := balanceEnv{sd: b.domains(0)[0], st: &b.K.RQ[0].SD[0], cpu: 0, dst: 0, idle: idle, allPinned: true}
		b.setImbalance(&e, true)
		b.balanced(&e)
		if got := b.parentGroup(&e).Imbalance; got == (v.Name == "v5.3") {
			t.Errorf("%s: the flag is %v", v.Name, got)
		}
	}
}

// TestSourceWithRT: which queue is the source where RT tasks keep fair ones waiting.
func TestSourceWithRT(t *testing.T) {
	for _, v := range Versions() {
		b := newBench(t, "synthetic:sockets=1,cores=12,threads=1", v.Name)
		rt := b.K.NewTask(kernel.RT, 0, 10, nil, 7)
		b.StartOn(b.K.Task(rt), 7, b.now)
		b.Schedule(7, Preempted, b.now)
		b.occupy(5)
		waits := b.K.NewTask(kernel.Fair, 0, 0, nil, 7)
		b.StartOn(b.K.Task(waits), 7, b.now)
		b.K.RQ[7].Avg.Load, b.K.RQ[7].Avg.Run = 2048, 2048
		sd := b.domains(0)[0]
		g := &domain.Group{Span: cpumask.Of(4, 5, 6, 7, 8, 9), Weight: 6}
		find := func(kind migrationType) int32 {
			rq := b.findBusiestRQ(&balanceEnv{sd: sd, cpu: 0, dst: 0, idle: idle, cpus: sd.Span, kind: kind, imbalance: 600}, g)
			if rq == nil {
				return -1
			}
			return rq.CPU
		}
		if v.Name == "v4.20" || v.Name == "v5.3" {
			// Its one fair task is not alone there: an RT task runs.
			if got := find(migrateLoad); got != 7 {
				t.Errorf("%s: by load CPU %d, want 7", v.Name, got)
			}
			continue
		}
		if got := find(migrateLoad); got == 7 {
			t.Errorf("%s: by load CPU %d, whose one fair task is too much", v.Name, got)
		}
		// The first of equals, though it has nothing that could go.
		if got := find(migrateTask); got != 5 {
			t.Errorf("%s: by tasks CPU %d, want 5", v.Name, got)
		}
	}
}

// TestSchedIdleIntervals: a CPU that runs nothing but SCHED_IDLE tasks balances
// in the intervals of an idle one from v5.14 on.
func TestSchedIdleIntervals(t *testing.T) {
	for _, v := range Versions() {
		b := newBench(t, "synthetic:sockets=1,cores=4,threads=1", v.Name)
		id := b.K.NewTask(kernel.IdlePolicy, 0, 0, nil, 0)
		b.StartOn(b.K.Task(id), 0, b.now)
		b.Schedule(0, Preempted, b.now)
		old := v.Name == "v4.20" || v.Name == "v5.3"
		if got := b.busyFor(0, notIdle); got != old {
			t.Errorf("%s: busy %v", v.Name, got)
		}
	}
}

// TestNewidleNextBalanceV420: before v6.1 a newidle pass reckons with the interval
// that it leaves, and the first domain does not pay for the refresh of averages.
func TestNewidleNextBalanceV420(t *testing.T) {
	for _, v := range Versions() {
		b := newBench(t, "synthetic:sockets=1,cores=4,threads=1", v.Name+",hz=1000"+always(v.Name))
		b.occupy(0, 0, 0)
		b.now += 5 * ms
		rq := &b.K.RQ[1]
		st := &rq.SD[0]
		st.BalanceInterval, st.LastBalance = 8, b.K.Jiffies(b.now)
		rq.AvgIdle = 2 * ms
		next := b.K.Jiffies(b.now) + 1000
		if !b.searchDomains(rq, b.now, &next) {
			t.Fatalf("%s: nothing is pulled", v.Name)
		}
		want := int64(b.domains(1)[0].MinInterval) // what a pass that moves resets it to
		if v.Name >= "v6.1" {
			want = 8
		}
		if got := next - b.K.Jiffies(b.now); got != want {
			t.Errorf("%s: next_balance in %d ms, want %d", v.Name, got, want)
		}
	}
}

// always lets newidle passes of 6.12.117 search every time.
func always(version string) string {
	if version == "v6.12.117" {
		return ",NI_RANDOM=off"
	}
	return ""
}

// TestNeedDecaySticks: before v6.1 the decay of any domain renews
// max_idle_balance_cost, from then on that of the last one only.
func TestNeedDecaySticks(t *testing.T) {
	for _, v := range Versions() {
		b := newBench(t, "synthetic:sockets=2,cores=2,threads=1", v.Name)
		b.occupy(0)
		rq := &b.K.RQ[0]
		rq.MaxIdleBalanceCost = 5 * ms
		for i := range rq.SD {
			rq.SD[i].CostDecay = b.K.Jiffies(b.now)
		}
		rq.SD[0].CostDecay -= 2 * b.hz
		b.rebalanceDomains(0, notIdle, b.now)
		want := b.K.MigrationCost
		if v.Name >= "v6.1" {
			want = 5 * ms
		}
		if rq.MaxIdleBalanceCost != want {
			t.Errorf("%s: max_idle_balance_cost %d, want %d", v.Name, rq.MaxIdleBalanceCost, want)
		}
	}
}

// TestForkOutsideItsMask: where the parent's CPU is not allowed, the kernel's
// sum wraps in 4.19 and 5.3, and the search ends unless the rest is nearly idle.
func TestForkOutsideItsMask(t *testing.T) {
	for _, spec := range []string{"v4.20", "v5.3"} {
		for _, load := range []int64{0, 3000} {
			b := newBench(t, "synthetic:sockets=2,cores=4,threads=1", spec)
			for c := range b.K.RQ {
				b.K.RQ[c].Avg.Run, b.K.RQ[c].Avg.Load = load, load
			}
			id := b.K.NewTask(kernel.Fair, 0, 0, cpumask.Of(4, 5, 6, 7), 0)
			g := b.findIdlestGroup(b.domains(0)[1], b.K.Task(id), 0, domain.BalanceFork)
			if (g == nil) != (load > 0) {
				t.Errorf("%s, load %d: group %v", spec, load, span(g))
			}
		}
	}
}

// TestScanCostAverage: avg_scan_cost moves by an eighth, rounded toward zero.
func TestScanCostAverage(t *testing.T) {
	for _, spec := range []string{"v4.20", "v5.3"} {
		b := newBench(t, "synthetic:sockets=1,cores=8,threads=1", spec)
		id := b.task(3).ID
		b.occupy(3)
		b.K.RQ[1].AvgIdle = 100 * ms
		scan := func() int64 {
			before := b.K.Meter.Ns
			b.idleCPU419(b.K.Task(id), b.llc(1), 1, 3)
			return b.K.Meter.Ns - before
		}
		scan() // lines are shared from here on
		for above, want := range map[int64]int64{7: 7, 8: 7, 17: 15, -7: -7, -8: -7} {
			took := scan()
			b.K.ScanCost[1] = took + above
			scan()
			if got := b.K.ScanCost[1] - took; got != want {
				t.Errorf("%s: an average %d above a scan becomes %d above it, want %d", spec, above, got, want)
			}
		}
	}
}

// TestRequeueStamps: a delayed task that is woken changes its core's estimates.
func TestRequeueStamps(t *testing.T) {
	b := newBench(t, "synthetic:sockets=1,cores=2,threads=2", "v6.12")
	b.occupy(0, 0)
	b.now += 3 * ms
	prev := b.K.RQ[0].Curr
	b.Schedule(0, Blocks, b.now)
	task := b.K.Task(prev)
	if !task.Delayed {
		t.Fatal("the task is not delayed")
	}
	task.UtilEst = 500
	b.K.RQ[0].Avg.Util = 100
	_, before, _ := b.coreLoad(0)
	b.K.Requeue(task, b.now)
	if _, after, _ := b.coreLoad(0); after == before {
		t.Errorf("the core's utilisation is still %d", after)
	}
}
