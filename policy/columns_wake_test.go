package policy

import (
	"testing"

	"schedlab/cpumask"
	"schedlab/kernel"
)

// TestSchedIdleByVersion is the last but one predicate of reference 0.1: a CPU
// that runs nothing but SCHED_IDLE tasks may be taken from v5.14 on.
func TestSchedIdleByVersion(t *testing.T) {
	const on = "synthetic:sockets=1,cores=2,threads=1"
	by(t, "SCHED_IDLE task alone", "", columns[bool]{false, false, true, true, true, true}, func(t *testing.T, spec string) bool {
		b := newBench(t, on, spec)
		b.run1(1, kernel.IdlePolicy, 0)
		return b.available(1, 0)
	})
	by(t, "beside a normal task", "", columns[bool]{}, func(t *testing.T, spec string) bool {
		b := newBench(t, on, spec)
		b.run1(1, kernel.IdlePolicy, 0)
		b.add(1, kernel.Fair, 0)
		return b.available(1, 0)
	})
	by(t, "a wake-up on its way", "", columns[bool]{}, func(t *testing.T, spec string) bool {
		b := newBench(t, on, spec)
		p := b.task(1)
		b.K.WakeListAdd(p, 0)
		return b.available(1, 0)
	})
}

// TestWakeListByVersion is the queue condition of reference B.1.
func TestWakeListByVersion(t *testing.T) {
	for _, tc := range []struct {
		what  string
		on    int32
		busy  bool
		wants columns[bool]
	}{
		{"no shared LLC", 5, true, columns[bool]{true, true, true, true, true, true}},
		{"shared LLC, idle", 1, false, columns[bool]{false, false, false, true, true, true}},
		{"shared LLC, busy", 1, true, columns[bool]{}},
		{"the waker's CPU", 0, false, columns[bool]{}},
	} {
		by(t, tc.what, "", tc.wants, func(t *testing.T, spec string) bool {
			b := newBench(t, "synthetic:sockets=2,cores=4,threads=1", spec)
			pid := b.task(tc.on).ID
			if tc.busy {
				b.occupy(tc.on)
			}
			return b.throughWakeList(b.K.Task(pid), 0)
		})
	}
}

// TestAverageIdleByVersion is the division of reference B.1: toward -inf up to
// v5.3, toward zero later; the start; and what v5.14 keeps for SIS_PROP.
func TestAverageIdleByVersion(t *testing.T) {
	const on = "synthetic:sockets=1,cores=4,threads=1"
	type averages struct{ before, after, wake int64 }
	by(t, "1000 meets 993", "", columns[averages]{
		{1_000_000, 999, 499}, {1_000_000, 999, 499}, {1_000_000, 1000, 500}, {1_000_000, 1000, 500}, {1_000_000, 1000, 500}, {1_000_000, 1000, 500},
	}, func(t *testing.T, spec string) averages {
		b := newBench(t, on, spec)
		rq := &b.K.RQ[1]
		a := averages{before: rq.AvgIdle}
		rq.AvgIdle, rq.IdleStamp = 1000, b.now
		b.endIdle(rq, b.now+993)
		a.after, a.wake = rq.AvgIdle, rq.WakeAvgIdle
		return a
	})
}

// TestForkStaysNear is reference B.2 on eight sockets of two boards: the slow
// path climbs as far as domains have BALANCE_FORK, which those that span both
// boards (distance 31 > 30) do not.
func TestForkStaysNear(t *testing.T) {
	by(t, "a board of busy CPUs", "", columns[bool]{true, true, true, true, true, true}, func(t *testing.T, spec string) bool {
		b := newBench(t, "x5-8", spec)
		board := b.domains(0)[2].Span
		for c := range board.All() {
			b.occupy(int32(c))
		}
		id := b.K.NewTask(kernel.Fair, 0, 0, nil, 0)
		got := b.SelectTaskRQ(b.K.Task(id), b.current(0), 0, 0, kernel.WakeFork, b.now)
		return board.Weight() == 144 && got.Path == PathIdlest && board.Test(int(got.CPU))
	})
}

