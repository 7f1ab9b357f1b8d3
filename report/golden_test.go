package report

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedlab/lab"

	"github.com/google/go-cmp/cmp"
	"github.com/jedib0t/go-pretty/v6/text"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares what print writes with testdata/name.
func golden(t *testing.T, name string, print func(*bytes.Buffer) error) {
	t.Helper()
	var got bytes.Buffer
	if err := print(&got); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got.String()); d != "" {
		t.Errorf("%s (-want +got):\n%s", name, d)
	}
}

func sum(name, unit string, better lab.Better, values ...float64) lab.Summary {
	s := lab.Summary{Values: values, Low: values[0], High: values[len(values)-1], Base: math.NaN(), P: math.NaN()}
	s.Name, s.Unit, s.Better = name, unit, better
	s.Value = (values[(len(values)-1)/2] + values[len(values)/2]) / 2
	return s
}

// against sets what a summary is compared with, and by which p.
func against(s lab.Summary, base, p float64) lab.Summary {
	s.Base, s.P = base, p
	return s
}

// comparison has every kind of cell: better and worse both ways, no verdict,
// not significant, from 0, zeros, large counts.
func comparison() *lab.Comparison {
	seeds := []uint64{7, 8, 9, 10, 11, 12}
	base := []lab.Summary{
		sum("time", "s", lab.Lower, 0.98, 0.99, 1, 1, 1.01, 1.02),
		sum("throughput", "messages/s", lab.Higher, 1.5e6, 1.6e6, 1.6e6, 1.6e6, 1.6e6, 1.7e6),
		sum("wakeup-p99", "us", lab.Lower, 41, 42, 43.46, 43.46, 44, 50),
		sum("busy", "%", lab.Neither, 62.5, 62.5, 62.5, 62.5, 62.5, 62.5),
		sum("switches", "count", lab.Neither, 100, 101, 102, 103, 104, 105),
		sum("wakeups", "count", lab.Neither, 12e6, 12e6, 12e6, 12e6, 12e6, 12e6),
		sum("pulls", "count", lab.Neither, 0, 0, 0, 0, 0, 0),
		sum("waited-idle", "ms", lab.Lower, 0, 0, 0, 0, 0, 0.002),
	}
	try := []lab.Summary{
		against(sum("time", "s", lab.Lower, 0.7, 0.74, 0.75, 0.75, 0.76, 0.8), 1, 0.002164),
		against(sum("throughput", "messages/s", lab.Higher, 1.9e6, 2e6, 2e6, 2e6, 2e6, 2.1e6), 1.6e6, 0.0001),
		against(sum("wakeup-p99", "us", lab.Lower, 90, 95, 100, 100, 105, 110), 43.46, 0.002),
		against(sum("busy", "%", lab.Neither, 50, 50, 50, 50, 50, 50), 62.5, 0.002),
		against(sum("switches", "count", lab.Neither, 100, 101, 102, 104, 104, 105), 102.5, 0.61),
		against(sum("wakeups", "count", lab.Neither, 12e6, 12e6, 12e6, 12e6, 12e6, 12e6), 12e6, 1),
		against(sum("pulls", "count", lab.Neither, 8, 8, 8, 8, 8, 8), 0, 0.001),
		against(sum("waited-idle", "ms", lab.Lower, 4, 4, 4, 4, 4, 4), 0, 0.002),
	}
	return &lab.Comparison{
		Machine: "x6-2", Workload: "hackbench:groups=4,loops=200", Seed: 7, Runs: 6,
		Policies: []lab.PolicyResult{
			{Policy: "v4.20", Seeds: seeds, Metrics: base},
			{Policy: "v4.20,recent-used=prev,sis=full", Seeds: seeds, Metrics: try},
		},
	}
}

// interrupted is cut off in the second run of the second policy.
func interrupted() *lab.Comparison {
	base := sum("time", "s", lab.Lower, 1, 1.1)
	try := against(sum("time", "s", lab.Lower, 2), 1.05, 0.667)
	base.Range, try.Range = true, true
	return &lab.Comparison{
		Machine: "uma-16", Workload: "pipe:loops=10", Seed: 1, Runs: 10, Partial: true,
		Policies: []lab.PolicyResult{
			{Policy: "v6.12", Seeds: []uint64{1, 2}, Metrics: []lab.Summary{base}, Cut: 1},
			{Policy: "v6.12,sis=full", Seeds: []uint64{1}, Metrics: []lab.Summary{try}},
			{Policy: "v6.12,newidle=off"},
		},
	}
}

