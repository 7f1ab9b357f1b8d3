package policy

import (
	"testing"

	"schedlab/cpumask"
	"schedlab/kernel"
	"schedlab/machine"
)

// found is what a search for an idle CPU came to.
type found struct {
	cpu  int32
	path Path
}

// all is the same column for every version.
func all[T any](v T) columns[T] { return columns[T]{v, v, v, v, v, v} }

// from514 has one value before v5.14 and another from then on.
func from514[T any](before, since T) columns[T] {
	return columns[T]{before, before, since, since, since, since}
}

// TestSiblingOrder is the table of reference B.5, steps 1 to 4: one LLC of 8
// cores and 16 threads, in which the sibling of CPU c is c+8. The target is 3,
// the waker runs on 1. SCHED_IDLE tasks alone run on the CPUs of low.
func TestSiblingOrder(t *testing.T) {
	for _, tc := range []struct {
		what         string
		idle         []int // all other CPUs are busy
		low          []int32
		prev, recent int32
		wants        columns[found]
	}{
		{"1: target idle", []int{3, 5}, nil, 5, 6, all(found{3, PathTarget})},
		{"1: target SCHED_IDLE", []int{3, 5}, []int32{3}, 5, 6, from514(found{5, PathPrev}, found{3, PathTarget})},
		{"2: prev idle", []int{5, 6}, nil, 5, 6, all(found{5, PathPrev})},
		{"2: prev SCHED_IDLE", []int{5, 6}, []int32{5}, 5, 6, from514(found{6, PathRecent}, found{5, PathPrev})},
		{"4: recent idle", []int{6, 7}, nil, 5, 6, all(found{6, PathRecent})},
		{"4: recent SCHED_IDLE", []int{6, 4}, []int32{6}, 5, 6, from514(found{4, PathCPU}, found{6, PathRecent})},
		{"4: recent is prev", []int{4}, nil, 5, 5, all(found{4, PathCPU})},
		{"4: recent is the target", []int{4}, nil, 5, 3, all(found{4, PathCPU})},
		{"7: nothing", nil, nil, 5, 6, all(found{3, PathNone})},
	} {
		by(t, tc.what, "", tc.wants, func(t *testing.T, spec string) found {
			b := newBench(t, "synthetic:sockets=1,cores=8,threads=2", spec)
			b.occupyBut(tc.idle...)
			for _, c := range tc.low {
				b.run1(c, kernel.IdlePolicy, 0)
			}
			pid := b.K.NewTask(kernel.Fair, 0, 0, nil, tc.prev)
			b.K.Task(pid).RecentUsed = tc.recent
			b.shared(0).NrIdleScan = 16
			return b.sibling(pid, 1, tc.prev, 3)
		})
	}
}

// sibling asks for an idle CPU near target on behalf of what runs on cpu.
func (b *bench) sibling(id kernel.TaskID, cpu, prev, target int32) found {
	c, path := b.idleSibling(b.K.Task(id), b.current(cpu), cpu, prev, target, kernel.WakeTTWU, b.now)
	return found{c, path}
}

// TestKthreadStep is step 3 of reference B.5: a per-CPU kernel thread wakes who
// ran on its CPU last. v6.1 wants it to do so itself, not an interrupt.
func TestKthreadStep(t *testing.T) {
	for _, tc := range []struct {
		what    string
		fl      kernel.WakeFlags
		kthread bool
		beside  int
		wants   columns[found]
	}{
		{"alone", 0, true, 0, from514(found{4, PathCPU}, found{1, PathKthread})},
		{"from an interrupt", kernel.WakeIRQ, true, 0, columns[found]{
			{4, PathCPU}, {4, PathCPU}, {1, PathKthread}, {4, PathCPU}, {4, PathCPU}, {4, PathCPU},
		}},
		{"beside another", 0, true, 1, all(found{4, PathCPU})},
		{"any other task", 0, false, 0, all(found{4, PathCPU})},
	} {
		by(t, tc.what, ",recent-used=off", tc.wants, func(t *testing.T, spec string) found {
			b := newBench(t, "synthetic:sockets=1,cores=8,threads=1", spec)
			b.occupyBut(4)
			for range tc.beside {
				b.add(1, kernel.Fair, 0)
			}
			b.shared(0).NrIdleScan = 8
			b.current(1).PerCPUKthread = tc.kthread
			pid := b.K.NewTask(kernel.Fair, 0, 0, nil, 1)
			c, path := b.idleSibling(b.K.Task(pid), b.current(1), 1, 1, 3, kernel.WakeTTWU|tc.fl, b.now)
			return found{c, path}
		})
	}
}

