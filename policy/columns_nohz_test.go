package policy

import (
	"slices"
	"testing"

	"schedlab/cpumask"
	"schedlab/kernel"
)

// TestKickTarget is whom a kick goes to (reference D.9): the first idle CPU of the
// mask that is a housekeeper; before v5.14 that may be the kicking one.
func TestKickTarget(t *testing.T) {
	for _, tc := range []struct {
		what  string
		full  cpumask.Mask // nohz_full
		busy  []int32
		wants columns[int32]
	}{
		{"all idle", nil, nil, from514[int32](0, 1)},
		{"one is busy", nil, []int32{0, 1}, all[int32](2)},
		{"housekeepers 2 and 3", cpumask.Of(0, 1), nil, all[int32](2)},
		{"none", nil, []int32{0, 1, 2, 3}, all[int32](-1)},
	} {
		by(t, tc.what, "", tc.wants, func(t *testing.T, spec string) int32 {
			b, _ := nohzBench(t, "synthetic:sockets=1,cores=4,threads=1", spec)
			b.K.M.Boot.NohzFull = tc.full
			defer func() { b.K.M.Boot.NohzFull = nil }()
			b.occupy(tc.busy...)
			return b.idleBalancer(0)
		})
	}
}

// TestKickedCPU is who is balanced by CPU 2 when it is kicked (reference D.9):
// up to v5.3 the CPU itself in any case, later only as one of the mask.
func TestKickedCPU(t *testing.T) {
	for _, tc := range []struct {
		what  string
		gone  bool // CPU 2 is not in the mask
		wants columns[bool]
	}{
		{"in the mask", false, all(true)},
		{"not in the mask", true, from514(true, false)},
	} {
		by(t, tc.what, "", tc.wants, func(t *testing.T, spec string) bool {
			b, _ := nohzBench(t, "synthetic:sockets=1,cores=4,threads=1", spec)
			b.occupy(0)
			rq := &b.K.RQ[2]
			if tc.gone {
				b.exitNohzIdle(rq)
			}
			rq.NohzKick = nohzBalance | nohzStats
			b.NohzIdleBalance(2, b.now)
			got := b.balancedNow()
			if !slices.Contains(got, 1) || !slices.Contains(got, 3) || slices.Contains(got, 0) {
				t.Errorf("%s: balanced %v, want 1 and 3 and not 0", spec, got)
			}
			return slices.Contains(got, 2)
		})
	}
}

// TestRootOverloadColumns is reference A.7: a pass at the top level says anew
// whether a CPU has two tasks, whatever the pass is for; one below does not.
func TestRootOverloadColumns(t *testing.T) {
	for level, wants := range []columns[bool]{all(true), all(false)} {
		for _, why := range []idleType{notIdle, idle, newlyIdle} {
			by(t, "after a pass", ",migration_cost_ns=0", wants, func(t *testing.T, spec string) bool {
				b := newBench(t, "synthetic:sockets=2,cores=2,threads=1", spec)
				b.occupy(0)
				b.add(0, kernel.Fair, 0)
				if !b.K.Roots[0].Overload {
					t.Errorf("%s: the second task is not noted", spec)
				}
				b.Schedule(0, Exits, b.now)
				b.balanceRQ(2, level, why, b.now)
				return b.K.Roots[0].Overload
			})
		}
	}
}

// TestActiveColumns is the end of a pass whose push of the running task began
// (reference D.2, 6 and 7): up to v5.3 it counts as nearly failed enough, and the
// interval (4 ms, at least 2) doubles; later the count stays, and the interval is the least.
func TestActiveColumns(t *testing.T) {
	type end struct {
		failed   int // over cache_nice_tries
		interval int64
	}
	for _, tc := range []struct {
		what  string
		moved int
		wants columns[end]
	}{
		{"pushed", 0, from514(end{1, 8}, end{3, 2})},
		{"moved before", 1, columns[end]{{-1, 2}, {-1, 2}, {-1, 2}, {-1, 2}, {-1, 2}, {-1, 2}}},
	} {
		by(t, tc.what, "", tc.wants, func(t *testing.T, spec string) end {
			b := newBench(t, "synthetic:sockets=1,cores=2,threads=1", spec)
			b.occupy(0, 0)
			b.PushRunning = func(from, to int32) bool { return from == 0 && to == 1 }
			sd := *b.domains(1)[0]
			sd.MinInterval, sd.MaxInterval = 2, 8
			st := &b.K.RQ[1].SD[0]
			st.BalanceInterval, st.NrBalanceFailed = 4, int32(sd.CacheNiceTries)+2
			b.endPass(&balanceEnv{sd: &sd, st: st, cpu: 1, dst: 1, idle: idle, now: b.now, kind: migrateTask, src: &b.K.RQ[0]}, tc.moved)
			return end{int(st.NrBalanceFailed) - sd.CacheNiceTries, st.BalanceInterval}
		})
	}
}

// TestSearchThroughPinned is the whole of a pass over 40 tasks of which the last
// that it comes to may move: only v6.1 comes to it, after 32 and a breath.
func TestSearchThroughPinned(t *testing.T) {
	by(t, "the 37th from the tail", ",migration_cost_ns=0", columns[int]{0, 0, 0, 1, 0, 0}, func(t *testing.T, spec string) int {
		b := newBench(t, "synthetic:sockets=1,cores=4,threads=1", spec)
		b.occupy(0)
		for i := range 39 {
			id := b.add(0, kernel.Fair, 0)
			if i != 35 {
				b.K.SetMask(b.K.Task(id), cpumask.Of(0))
			}
		}
		b.K.SetMask(b.current(0), cpumask.Of(0))
		b.now += 100 * ms
		b.K.Tick(&b.K.RQ[0], b.now)
		n, _ := b.balanceRQ(1, 0, newlyIdle, b.now)
		return n
	})
}
