package workload

import (
	"fmt"
	"time"

	"schedlab/internal/keyval"
	"schedlab/sim"
)

// hogs is tasks that never sleep: the competition that other work has on a
// full machine.
type hogs struct {
	tasks       int
	run, jitter int64
	attributes
}

func init() {
	register(Info{
		Name:    "hogs",
		Summary: "tasks that never sleep, without end; hogs:4 is hogs:tasks=4",
		Unit:    "rounds",
		Short:   "tasks",
		Doc: `Each task does one round of work after another, and never blocks. A round is an
amount of work: on a CPU whose sibling is busy it takes longer. Tasks start at
random in the length of a round.`,
	}, func(s *keyval.Spec) sim.Workload {
		return hogs{
			tasks:  s.Int("tasks", 1, 1, maxTasks, "how many"),
			run:    s.Duration("run", time.Millisecond, time.Microsecond, time.Hour, "work of a round, at full speed"),
			jitter: s.PerMille("jitter", 100, "by how much it varies, uniformly, either way"),

			attributes: readTaskAttributes(s),
		}
	})
}

func (w hogs) Name() string { return "hogs" }
func (w hogs) Unit() string { return "rounds" }

func (w hogs) taskCount() int { return w.tasks }

func (w hogs) Setup(b *sim.Builder) error {
	t, err := w.spec(b)
	if err != nil {
		return err
	}
	for i := range w.tasks {
		t.Name, t.Program = fmt.Sprintf("hog-%d", i), &hog{w: w}
		t.Start = b.Rand().Below(w.run)
		b.Task(w.task(b, t, i))
	}
	return nil
}

type hog struct {
	w     hogs
	begun bool
}

func (p *hog) Next(c *sim.Ctx) sim.Op {
	if p.begun {
		c.Work(1)
	}
	p.begun = true
	return sim.Op{Kind: sim.OpRun, Dur: c.Rand.Jitter(p.w.run, p.w.jitter)}
}
