package lab

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"schedlab/machine"
	"schedlab/sim"

	"github.com/google/go-cmp/cmp"
)

// The ranges are those that mmtests' generate-stride-range gives, followed by hand.
func TestMmtestsRange(t *testing.T) {
	for _, tt := range []struct {
		machine string
		most    int // in CPUs
		want    []int
	}{
		{"e5-2630v4-1s", 2, []int{1, 2, 6, 11, 15, 20, 26, 33, 39, 40}},
		{"e5-2630v4-1s", 1, []int{1, 2, 6, 11, 15, 20}},
		{"kvm-4", 2, []int{1, 2, 3, 4, 5, 6, 7, 8}},
		{"x6-2", 2, []int{1, 2, 12, 23, 33, 44, 66, 88, 117, 146, 175, 176}},
		{"synthetic:sockets=1,cores=1,threads=1", 2, []int{1, 2}},
		{"synthetic:sockets=1,cores=1,threads=1", 1, []int{1}},
	} {
		m := loadMachine(t, tt.machine)
		if d := cmp.Diff(tt.want, mmtestsRange(m, tt.most*m.Online.Weight())); d != "" {
			t.Errorf("%s, up to %d times its CPUs: %s", tt.machine, tt.most, d)
		}
	}
}

// TestMmtestsLargeStride likewise, for the range of --stride-large.
func TestMmtestsLargeStride(t *testing.T) {
	for most, want := range map[int][]int{
		1: {1}, 2: {1, 2}, 8: {1, 3, 5, 7, 8}, 16: {1, 3, 5, 7, 12, 16}, 40: {1, 4, 7, 12, 21, 30, 40},
		160: {1, 4, 7, 12, 21, 30, 48, 79, 110, 141, 160},
	} {
		if d := cmp.Diff(want, mmtestsLargeStride(most)); d != "" {
			t.Errorf("up to %d: %s", most, d)
		}
	}
}

// TestMmtestsBenchmarks: every benchmark of mmtests' scheduler configurations has
// points, with the bindings that the machine has and easywave's lower end.
func TestMmtestsBenchmarks(t *testing.T) {
	for machineName, want := range map[string]string{
		"x6-2":  "hackbench-process-pipes 12 hackbench-process-sockets 12 hackbench-thread-pipes 12 hackbench-thread-sockets 12 perfpipe 3 schbench 8 schbench-ttwustress 1 saladfork 1 easywave 10 sysbench-cpu 12 sysbench-mutex 12 tbench 12",
		"kvm-4": "hackbench-process-pipes 8 hackbench-process-sockets 8 hackbench-thread-pipes 8 hackbench-thread-sockets 8 perfpipe 2 schbench 4 saladfork 1 easywave 7 sysbench-cpu 5 sysbench-mutex 5 tbench 8",
	} {
		var names []string
		count := map[string]int{}
		for _, p := range mmtestsPoints(loadMachine(t, machineName)) {
			if count[p.Benchmark] == 0 {
				names = append(names, p.Benchmark)
			}
			count[p.Benchmark]++
		}
		var got []string
		for _, n := range names {
			got = append(got, fmt.Sprintf("%s %d", n, count[n]))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s:\ngot  %s\nwant %s", machineName, s, want)
		}
	}
}

