package kernel

import (
	"testing"

	"schedlab/domain"
	"schedlab/machine"
)

const ms = 1_000_000

// The versions' families of rules, as package policy sets them.
var (
	cfs      = Config{Features: Features{UtilEst: true, GentleFairSleepers: true, WakeupPreemption: true}, Tunables: Tunables{Latency: 6 * ms, MinGranularity: ms, WakeupGranularity: ms, MigrationCost: ms / 2, Tick: 4 * ms}}
	eevdf    = Config{EEVDF: true, Features: Features{UtilEst: true, PlaceLag: true, RunToParity: true, DelayDequeue: true, DelayZero: true, WakeupPreemption: true}, Tunables: Tunables{BaseSlice: 3 * ms, MigrationCost: ms / 2, Tick: 4 * ms}}
	eevdf117 = func() Config { c := eevdf; c.Fixes612 = true; return c }()
)

// testKernel is a machine of two CPUs with nothing on it.
func testKernel(t *testing.T, cfg Config) *Kernel {
	t.Helper()
	m, err := machine.Load("synthetic:sockets=1,cores=2,threads=1")
	if err != nil {
		t.Fatal(err)
	}
	d, err := domain.Build(m, domain.RulesV612())
	if err != nil {
		t.Fatal(err)
	}
	return New(m, d, cfg)
}

// put enqueues a new task on a CPU.
func put(k *Kernel, class Class, cpu int32, now int64) TaskID {
	id := k.NewTask(class, 0, 0, nil, cpu)
	k.PostInitUtil(&k.RQ[cpu], k.Task(id), now)
	k.Enqueue(k.Task(id), now, EnqueueInitial)
	return id
}

// start lets a CPU run what it would pick.
func start(k *Kernel, cpu int32, now int64) TaskID {
	rq := &k.RQ[cpu]
	id := k.PickNext(rq, now)
	k.PutPrev(rq, now)
	k.SetNext(rq, k.Task(id), now)
	return id
}

func verify(t *testing.T, k *Kernel) {
	t.Helper()
	if err := k.Verify(); err != nil {
		t.Error(err)
	}
}

// TestMovedTaskIsCold: whatever takes a task to another CPU, it is not cache-hot
// there, and the queue knows.
func TestMovedTaskIsCold(t *testing.T) {
	for name, fl := range map[string]EnqueueFlags{"pulled": EnqueueMoved, "woken": EnqueueWakeup | EnqueueMigrated} {
		for _, cfg := range []Config{cfs, eevdf} {
			k := testKernel(t, cfg)
			put(k, Fair, 0, ms)
			put(k, Fair, 0, ms)
			put(k, Fair, 1, ms)
			ran := start(k, 0, ms)
			start(k, 1, ms)
			now := int64(3 * ms)
			task := k.Task(ran)
			if fl&EnqueueWakeup != 0 {
				k.DelayDequeue = false
				k.Dequeue(task, now, DequeueSleep)
				k.RQ[0].fairCurr, k.RQ[0].Curr, task.OnCPU = None, None, false
				task.State = TaskWaking
			} else {
				k.PutPrev(&k.RQ[0], now)
				k.Dequeue(task, now, DequeueMove)
			}
			k.SetTaskCPU(task, 1)
			k.Enqueue(task, now, fl)
			if task.ExecStart != 0 || k.RQ[1].RanUntil != 0 {
				t.Errorf("%s, EEVDF %v: exec_start %d, the queue's %d, want 0", name, cfg.EEVDF, task.ExecStart, k.RQ[1].RanUntil)
			}
			verify(t, k)
		}
	}
}

// TestRenormalisedAfterUpdate: CFS makes vruntime absolute with the floor that
// the queue has once the running task is accounted (enqueue_entity).
func TestRenormalisedAfterUpdate(t *testing.T) {
	k := testKernel(t, cfs)
	put(k, Fair, 1, ms)
	start(k, 1, ms)
	id := k.NewTask(Fair, 0, 0, nil, 0)
	k.SetTaskCPU(k.Task(id), 1)
	k.Task(id).VRuntime = 100
	k.Enqueue(k.Task(id), 6*ms, EnqueueMoved)
	if got, want := k.Task(id).VRuntime, k.RQ[1].MinVRuntime+100; got != want || got < 5*ms {
		t.Errorf("vruntime %d on a queue whose floor is %d, want %d", got, k.RQ[1].MinVRuntime, want)
	}
	verify(t, k)
}

