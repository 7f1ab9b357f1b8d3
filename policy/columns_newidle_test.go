package policy

import (
	"testing"

	"schedlab/kernel"
)

// hungry is a machine of two nodes of 4 CPUs, on which CPU 0 has three tasks,
// none of them cache-hot, and CPU 1 is about to search for one; every domain is
// searched whatever 6.12.117 draws.
func hungry(t *testing.T, spec string) (*bench, *kernel.RQ) {
	b := newBench(t, "synthetic:sockets=2,cores=4,threads=1", spec)
	b.occupy(0, 0, 0)
	b.now += 100 * ms
	rq := &b.K.RQ[1]
	rq.IdleStamp = 1
	for i := range rq.SD {
		rq.SD[i].NewidleRatio = 1023
	}
	return b, rq
}

// TestNewidleGateColumns is the gate of reference D.1.
func TestNewidleGateColumns(t *testing.T) {
	for _, tc := range []struct {
		what          string
		avgIdle, cost int64
		overload      bool
		wants         columns[bool]
	}{
		{"migration_cost", 500_000, 0, true, all(true)},
		{"less", 499_999, 0, true, columns[bool]{false, false, false, true, true, true}},
		{"what the lowest domain costs", 20_000, 20_000, true, columns[bool]{false, false, false, true, true, true}},
		{"less than that", 20_000, 20_001, true, all(false)},
		{"the domain costs more than avg_idle", 600_000, 600_001, true, all(false)},
		{"no overload", 1_000_000, 0, false, all(false)},
	} {
		by(t, tc.what, "", tc.wants, func(t *testing.T, spec string) bool {
			b, rq := hungry(t, spec)
			b.K.Roots[0].Overload = tc.overload
			rq.AvgIdle, rq.SD[0].MaxNewidleCost = tc.avgIdle, tc.cost
			return b.newidleBalance(rq, b.now)
		})
	}
}

// TestNewidleClimbs: each domain is asked whether avg_idle still pays for it
// (reference D.1); CPU 4 finds nothing in its own node.
func TestNewidleClimbs(t *testing.T) {
	for cost, want := range map[int64]bool{900_000: true, 1_000_000: false} {
		by(t, "the upper domain's cost", "", all(want), func(t *testing.T, spec string) bool {
			b, _ := hungry(t, spec)
			b.add(0, kernel.Fair, 0)
			b.now += 100 * ms
			rq := &b.K.RQ[4]
			rq.AvgIdle = 1_000_000
			rq.SD[1].MaxNewidleCost, rq.SD[1].NewidleRatio, rq.SD[0].NewidleRatio = cost, 1023, 1023
			return b.newidleBalance(rq, b.now)
		})
	}
}

// TestNewidleWakePending: with a wake-up on its way v5.14 does not even note
// that the CPU is idle; v4.20 searches (reference D.1).
func TestNewidleWakePending(t *testing.T) {
	type outcome struct{ found, stamped bool }
	by(t, "wake-up on its way", ",migration_cost_ns=0", from514(outcome{true, false}, outcome{false, false}), func(t *testing.T, spec string) outcome {
		b, rq := hungry(t, spec)
		p := b.task(1)
		rq.IdleStamp = 0
		b.K.WakeListAdd(p, 0)
		return outcome{b.newidleBalance(rq, b.now), rq.IdleStamp != 0}
	})
	by(t, "nothing anywhere", "", all(outcome{false, true}), func(t *testing.T, spec string) outcome {
		b := newBench(t, "synthetic:sockets=1,cores=4,threads=1", spec)
		rq := &b.K.RQ[1]
		rq.IdleStamp = 0
		return outcome{b.newidleBalance(rq, b.now), rq.IdleStamp != 0}
	})
}

// TestNewidleCost is what a search leaves (reference D.1): from v6.1 on the
// refresh of blocked load counts as the first domain's.
func TestNewidleCost(t *testing.T) {
	by(t, "the refresh is charged", "", columns[bool]{false, false, false, true, true, true}, func(t *testing.T, spec string) bool {
		b, rq := hungry(t, spec)
		b.updateBlocked(rq, 1, b.now)
		before := b.K.Meter.Ns
		b.updateBlocked(rq, 1, b.now)
		refresh := b.K.Meter.Ns - before
		rq.AvgIdle = 1_000_000
		before = b.K.Meter.Ns
		if !b.newidleBalance(rq, b.now) {
			t.Errorf("%s: nothing was found", spec)
		}
		total, cost := b.K.Meter.Ns-before, rq.SD[0].MaxNewidleCost
		if refresh == 0 || cost != total && cost != total-refresh {
			t.Errorf("%s: a search of %d ns with a refresh of %d costs %d", spec, total, refresh, cost)
		}
		if rq.MaxIdleBalanceCost != max(500_000, cost) || rq.IdleStamp != 0 {
			t.Errorf("%s: max_idle_balance_cost %d, idle_stamp %d", spec, rq.MaxIdleBalanceCost, rq.IdleStamp)
		}
		return cost == total
	})
}

