package policy

import (
	"strings"
	"testing"

	"schedlab/kernel"
)

const ms = 1_000_000

// run lets CPU 0 go on for d and ticks at its end.
func (b *bench) run(d int64) {
	b.now += d
	b.Tick(0, b.now)
	if b.K.RQ[0].NeedResched {
		b.Schedule(0, Preempted, b.now)
	}
}

// TestFairShares: tasks that never block share a CPU by weight (C.1), under both
// orders.
func TestFairShares(t *testing.T) {
	for _, spec := range []string{"v4.20,hz=1000", "v6.12,hz=1000", "v6.12.117,hz=1000"} {
		b := newBench(t, "synthetic:sockets=1,cores=1,threads=1", spec)
		var ids []kernel.TaskID
		for _, nice := range []int{0, 0, 5, -5} {
			id := b.K.NewTask(kernel.Fair, nice, 0, nil, 0)
			b.StartOn(b.K.Task(id), 0, b.now)
			ids = append(ids, id)
		}
		b.Schedule(0, Preempted, b.now)
		total := int64(0)
		for range 20_000 {
			b.run(ms)
			total += ms
			if err := b.K.Verify(); err != nil {
				t.Fatal(spec, err)
			}
		}
		weights := int64(1024 + 1024 + 335 + 3121)
		for i, w := range []int64{1024, 1024, 335, 3121} {
			got, want := b.K.Task(ids[i]).SumExec, total*w/weights
			if got < want*97/100 || got > want*103/100 {
				t.Errorf("%s: a task of weight %d ran %d ms of %d, want %d", spec, w, got/ms, total/ms, want/ms)
			}
		}
	}
}

// TestScaledTunables is reference C.2 on 8 and on 2 CPUs.
func TestScaledTunables(t *testing.T) {
	p, err := Parse("v4.20")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		cpus   int
		factor int64
	}{{1, 1}, {2, 2}, {3, 2}, {4, 3}, {7, 3}, {8, 4}, {88, 4}} {
		cfg := p.Config(tc.cpus)
		if cfg.Latency != 6*ms*tc.factor || cfg.MinGranularity != 750_000*tc.factor || cfg.WakeupGranularity != ms*tc.factor {
			t.Errorf("%d CPUs: %+v, want a factor of %d", tc.cpus, cfg.Tunables, tc.factor)
		}
		if cfg.MigrationCost != 500_000 || cfg.NrLatency() != 8 {
			t.Errorf("%d CPUs: migration_cost %d, nr_latency %d", tc.cpus, cfg.MigrationCost, cfg.NrLatency())
		}
	}
	for spec, want := range map[string]int64{"v6.12": 3 * ms, "v6.12.117": 2_800_000, "v6.12,base_slice_ns=1000000": ms} {
		p, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Config(16).BaseSlice; got != want {
			t.Errorf("%s: base slice %d on 16 CPUs, want %d", spec, got, want)
		}
	}
}

// TestWakeupPreemption is reference C.3 and C.4: a task that slept long preempts,
// one that is ahead does not, and not with a granularity it cannot overcome.
func TestWakeupPreemption(t *testing.T) {
	for _, tc := range []struct {
		spec string
		ran  int64
		want bool
	}{
		{"v4.20", 5 * ms, true},
		{"v4.20,wakeup_granularity_ns=150ms", 5 * ms, false}, // weighed, still more than it is behind
		{"v4.20,WAKEUP_PREEMPTION=off", 5 * ms, false},
		{"v6.12,RUN_TO_PARITY=off", ms / 10, true},
		{"v6.12", ms / 10, false}, // protected until its request is served
		{"v6.12", 5 * ms, true},   // served, and renewed without another pick
	} {
		b := newBench(t, "synthetic:sockets=1,cores=1,threads=1", tc.spec)
		pid := b.niceTask(0, -10).ID // a request of it is served in a ninth of the time
		b.occupy(0)
		b.run(tc.ran)
		b.TryToWakeUp(b.K.Task(pid), 0, 0, b.now+ms/20)
		if got := b.K.RQ[0].NeedResched; got != tc.want {
			t.Errorf("%s after %d ns: preempted %v, want %v", tc.spec, tc.ran, got, tc.want)
		}
	}
}