// TestRequeueLeavesCurrent: a delayed task that is woken is requeued with what
// the queue knows; the running task is accounted later (requeue_delayed_entity).
func TestRequeueLeavesCurrent(t *testing.T) {
	k := testKernel(t, eevdf)
	a, b := put(k, Fair, 0, ms), put(k, Fair, 0, ms)
	first := start(k, 0, ms)
	other := a + b - first
	if k.Dequeue(k.Task(first), 3*ms, DequeueSleep) {
		t.Fatal("a task that ran ahead was dequeued at once")
	}
	k.PutPrev(&k.RQ[0], 3*ms)
	k.SetNext(&k.RQ[0], k.Task(other), 3*ms)
	k.Requeue(k.Task(first), 4*ms)
	if got := k.Task(other).SumExec; got != 0 {
		t.Errorf("the running task was accounted %d ns by the wake-up of another", got)
	}
	verify(t, k)
}

// TestUtilEst is util_est_update, case by case.
func TestUtilEst(t *testing.T) {
	for _, tc := range []struct {
		what           string
		cfg            Config
		est            int32
		util, runnable int64
		kept           bool
		want           int32
	}{
		{"up at once", eevdf, 100, 300, 300, false, 300},
		{"equal", eevdf, 300, 300, 300, false, 300},
		{"within the margin", eevdf, 309, 300, 300, false, 309},
		{"down by a quarter, rounded down", eevdf, 311, 300, 300, false, 308}, // (4*311 - 11) / 4 = 308.25
		{"it waited for the CPU", eevdf, 400, 300, 311, false, 400},
		{"it hardly waited", eevdf, 400, 300, 310, false, 375},
		{"before v6.12 waiting does not count", cfs, 400, 300, 900, false, 375},
		{"no new average", eevdf, 400, 300, 300, true, 400},
	} {
		k := testKernel(t, tc.cfg)
		task := k.Task(k.NewTask(Fair, 0, 0, nil, 0))
		task.UtilEst, task.Avg.Util, task.Avg.Run, task.utilKept = tc.est, tc.util, tc.runnable, tc.kept
		k.utilEstUpdate(task)
		if task.UtilEst != tc.want || !task.utilKept {
			t.Errorf("%s: %d, want %d; kept %v", tc.what, task.UtilEst, tc.want, task.utilKept)
		}
	}
}

// TestUtilEstOfDelayed: a sleep whose dequeue is put off updates the estimate
// all the same, and the end of the delay does not do so again.
func TestUtilEstOfDelayed(t *testing.T) {
	for _, cfg := range []Config{eevdf, eevdf117} {
		k := testKernel(t, cfg)
		put(k, Fair, 0, ms)
		put(k, Fair, 0, ms)
		first := start(k, 0, ms)
		task := k.Task(first)
		task.UtilEst, task.Avg.Util, task.Avg.Run = 400, 300, 300
		task.Avg.UtilSum, task.Avg.RunSum = 300*peltMax, 300*peltMax
		if k.Dequeue(task, 3*ms, DequeueSleep) {
			t.Fatal("the dequeue was not put off")
		}
		est := task.UtilEst
		if est >= 400 {
			t.Errorf("Fixes612 %v: the estimate is still %d", cfg.Fixes612, est)
		}
		if old := int32(375); cfg.Fixes612 && est != old {
			t.Errorf("6.12.117 updates before the averages: %d, want %d", est, old)
		}
		k.PutPrev(&k.RQ[0], 3*ms)
		for k.RQ[0].HNrDelayed > 0 {
			start(k, 0, 60*ms)
			k.Dequeue(k.Task(k.RQ[0].Curr), 60*ms, DequeueDead)
			k.PutPrev(&k.RQ[0], 60*ms)
			k.PickNext(&k.RQ[0], 60*ms)
		}
		if task.UtilEst != est {
			t.Errorf("the end of the delay changed the estimate from %d to %d", est, task.UtilEst)
		}
		verify(t, k)
	}
}