// TestNewidleCostDecays: 253/256 a second; from v6.1 on a search that cost less
// does it too, and one that cost more puts it off (update_newidle_cost).
func TestNewidleCostDecays(t *testing.T) {
	since61 := func(old, since int64) columns[int64] { return columns[int64]{old, old, old, since, since, since} }
	for _, tc := range []struct {
		what         string
		before, cost int64
		at           int64          // ms after the last decay
		want, decay  columns[int64] // the cost; 1: the second begins anew
	}{
		{"periodic, a second and a jiffy", 25_600, 0, 1001, all[int64](25_300), all[int64](1)},
		{"periodic, a second", 25_600, 0, 1000, all[int64](25_600), all[int64](0)},
		{"a cheap search", 25_600, 100, 1001, since61(25_600, 25_300), since61(0, 1)},
		{"a dear search", 25_600, 25_601, 1001, all[int64](25_601), since61(0, 1)},
	} {
		run := func(t *testing.T, spec string) (cost, decay int64) {
			b := newBench(t, "synthetic:sockets=1,cores=2,threads=1", spec+",hz=1000")
			st := &b.K.RQ[0].SD[0]
			st.MaxNewidleCost, st.CostDecay = tc.before, 0
			b.newidleCost(st, tc.cost, 0, tc.at*ms)
			return st.MaxNewidleCost, b2int64(st.CostDecay > 0)
		}
		by(t, tc.what, "", tc.want, func(t *testing.T, spec string) int64 { c, _ := run(t, spec); return c })
		by(t, tc.what+", restarted", "", tc.decay, func(t *testing.T, spec string) int64 { _, d := run(t, spec); return d })
	}
}

func b2int64(b bool) int64 { return int64(b2i(b)) }

// TestCPUCostDecays: a CPU's own cost is worked out anew when a domain's decayed:
// up to v5.14 any, from v6.1 on the last one that was looked at.
func TestCPUCostDecays(t *testing.T) {
	for _, tc := range []struct {
		what         string
		lower, upper bool // is due
		wants        columns[int64]
	}{
		{"both", true, true, all[int64](500_000)},
		{"the upper", false, true, all[int64](500_000)},
		{"the lower", true, false, columns[int64]{500_000, 500_000, 500_000, 900_000, 900_000, 900_000}},
		{"none", false, false, all[int64](900_000)},
	} {
		by(t, tc.what, "", tc.wants, func(t *testing.T, spec string) int64 {
			b := newBench(t, "synthetic:sockets=2,cores=2,threads=1", spec)
			rq := &b.K.RQ[0]
			rq.MaxIdleBalanceCost = 900_000
			for level, due := range []bool{tc.lower, tc.upper} {
				rq.SD[level].CostDecay = b.K.Jiffies(b.now)
				if due {
					rq.SD[level].CostDecay -= b.hz + 1
				}
			}
			b.rebalanceDomains(0, idle, b.now)
			return rq.MaxIdleBalanceCost
		})
	}
}

// TestNewidleRandom is reference L: from 512 calls and 256 successes; at 1024 the
// successes are the ratio and both are halved. A success of ratio 512 counts as
// (1024 + 513/2) / 513 = 2.
func TestNewidleRandom(t *testing.T) {
	type counts struct{ calls, success, ratio uint32 }
	pass := func(ratio uint32) func(t *testing.T, spec string) counts {
		return func(t *testing.T, spec string) counts {
			b, rq := hungry(t, spec)
			rq.AvgIdle = 1_000_000
			st := &rq.SD[0]
			st.NewidleRatio = ratio
			b.newidleBalance(rq, b.now)
			return counts{st.NewidleCalls, st.NewidleSuccess, st.NewidleRatio}
		}
	}
	start := func(ratio uint32) counts { return counts{512, 256, ratio} }
	by(t, "always", "", columns[counts]{start(1023), start(1023), start(1023), start(1023), start(1023), {513, 257, 1023}}, pass(1023))
	by(t, "hardly ever: a call without success", "", columns[counts]{start(0), start(0), start(0), start(0), start(0), {513, 256, 0}}, pass(0))
	by(t, "switched off", ",NI_RANDOM=off", columns[counts]{4: start(0), 5: start(0)}, func(t *testing.T, spec string) counts {
		if _, err := Parse(spec); err != nil {
			return counts{} // versions that lack it
		}
		return pass(0)(t, spec)
	})

	st := kernel.SDState{NewidleCalls: 512, NewidleSuccess: 256, NewidleRatio: 512}
	for range 511 {
		countNewidle(&st, 1)
	}
	if st != (kernel.SDState{NewidleCalls: 1023, NewidleSuccess: 767, NewidleRatio: 512}) {
		t.Errorf("after 511 successes: %+v", st)
	}
	countNewidle(&st, 2)
	if st != (kernel.SDState{NewidleCalls: 512, NewidleSuccess: 384, NewidleRatio: 769}) {
		t.Errorf("after 512: %+v", st)
	}
	b, rq := hungry(t, "v6.12.117")
	rq.AvgIdle, rq.SD[0].NewidleRatio = 1_000_000, 512
	for rq.SD[0].NewidleCalls == 512 || rq.SD[0].NewidleSuccess == 256 { // until a draw lets it search
		b.newidleBalance(rq, b.now)
	}
	if rq.SD[0].NewidleSuccess != 258 {
		t.Errorf("a success at ratio 512 counts %d, want 2", rq.SD[0].NewidleSuccess-256)
	}
}

// TestNewidleNextBalance: a search moves the periodic balance forward to the first
// domain's, last_balance + balance_interval (4 ms here). Before v6.1 that is the
// interval that the pass leaves, which v4.20 doubles when it found nothing.
func TestNewidleNextBalance(t *testing.T) {
	for _, overload := range []bool{true, false} {
		want := all[int64](1000 - 2 + 4)
		if overload {
			want[0] = 1000 - 2 + 8
		}
		by(t, "next_balance", ",hz=1000", want, func(t *testing.T, spec string) int64 {
			b := newBench(t, "synthetic:sockets=1,cores=4,threads=1", spec)
			b.K.Roots[0].Overload = overload
			rq := &b.K.RQ[1]
			rq.NextBalance, rq.SD[0].LastBalance = 1<<40, b.K.Jiffies(b.now)-2
			b.newidleBalance(rq, b.now)
			return rq.NextBalance
		})
	}
}
