package policy

import "testing"

// TestPullsUntilSomethingRuns: a newly idle CPU whose catch was asleep all along
// (delayed, and dequeued when picked) searches again instead of idling.
func TestPullsUntilSomethingRuns(t *testing.T) {
	for _, spec := range []string{"v6.12", "v6.12.117,NI_RANDOM=off"} {
		b := newBench(t, "synthetic:sockets=1,cores=3,threads=1", spec)
		b.occupy(0, 0, 0)
		waits := b.occupy(2, 2)[1].ID
		for range 2 {
			b.now += 3 * ms
			b.Schedule(0, Blocks, b.now)
		}
		if rq := &b.K.RQ[0]; rq.HNrQueued != 3 || rq.HNrDelayed != 2 {
			t.Fatalf("%s: CPU 0 has %d tasks, %d delayed; want 3, 2", spec, rq.HNrQueued, rq.HNrDelayed)
		}
		b.now += 3 * ms
		if got := b.Schedule(1, Preempted, b.now); got != waits {
			t.Errorf("%s: CPU 1 runs task %d, want %d; %d delayed tasks left on CPU 0", spec, got, waits, b.K.RQ[0].HNrDelayed)
		}
		if err := b.K.Verify(); err != nil {
			t.Errorf("%s: %v", spec, err)
		}
	}
}