// TestIdlePolicyGivesWay: a normal task preempts a SCHED_IDLE one, which keeps
// its slice protection before the stable series took it away.
func TestIdlePolicyGivesWay(t *testing.T) {
	for _, cfg := range []Config{eevdf, eevdf117} {
		k := testKernel(t, cfg)
		idle := put(k, IdlePolicy, 0, ms)
		start(k, 0, ms)
		woken := put(k, Fair, 0, 2*ms)
		k.CheckPreempt(&k.RQ[0], k.Task(woken), 2*ms, 0)
		if !k.RQ[0].NeedResched {
			t.Error("a normal task does not preempt a SCHED_IDLE one")
		}
		if got := k.protected(k.Task(idle)); got == cfg.Fixes612 {
			t.Errorf("Fixes612 %v: protected %v", cfg.Fixes612, got)
		}
	}
}

// TestYield is reference C.4 for v6.12, and yield_task_fair of 6.12.117: alone
// nothing happens; an eligible task forfeits its request, another one nothing.
func TestYield(t *testing.T) {
	for _, tc := range []struct {
		what              string
		cfg               Config
		beside            int
		lead              int64 // vruntime of the yielding task over its neighbour
		vruntime, request int64 // change of vruntime; what deadline - vruntime becomes
	}{
		{"v6.12, alone", eevdf, 0, 0, 0, 6 * ms},
		{"v6.12, beside another", eevdf, 1, 0, 0, 6 * ms},
		{"6.12.117, alone", eevdf117, 0, 0, 0, 3 * ms},
		{"6.12.117, eligible", eevdf117, 1, 0, 3 * ms, 3 * ms},
		{"6.12.117, ahead", eevdf117, 1, ms, 0, 3 * ms},
	} {
		k := testKernel(t, tc.cfg)
		id := put(k, Fair, 0, ms)
		start(k, 0, ms)
		for range tc.beside {
			put(k, Fair, 0, ms)
		}
		task := k.Task(id)
		task.VRuntime += tc.lead
		task.Deadline += tc.lead
		before := task.VRuntime
		k.Yield(&k.RQ[0], ms)
		if d, r := task.VRuntime-before, task.Deadline-task.VRuntime; d != tc.vruntime || r != tc.request {
			t.Errorf("%s: vruntime +%d, request %d; want +%d, %d", tc.what, d, r, tc.vruntime, tc.request)
		}
		if !k.RQ[0].NeedResched {
			t.Errorf("%s: no reschedule", tc.what)
		}
		verify(t, k)
	}
}

// TestNewUtil: the first utilisation of a new task is its share of the queue's
// by load, at most half of what is free; before v6.10 nearly always the limit.
func TestNewUtil(t *testing.T) {
	for _, tc := range []struct {
		scaled     bool
		util, load int64
		want       int64
	}{
		{false, 0, 0, 512}, {true, 0, 0, 512},
		{false, 200, 2047, 100}, {true, 200, 2047, 412},
		{false, 1024, 1024, 0}, {true, 1024, 1024, 0},
	} {
		cfg := eevdf
		cfg.NewUtilScaled = tc.scaled
		k := testKernel(t, cfg)
		k.RQ[0].Avg.Util, k.RQ[0].Avg.Load = tc.util, tc.load
		task := k.Task(k.NewTask(Fair, 0, 0, nil, 0))
		k.PostInitUtil(&k.RQ[0], task, 0)
		if task.Avg.Util != tc.want || task.Avg.Run != tc.want {
			t.Errorf("%+v: util %d, runnable %d", tc, task.Avg.Util, task.Avg.Run)
		}
	}
}

