package policy

import (
	"math"
	"testing"

	"schedlab/domain"
)

// The tests of this file are reference D.4 for v4.20 and v5.3, whose rules are
// one but for the load history.
func before514(t *testing.T, what string, want [2]int64, decide func(b *bench) int64) {
	t.Helper()
	for i, v := range Versions()[:2] {
		b := newBench(t, "synthetic:sockets=2,cores=2,threads=1", v.Name)
		if got := decide(b); got != want[i] {
			t.Errorf("%s, %s: %d, want %d", what, v.Name, got, want[i])
		}
	}
}

// TestLoadHistory: v4.20 compares the load now with a level of its history, by
// the domain's index of this kind of pass: what gives is guessed low, what takes
// high. Index n is level n-1 (source_load, target_load). v5.3 has the load now.
// Now it is 500; the levels are 100, 200, 300, 400, 900.
func TestLoadHistory(t *testing.T) {
	for _, tc := range []struct {
		what  string
		level int // 0: MC, 1: NUMA
		why   idleType
		local bool
		want  [2]int64
	}{
		{"MC, busy, index 2", 0, notIdle, false, [2]int64{200, 500}},
		{"MC, idle, index 0", 0, idle, false, [2]int64{500, 500}},
		{"NUMA, busy, index 3", 1, notIdle, false, [2]int64{300, 500}},
		{"NUMA, busy, here", 1, notIdle, true, [2]int64{500, 500}},
		{"NUMA, idle, index 2", 1, idle, false, [2]int64{200, 500}},
		{"NUMA, newly idle, index 0", 1, newlyIdle, false, [2]int64{500, 500}},
	} {
		before514(t, tc.what, tc.want, func(b *bench) int64 {
			rq := &b.K.RQ[1]
			rq.Avg.Run, rq.CPULoad = 500, [5]int64{100, 200, 300, 400, 900}
			return b.indexedLoad(rq, loadIndex(b.domains(1)[tc.level], tc.why), tc.local)
		})
	}
	b := newBench(t, "synthetic:sockets=2,cores=2,threads=1", "v4.20")
	rq := &b.K.RQ[1]
	rq.Avg.Run, rq.CPULoad = 500, [5]int64{100, 200, 300, 400, 900}
	if got := b.indexedLoad(rq, 5, true); got != 900 {
		t.Errorf("the local load is guessed %d, want the larger, 900", got)
	}
	b.K.LBBias = false
	if got := b.indexedLoad(rq, 1, false); got != 500 {
		t.Errorf("without LB_BIAS the load is %d, want the one now", got)
	}
}

// TestHistoryByTick is cpu_load_update of reference C.7: an idle CPU that has a load
// of 1024 from one tick to the next, and then none for some ticks.
func TestHistoryByTick(t *testing.T) {
	by(t, "after a tick, level 1", "", columns[int64]{512}, func(t *testing.T, spec string) int64 {
		b := newBench(t, "synthetic:sockets=1,cores=2,threads=1", spec)
		b.K.RQ[0].LoadUpdated = b.K.Jiffies(b.now) - 1
		b.K.RQ[0].Avg.Run = 1024
		b.Tick(0, b.now)
		return b.K.RQ[0].CPULoad[1]
	})
	b := newBench(t, "synthetic:sockets=1,cores=2,threads=1", "v4.20,hz=1000")
	rq := &b.K.RQ[0]
	rq.LoadUpdated = b.K.Jiffies(b.now) - 1
	for _, tc := range []struct {
		load, ticks int64
		want        [5]int64
	}{
		{1024, 1, [5]int64{1024, 512, 256, 128, 64}},   // (0*(2^i-1) + 1024 + 2^i-1) >> i
		{1024, 1, [5]int64{1024, 768, 448, 240, 124}},  // (512 + 1025) >> 1, (3*256 + 1027) >> 2, ...
		{0, 1, [5]int64{0, 384, 336, 210, 116}},        // 768 >> 1, 3*448 >> 2, ...
		{0, 4, [5]int64{0, 24, 105, 122, 88}},          // 3 missed: >> 3; *96*72/128^2; *112*98/128^2; *120*112/128^2; and the tick
		{1024, 40, [5]int64{1024, 512, 256, 128, 70}},  // of 88 the slowest keeps 88*120*112*98*16/128^4 = 6
		{1024, 400, [5]int64{1024, 512, 256, 128, 64}}, // that too
	} {
		rq.Avg.Run = tc.load
		if tc.ticks > 1 {
			rq.CPULoad[0] = 0 // its tick stopped in idle
		}
		b.now += (tc.ticks - 1) * ms
		b.updateCPULoad(rq, b.now)
		b.now += ms
		if rq.CPULoad != tc.want {
			t.Errorf("load %d after %d ticks: %v, want %v", tc.load, tc.ticks, rq.CPULoad, tc.want)
		}
	}
}