// TestScanCounts is the counting of reference B.5: where a search for an idle
// CPU begins, what it charges, and what it never sees. 8 cores of one thread,
// target 3, one idle CPU. SIS_PROP looks at 3 CPUs (the least limit, 4, of which
// the last is not looked at), SIS_UTIL is given 3.
func TestScanCounts(t *testing.T) {
	none := found{3, PathNone}
	hit := func(c int32) found { return found{c, PathCPU} }
	for _, tc := range []struct {
		what  string
		idle  int
		mask  cpumask.Mask
		wants columns[found]
	}{
		{"the third from target on", 5, nil, all(hit(5))},
		// v6.1 begins behind the target.
		{"the third behind target", 6, nil, columns[found]{none, none, none, hit(6), hit(6), hit(6)}},
		{"the fourth behind target", 7, nil, all(none)},
		// A CPU that the task may not use is charged in three passes, and not in one.
		{"4 is not allowed, 6", 6, cpumask.Of(0, 1, 2, 3, 5, 6, 7), columns[found]{none, none, hit(6), hit(6), hit(6), hit(6)}},
		{"4 is not allowed, 7", 7, cpumask.Of(0, 1, 2, 3, 5, 6, 7), columns[found]{none, none, none, hit(7), hit(7), hit(7)}},
		{"it wraps", 0, cpumask.Of(0, 1, 3), columns[found]{none, none, hit(0), hit(0), hit(0), hit(0)}},
	} {
		by(t, tc.what, ",recent-used=off", tc.wants, func(t *testing.T, spec string) found {
			b := newBench(t, "synthetic:sockets=1,cores=8,threads=1", spec)
			b.occupyBut(tc.idle)
			b.K.RQ[1].AvgIdle, b.K.RQ[1].WakeAvgIdle = 0, 0
			b.shared(0).NrIdleScan = 3
			return b.sibling(b.K.NewTask(kernel.Fair, 0, 0, tc.mask, 2), 1, 2, 3)
		})
	}
}

// TestScanForCores is the search with has_idle_cores set (reference B.5): the
// siblings of 8 cores are c and c+8, target is 3.
func TestScanForCores(t *testing.T) {
	none := found{3, PathNone}
	for _, tc := range []struct {
		what  string
		idle  []int
		low   []int32
		scan  int32 // nr_idle_scan
		wants columns[found]
		kept  columns[bool] // has_idle_cores afterwards
	}{
		{"a core beats the nearest thread", []int{4, 7, 15}, nil, 16, all(found{7, PathCore}), all(true)},
		// The search for a core has no limit; the third pass of v4.20 has.
		{"no core, a far thread", []int{12}, nil, 1, from514(none, found{12, PathCPU}), all(false)},
		// ... but SIS_UTIL may forbid it altogether.
		{"nothing to be scanned", []int{7, 15}, nil, 0, columns[found]{
			{7, PathCore}, {7, PathCore}, {7, PathCore}, none, none, none,
		}, all(true)},
		// What runs SCHED_IDLE tasks only is remembered, and is no idle core.
		{"SCHED_IDLE thread", []int{12}, []int32{12}, 16, from514(none, found{12, PathCPU}), all(false)},
	} {
		for _, kept := range []bool{false, true} {
			decide := func(t *testing.T, spec string) (found, bool) {
				b := newBench(t, "synthetic:sockets=1,cores=8,threads=2", spec)
				b.occupyBut(tc.idle...)
				for _, c := range tc.low {
					b.run1(c, kernel.IdlePolicy, 0)
				}
				b.K.RQ[1].AvgIdle = 0
				b.shared(0).NrIdleScan = tc.scan
				b.shared(0).HasIdleCores = true
				f := b.sibling(b.K.NewTask(kernel.Fair, 0, 0, nil, 5), 1, 5, 3)
				return f, b.shared(0).HasIdleCores
			}
			if kept {
				by(t, tc.what+", flag", ",recent-used=off", tc.kept, func(t *testing.T, spec string) bool { _, k := decide(t, spec); return k })
			} else {
				by(t, tc.what, ",recent-used=off", tc.wants, func(t *testing.T, spec string) found { f, _ := decide(t, spec); return f })
			}
		}
	}
}