// TestIdlePolicyBonus: from v6.1 on a SCHED_IDLE sleeper comes back by half of
// min_granularity at most, and its least slice beside others is its own.
func TestIdlePolicyBonus(t *testing.T) {
	for _, entities := range []bool{false, true} {
		cfg := cfs
		cfg.IdleEntities, cfg.FloorSlice, cfg.IdleGranularity = entities, true, ms/4
		k := testKernel(t, cfg)
		put(k, Fair, 0, ms)
		start(k, 0, ms)
		rq := &k.RQ[0]
		rq.MinVRuntime = 100 * ms
		idle := k.Task(k.NewTask(IdlePolicy, 0, 0, nil, 0))
		k.placeWakeup(rq, idle)
		bonus, slice := int64(3*ms), int64(ms) // half of the latency; min_granularity
		if entities {
			bonus, slice = ms/2, ms/4
		}
		k.Enqueue(idle, ms, EnqueueWakeup)
		if got := 100*ms - idle.VRuntime; got != bonus {
			t.Errorf("IdleEntities %v: %d behind the floor, want %d", entities, got, bonus)
		}
		if got := k.slice(rq, idle); got != slice {
			t.Errorf("IdleEntities %v: a slice of %d, want %d", entities, got, slice)
		}
	}
}

// TestIdlePolicyAlwaysGivesWay: up to v6.1 a normal task preempts a SCHED_IDLE
// one even without WAKEUP_PREEMPTION; v6.12 asks for the feature first.
func TestIdlePolicyAlwaysGivesWay(t *testing.T) {
	for _, cfg := range []Config{cfs, eevdf} {
		cfg.WakeupPreemption = false
		k := testKernel(t, cfg)
		put(k, IdlePolicy, 0, ms)
		start(k, 0, ms)
		k.CheckPreempt(&k.RQ[0], k.Task(put(k, Fair, 0, 2*ms)), 2*ms, 0)
		if got := k.RQ[0].NeedResched; got == cfg.EEVDF {
			t.Errorf("EEVDF %v: preempts %v", cfg.EEVDF, got)
		}
	}
}

// TestNextBuddyMarked: NEXT_BUDDY marks a woken task whatever else holds it back,
// but no new one, no SCHED_IDLE one, and under CFS only on a long queue.
func TestNextBuddyMarked(t *testing.T) {
	for _, tc := range []struct {
		what   string
		cfg    Config
		class  Class
		isNew  bool
		queued int
		marked bool
	}{
		{"v6.12", eevdf, Fair, false, 1, true},
		{"v6.12, new", eevdf, Fair, true, 1, false},
		{"v6.12, SCHED_IDLE", eevdf, IdlePolicy, false, 1, false},
		{"CFS, few tasks", cfs, Fair, false, 1, false},
		{"CFS, nr_latency tasks", cfs, Fair, false, 6, true},
	} {
		tc.cfg.NextBuddy = true
		k := testKernel(t, tc.cfg)
		for range tc.queued - 1 {
			put(k, Fair, 0, ms)
		}
		put(k, Fair, 0, ms)
		start(k, 0, ms)
		woken := put(k, tc.class, 0, ms)
		if !tc.isNew {
			k.Task(woken).SumExec = ms
		}
		k.RQ[0].NeedResched = true // which ends the rest of the test
		k.CheckPreempt(&k.RQ[0], k.Task(woken), ms, 0)
		if got := k.RQ[0].nextBuddy == woken; got != tc.marked {
			t.Errorf("%s: marked %v, want %v", tc.what, got, tc.marked)
		}
	}
}

// TestPreempterIsNextBuddy: under CFS a task that preempts is the next buddy, new
// or woken, with NEXT_BUDDY or without.
func TestPreempterIsNextBuddy(t *testing.T) {
	for _, next := range []bool{false, true} {
		for _, queued := range []int{2, 7} {
			for _, ran := range []int64{0, ms} {
				cfg := cfs
				cfg.NextBuddy = next
				k := testKernel(t, cfg)
				for range queued - 1 {
					put(k, Fair, 0, ms)
				}
				curr := start(k, 0, ms)
				id := put(k, Fair, 0, ms)
				k.Task(id).SumExec = ran
				k.Task(curr).VRuntime += 100 * ms
				k.CheckPreempt(&k.RQ[0], k.Task(id), ms, 0)
				if rq := &k.RQ[0]; !rq.NeedResched || rq.nextBuddy != id {
					t.Errorf("NEXT_BUDDY %v, %d queued, ran %d: preempts %v, buddy %d, want %d", next, queued, ran, rq.NeedResched, rq.nextBuddy, id)
				}
			}
		}
	}
}