// TestMissedTicks is decay_load_missed of v4.20.
func TestMissedTicks(t *testing.T) {
	for _, tc := range []struct{ missed, level, want int64 }{
		{0, 1, 1024}, {3, 1, 128}, {7, 1, 8}, {8, 1, 0},
		{1, 2, 768}, {5, 2, 240}, {31, 2, 0}, {32, 2, 0}, // 1024*96/128, *40/128
		{2, 3, 784}, {16, 3, 120}, {63, 3, 0}, {64, 3, 0}, // *98/128, *15/128
		{1, 4, 960}, {64, 4, 16}, {127, 4, 0}, {128, 4, 0},
	} {
		if got := decayMissed(1024, tc.missed, int(tc.level)); got != tc.want {
			t.Errorf("level %d after %d idle ticks: %d, want %d", tc.level, tc.missed, got, tc.want)
		}
	}
}

// TestWorthBalancing419 are the tests of D.4 in their order; the average is 1000,
// groups have two CPUs, imbalance_pct is 125.
func TestWorthBalancing419(t *testing.T) {
	group := func(c groupClass, load, idle, fair int64) stats419 {
		return stats419{groupStats: groupStats{class: c, avgLoad: load, idle: idle, fair: fair, weight: 2, capacity: 2048, util: 2048}, noCap: c == classOverloaded}
	}
	const other, over, imb = classHasSpare, classOverloaded, classImbalanced
	for _, tc := range []struct {
		what string
		l, b stats419
		why  idleType
		want int64
	}{
		{"imbalanced", group(other, 9000, 0, 2), group(imb, 1, 0, 1), notIdle, 1},
		{"room here, none there", group(other, 9000, 0, 1), group(over, 1, 0, 3), idle, 1},
		{"room here, none there, newly idle", group(other, 9000, 0, 1), group(over, 1, 0, 3), newlyIdle, 1},
		{"room here, none there, busy", group(other, 9000, 0, 1), group(over, 1, 0, 3), notIdle, 0},
		{"no room here", group(other, 9000, 0, 2), group(over, 1, 0, 3), idle, 0},
		{"no less load here", group(other, 800, 2, 0), group(other, 800, 0, 2), idle, 0},
		{"here at the average", group(other, 1000, 2, 0), group(other, 2000, 0, 2), idle, 0},
		{"idle: one idle CPU more", group(other, 100, 1, 1), group(other, 2000, 0, 2), idle, 0},
		{"idle: two more", group(other, 100, 2, 0), group(other, 2000, 0, 2), idle, 1},
		{"idle: two more, little load", group(other, 999, 2, 0), group(other, 1001, 0, 2), idle, 1},
		{"idle: overloaded there", group(other, 100, 0, 2), group(over, 2000, 0, 3), idle, 1},
		{"busy: 100*1000 = 125*800", group(other, 800, 0, 2), group(other, 1000, 0, 2), notIdle, 0},
		{"busy: 100*1001 > 125*800", group(other, 800, 0, 2), group(other, 1001, 0, 2), notIdle, 1},
		{"newly idle: 100*1000 = 125*800", group(other, 800, 2, 0), group(other, 1000, 0, 2), newlyIdle, 0},
		{"newly idle: 100*1001 > 125*800", group(other, 800, 0, 2), group(other, 1001, 0, 2), newlyIdle, 1},
	} {
		before514(t, tc.what, [2]int64{tc.want, tc.want}, func(b *bench) int64 {
			e := balanceEnv{sd: b.domains(0)[1], idle: tc.why}
			if e.sd.ImbalancePct != 125 {
				t.Fatal("imbalance_pct ", e.sd.ImbalancePct)
			}
			return b2int64(worthBalancing419(&e, &tc.l, &tc.b, 1000))
		})
	}
}

