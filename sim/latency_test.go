package sim

import (
	"context"
	"testing"
)

// replayed is a workload whose run times contain all costs, so none is charged.
type replayed struct{ wakeups int64 }

func (w replayed) Name() string   { return "replayed" }
func (w replayed) Unit() string   { return "wake-ups" }
func (w replayed) Recorded() bool { return true }

func (w replayed) Setup(b *Builder) error {
	event := b.Event()
	b.Task(TaskSpec{Name: "woken", Program: &repeat{Op{Kind: OpWait, Obj: event, N: 1}, w.wakeups}})
	b.Interrupts(&everyMs{event: event, left: w.wakeups})
	return nil
}

// repeat performs one operation a number of times.
type repeat struct {
	op   Op
	left int64
}

func (p *repeat) Next(*Ctx) Op {
	if p.left--; p.left < 0 {
		return Op{}
	}
	return p.op
}

// everyMs wakes an event's waiter from outside every ms.
type everyMs struct {
	event   int32
	at      int64
	cpu     int32
	left, n int64
}

func (s *everyMs) Next() (Interrupt, bool) {
	if s.n++; s.n > s.left {
		return Interrupt{}, false
	}
	s.at += 1_000_000
	return Interrupt{At: s.at, CPU: s.cpu, Event: s.event, N: 1}, true
}

// TestLatencyOfNothing: a wake-up after which the task runs at once took 0 ns.
func TestLatencyOfNothing(t *testing.T) {
	m, p := load(t, "uma-16", "v6.12")
	res, err := Run(context.Background(), Config{Machine: m, Policy: p, Workload: replayed{5}, Seed: 1, For: 1e9})
	if err != nil {
		t.Fatal(err)
	}
	h := res.Latency
	if h.TotalCount() != 5 || h.Max() != 0 || h.Min() != 0 || h.ValueAtQuantile(50) != 0 || h.ValueAtQuantile(99) != 0 {
		t.Errorf("%d latencies, %d to %d ns, median %d ns; want 5 of 0 ns", h.TotalCount(), h.Min(), h.Max(), h.ValueAtQuantile(50))
	}
}
