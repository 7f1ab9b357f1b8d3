package lab

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"schedlab/cpumask"
	"schedlab/machine"
	"schedlab/policy"
	"schedlab/sim"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// testMachine is one package of n single-threaded cores.
func testMachine(n int) *machine.Machine {
	m := &machine.Machine{Name: "test", Online: cpumask.New(n)}
	for id := range n {
		m.CPUs = append(m.CPUs, machine.CPU{ID: id, Possible: true, Online: true, Core: id, Cluster: id, Capacity: 1024})
		m.Online.Set(id)
	}
	m.Nodes = []machine.Node{{Exists: true, CPUs: m.Online, Distance: []int{10}}}
	return m
}

type testWorkload struct{}

func (testWorkload) Name() string             { return "test" }
func (testWorkload) Unit() string             { return "cycles" }
func (testWorkload) Setup(*sim.Builder) error { return nil }

func policies(t *testing.T, specs ...string) []*policy.Policy {
	t.Helper()
	var out []*policy.Policy
	for _, s := range specs {
		p, err := policy.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// byPolicyAndSeed is a runner whose result says what it was asked to run.
func byPolicyAndSeed(_ context.Context, cfg sim.Config) (*sim.Result, error) {
	r := &sim.Result{Digest: cfg.Seed}
	r.Now, r.End = 1e9, 1e9
	r.Done = cfg.Seed%2 == 0
	r.Switches = int64(1000*len(cfg.Policy.String())) + int64(cfg.Seed)
	return r, nil
}

func testSpec(t *testing.T, run Runner) Spec {
	t.Helper()
	return Spec{
		Setup:    Setup{Machine: testMachine(4), Workload: testWorkload{}, Runner: run},
		Policies: policies(t, "v6.12", "v6.12,sis=full"),
		Runs:     7,
		Seed:     5,
	}
}

func metric(t *testing.T, p PolicyResult, name string) Summary {
	t.Helper()
	for _, m := range p.Metrics {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("policy %s has no metric %s", p.Policy, name)
	return Summary{}
}

// Every policy gets the same seeds, results stand in the order of policies and
// seeds, and the number of workers changes nothing.
func TestCompareIsTheSameAtAnyWidth(t *testing.T) {
	var first *Comparison
	for _, workers := range []int{1, 2, 8, 100} {
		s := testSpec(t, byPolicyAndSeed)
		s.Workers = workers
		c, err := Compare(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = c
		}
		if d := cmp.Diff(first, c, cmpopts.EquateNaNs()); d != "" {
			t.Errorf("%d workers: %s", workers, d)
		}
	}
	if first.Partial || first.Done() != 14 || first.Total() != 14 {
		t.Errorf("%d of %d done, partial %v", first.Done(), first.Total(), first.Partial)
	}
	if first.Cut() != 8 { // the odd seeds: 5, 7, 9, 11
		t.Errorf("%d replicas cut, want 8", first.Cut())
	}
	for i, name := range []string{"v6.12", "v6.12,sis=full"} {
		p := first.Policies[i]
		if p.Policy != name {
			t.Errorf("policy %d is %s, want %s", i, p.Policy, name)
		}
		if d := cmp.Diff([]uint64{5, 6, 7, 8, 9, 10, 11}, p.Seeds); d != "" {
			t.Errorf("%s: seeds %s", name, d)
		}
		from := float64(1000 * len(name))
		want := []float64{from + 5, from + 6, from + 7, from + 8, from + 9, from + 10, from + 11}
		if d := cmp.Diff(want, metric(t, p, "switches").Values); d != "" {
			t.Errorf("%s: switches %s", name, d)
		}
	}
	if m := metric(t, first.Policies[0], "switches"); !math.IsNaN(m.P) || !math.IsNaN(m.Change()) {
		t.Errorf("the base is compared with itself: %+v", m)
	}
	if m := metric(t, first.Policies[1], "switches"); m.Base != 5008 || !m.Significant() {
		t.Errorf("base %v, p %v; want 5008 and significant", m.Base, m.P)
	}
}

func TestCompareUsesItsWorkers(t *testing.T) {
	const width = 3
	var now, most atomic.Int32
	var all sync.WaitGroup
	all.Add(width)
	s := testSpec(t, func(ctx context.Context, cfg sim.Config) (*sim.Result, error) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		if cfg.Seed == 5 || cfg.Seed == 6 && cfg.Policy.String() == "v6.12" { // jobs 0, 1 and 2
			all.Done()
			all.Wait() // the first three meet, or the test hangs
		}
		return byPolicyAndSeed(ctx, cfg)
	})
	s.Workers = width
	if _, err := Compare(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	if most.Load() != width {
		t.Errorf("%d replicas at a time, want %d", most.Load(), width)
	}
}

// The error is that of the lowest job, and names policy and seed.
func TestCompareErrorNamesPolicyAndSeed(t *testing.T) {
	cause := errors.New("task 3 ran backwards")
	for _, workers := range []int{1, 4} {
		s := testSpec(t, func(ctx context.Context, cfg sim.Config) (*sim.Result, error) {
			if cfg.Seed >= 7 {
				return nil, cause
			}
			return byPolicyAndSeed(ctx, cfg)
		})
		s.Workers = workers
		_, err := Compare(context.Background(), s)
		if !errors.Is(err, cause) || err.Error() != "policy v6.12, seed 7: task 3 ran backwards" {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
}

// An interrupted comparison holds the complete replicas, of about equal seeds.
func TestCompareInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := testSpec(t, func(ctx context.Context, cfg sim.Config) (*sim.Result, error) {
		if cfg.Seed == 7 && cfg.Policy.String() != "v6.12" { // job 5
			cancel()
			return nil, fmt.Errorf("stopped at 3 ms: %w", ctx.Err())
		}
		return byPolicyAndSeed(ctx, cfg)
	})
	s.Workers = 1
	c, err := Compare(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Partial || c.Done() != 5 || c.Total() != 14 {
		t.Errorf("partial %v, %d of %d done", c.Partial, c.Done(), c.Total())
	}
	if d := cmp.Diff([]uint64{5, 6, 7}, c.Policies[0].Seeds); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]uint64{5, 6}, c.Policies[1].Seeds); d != "" {
		t.Error(d)
	}
	if n := len(metric(t, c.Policies[1], "switches").Values); n != 2 {
		t.Errorf("%d values of the interrupted policy, want 2", n)
	}
}

func TestCompareInterruptedBeforeAnything(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c, err := Compare(ctx, testSpec(t, byPolicyAndSeed))
	if err != nil {
		t.Fatal(err)
	}
	if !c.Partial || c.Done() != 0 || len(c.Policies) != 2 || c.Policies[0].Metrics != nil {
		t.Errorf("%+v", c)
	}
}

func TestCompareProgress(t *testing.T) {
	var seen []int
	s := testSpec(t, byPolicyAndSeed)
	s.Workers = 4
	s.Progress = func(done, total int) {
		if total != 14 {
			t.Errorf("total %d, want 14", total)
		}
		seen = append(seen, done)
	}
	if _, err := Compare(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	for i, done := range seen {
		if done != i+1 {
			t.Fatalf("progress went %v", seen)
		}
	}
	if len(seen) != 14 {
		t.Errorf("%d calls, want 14", len(seen))
	}
}

func TestCompareRefuses(t *testing.T) {
	tests := []struct {
		change func(*Spec)
		want   string
	}{
		{func(s *Spec) { s.Policies = nil }, "no policies"},
		{func(s *Spec) { s.Runs = -1 }, "-1 runs"},
		{func(s *Spec) { s.Runs = MaxRuns + 1 }, "100001 runs"},
		{func(s *Spec) { s.Seed = math.MaxUint64 }, "pass the highest seed"},
		{func(s *Spec) { s.Machine = nil }, "no machine"},
		{func(s *Spec) { s.Workload = nil }, "no workload"},
		{func(s *Spec) { s.For = -1 }, "-1ns"},
	}
	for _, tt := range tests {
		s := testSpec(t, byPolicyAndSeed)
		tt.change(&s)
		if _, err := Compare(context.Background(), s); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want an error about %q", err, tt.want)
		}
	}
}

// What the machine's own kernel was set to reaches the run; the policy keeps
// the name that the user gave it, and the keys that the user typed.
func TestRecordingOverridesPreset(t *testing.T) {
	var hz []int64
	s := Setup{Machine: testMachine(4), Workload: testWorkload{}, Runner: func(ctx context.Context, cfg sim.Config) (*sim.Result, error) {
		hz = append(hz, cfg.Policy.HZ())
		return byPolicyAndSeed(ctx, cfg)
	}}
	s.Machine.Kernel = &machine.KernelConfig{HZ: 1000}
	for _, p := range policies(t, "v6.12", "v6.12,hz=100") {
		out, err := Run(context.Background(), s, p, 3)
		if err != nil {
			t.Fatal(err)
		}
		if out.Policy != p.String() || out.Seed != 3 || out.Digest != 3 || !out.Cut || out.Machine != "test" || out.Workload != "test" {
			t.Errorf("%+v", out)
		}
	}
	if d := cmp.Diff([]int64{1000, 100}, hz); d != "" {
		t.Errorf("HZ that the runs had: %s", d)
	}
}

// spanned is a workload of a length of its own, as a recording is.
type spanned struct{ testWorkload }

func (spanned) Span() int64 { return 30e9 }

func parseWorkload(t *testing.T, spec string) sim.Workload {
	t.Helper()
	w, err := ParseWorkload(spec)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestRunLimit(t *testing.T) {
	tests := []struct {
		w    sim.Workload
		ask  time.Duration
		want int64
	}{
		{testWorkload{}, 0, 10e9},
		{testWorkload{}, time.Second, 1e9},
		{spanned{}, 0, 70e9},
		{spanned{}, time.Second, 1e9},
		{parseWorkload(t, "pipe"), 0, 10e9},
		{parseWorkload(t, "tbench:warmup=1s,time=29s"), 0, 70e9},
		{parseWorkload(t, "mix:oltp:warmup=1s,time=29s+schbench:time=1h"), 0, 70e9},
		{parseWorkload(t, "mix:hogs+schbench:time=1h"), 0, 10e9},
	}
	p := policies(t, "v4.20")[0]
	for _, tt := range tests {
		var got int64
		s := Setup{Machine: testMachine(1), Workload: tt.w, For: tt.ask, Runner: func(ctx context.Context, cfg sim.Config) (*sim.Result, error) {
			got = cfg.For
			return nil, errors.New("no")
		}}
		if _, err := Run(context.Background(), s, p, 9); err == nil || err.Error() != "policy v4.20, seed 9: no" {
			t.Errorf("error %v", err)
		}
		if got != tt.want {
			t.Errorf("%T for %v: the limit is %d ns, want %d", tt.w, tt.ask, got, tt.want)
		}
	}
}

// TestCompareCountsStuckRuns: a stuck replica is not counted as cut, and the first
// one is told.
func TestCompareCountsStuckRuns(t *testing.T) {
	s := testSpec(t, func(ctx context.Context, cfg sim.Config) (*sim.Result, error) {
		r, err := byPolicyAndSeed(ctx, cfg)
		if cfg.Policy.String() != "v6.12" && cfg.Seed >= 8 && !r.Done {
			r.Stuck = fmt.Sprintf("at %d ns", cfg.Seed)
		}
		return r, err
	})
	c, err := Compare(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if n, how := c.Stuck(); n != 2 || how != "v6.12,sis=full, seed 9: at 9 ns" {
		t.Errorf("%d stuck, the first: %s", n, how)
	}
	if c.Cut() != 6 || c.Policies[0].Stuck != 0 || c.Policies[1].Cut != 2 {
		t.Errorf("%d cut; by policy %d and %d", c.Cut(), c.Policies[0].Cut, c.Policies[1].Cut)
	}
	s.Runner = func(_ context.Context, cfg sim.Config) (*sim.Result, error) {
		return &sim.Result{Stuck: "at once"}, nil
	}
	o, err := Run(context.Background(), s.Setup, s.Policies[0], 1)
	if err != nil || o.Stuck != "at once" || o.Cut {
		t.Errorf("%+v, %v", o, err)
	}
}
