package workload

import (
	"fmt"
	"time"

	"schedlab/internal/keyval"
	"schedlab/sim"
)

// phases is tasks that run and sleep in turn, for ever. They run for a time on
// the CPU (rt-app's runtime), not for an amount of work, so the load that they
// make does not depend on the machine.
type phases struct {
	tasks      int
	run, sleep int64
	jitter     int64
	attributes
}

func init() {
	const shortest, longest = 100 * time.Nanosecond, time.Hour
	register(Info{
		Name:    "phases",
		Summary: "tasks that run and sleep in turn, without end",
		Unit:    "cycles",
		Doc: `A task uses CPU time, then sleeps, and so on. The time on the CPU is the same
whatever the speed of the CPU, so the load is that of the keys on every machine.`,
	}, func(s *keyval.Spec) sim.Workload {
		return phases{
			tasks:  s.Int("tasks", 64, 1, maxTasks, "how many; each starts at a random point of its cycle"),
			run:    s.Duration("run", 400*time.Microsecond, shortest, longest, "time on the CPU in each cycle"),
			sleep:  s.Duration("sleep", 1600*time.Microsecond, shortest, longest, "time asleep in each cycle"),
			jitter: s.PerMille("jitter", 0, "by how much both vary, uniformly, either way"),

			attributes: readTaskAttributes(s),
		}
	})
}

func (w phases) Name() string { return "phases" }
func (w phases) Unit() string { return "cycles" }

func (w phases) taskCount() int { return w.tasks }

func (w phases) Setup(b *sim.Builder) error {
	t, err := w.spec(b)
	if err != nil {
		return err
	}
	for i := range w.tasks {
		t.Name, t.Program = fmt.Sprintf("phase-%d", i), &phase{w: w}
		t.Start = b.Rand().Below(w.run + w.sleep)
		b.Task(w.task(b, t, i))
	}
	return nil
}

type phase struct {
	w     phases
	slept bool
	begun bool
}

func (p *phase) Next(c *sim.Ctx) sim.Op {
	p.slept = !p.slept
	if p.slept {
		if p.begun {
			c.Work(1)
		}
		p.begun = true
		return sim.Op{Kind: sim.OpRunTime, Dur: c.Rand.Jitter(p.w.run, p.w.jitter)}
	}
	return sim.Op{Kind: sim.OpSleep, Dur: c.Rand.Jitter(p.w.sleep, p.w.jitter)}
}
