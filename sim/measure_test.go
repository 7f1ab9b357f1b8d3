package sim

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"schedlab/policy"
)

// addsUp checks that the times of a run's Stats fit the measured time.
func addsUp(r *Result) error {
	span := r.End - r.Begin
	switch {
	case r.Begin < 0 || span < 0 || r.End > r.Now:
		return fmt.Errorf("measured from %d to %d, of %d ns", r.Begin, r.End, r.Now)
	case r.Busy < 0 || r.Idle < 0 || r.Busy+r.Idle != r.CPUs*span:
		return fmt.Errorf("busy %d + idle %d is not %d CPUs x %d", r.Busy, r.Idle, r.CPUs, span)
	case r.WaitedIdle < 0 || r.WaitedIdle > r.Waited:
		return fmt.Errorf("waited %d with an idle CPU, %d in all", r.WaitedIdle, r.Waited)
	}
	return nil
}

// TestMeasuredIsTheDifference: what is measured between two marks is what a run
// without marks has counted at the second less what it had at the first, for each
// number that is not about the whole run, and the marks change nothing else.
func TestMeasuredIsTheDifference(t *testing.T) {
	specs := []string{"v4.20", "v6.12", "v6.12.117", "v6.1,hz=1000"}
	rapid.Check(t, func(t *rapid.T) {
		m := drawMachine(t)
		p, err := policy.Parse(rapid.SampledFrom(specs).Draw(t, "policy"))
		if err != nil {
			t.Fatal(err)
		}
		w := chaos{
			tasks: rapid.IntRange(1, 40).Draw(t, "tasks"), channels: rapid.IntRange(1, 4).Draw(t, "channels"),
			seed: rapid.Uint64().Draw(t, "seed"), masks: drawMasks(t, m),
		}
		run := func(mark func(c *Ctx, begin bool)) *Result {
			w.mark = mark
			r, err := Run(context.Background(), Config{Machine: m, Policy: p, Workload: w, Seed: w.seed, For: 50_000_000})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		marked := run(func(c *Ctx, begin bool) {
			if begin {
				c.Begin()
			} else {
				c.End()
			}
		})
		if err := addsUp(marked); err != nil {
			t.Fatal(err)
		}
		var from, to *Stats
		whole := run(func(c *Ctx, begin bool) {
			now := c.sim.measured()
			now.Latency = now.Latency.Clone()
			if begin {
				from, to = &now, nil
			} else {
				to = &now
			}
		})
		if whole.Digest != marked.Digest || whole.Now != marked.Now || whole.Done != marked.Done {
			t.Fatalf("marks change the run: digest %x, %x at %d, %d", whole.Digest, marked.Digest, whole.Now, marked.Now)
		}
		if whole.Forks != marked.Forks || whole.Exits != marked.Exits {
			t.Fatalf("%d forks, %d exits; with marks %d, %d", whole.Forks, whole.Exits, marked.Forks, marked.Exits)
		}
		if to == nil {
			to = &whole.Stats
		}
		if from == nil {
			from = &Stats{Latency: to.Latency.Clone()}
			from.Latency.Reset()
		}
		if marked.Begin != from.End || marked.End != to.End {
			t.Fatalf("measured from %d to %d, marked from %d to %d", marked.Begin, marked.End, from.End, to.End)
		}
		if err := isDifference(&marked.Stats, from, to); err != nil {
			t.Fatal(err)
		}
	})
}

// isDifference checks every count of got.
func isDifference(got, from, to *Stats) error {
	g, f, o := reflect.ValueOf(*got), reflect.ValueOf(*from), reflect.ValueOf(*to)
	for i := range g.NumField() {
		switch name := g.Type().Field(i).Name; name {
		case "Begin", "End", "Now", "Done", "CPUs", "Forks", "Exits":
		case "Latency":
			sum := from.Latency.Clone()
			sum.Merge(got.Latency)
			if !sum.Equals(to.Latency) {
				return fmt.Errorf("%d latencies, from %d to %d", got.Latency.TotalCount(), from.Latency.TotalCount(), to.Latency.TotalCount())
			}
		case "Migrations":
			for j := range g.Field(i).Len() {
				if n := o.Field(i).Index(j).Int() - f.Field(i).Index(j).Int(); g.Field(i).Index(j).Int() != n {
					return fmt.Errorf("%s[%d] is %d, want %d", name, j, g.Field(i).Index(j).Int(), n)
				}
			}
		default:
			if n := o.Field(i).Int() - f.Field(i).Int(); g.Field(i).Int() != n {
				return fmt.Errorf("%s is %d, want %d", name, g.Field(i).Int(), n)
			}
		}
	}
	return nil
}

// TestMarks: which of several marks count.
func TestMarks(t *testing.T) {
	const begin, end = true, false
	m, p := load(t, "uma-16", "v6.12")
	for name, tc := range map[string]struct {
		marks    []bool // one every ms
		from, to int64  // ms; the run is cut at 10
	}{
		"none":                  {nil, 0, 10},
		"both":                  {[]bool{begin, end}, 1, 2},
		"no end":                {[]bool{begin}, 1, 10},
		"no begin":              {[]bool{end}, 0, 1},
		"last begin":            {[]bool{begin, begin, begin, end}, 3, 4},
		"last end":              {[]bool{begin, end, end, end}, 1, 4},
		"end before last begin": {[]bool{begin, end, begin}, 3, 10},
		"begin again":           {[]bool{begin, end, begin, end}, 3, 4},
	} {
		res, err := Run(context.Background(), Config{Machine: m, Policy: p, Workload: marks(tc.marks), For: 1e7})
		if err != nil {
			t.Fatal(err)
		}
		if res.Begin != tc.from*1e6 || res.End != tc.to*1e6 || res.Now != 1e7 {
			t.Errorf("%s: measured from %d to %d ns, of %d; want %d to %d ms", name, res.Begin, res.End, res.Now, tc.from, tc.to)
		}
		if err := addsUp(res); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		want := tc.to - tc.from
		if tc.to == 10 {
			want++ // the one that begins there
		}
		if res.Work != want {
			t.Errorf("%s: %d operations counted from %d to %d ms", name, res.Work, tc.from, tc.to)
		}
	}
}

// marks is a workload of a task that does what it says a ms after the other, and
// then runs.
type marks []bool

func (w marks) Name() string   { return "marks" }
func (w marks) Unit() string   { return "operations" }
func (w marks) Recorded() bool { return true }
func (w marks) Setup(b *Builder) error {
	b.Task(TaskSpec{Name: "marker", Program: &marker{w: w}})
	return nil
}

type marker struct {
	w marks
	n int
}

func (p *marker) Next(c *Ctx) Op {
	if i := p.n - 1; i >= 0 && i < len(p.w) {
		if p.w[i] {
			c.Begin()
		} else {
			c.End()
		}
	}
	p.n++
	c.Work(1)
	return Op{Kind: OpRunTime, Dur: 1_000_000}
}
