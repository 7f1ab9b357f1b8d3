package workload

import (
	"fmt"
	"time"

	"schedlab/internal/keyval"
	"schedlab/sim"
)

// sysbenchCPU is sysbench cpu: threads of one process that look for prime numbers,
// and never block.
type sysbenchCPU struct {
	threads       int
	event, jitter int64
	window
	attributes
}

func init() {
	register(Info{
		Name:    "sysbench-cpu",
		Summary: "threads that compute without end (sysbench cpu)",
		Unit:    "events",
		Short:   "threads",
		Doc: `sysbench cpu: each thread does one event after another, which is to look for the
prime numbers up to a limit, and never blocks. An event is an amount of work: on
a CPU whose sibling is busy it takes longer.`,
	}, func(s *keyval.Spec) sim.Workload {
		return sysbenchCPU{
			threads: s.Int("threads", 1, 1, maxTasks, "threads (--threads)"),
			event:   s.Duration("event", 3700*time.Microsecond, time.Microsecond, time.Hour, "work of an event, at full speed; assumed: what a CPU of 2.5 GHz takes with --cpu-max-prime=25000, mmtests' setting"),
			jitter:  s.PerMille("jitter", 10, "by how much it varies, uniformly, either way"),
			window:  readWindow(s, 20*time.Millisecond, 200*time.Millisecond, "sysbench measures 10 s from the start"),

			attributes: readAttributes(s),
		}
	})
}

func (w sysbenchCPU) Name() string { return "sysbench-cpu" }
func (w sysbenchCPU) Unit() string { return "events" }

func (w sysbenchCPU) taskCount() int { return w.threads + 1 }

func (w sysbenchCPU) Setup(b *sim.Builder) error {
	t, err := w.spec(b) // which the threads inherit
	if err != nil {
		return err
	}
	main := &windowMain{window: w.window, forkTime: b.Costs().Fork / threadForkShare}
	for i := range w.threads {
		main.children = append(main.children, &sim.TaskSpec{
			Name: fmt.Sprintf("sysbench-%d", i), MM: mainMM, Daemon: true,
			Program: &hog{w: hogs{run: w.event, jitter: w.jitter}},
		})
	}
	t.Name, t.MM, t.Program = "sysbench", mainMM, main
	b.Task(t)
	return nil
}

// threadForkShare is how many times more a process costs to create than a thread
// (assumed, as for rt-app).
const threadForkShare = 4
