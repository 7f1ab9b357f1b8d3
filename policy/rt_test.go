package policy

import (
	"testing"

	"schedlab/cpumask"
	"schedlab/kernel"
)

// rt adds a SCHED_FIFO task of a priority that last ran on a CPU, asleep.
func (b *bench) rt(prio int8, cpu int32, mask cpumask.Mask) kernel.TaskID {
	id := b.K.NewTask(kernel.RT, 0, prio, mask, cpu)
	b.K.Task(id).State = kernel.TaskSleeping
	return id
}

// wake wakes a task from CPU 0 and lets every CPU that is to reschedule do so.
func (b *bench) wake(id kernel.TaskID) {
	b.TryToWakeUp(b.K.Task(id), 0, kernel.WakeTTWU, b.now)
	b.settle()
}

func (b *bench) settle() {
	for again := true; again; {
		again = false
		for c := range b.K.RQ {
			b.EnqueuePending(int32(c), b.now)
			if b.K.RQ[c].NeedResched {
				b.Schedule(int32(c), Preempted, b.now)
				again = true
			}
		}
	}
}

func (b *bench) wantOn(what string, want map[int32]kernel.TaskID) {
	b.t.Helper()
	for c, id := range want {
		if got := b.K.RQ[c].Curr; got != id {
			b.t.Errorf("%s: CPU %d runs task %d, want %d", what, c, got, id)
		}
	}
	if err := b.K.Verify(); err != nil {
		b.t.Errorf("%s: %v", what, err)
	}
}

// TestRTGoesWhereItRuns: RT tasks run on the CPUs with the lowest priorities,
// whatever they waited behind, and come back when one is free.
func TestRTGoesWhereItRuns(t *testing.T) {
	b := newBench(t, "synthetic:sockets=1,cores=3,threads=1", "v6.12")
	fair := b.occupy(0, 1, 2)[0].ID
	low := b.rt(10, 1, nil)
	b.wake(low)
	b.wantOn("a fair task gives way at home", map[int32]kernel.TaskID{1: low})
	same := b.rt(10, 1, nil)
	b.wake(same)
	b.wantOn("an equal goes to the waker's CPU", map[int32]kernel.TaskID{1: low, 0: same})
	high := b.rt(50, 1, nil)
	b.wake(high)
	b.wantOn("a higher one takes its CPU, and what it preempts is pushed", map[int32]kernel.TaskID{0: same, 1: high, 2: low})
	last := b.rt(10, 1, nil)
	b.wake(last)
	b.wantOn("there is no room", map[int32]kernel.TaskID{0: same, 1: high, 2: low})
	b.Schedule(2, Blocks, b.now)
	b.settle()
	b.wantOn("a free CPU pulls", map[int32]kernel.TaskID{0: same, 1: high, 2: last})
	b.Schedule(0, Exits, b.now)
	b.settle()
	b.wantOn("no RT task is left to pull", map[int32]kernel.TaskID{0: fair})
}

// TestRTStaysInItsMask: neither placement nor push or pull leaves the mask.
func TestRTStaysInItsMask(t *testing.T) {
	b := newBench(t, "synthetic:sockets=1,cores=3,threads=1", "v6.12")
	high, pinned, two := b.rt(50, 1, nil), b.rt(10, 1, cpumask.Of(1)), b.rt(10, 1, cpumask.Of(1, 2))
	b.wake(high)
	b.wake(pinned)
	b.wake(two)
	b.wantOn("a pinned one waits, the other goes where it may", map[int32]kernel.TaskID{0: kernel.None, 1: high, 2: two})
	b.Schedule(1, Blocks, b.now)
	b.settle()
	b.wantOn("it runs at last", map[int32]kernel.TaskID{1: pinned, 2: two})
}

// TestRoundRobin: SCHED_RR tasks take turns of 100 ms with their equals, FIFO
// tasks do not, and a yield gives way to equals only.
func TestRoundRobin(t *testing.T) {
	for _, rr := range []bool{true, false} {
		b := newBench(t, "synthetic:sockets=1,cores=1,threads=1", "v6.12,hz=1000")
		x, y, low := b.rt(10, 0, nil), b.rt(10, 0, nil), b.rt(5, 0, nil)
		for _, id := range []kernel.TaskID{x, y, low} {
			b.K.Task(id).RR = rr
			b.wake(id)
		}
		var turns []kernel.TaskID
		for range 400 {
			b.run(ms)
			turns = append(turns, b.K.RQ[0].Curr)
		}
		for i, got := range turns {
			want := x
			if rr && (i+1)/100%2 == 1 {
				want = y
			}
			if got != want {
				t.Fatalf("RR %v: task %d runs after %d ms, want %d", rr, got, i+1, want)
			}
		}
		b.K.Yield(&b.K.RQ[0], b.now)
		b.settle()
		b.wantOn("a yield gives way to the equal", map[int32]kernel.TaskID{0: y})
		b.K.Yield(&b.K.RQ[0], b.now)
		b.settle()
		b.wantOn("and back", map[int32]kernel.TaskID{0: x})
		b.Schedule(0, Blocks, b.now)
		b.K.Yield(&b.K.RQ[0], b.now)
		b.settle()
		b.wantOn("a lower one does not profit", map[int32]kernel.TaskID{0: y})
	}
}

// TestBatch: a SCHED_BATCH task preempts none when it wakes.
func TestBatch(t *testing.T) {
	for _, v := range Versions() {
		for _, batch := range []bool{false, true} {
			b := newBench(t, "synthetic:sockets=1,cores=1,threads=1", v.Name+",hz=1000")
			id := b.task(0).ID
			b.K.Task(id).Batch = batch
			b.occupy(0)
			b.now += 900 * ms // the sleeper is far behind by then
			b.K.Tick(&b.K.RQ[0], b.now)
			b.K.RQ[0].NeedResched = false
			b.TryToWakeUp(b.K.Task(id), 0, kernel.WakeTTWU, b.now)
			if got := b.K.RQ[0].NeedResched; got == batch {
				t.Errorf("%s: batch %v, preempts %v", v.Name, batch, got)
			}
		}
	}
}
