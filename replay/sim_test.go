package replay

import (
	"context"
	"path/filepath"
	"testing"

	"schedlab/machine"
	"schedlab/policy"
	"schedlab/sim"
)

// The simulator carries every recording through on the machine inside it, and
// counts as many wake-ups as were recorded.
func TestSimulated(t *testing.T) {
	p, err := policy.Parse("v6.12.117")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files(t, "recordings/*.tgz") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			m, err := machine.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			w := load(t, path)
			r, err := sim.Run(context.Background(), sim.Config{Machine: m, Policy: p.WithKernel(m.Kernel), Workload: w, Seed: 1, For: 4 * w.Span()})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("now %d of %d, work %d", r.Now, w.Span(), r.Work)
			if !r.Done {
				t.Errorf("not done at %d; the recording took %d", r.Now, w.Span())
			}
			if r.Wakeups != w.Wakeups() {
				t.Errorf("%d wake-ups, %d recorded", r.Wakeups, w.Wakeups())
			}
			if r.Forks != w.Stats().Tasks || r.Exits != r.Forks {
				t.Errorf("%d tasks started, %d ended, of %d", r.Forks, r.Exits, w.Stats().Tasks)
			}
			if r.Work != w.Wakeups() {
				t.Errorf("%d waits, %d wake-ups", r.Work, w.Wakeups())
			}
		})
	}
}