// stuck has replicas that ended in each way.
func stuck() *lab.Comparison {
	c := interrupted()
	c.Partial, c.Runs = false, 2
	c.Policies = c.Policies[:1]
	c.Policies[0].Stuck = 1
	c.Policies[0].HowStuck = "seed 2: " + stuckHow
	return c
}

const stuckHow = `at 1.5ms; tasks that wait for what never comes: 2, the first is "a\tb" (task 0), to send to channel 3`

func outcome() *lab.Outcome {
	return &lab.Outcome{
		Machine: "uma-16", Workload: "phases:tasks=64,run=400us,sleep=1600us", Policy: "v6.12", Seed: math.MaxUint64,
		Digest: 0xdeadbeef, Cut: true, Metrics: []lab.Metric{
			{Name: "time", Unit: "s", Value: 10, Better: lab.Lower},
			{Name: "throughput", Unit: "cycles/s", Value: 32000, Better: lab.Higher},
			{Name: "busy", Unit: "%", Value: 80.1},
			{Name: "switches", Unit: "count", Value: 640001},
		},
	}
}

func TestComparison(t *testing.T) {
	for _, f := range Formats {
		golden(t, "compare."+string(f), func(w *bytes.Buffer) error {
			return Out{W: w, Format: f}.Comparison(comparison())
		})
		golden(t, "compare-interrupted."+string(f), func(w *bytes.Buffer) error {
			return Out{W: w, Format: f}.Comparison(interrupted())
		})
		golden(t, "compare-stuck."+string(f), func(w *bytes.Buffer) error {
			return Out{W: w, Format: f}.Comparison(stuck())
		})
	}
}

func TestComparisonInColour(t *testing.T) {
	text.EnableColors()
	golden(t, "compare-colour.table", func(w *bytes.Buffer) error {
		return Out{W: w, Format: Table, Color: true}.Comparison(comparison())
	})
}

func TestOutcome(t *testing.T) {
	for _, f := range Formats {
		golden(t, "run."+string(f), func(w *bytes.Buffer) error {
			return Out{W: w, Format: f}.Outcome(outcome())
		})
		golden(t, "run-stuck."+string(f), func(w *bytes.Buffer) error {
			o := outcome()
			o.Cut, o.Stuck = false, stuckHow
			return Out{W: w, Format: f}.Outcome(o)
		})
	}
}

// suite has two benchmarks, the first at two points, and a metric that is not
// reported; partial is cut off in the second point.
func suite(partial bool) *lab.SuiteComparison {
	c := &lab.SuiteComparison{
		Suite: "mmtests-scheduler", Machine: "x6-2", Scaled: []string{"hackbench: 7 loops (mmtests: 100)"}, Seed: 7, Runs: 6, Total: 3,
	}
	point := func(benchmark, parameter string, cmp *lab.Comparison, metrics ...string) {
		cmp.Machine, cmp.Workload = "x6-2", "pipe:loops="+strings.TrimPrefix(parameter, "groups=")
		c.Points = append(c.Points, lab.PointComparison{
			Point:      lab.Point{Benchmark: benchmark, Parameter: parameter, Workload: cmp.Workload, Metrics: metrics},
			Comparison: cmp,
		})
	}
	point("hackbench-process-pipes", "groups=1", comparison(), "time")
	if partial {
		c.Partial = true
		point("hackbench-process-pipes", "groups=2", interrupted(), "time")
		return c
	}
	point("hackbench-process-pipes", "groups=2", comparison(), "time")
	point("schbench", "", comparison(), "wakeup-p99", "throughput", "absent")
	return c
}

func TestSuite(t *testing.T) {
	for _, f := range Formats {
		golden(t, "suite."+string(f), func(w *bytes.Buffer) error { return Out{W: w, Format: f}.Suite(suite(false)) })
		golden(t, "suite-interrupted."+string(f), func(w *bytes.Buffer) error { return Out{W: w, Format: f}.Suite(suite(true)) })
	}
}