// TestDelayedDequeue is reference C.6: a task that blocks ahead of the average
// stays queued and counted; woken before it is picked it goes on in place;
// otherwise picking it completes its dequeue.
func TestDelayedDequeue(t *testing.T) {
	for _, tc := range []struct {
		spec    string
		delayed bool
	}{{"v6.12", true}, {"v6.12.117", true}, {"v6.12,DELAY_DEQUEUE=off", false}} {
		b := newBench(t, "synthetic:sockets=1,cores=2,threads=1", tc.spec+",newidle=off,RUN_TO_PARITY=off")
		for range 2 {
			id := b.K.NewTask(kernel.Fair, 0, 0, nil, 0)
			b.StartOn(b.K.Task(id), 0, b.now)
		}
		first := b.Schedule(0, Preempted, b.now)
		b.now += ms
		other := b.Schedule(0, Blocks, b.now)
		p := b.K.Task(first)
		if p.Delayed != tc.delayed || b.K.RQ[0].NrRunning != 1+int32(b2i(tc.delayed)) {
			t.Fatalf("%s: delayed %v with %d running", tc.spec, p.Delayed, b.K.RQ[0].NrRunning)
		}
		if other == first {
			t.Fatalf("%s: the sleeper runs on", tc.spec)
		}
		if !tc.delayed {
			continue
		}
		// Woken from the other CPU, which is idle: no CPU is chosen.
		b.TryToWakeUp(p, 1, 0, b.now+10)
		if p.CPU != 0 || p.Delayed || p.State != kernel.TaskQueued || b.Stats.Delayed != 1 {
			t.Errorf("%s: woken in delay: CPU %d, delayed %v, state %d", tc.spec, p.CPU, p.Delayed, p.State)
		}
		// Asleep again, and this time everything else blocks: it is picked and gone.
		b.now += 4 * ms
		b.Schedule(0, Blocks, b.now) // other sleeps
		for b.K.RQ[0].Curr != kernel.None {
			b.now += 4 * ms
			b.Schedule(0, Blocks, b.now)
		}
		if b.K.RQ[0].NrRunning != 0 || p.Delayed || p.OnRQ {
			t.Errorf("%s: idle with %d running, delayed %v", tc.spec, b.K.RQ[0].NrRunning, p.Delayed)
		}
		if err := b.K.Verify(); err != nil {
			t.Error(err)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestNewidleGates is reference D.1: v4.20 searches only with avg_idle of at
// least migration_cost, v6.12 with more than its lowest domain's cost; neither
// without overload.
func TestNewidleGates(t *testing.T) {
	for _, tc := range []struct {
		spec     string
		avgIdle  int64
		cost     int64
		overload bool
		want     bool
	}{
		{"v4.20", 500_000, 0, true, true}, {"v4.20", 499_999, 0, true, false}, {"v4.20", 500_000, 0, false, false},
		{"v6.12", 20_000, 20_000, true, true}, {"v6.12", 20_000, 20_001, true, false}, {"v6.12", 20_000, 0, false, false},
		{"v6.12,newidle=off", 500_000, 0, true, false},
	} {
		b := newBench(t, "synthetic:sockets=1,cores=4,threads=1", tc.spec)
		b.occupy(0, 1)
		for range 2 { // two tasks wait on CPU 0
			id := b.K.NewTask(kernel.Fair, 0, 0, nil, 0)
			b.StartOn(b.K.Task(id), 0, b.now)
		}
		b.now += 100 * ms // nothing is cache-hot
		b.K.Roots[0].Overload = tc.overload
		rq := &b.K.RQ[1]
		rq.AvgIdle = tc.avgIdle
		rq.SD[0].MaxNewidleCost = tc.cost
		got := b.Schedule(1, Exits, b.now) != kernel.None
		if got != tc.want {
			t.Errorf("%+v: pulled %v", tc, got)
		}
		if err := b.K.Verify(); err != nil {
			t.Error(err)
		}
	}
}

// TestDetachOrder is reference D.7: from the tail, what waited longest; not the
// running task; not what is cache-hot, unless balancing failed too often; one
// task at a time where the kernel is preemptible.
func TestDetachOrder(t *testing.T) {
	setup := func(spec string) (*bench, []kernel.TaskID) {
		b := newBench(t, "synthetic:sockets=1,cores=4,threads=1", spec)
		var ids []kernel.TaskID
		for range 5 {
			id := b.K.NewTask(kernel.Fair, 0, 0, nil, 0)
			b.StartOn(b.K.Task(id), 0, b.now)
			ids = append(ids, id)
		}
		b.Schedule(0, Preempted, b.now)
		return b, ids
	}
	b, ids := setup("v6.12,preempt=full")
	running := b.K.RQ[0].Curr
	b.now += 100 * ms
	n, _ := b.balanceRQ(2, b.K.Dom.CPUs[2].LLCAt, newlyIdle, b.now)
	if n != 1 {
		t.Fatalf("a preemptible kernel took %d tasks, want 1", n)
	}
	for _, id := range ids {
		if b.K.Task(id).CPU == 2 && (id == running || id != oldest(ids, running)) {
			t.Errorf("task %d was taken; %d runs, %d waited longest", id, running, oldest(ids, running))
		}
	}
	b, _ = setup("v6.12,preempt=none")
	b.now += 100 * ms
	if n, _ := b.balanceRQ(2, b.K.Dom.CPUs[2].LLCAt, newlyIdle, b.now); n < 2 {
		t.Errorf("without preemption %d tasks were taken, want more than one", n)
	}
	b, ids = setup("v6.12")
	for _, id := range ids {
		b.K.Task(id).ExecStart = b.now
	}
	level := b.K.Dom.CPUs[2].LLCAt
	if n, _ := b.balanceRQ(2, level, idle, b.now+1000); n != 0 {
		t.Errorf("%d cache-hot tasks were taken", n)
	}
	b.K.RQ[2].SD[level].NrBalanceFailed = 5
	if n, _ := b.balanceRQ(2, level, idle, b.now+1000); n == 0 {
		t.Error("after five failures a cache-hot task stays")
	}
}

func oldest(ids []kernel.TaskID, running kernel.TaskID) kernel.TaskID {
	for _, id := range ids {
		if id != running {
			return id
		}
	}
	return kernel.None
}

// TestRootOverload is reference A.7: set by the second task of any queue, and
// taken back by a pass at the top level that sees none.
func TestRootOverload(t *testing.T) {
	for _, spec := range []string{"v4.20", "v6.12"} {
		b := newBench(t, "synthetic:sockets=1,cores=4,threads=1", spec)
		b.occupy(0)
		if b.K.Roots[0].Overload {
			t.Errorf("%s: overloaded with one task", spec)
		}
		id := b.K.NewTask(kernel.Fair, 0, 0, nil, 0)
		b.StartOn(b.K.Task(id), 0, b.now)
		if !b.K.Roots[0].Overload {
			t.Errorf("%s: not overloaded with two tasks on a queue", spec)
		}
		b.Schedule(0, Exits, b.now)
		if !b.K.Roots[0].Overload {
			t.Errorf("%s: cleared without a balance pass", spec)
		}
		b.balanceRQ(3, len(b.domains(3))-1, idle, b.now)
		if b.K.Roots[0].Overload {
			t.Errorf("%s: still set after a pass at the top level", spec)
		}
	}
}

// TestParse: what a policy string may say, and what the errors list.
func TestParse(t *testing.T) {
	for spec, want := range map[string]string{
		"v9.9":                       "v4.20, v5.3, v5.14, v6.1, v6.12, v6.12.117",
		"v6.12,HRTICK=on":            "not modelled",
		"v6.12,steal=llc":            "unknown key \"steal\" (v6.12 has recent-used",
		"v6.12,sis=half":             "full, prop, util",
		"v6.12,latency_ns=1":         "it is in v4.20, v5.3",
		"v6.12,migration_cost_ns=x":  "neither a whole number nor a duration",
		"v6.12,hz=7":                 "100, 250, 300, 1000",
		"v6.12,NI_RANDOM=maybe":      "off, on",
		"v6.12,sis=full,sis=util":    "given twice",
		"v6.12,sis=full,SIS_UTIL=on": "sis sets SIS_UTIL too",
		"v6.1,NO_SIS_PROP,sis=util":  "sis sets SIS_PROP too",
		"v6.12,migration_cost_ns=-2": "at least -1",
		"v6.12,recent-used":          "needs a value",
		"":                           "unknown version",
	} {
		_, err := Parse(spec)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want one line with %q", spec, err, want)
		}
	}
	p, err := Parse("v6.12.117,NO_NI_RANDOM,sched_migration_cost_ns=250us")
	if err != nil {
		t.Fatal(err)
	}
	if p.String() != "v6.12.117,NI_RANDOM=off,migration_cost_ns=250us" || p.kernel.NIRandom || p.kernel.MigrationCost != 250_000 {
		t.Errorf("%s: %+v", p, p.kernel)
	}
	for _, s := range p.Settings() {
		if s.Value == "" || s.Doc == "" || s.Ref == "" {
			t.Errorf("setting %+v is not explained", s)
		}
	}
}

// TestNextBuddy: with the feature on, EEVDF runs the task woken last if it is
// eligible, though another one has the earlier deadline.
func TestNextBuddy(t *testing.T) {
	for spec, want := range map[string]bool{"v6.12,RUN_TO_PARITY=off": false, "v6.12,RUN_TO_PARITY=off,NEXT_BUDDY=on": true} {
		b := newBench(t, "synthetic:sockets=1,cores=1,threads=1", spec)
		woken := b.niceTask(0, 5).ID // later deadline than the others'
		b.K.Task(woken).SumExec = 1
		for range 2 {
			id := b.K.NewTask(kernel.Fair, 0, 0, nil, 0)
			b.StartOn(b.K.Task(id), 0, b.now)
		}
		b.Schedule(0, Preempted, b.now)
		b.now += ms / 10
		b.TryToWakeUp(b.K.Task(woken), 0, 0, b.now)
		if got := b.Schedule(0, Blocks, b.now) == woken; got != want {
			t.Errorf("%s: the task woken last runs next: %v", spec, got)
		}
	}
}
