package rtapp

import (
	"testing"

	"pgregory.net/rapid"

	"schedlab/sim"
)

// bench steps threads through their events in any order, without a simulator: a
// thread that waits for its event goes on when somebody signalled it.
type bench struct {
	t       *rapid.T
	threads []*thread
	events  [][]event // by thread
	at      []int
	endless []bool // by thread: begins again
	waits   []bool // by thread: for its event
	counts  []int  // by thread: of its event
	holders []int  // by mutex
}

func newBench(t *rapid.T, threads int) *bench {
	r := &run{mutexes: make([]mutex, 2), conds: make([]queue, 2), sems: make([]semaphore, 1), barriers: make([]barrier, 1)}
	b := &bench{
		t: t, events: make([][]event, threads), at: make([]int, threads), endless: make([]bool, threads),
		waits: make([]bool, threads), counts: make([]int, threads), holders: make([]int, 2),
	}
	for i := range threads {
		b.threads = append(b.threads, &thread{r: r, event: int32(i)})
	}
	return b
}

// runnable are the threads that can go on.
func (b *bench) runnable() []int {
	var out []int
	for i := range b.threads {
		if b.at[i] < len(b.events[i]) && (!b.waits[i] || b.counts[i] > 0) {
			out = append(out, i)
		}
	}
	return out
}

// done reports whether every thread that ends has.
func (b *bench) done() bool {
	for i := range b.threads {
		if !b.endless[i] && b.at[i] < len(b.events[i]) {
			return false
		}
	}
	return true
}

// step takes a thread to its next operation, or over its event.
func (b *bench) step(i int) {
	p := b.threads[i]
	if b.waits[i] {
		b.waits[i] = false
		b.counts[i]--
	}
	e := &b.events[i][b.at[i]]
	if p.step == 0 && p.inner == 0 {
		b.leaves(e)
	}
	op, more := p.synchronize(e)
	switch {
	case !more:
		b.enters(e)
		p.step, p.inner = 0, 0
		if b.at[i]++; b.at[i] == len(b.events[i]) && b.endless[i] {
			b.at[i] = 0
		}
	case op.Kind == sim.OpWait:
		b.waits[i] = true
	case op.Kind == sim.OpSignal:
		b.counts[op.Obj]++
		if b.counts[op.Obj] > 1 {
			b.t.Fatalf("thread %d was woken twice", op.Obj)
		}
	}
}

// leaves and enters follow who holds the mutexes.
func (b *bench) leaves(e *event) {
	switch e.kind {
	case eventUnlock:
		b.holders[e.obj]--
	case eventWait:
		b.holders[e.mutex]--
	}
}

func (b *bench) enters(e *event) {
	m := e.obj
	switch e.kind {
	case eventWait:
		m = e.mutex
	case eventLock:
	default:
		return
	}
	if b.holders[m]++; b.holders[m] > 1 {
		b.t.Fatalf("mutex %d has %d holders", m, b.holders[m])
	}
}

// run steps threads at random until all are done.
func (b *bench) run(what string) {
	for n := 0; !b.done(); n++ {
		can := b.runnable()
		if len(can) == 0 {
			b.t.Fatalf("%s: every thread sleeps: at %v of %v", what, b.at, b.events)
		}
		if n > 200_000 {
			b.t.Fatalf("%s: no end", what)
		}
		b.step(rapid.SampledFrom(can).Draw(b.t, "next"))
	}
	for i, waits := range b.waits {
		if waits && !b.endless[i] {
			b.t.Fatalf("%s: thread %d is done and waits", what, i)
		}
	}
}

func under(m int32, inner ...event) []event {
	all := append([]event{{kind: eventLock, obj: m}}, inner...)
	return append(all, event{kind: eventUnlock, obj: m})
}

// TestMutexProperties: in any order of steps one thread holds a mutex at a time,
// and all of them get it.
func TestMutexProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "threads")
		b := newBench(t, n)
		for i := range n {
			for range rapid.IntRange(1, 4).Draw(t, "rounds") {
				switch rapid.IntRange(0, 2).Draw(t, "kind") {
				case 0:
					b.events[i] = append(b.events[i], under(0)...)
				case 1:
					b.events[i] = append(b.events[i], under(1)...)
				default:
					b.events[i] = append(b.events[i], under(0, under(1)...)...)
				}
			}
		}
		b.run("mutexes")
	})
}

// TestConditionProperties: waiters all return while somebody signals or
// broadcasts again and again, each with the mutex.
func TestConditionProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "waiters")
		b := newBench(t, n+2)
		for i := range n {
			for range rapid.IntRange(1, 3).Draw(t, "rounds") {
				b.events[i] = append(b.events[i], under(0, event{kind: eventWait, obj: 0, mutex: 0})...)
			}
		}
		for i := n; i < n+2; i++ {
			k := rapid.SampledFrom([]eventKind{eventSignal, eventBroad}).Draw(t, "kind")
			b.events[i] = []event{{kind: k, obj: 0}}
			if rapid.Bool().Draw(t, "locked") {
				b.events[i] = under(0, b.events[i]...)
			}
			b.endless[i] = true
		}
		b.run("condition")
	})
}

// TestSemaphoreProperties: as many downs return as there are posts.
func TestSemaphoreProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		posts := rapid.IntRange(1, 6).Draw(t, "posts")
		downs := rapid.IntRange(1, 3).Draw(t, "threads")
		b := newBench(t, downs+2)
		for i := range posts {
			b.events[downs+i%2] = append(b.events[downs+i%2], event{kind: eventPost})
		}
		for i := range posts {
			b.events[i%downs] = append(b.events[i%downs], event{kind: eventSemWait})
		}
		b.run("semaphore")
		if c := b.threads[0].r.sems[0].count; c != 0 {
			t.Fatalf("%d are left", c)
		}
	})
}

// TestBarrierProperties: nobody passes a barrier before all have come.
func TestBarrierProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "threads")
		b := newBench(t, n)
		b.threads[0].r.barriers[0].missing = int32(n - 1)
		for i := range n {
			b.events[i] = append(under(1), event{kind: eventBarrier})
		}
		for !b.done() {
			can := b.runnable()
			if len(can) == 0 {
				t.Fatalf("every thread sleeps: at %v", b.at)
			}
			b.step(rapid.SampledFrom(can).Draw(t, "next"))
			passed, came := false, 0
			for i := range n {
				passed = passed || b.at[i] == 3
				if b.at[i] >= 2 {
					came++
				}
			}
			if passed && came < n {
				t.Fatalf("passed when %d of %d had come", came, n)
			}
		}
		if got := b.threads[0].r.barriers[0].missing; got != int32(n-1) {
			t.Fatalf("%d are missing afterwards, want %d", got, n-1)
		}
	})
}
