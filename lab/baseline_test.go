package lab

import (
	"context"
	"testing"
	"time"

	"schedlab/machine"
	"schedlab/policy"
)

// TestBaseline holds the unpatched machine of the steal series beside the base
// rows that its costs were fitted to (reference E.8 T1, E.9): how busy it is, what
// a message costs, and that every schedule() is a block or an exit from idle.
func TestBaseline(t *testing.T) {
	m, err := machine.Load("e5-2630v4-1s")
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.Parse("v4.20,wakeup_granularity_ns=15ms")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		groups string
		busy   float64 // published, %
	}{{"1", 75.02}, {"2", 85.33}, {"3", 89.04}, {"4", 91.28}, {"8", 94.86}} {
		w, err := ParseWorkload("hackbench:loops=2000,groups=" + row.groups)
		if err != nil {
			t.Fatal(err)
		}
		out, err := Run(context.Background(), Setup{Machine: m, Workload: w, For: 100 * time.Second}, p, 1)
		if err != nil {
			t.Fatal(err)
		}
		v := map[string]float64{}
		for _, x := range out.Metrics {
			v[x.Name] = x.Value
		}
		if d := v["busy"] - row.busy; d < -8 || d > 8 {
			t.Errorf("%s groups: %.1f %% busy, published %.1f", row.groups, v["busy"], row.busy)
		}
		perMessage := v["busy"] / 100 * 20 / v["throughput"] * 1e6 // us
		if perMessage < 2.5 || perMessage > 3.5 {
			t.Errorf("%s groups: %.2f us of CPU a message, want 2.5 to 3.5", row.groups, perMessage)
		}
		if rest := v["switches"]/(v["idle-entries"]+v["wakeups"]) - 1; rest < -0.05 || rest > 0.05 {
			t.Errorf("%s groups: %.0f switches for %.0f idle entries and %.0f wake-ups", row.groups, v["switches"], v["idle-entries"], v["wakeups"])
		}
		if v["preemptions"] > v["switches"]/200 {
			t.Errorf("%s groups: %.0f preemptions of %.0f switches", row.groups, v["preemptions"], v["switches"])
		}
	}
}