// TestThreadOutsideDomain is reference A.10: CPU 12, the idle sibling of 4, is
// isolated. Which searches take it all the same?
func TestThreadOutsideDomain(t *testing.T) {
	for _, tc := range []struct {
		what         string
		cores        bool
		prev, target int32
		wants        columns[found]
	}{
		// v5.14 and v6.1 ask the affinity what a search for cores may remember, v6.12 the domain.
		{"search for cores", true, 5, 3, columns[found]{
			{3, PathNone}, {3, PathNone}, {12, PathCPU}, {12, PathCPU}, {3, PathNone}, {3, PathNone},
		}},
		// v6.1 alone takes any sibling of prev (reference B.8) ...
		{"sibling of prev", false, 4, 3, columns[found]{
			{3, PathNone}, {3, PathNone}, {3, PathNone}, {12, PathSMT}, {3, PathNone}, {3, PathNone},
		}},
		// ... v4.20 any of the target.
		{"sibling of target", false, 5, 4, columns[found]{
			{12, PathSMT}, {12, PathSMT}, {4, PathNone}, {4, PathNone}, {4, PathNone}, {4, PathNone},
		}},
	} {
		by(t, tc.what, ",recent-used=off", tc.wants, func(t *testing.T, spec string) found {
			b := changedBench(t, "synthetic:sockets=1,cores=8,threads=2", spec, isolate(12))
			b.occupyBut(12)
			b.shared(0).HasIdleCores = tc.cores
			b.shared(0).NrIdleScan = 16
			return b.sibling(b.K.NewTask(kernel.Fair, 0, 0, nil, tc.prev), 1, tc.prev, tc.target)
		})
	}
}

// TestWakerOutsideDomain: a search that keeps its cost in the waker's LLC domain
// does not take place where the waker has none (CPU 7 is isolated); up to v5.3
// that is the search for a CPU, in v5.14 all of it, then only SIS_PROP's.
func TestWakerOutsideDomain(t *testing.T) {
	none, hit := found{3, PathNone}, found{5, PathCPU}
	for settings, wants := range map[string]columns[found]{
		"":          {none, none, none, hit, hit, hit},
		",sis=util": {none, none, none, hit, hit, hit},
		",sis=full": {none, none, none, hit, hit, hit},
		",sis=prop": {none, none, none, none, none, none},
	} {
		by(t, "waker isolated", ",recent-used=off"+settings, wants, func(t *testing.T, spec string) found {
			b := changedBench(t, "synthetic:sockets=1,cores=8,threads=1", spec, isolate(7))
			b.occupyBut(5)
			b.shared(0).NrIdleScan = 8
			return b.sibling(b.K.NewTask(kernel.Fair, 0, 0, nil, 2), 7, 2, 3)
		})
	}
}

// TestClusters is steps 2, 4, 6 and 7 of reference B.5 on one LLC of two clusters
// of 4 CPUs, with target 0: v6.12 takes an idle CPU of the other cluster only
// when nothing better is found.
func TestClusters(t *testing.T) {
	clusters := func(m *machine.Machine) {
		for c := range m.CPUs {
			m.CPUs[c].Cluster = c / 4 * 4
		}
	}
	old := func(before, since found) columns[found] {
		return columns[found]{before, before, before, before, since, since}
	}
	limited := func(v61, v612 bool) columns[found] {
		c := columns[found]{{6, PathCPU}, {6, PathCPU}, {0, PathNone}, {0, PathNone}, {0, PathNone}, {0, PathNone}}
		if v61 {
			c[3] = found{6, PathCPU}
		}
		if v612 {
			c[4], c[5] = c[0], c[0]
		}
		return c
	}
	for _, tc := range []struct {
		what         string
		idle         []int
		prev, recent int32
		scan         int32
		wants        columns[found]
	}{
		{"prev beyond, one near", []int{2, 5}, 5, 1, 8, old(found{5, PathPrev}, found{2, PathCPU})},
		{"prev near", []int{2, 3}, 3, 1, 8, all(found{3, PathPrev})},
		{"recent beyond, one near", []int{2, 6}, 1, 6, 8, old(found{6, PathRecent}, found{2, PathCPU})},
		{"none near: the first beyond, by the scan", []int{4, 6}, 1, 6, 8, old(found{6, PathRecent}, found{4, PathCPU})},
		{"no scan: prev, then recent", []int{4, 5, 6}, 5, 6, 0, all(found{5, PathPrev})},
		{"no scan: recent", []int{4, 6}, 1, 6, 0, all(found{6, PathRecent})},
		// The limit counts over both walks: v6.12 looks at 1 to 3, 0, 4 to 6; v6.1 at 1 to 6.
		// (SIS_PROP looks at 3 in v5.14, whose average has aged, and at all before.)
		{"limit of five", []int{6}, 1, 1, 5, limited(false, false)},
		{"limit of six", []int{6}, 1, 1, 6, limited(true, false)},
		{"limit of seven", []int{6}, 1, 1, 7, limited(true, true)},
	} {
		by(t, tc.what, "", tc.wants, func(t *testing.T, spec string) found {
			b := changedBench(t, "synthetic:sockets=1,cores=8,threads=1", spec, clusters)
			b.occupyBut(tc.idle...)
			b.shared(0).NrIdleScan = tc.scan
			pid := b.K.NewTask(kernel.Fair, 0, 0, nil, tc.prev)
			b.K.Task(pid).RecentUsed = tc.recent
			return b.sibling(pid, 1, tc.prev, 0)
		})
	}
}