// TestImbalance419 is what is to move by D.4; the average is 1000, capacities are
// 2048. What fix_small_imbalance leaves alone stays as it was worked out.
func TestImbalance419(t *testing.T) {
	group := func(c groupClass, load, perTask, fair int64) stats419 {
		return stats419{groupStats: groupStats{class: c, avgLoad: load, fair: fair, weight: 2, capacity: 2048}, perTask: perTask}
	}
	const other, over, imb = classHasSpare, classOverloaded, classImbalanced
	for _, tc := range []struct {
		what string
		l, b stats419
		want int64
	}{
		{"the surplus there: 300*2048/1024", group(other, 500, 100, 2), group(other, 1300, 100, 2), 600},
		{"the lack here: 200*2048/1024", group(other, 800, 100, 2), group(other, 1300, 100, 2), 400},
		// 3 tasks are 3072, 1024 above a capacity of 2048: 1024*1024/2048 = 512
		{"overloaded both: what exceeds the capacity", group(over, 100, 100, 3), group(over, 1900, 100, 3), 1024},
		{"overloaded there alone", group(other, 100, 100, 2), group(over, 1900, 100, 3), 1800},
		{"overloaded both, tasks fit", group(over, 100, 100, 3), group(over, 1900, 100, 2), 1800},
		// per task: min(5000, 1000)
		{"imbalanced: a task counts the average at most", group(other, 500, 100, 2), group(imb, 1500, 5000, 2), 1000},
		// Small: a task there is 900, 450 scaled; 1200 + 450 >= 800 + 450
		{"less than a task, larger tasks there", group(other, 800, 100, 2), group(other, 1200, 900, 2), 900},
		// 1000 + 450 < 700 + 900: used now 2*min(900,1000) + 2*min(900,700) = 3200;
		// then 2*min(900,550) + 2*min(900,700+450) = 2900: no gain, and no surplus.
		{"no surplus, and no gain", group(other, 700, 900, 2), group(other, 1000, 900, 2), 0},
		// 1010 + 450 < 900 + 900: now 2*900 + 2*900; then 2*560 + 2*900. min(10, 100)*2 stay.
		{"less than a task, no gain", group(other, 900, 900, 2), group(other, 1010, 900, 2), 20},
		// 1050 + 1000 < 200 + 2*1000 is wrong: 2050 < 2200, so by capacity: now
		// 2*min(2000,1050) + 2*min(2000,200) = 2500; then 2*min(2000,50) + 2*min(2000,1200) = 2500. No gain.
		{"less than a task, as much as before", group(other, 200, 2000, 2), group(other, 1050, 2000, 2), 100},
		// 1050 + 300 < 800 + 600: now 2*600 + 2*600; then 2*min(600,750) + 2*600 = 2400. No gain.
		{"less than a task, nothing lost", group(other, 800, 600, 2), group(other, 1050, 600, 2), 100},
		// Here tasks of 1000: 1010 + 480 < 600 + 960: now 2*960 + 2*600 = 3120; then
		// 2*min(960,530) + 2*min(1000,600+480) = 3060. With tasks of 2000 here 3220: a gain.
		{"less than a task, little gained here", group(other, 600, 1000, 2), group(other, 1010, 960, 2), 20},
		{"less than a task, a gain", group(other, 600, 2000, 2), group(other, 1010, 960, 2), 960},
	} {
		before514(t, tc.what, [2]int64{tc.want, tc.want}, func(b *bench) int64 {
			e := balanceEnv{sd: b.domains(0)[1], imbalance: math.MaxInt32}
			l, st := tc.l, tc.b
			b.calculateImbalance419(&e, &l, &st, 1000)
			return e.imbalance
		})
	}
	// Nothing here: a task counts as the destination CPU's mean, which has none, so 0.
	before514(t, "an empty group", [2]int64{900, 900}, func(b *bench) int64 {
		e := balanceEnv{sd: b.domains(0)[1]}
		l, st := group(other, 0, 0, 0), group(other, 1000, 900, 2)
		b.calculateImbalance419(&e, &l, &st, 1000)
		return e.imbalance
	})
}

// TestBusiest419 is the choice of the group, and its promotion where the child
// level prefers siblings: the highest class, then the most load.
func TestBusiest419(t *testing.T) {
	node := func(first int32, tasks int32, load, util int64) []looks {
		return []looks{{first, tasks, tasks, 0, util, load}, {first + 1, 1, 1, 0, util, load}}
	}
	for _, tc := range []struct {
		what   string
		here   int32 // tasks of CPU 0; CPU 1 has none
		child  bool  // prefers siblings
		n2, n4 []looks
		want   int64 // the lowest CPU of the busiest group; -1: none
	}{
		{"more load", 0, false, node(2, 1, 800, 0), node(4, 1, 900, 0), 4},
		{"the first of equals", 0, false, node(2, 1, 900, 0), node(4, 1, 900, 0), 2},
		// 3 tasks on 2 CPUs, 100*2048 < 125*2*1024
		{"overloaded beats load", 0, false, node(2, 2, 800, 1024), node(4, 1, 900, 1024), 2},
		{"promoted: two more tasks", 0, true, node(2, 1, 800, 0), node(4, 0, 900, 0), 2},
		{"not promoted: one more", 1, true, node(2, 1, 800, 0), node(4, 1, 900, 0), 4},
		{"not preferred", 0, false, node(2, 1, 800, 0), node(4, 0, 900, 0), 4},
	} {
		for _, v := range []string{"v4.20", "v5.3"} {
			b := newBench(t, "synthetic:sockets=3,cores=2,threads=1", v)
			if !tc.child {
				b.domains(0)[0].Flags &^= domain.PreferSibling
			}
			b.show(looks{cpu: 0, running: tc.here, fair: tc.here})
			b.show(tc.n2...)
			b.show(tc.n4...)
			e := balanceEnv{sd: b.domains(0)[1], level: 1, cpus: b.domains(0)[1].Span, idle: newlyIdle}
			got := int64(-1)
			if g := b.findBusiestGroup(&e); g != nil {
				got = int64(g.Span.First())
			}
			if got != tc.want {
				t.Errorf("%s, %s: group of CPU %d, want %d", tc.what, v, got, tc.want)
			}
		}
	}
}