// TestAffineIdleByVersion is the idle test of reference B.4, row by row, on two
// sockets of 4 CPUs; the waker is on CPU 0.
func TestAffineIdleByVersion(t *testing.T) {
	none := columns[int32]{-1, -1, -1, -1, -1, -1}
	for _, tc := range []struct {
		what  string
		prev  int32
		busy  []int32
		sync  bool
		wants columns[int32]
	}{
		{"row 1, prev idle", 1, nil, false, columns[int32]{1, 1, 1, 1, 1, 1}},
		{"row 1, prev busy", 1, []int32{1}, false, columns[int32]{}},
		{"row 1, other LLC", 5, []int32{5}, false, none},
		{"row 2", 5, []int32{0, 5}, true, columns[int32]{}},
		{"row 2, waker not alone", 5, []int32{0, 0, 5}, true, none},
		{"row 3", 5, []int32{0}, false, columns[int32]{-1, -1, 5, 5, 5, 5}},
		{"row 3, same LLC", 1, []int32{0}, false, columns[int32]{-1, -1, 1, 1, 1, 1}},
		{"row 3, prev busy", 5, []int32{0, 5}, false, none},
	} {
		by(t, tc.what, "", tc.wants, func(t *testing.T, spec string) int32 {
			b := newBench(t, "synthetic:sockets=2,cores=4,threads=1", spec)
			b.occupy(tc.busy...)
			return b.affineIdle(0, tc.prev, tc.sync)
		})
	}
}

// TestAffineWeightByVersion is the weight test of reference B.4: with 900 on the
// waker's CPU and a wakee of 100, how much must be on prev, the wakee included,
// for the waker's CPU to win? (900+100)*100 < (x-100)*factor.
func TestAffineWeightByVersion(t *testing.T) {
	for _, tc := range []struct {
		what, machine, settings string
		prev                    int32
		sync                    bool
		wants                   columns[int64]
	}{
		// 125 -> 112: 892*112 = 99904, 893*112 = 100016; 117 -> 108: 925*108 = 99900, 926*108 = 100008
		{"NUMA", "synthetic:sockets=2,cores=4,threads=1", "", 4, false, columns[int64]{993, 993, 1026, 1026, 1026, 1026}},
		{"MC", "synthetic:sockets=2,cores=4,threads=1", "", 1, false, columns[int64]{1026, 1026, 1026, 1026, 1026, 1026}},
		// 110 -> 105: 952*105 = 99960, 953*105 = 100065
		{"SMT", "synthetic:sockets=1,cores=2,threads=2", "", 2, false, columns[int64]{1053, 1053, 1053, 1053, 1053, 1053}},
		{"no bias", "synthetic:sockets=2,cores=4,threads=1", ",WA_BIAS=off", 4, false, columns[int64]{1101, 1101, 1101, 1101, 1101, 1101}},
		// A waker of 0 that sleeps: equality is enough.
		{"no bias, sync", "synthetic:sockets=2,cores=4,threads=1", ",WA_BIAS=off", 4, true, columns[int64]{1100, 1100, 1100, 1100, 1100, 1100}},
	} {
		by(t, tc.what, tc.settings, tc.wants, func(t *testing.T, spec string) int64 {
			b := newBench(t, tc.machine, spec)
			pid := b.task(tc.prev).ID
			p := b.K.Task(pid)
			p.Avg.Load = 100
			level := 0
			for !b.domains(0)[level].Span.Test(int(tc.prev)) {
				level++
			}
			for x := int64(100); x < 2000; x++ {
				b.setLoad(0, 900)
				b.setLoad(tc.prev, x)
				if b.affineWeight(b.domains(0)[level], p, nil, 0, tc.prev, tc.sync, b.now) == 0 {
					return x
				}
			}
			return -1
		})
	}
	by(t, "sync, the waker weighs more than its queue", "", columns[int32]{}, func(t *testing.T, spec string) int32 {
		b := newBench(t, "synthetic:sockets=2,cores=4,threads=1", spec)
		pid := b.task(4).ID
		waker := b.occupy(0)[0]
		b.setLoad(0, 1000)
		b.setLoad(4, 0)
		waker.Avg.Load = 1001
		return b.affineWeight(b.domains(0)[1], b.K.Task(pid), waker, 0, 4, true, b.now)
	})
}

// setLoad sets what placement compares of a queue: up to v5.3 the load of
// runnable tasks, later the load with blocked tasks. The other one is absurd.
func (b *bench) setLoad(cpu int32, load int64) {
	a := &b.K.RQ[cpu].Avg
	a.Load, a.Run = load, 1<<20
	if b.K.RunnableLoad {
		a.Load, a.Run = 1<<20, load
	}
}

// TestNotAllowedNotAffine: where the wakee may not run on the waker's CPU its
// previous one is the target, in every version (reference B.2).
func TestNotAllowedNotAffine(t *testing.T) {
	by(t, "waker's CPU excluded", "", columns[int32]{4, 4, 4, 4, 4, 4}, func(t *testing.T, spec string) int32 {
		b := newBench(t, "synthetic:sockets=2,cores=4,threads=1", spec)
		pid := b.task(4).ID
		b.K.SetMask(b.K.Task(pid), cpumask.Of(1, 2, 4))
		b.occupy(0)
		return b.SelectTaskRQ(b.K.Task(pid), b.current(0), 4, 0, kernel.WakeTTWU|kernel.WakeSync, b.now).CPU
	})
}
