package sim

import "testing"

// measures is a workload that counts and records before, in and after the
// measured time, beside others of its kind.
type measures struct{ besides int }

func (measures) Name() string { return "measures" }
func (measures) Unit() string { return "things" }

func (w measures) Setup(b *Builder) error {
	w.one(b, 1, 0)
	for range w.besides {
		w.one(b.Beside(), 1000, 5)
	}
	return nil
}

// one adds a task that works by the units, and forks a child that does too.
func (w measures) one(b *Builder, unit int64, mm int32) {
	amount, latency := b.Amount("amount", "MB", 1000), b.Latency("latency")
	note := func(c *Ctx) {
		c.Work(unit)
		c.Add(amount, unit)
		c.Record(latency, unit)
	}
	child := &TaskSpec{Name: "child", MM: mm, Program: &script{steps: []func(*Ctx) Op{
		func(c *Ctx) Op { note(c); return Op{Kind: OpRun, Dur: 3_000_000} },
		func(c *Ctx) Op { note(c); return Op{Kind: OpSleep, Dur: 1e12} },
	}}, Daemon: true}
	b.Task(TaskSpec{Name: "parent", MM: mm, Program: &script{steps: []func(*Ctx) Op{
		func(c *Ctx) Op { note(c); return Op{Kind: OpRun, Dur: unit * 1_000_000} },
		func(c *Ctx) Op { c.Begin(); note(c); return Op{Kind: OpFork, Dur: 1000, Task: child} },
		func(c *Ctx) Op { note(c); return Op{Kind: OpRun, Dur: unit * 5_000_000} },
		func(c *Ctx) Op { note(c); c.End(); return Op{} },
	}}})
}

// TestRecords: what was noted before Begin is forgotten, and a workload beside
// the measured one changes no measurement and does not keep the run.
func TestRecords(t *testing.T) {
	for besides := range 3 {
		m, p := load(t, "uma-16", "v6.12")
		res, err := Run(t.Context(), Config{Machine: m, Policy: p, Workload: measures{besides}, Seed: 1, For: 1e10})
		if err != nil {
			t.Fatal(err)
		}
		if !res.Done || res.Now > 10_000_000 {
			t.Errorf("%d beside: done %v at %d ns", besides, res.Done, res.Now)
		}
		if res.Work != 5 || res.Begin < 1_000_000 || res.End < 6_000_000 || res.End > 8_000_000 {
			t.Errorf("%d beside: %d units from %d to %d, want 5 from 1 to 6 ms", besides, res.Work, res.Begin, res.End)
		}
		if len(res.Records) != 2 || res.Records[0].Count != 5 || res.Records[1].Latency.TotalCount() != 5 || res.Records[1].Latency.Max() != 1 {
			t.Errorf("%d beside: records %+v", besides, res.Records)
		}
	}
}

// TestAddressSpaces: a number that two workloads give means two address spaces.
func TestAddressSpaces(t *testing.T) {
	m, p := load(t, "uma-16", "v6.12")
	s, err := newSim(Config{Machine: m, Policy: p, Workload: measures{2}, Seed: 1, For: 1e9})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := s.tasks[1].mm, s.tasks[2].mm; a == b || a == 5 || b == 5 {
		t.Errorf("address spaces %d and %d of two workloads that name theirs 5", a, b)
	}
}