func loadMachine(t *testing.T, name string) *machine.Machine {
	t.Helper()
	m, err := machine.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Every preset has points, each of them is a workload whose metrics exist, and
// none of them is named twice.
func TestSuitePoints(t *testing.T) {
	known := map[string]bool{"time": true, "throughput": true, "worker-wakeup-p99": true, "request-p99": true, "transfer": true,
		"fork-local-p50": true, "fork-remote-p50": true, "local": true, "request-p90": true}
	for _, preset := range machine.List() {
		m := loadMachine(t, preset.Name)
		seen := map[string]bool{}
		for _, s := range Suites() {
			for _, p := range s.Points(m) {
				if _, err := ParseWorkload(p.Workload); err != nil {
					t.Errorf("%s on %s: %v", s.Name, m.Name, err)
				}
				if key := p.Benchmark + " " + p.Parameter; seen[key] || p.Benchmark == "" {
					t.Errorf("%s on %s: point %q twice", s.Name, m.Name, key)
				} else {
					seen[key] = true
				}
				for _, name := range p.Metrics {
					if !known[name] {
						t.Errorf("%s: unknown metric %s", s.Name, name)
					}
				}
			}
			if len(seen) == 0 || len(s.Scaled(m)) == 0 {
				t.Errorf("%s on %s has no points, or does not say what it scales", s.Name, m.Name)
			}
		}
	}
}

func TestFindSuite(t *testing.T) {
	if s, err := FindSuite("mmtests-scheduler"); err != nil || s.Name != "mmtests-scheduler" {
		t.Errorf("%v, %v", s, err)
	}
	if _, err := FindSuite("mmtests-schedular"); err == nil || !strings.Contains(err.Error(), "did you mean mmtests-scheduler?") {
		t.Errorf("%v", err)
	}
}

// suiteOf is a suite of n points.
func suiteOf(n int) *Suite {
	return &Suite{
		Name: "test",
		points: func(*machine.Machine) (out []Point) {
			for i := range n {
				out = append(out, Point{"pipe", fmt.Sprintf("loops=%d", i+1), fmt.Sprintf("pipe:loops=%d", i+1), []string{"time"}})
			}
			return out
		},
		scaled: func(*machine.Machine) []string { return nil },
	}
}

// Points come in order, each with every policy and seed, and progress counts
// the replicas of all.
func TestCompareSuite(t *testing.T) {
	s := testSpec(t, byPolicyAndSeed)
	var seen []int
	s.Progress = func(done, total int) {
		if total != 3*14 {
			t.Errorf("%d replicas in all, want 42", total)
		}
		seen = append(seen, done)
	}
	c, err := CompareSuite(context.Background(), suiteOf(3), s)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Points) != 3 || c.Partial || c.Done() != 42 || c.Total != 3 || c.Cut() != 24 {
		t.Errorf("%d points of %d, partial %v, %d replicas, %d cut", len(c.Points), c.Total, c.Partial, c.Done(), c.Cut())
	}
	for i, p := range c.Points {
		if want := fmt.Sprintf("pipe:loops=%d", i+1); p.Comparison.Workload != want || len(p.Policies) != 2 {
			t.Errorf("point %d is of %s, want %s", i, p.Comparison.Workload, want)
		}
	}
	for i, done := range seen {
		if done != i+1 {
			t.Fatalf("progress went %v", seen)
		}
	}
}

// TestSuiteStuck: stuck replicas of all points are counted, and the first is named.
func TestSuiteStuck(t *testing.T) {
	s := testSpec(t, func(_ context.Context, cfg sim.Config) (*sim.Result, error) {
		r := &sim.Result{}
		r.End = 1
		if cfg.Workload.Name() != "pipe:loops=1" && cfg.Seed == 6 {
			r.Stuck = "nothing can happen after 5 ns"
		}
		return r, nil
	})
	c, err := CompareSuite(context.Background(), suiteOf(3), s)
	if err != nil {
		t.Fatal(err)
	}
	n, how := c.Stuck()
	if want := "pipe:loops=2, " + c.Points[0].Policies[0].Policy + ", seed 6: nothing can happen after 5 ns"; n != 2*len(c.Points[0].Policies) || how != want {
		t.Errorf("%d, %q, want %q", n, how, want)
	}
}

// An interruption leaves the complete points, and of the last what is complete.
func TestCompareSuiteInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := testSpec(t, func(ctx context.Context, cfg sim.Config) (*sim.Result, error) {
		if cfg.Workload.Name() == "pipe:loops=2" && cfg.Seed == 6 {
			cancel()
			return nil, ctx.Err()
		}
		return byPolicyAndSeed(ctx, cfg)
	})
	s.Workers = 1
	c, err := CompareSuite(ctx, suiteOf(3), s)
	if err != nil || len(c.Points) != 2 || !c.Partial || c.Points[0].Partial || !c.Points[1].Partial || c.Done() != 14+2 {
		t.Errorf("%v: %d points, partial %v, %d replicas", err, len(c.Points), c.Partial, c.Done())
	}
	c, err = CompareSuite(ctx, suiteOf(3), s)
	if err != nil || len(c.Points) != 0 || !c.Partial {
		t.Errorf("%v: %d points of a suite that was interrupted before it began", err, len(c.Points))
	}
}

func TestCompareSuiteFails(t *testing.T) {
	cause := errors.New("task 3 ran backwards")
	s := testSpec(t, func(context.Context, sim.Config) (*sim.Result, error) { return nil, cause })
	if _, err := CompareSuite(context.Background(), suiteOf(2), s); !errors.Is(err, cause) || !strings.Contains(err.Error(), "suite test: policy v6.12, seed 5") {
		t.Errorf("%v", err)
	}
	s.Machine = nil
	if _, err := CompareSuite(context.Background(), suiteOf(2), s); err == nil {
		t.Error("no machine and no error")
	}
}
