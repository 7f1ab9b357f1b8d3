package lab

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"schedlab/sim"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"
)

func TestMetrics(t *testing.T) {
	r := &sim.Result{Stats: sim.Stats{
		Begin: 1e9, End: 3e9, Now: 5e9, Work: 500,
		Busy: 30e9, Idle: 10e9, CPUs: 8,
		IdleEntries: 11, Switches: 12, Preemptions: 13, Wakeups: 14,
		Migrations: [4]int64{15, 16, 17, 18}, Pulls: 19,
		Waited: 20e6, WaitedIdle: 2_500_000,
		Latency: hdrhistogram.New(1, 1e9, 3),
	}}
	for v := int64(1); v <= 100; v++ {
		if err := r.Latency.RecordValue(v * 10); err != nil {
			t.Fatal(err)
		}
	}
	want := []Metric{
		{"time", "s", 2, Lower},
		{"throughput", "messages/s", 250, Higher},
		{"wakeup-p50", "us", 0.5, Lower},
		{"wakeup-p99", "us", 0.99, Lower},
		{"wakeup-max", "us", 1, Lower},
		{"busy", "%", 75, Neither},
		{"idle-entries", "count", 11, Neither},
		{"switches", "count", 12, Neither},
		{"preemptions", "count", 13, Neither},
		{"wakeups", "count", 14, Neither},
		{"migrations-thread", "count", 15, Neither},
		{"migrations-core", "count", 16, Neither},
		{"migrations-llc", "count", 17, Neither},
		{"migrations-node", "count", 18, Neither},
		{"pulls", "count", 19, Neither},
		{"waited", "ms", 20, Lower},
		{"waited-idle", "ms", 2.5, Lower},
	}
	if d := cmp.Diff(want, Metrics(r, "messages")); d != "" {
		t.Error(d)
	}
}

// A run in which nothing happened has every metric: 0, and no latency.
func TestMetricsOfNothing(t *testing.T) {
	full := Metrics(&sim.Result{Stats: sim.Stats{End: 1}}, "")
	for i, m := range Metrics(&sim.Result{}, "") {
		if latency := strings.HasPrefix(m.Name, "wakeup-"); latency != math.IsNaN(m.Value) || !latency && m.Value != 0 {
			t.Errorf("%s is %v, want 0, or NaN of a latency", m.Name, m.Value)
		}
		if m.Name != full[i].Name {
			t.Errorf("metric %d is %s in one run and %s in another", i, m.Name, full[i].Name)
		}
	}
	if u := full[1].Unit; u != "work/s" {
		t.Errorf("a workload without a unit has throughput in %q, want work/s", u)
	}
}

// What a workload measured itself stands behind the common metrics, in its order.
func TestRecordedMetrics(t *testing.T) {
	h := hdrhistogram.New(1, 1e9, 3)
	for v := int64(1); v <= 1000; v++ {
		if err := h.RecordValue(v * 1000); err != nil {
			t.Fatal(err)
		}
	}
	r := &sim.Result{Stats: sim.Stats{Begin: 1e9, End: 3e9, Now: 5e9}, Records: []sim.Record{
		{Name: "transfer", Unit: "MB", Count: 4_000_000, Per: 1_000_000},
		{Name: "request", Latency: h},
		{Name: "none", Latency: hdrhistogram.New(1, 1e9, 3)},
	}}
	common := len(Metrics(&sim.Result{}, ""))
	var got []string
	for _, m := range Metrics(r, "things")[common:] {
		got = append(got, fmt.Sprintf("%s %.0f %s %s", m.Name, m.Value, m.Unit, m.Better))
	}
	want := []string{
		"transfer 2 MB/s higher",
		"request-p50 500 us lower", "request-p90 900 us lower", "request-p99 990 us lower", "request-p99.9 999 us lower",
		"none-p50 NaN us lower", "none-p90 NaN us lower", "none-p99 NaN us lower", "none-p99.9 NaN us lower",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
