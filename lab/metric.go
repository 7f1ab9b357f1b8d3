package lab

import (
	"fmt"
	"math"

	"schedlab/sim"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Better says which way a metric improves.
type Better int8

const (
	Neither Better = iota // a description, not a verdict: idle entries, busy time
	Lower
	Higher
)

// String returns "lower", "higher" or "none".
func (b Better) String() string {
	return [...]string{Neither: "none", Lower: "lower", Higher: "higher"}[b]
}

// Metric is one number about a run. Units are fixed by name: "s", "ms", "us",
// "%", "count", and "X/s" for a rate; report scales them for people.
type Metric struct {
	Name   string
	Unit   string
	Value  float64
	Better Better
}

// Metrics are the numbers of one run, always these names in this order. All are
// about the measured time ([sim.Stats]): what the workload marks, without its
// set-up; the whole run where it marks nothing.
//
//	time               s      the measured time
//	throughput         X/s    units of work per second of it
//	wakeup-p50         us     from a wake-up to the task's first instruction: median,
//	wakeup-p99         us     99th percentile,
//	wakeup-max         us     worst
//	busy               %      of CPU time not idle
//	idle-entries       count  switches to the idle task
//	switches           count  switches between tasks, idle included
//	preemptions        count  switches away from a task that could go on
//	wakeups            count
//	migrations-thread  count  moves of tasks to another thread of the core,
//	migrations-core    count  to another core of the LLC,
//	migrations-llc     count  to another LLC of the node,
//	migrations-node    count  to another node
//	pulls              count  tasks that balancing took
//	waited             ms     that runnable tasks waited, summed over tasks
//	waited-idle        ms     ... while a CPU that may run them was idle
//
// Behind them stand those that the workload measured itself ([sim.Record]), the
// same in every run of it: latencies of the measured time in us, as NAME-p50,
// NAME-p90, NAME-p99 and NAME-p99.9, and rates.
//
// A latency of which nothing was measured is NaN.
//
// work names the unit of work of the workload ([sim.Workload]).
func Metrics(r *sim.Result, work string) []Metric {
	if work == "" {
		work = "work"
	}
	elapsed := r.End - r.Begin
	return append([]Metric{
		{"time", "s", ratio(elapsed, 1e9), Lower},
		{"throughput", work + "/s", ratio(r.Work, elapsed) * 1e9, Higher},
		{"wakeup-p50", "us", percentile(r.Latency, 50), Lower},
		{"wakeup-p99", "us", percentile(r.Latency, 99), Lower},
		{"wakeup-max", "us", percentile(r.Latency, 100), Lower},
		{"busy", "%", 100 * ratio(r.Busy, r.Busy+r.Idle), Neither},
		count("idle-entries", r.IdleEntries),
		count("switches", r.Switches),
		count("preemptions", r.Preemptions),
		count("wakeups", r.Wakeups),
		count("migrations-thread", r.Migrations[sim.MoveThread]),
		count("migrations-core", r.Migrations[sim.MoveCore]),
		count("migrations-llc", r.Migrations[sim.MoveLLC]),
		count("migrations-node", r.Migrations[sim.MoveNode]),
		count("pulls", r.Pulls),
		{"waited", "ms", ratio(r.Waited, 1e6), Lower},
		{"waited-idle", "ms", ratio(r.WaitedIdle, 1e6), Lower},
	}, recorded(r)...)
}

// percentile is that of a distribution of ns, in us; NaN of an empty one, since 0
// would be the best of latencies.
func percentile(h *hdrhistogram.Histogram, percent float64) float64 {
	switch {
	case h == nil || h.TotalCount() == 0:
		return math.NaN()
	case percent >= 100:
		return float64(h.Max()) / 1e3
	}
	return float64(h.ValueAtQuantile(percent)) / 1e3
}

func count(name string, n int64) Metric { return Metric{name, "count", float64(n), Neither} }

// ratio is a/b, and 0 for b = 0: no metric is infinite.
func ratio(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// recorded are the metrics that a workload measured itself: for a latency NAME
// NAME-p50, NAME-p90, NAME-p99 and NAME-p99.9 in us; for an amount NAME a rate.
func recorded(r *sim.Result) []Metric {
	var out []Metric
	for i := range r.Records {
		x := &r.Records[i]
		if x.Latency == nil {
			out = append(out, Metric{x.Name, x.Unit + "/s", ratio(x.Count, r.End-r.Begin) * 1e9 / float64(max(x.Per, 1)), Higher})
			continue
		}
		for _, percent := range []float64{50, 90, 99, 99.9} {
			name := fmt.Sprintf("%s-p%v", x.Name, percent)
			out = append(out, Metric{name, "us", percentile(x.Latency, percent), Lower})
		}
	}
	return out
}
