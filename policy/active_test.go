package policy

import (
	"testing"

	"schedlab/cpumask"
)

// TestActiveBalance is the end of a pass (reference D.2, 6 and 7) in which CPU 1
// found CPU 0 busiest and could take nothing, once too often.
func TestActiveBalance(t *testing.T) {
	const shortest, now, longest = 2, 4, 8 // intervals, ms
	for _, tc := range []struct {
		what, spec   string
		why          idleType
		pinned       bool // what CPU 0 runs may not run on CPU 1
		idle         bool // CPU 0 runs nothing
		busy         bool // its stopper has a task to push already
		asked        bool // the stopper is asked to push
		wantFailed   int  // nr_balance_failed - cache_nice_tries
		wantInterval int64
	}{
		{"pushed", "v6.12", notIdle, false, false, false, true, 3, shortest},
		{"pushed, v5.14", "v5.14", notIdle, false, false, false, true, 3, shortest},
		{"pushed, v4.20", "v4.20", notIdle, false, false, false, true, 1, longest},
		{"refused by affinity", "v6.12", notIdle, true, false, false, false, 3, longest},
		{"refused by affinity, v4.20", "v4.20", notIdle, true, false, false, false, 3, longest},
		{"refused by affinity, newly idle", "v6.12", newlyIdle, true, false, false, false, 3, now},
		{"refused by affinity, newly idle, v4.20", "v4.20", newlyIdle, true, false, false, false, 3, longest},
		{"nothing runs there", "v6.12", notIdle, false, true, false, false, 3, longest},
		{"the stopper is busy", "v6.12", notIdle, false, false, true, true, 3, shortest},
		{"the stopper is busy, v4.20", "v4.20", notIdle, false, false, true, true, 1, shortest},
	} {
		b := newBench(t, "synthetic:sockets=1,cores=2,threads=1", tc.spec)
		b.occupy(0, 0)
		if tc.pinned {
			b.K.SetMask(b.current(0), cpumask.Of(0))
		}
		if tc.idle {
			b.K.PutPrev(&b.K.RQ[0], b.now)
		}
		asked := false
		b.PushRunning = func(from, to int32) bool {
			asked = from == 0 && to == 1
			return !tc.busy
		}
		sd := *b.domains(1)[0]
		sd.MinInterval, sd.MaxInterval = shortest, longest
		st := &b.K.RQ[1].SD[0]
		st.BalanceInterval, st.NrBalanceFailed = now, int32(sd.CacheNiceTries)+2
		if tc.why == newlyIdle {
			st.NrBalanceFailed++ // such a pass is not counted
		}
		b.endPass(&balanceEnv{
			sd: &sd, st: st, cpu: 1, dst: 1, idle: tc.why, now: b.now, kind: migrateTask, src: &b.K.RQ[0],
		}, 0)
		failed := int(st.NrBalanceFailed) - sd.CacheNiceTries
		if asked != tc.asked || failed != tc.wantFailed || st.BalanceInterval != tc.wantInterval {
			t.Errorf("%s: asked %v, failed %+d, interval %d; want %v, %+d, %d",
				tc.what, asked, failed, st.BalanceInterval, tc.asked, tc.wantFailed, tc.wantInterval)
		}
	}
}
