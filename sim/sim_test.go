package sim

import (
	"context"
	"errors"
	"testing"

	"schedlab/machine"
	"schedlab/policy"
)

type phases struct {
	tasks      int
	run, sleep int64
}

func (p phases) Name() string { return "phases" }
func (p phases) Unit() string { return "cycles" }
func (p phases) Setup(b *Builder) error {
	for range p.tasks {
		b.Task(TaskSpec{Name: "phase", Program: &phase{p: p}, Start: b.Rand().Below(p.run + p.sleep)})
	}
	return nil
}

type phase struct {
	p phases
	n int
}

func (p *phase) Next(c *Ctx) Op {
	p.n++
	if p.n%2 == 1 {
		return Op{Kind: OpRunTime, Dur: p.p.run}
	}
	c.Work(1)
	return Op{Kind: OpSleep, Dur: p.p.sleep}
}

func load(tb testing.TB, name, spec string) (*machine.Machine, *policy.Policy) {
	tb.Helper()
	m, err := machine.Load(name)
	if err != nil {
		tb.Fatal(err)
	}
	p, err := policy.Parse(spec)
	if err != nil {
		tb.Fatal(err)
	}
	return m, p
}

func TestPhases(t *testing.T) {
	for _, spec := range []string{"v4.20", "v6.12", "v6.12.117"} {
		m, p := load(t, "uma-16", spec)
		res, err := Run(context.Background(), Config{Machine: m, Policy: p, Workload: phases{64, 400_000, 1_600_000}, Seed: 1, For: 2e9})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := res.Busy+res.Idle, res.CPUs*res.Now; got != want {
			t.Errorf("%s: busy + idle = %d, want %d", spec, got, want)
		}
		t.Logf("%s: %+v p50 %d p99 %d", spec, res.Stats, res.Latency.ValueAtQuantile(50), res.Latency.ValueAtQuantile(99))
	}
}

// TestInterruptedAtOnce: a run does not begin when its context has ended, however
// short it is.
func TestInterruptedAtOnce(t *testing.T) {
	m, p := load(t, "uma-16", "v6.12")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Run(ctx, Config{Machine: m, Policy: p, Workload: phases{1, 400_000, 1_600_000}, Seed: 1, For: 1e6})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func BenchmarkPhases(b *testing.B) {
	for _, bm := range []struct{ name, machine, policy string }{
		{"v4.20/16", "uma-16", "v4.20"},
		{"v6.12/16", "uma-16", "v6.12"},
		{"v6.12/64", "uma-64", "v6.12"},
		{"v6.12/1x64x1", "synthetic:sockets=1,cores=64,threads=1", "v6.12"},
		{"v6.12/2x16x2", "synthetic:sockets=2,cores=16,threads=2", "v6.12"},
		{"v6.12/4x16x1", "synthetic:sockets=4,cores=16,threads=1", "v6.12"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			m, p := load(b, bm.machine, bm.policy)
			var work int64
			for b.Loop() {
				w := phases{4 * len(m.CPUs), 400_000, 1_600_000}
				res, err := Run(context.Background(), Config{Machine: m, Policy: p, Workload: w, Seed: 1, For: 2e9})
				if err != nil {
					b.Fatal(err)
				}
				work += res.Work
			}
			b.ReportMetric(float64(work)/b.Elapsed().Seconds(), "cycles/s")
		})
	}
}