// TestRecentThroughTime is the table of reference B.6: what a visit of step 4
// leaves in the wakee's field, an affine wake-up in the waker's (which was 7),
// and where a new task's begins.
func TestRecentThroughTime(t *testing.T) {
	const on = "synthetic:sockets=1,cores=8,threads=1"
	visit := func(busy ...int32) func(t *testing.T, spec string) int32 {
		return func(t *testing.T, spec string) int32 {
			b := newBench(t, on, spec)
			b.occupy(busy...)
			pid := b.K.NewTask(kernel.Fair, 0, 0, nil, 5)
			b.K.Task(pid).RecentUsed = 6
			b.recentUsed(b.K.Task(pid), 1, 5, 3)
			return b.K.Task(pid).RecentUsed
		}
	}
	by(t, "hit", "", all[int32](5), visit())
	by(t, "miss", "", columns[int32]{6, 6, 6, 5, 5, 5}, visit(6))
	by(t, "waker", "", columns[int32]{2, 2, 2, 7, 7, 7}, func(t *testing.T, spec string) int32 {
		b := newBench(t, on, spec)
		pid := b.task(5).ID
		waker := b.occupy(2)[0]
		waker.RecentUsed = 7
		b.SelectTaskRQ(b.K.Task(pid), waker, 5, 2, kernel.WakeTTWU, b.now)
		return waker.RecentUsed
	})
	by(t, "new task", "", all[int32](2), func(t *testing.T, spec string) int32 {
		b := newBench(t, on, spec)
		b.occupy(2)
		id := b.K.NewTask(kernel.Fair, 0, 0, nil, 2)
		b.K.Task(id).RecentUsed = 7
		b.WakeUpNew(b.K.Task(id), b.K.RQ[2].Curr, 2, b.now)
		if b.K.Task(id).CPU == 2 {
			t.Errorf("%s: the new task stays on its parent's CPU", spec)
		}
		return b.K.Task(id).RecentUsed
	})
}

// TestSMTScan is reference B.8: threads of prev's core, 1 and 5 on this machine.
func TestSMTScan(t *testing.T) {
	for _, tc := range []struct {
		what  string
		idle  []int
		prev  int32
		wants columns[int32]
	}{
		{"prev only", []int{1}, 1, columns[int32]{1, 1, 1, -1, -1, -1}},
		{"both, prev is the lower", []int{1, 5}, 1, columns[int32]{1, 1, 1, 5, 5, 5}},
		{"both, prev is the higher", []int{1, 5}, 5, all[int32](1)},
		{"none", nil, 1, all[int32](-1)},
	} {
		by(t, tc.what, "", tc.wants, func(t *testing.T, spec string) int32 {
			b := newBench(t, "synthetic:sockets=1,cores=4,threads=2", spec)
			b.occupyBut(tc.idle...)
			p := b.K.Task(b.K.NewTask(kernel.Fair, 0, 0, nil, 0))
			if b.gen < GenV514 {
				return b.idleSMT419(p, 0, tc.prev) // there it is the target's core
			}
			return b.scanSMT(p, b.llc(tc.prev), tc.prev, 0)
		})
	}
	by(t, "SCHED_IDLE", "", from514[int32](-1, 5), func(t *testing.T, spec string) int32 {
		b := newBench(t, "synthetic:sockets=1,cores=4,threads=2", spec)
		b.occupyBut(5)
		b.run1(5, kernel.IdlePolicy, 0)
		p := b.K.Task(b.K.NewTask(kernel.Fair, 0, 0, nil, 0))
		if b.gen < GenV514 {
			return b.idleSMT419(p, 0, 1)
		}
		return b.scanSMT(p, b.llc(1), 1, 0)
	})
}
