package workload

import (
	"fmt"
	"time"

	"schedlab/internal/keyval"
	"schedlab/sim"
)

// sysbenchMutex is sysbench mutex: threads that compute and take one of many
// mutexes for an instant, in turn.
type sysbenchMutex struct {
	threads, locks, mutexes int
	loops, hold, jitter     int64
	attributes
}

func init() {
	register(Info{
		Name:    "sysbench-mutex",
		Summary: "threads that compute, and take mutexes for an instant (sysbench mutex)",
		Unit:    "locks",
		Short:   "threads",
		Doc: `sysbench mutex: each thread executes one request, and ends. A request is locks
rounds: compute, then take one of the mutexes by chance, add to a counter, and
release it. The mutexes are glibc's: who finds one held sleeps on a futex, whoever
releases it wakes one, and the woken one tries again. The measured time is from
the release of all threads to the last one's end; the latency "request" is that of
each thread's request, of which mmtests reports the 95th percentile.`,
	}, func(s *keyval.Spec) sim.Workload {
		return sysbenchMutex{
			threads: s.Int("threads", 1, 1, maxTasks, "threads (--threads)"),
			locks:   s.Int("locks", 50_000, 1, 10_000_000, "rounds of a request (--mutex-locks)"),
			mutexes: s.Int("mutexes", 4096, 1, 1_000_000, "mutexes (--mutex-num)"),
			loops:   s.Duration("loops", 4*time.Microsecond, 0, time.Hour, "work outside the mutex; assumed: 10 000 empty loops (--mutex-loops) of a clock each, at 2.5 GHz"),
			hold:    s.Duration("hold", 20*time.Nanosecond, 0, time.Hour, "work while the mutex is held; assumed"),
			jitter:  s.PerMille("jitter", 10, "by how much both vary, uniformly, either way"),

			attributes: readAttributes(s),
		}
	})
}

func (w sysbenchMutex) Name() string { return "sysbench-mutex" }
func (w sysbenchMutex) Unit() string { return "locks" }

func (w sysbenchMutex) taskCount() int { return w.threads + 1 }

func (w sysbenchMutex) Setup(b *sim.Builder) error {
	t, err := w.spec(b) // which the threads inherit
	if err != nil {
		return err
	}
	r := &mutexRun{w: w, mutexes: make([]mutex, w.mutexes), request: b.Latency("request")}
	for i := range r.mutexes {
		r.mutexes[i].event = b.Event()
	}
	main := &together{forkTime: b.Costs().Fork / threadForkShare, ready: b.Event(), start: b.Event(), done: b.Event()}
	for i := range w.threads {
		main.children = append(main.children, &sim.TaskSpec{
			Name: fmt.Sprintf("sysbench-%d", i), MM: mainMM,
			Program: &member{of: main, then: &mutexThread{r: r, left: w.locks}},
		})
	}
	t.Name, t.MM, t.Program = "sysbench", mainMM, main
	b.Task(t)
	return nil
}

// mutexRun is what the threads of a run share.
type mutexRun struct {
	w       sysbenchMutex
	mutexes []mutex
	request int32 // latency
}

// mutex is one of glibc: a word, and a futex to wait for it.
type mutex struct {
	held    bool
	waiters int32
	event   int32
}

// mutexThread executes one request.
type mutexThread struct {
	r     *mutexRun
	left  int // rounds
	step  mutexStep
	since int64
	m     *mutex
}

type mutexStep uint8

// What a thread does next.
const (
	mutexBegins mutexStep = iota
	mutexRuns
	mutexLocks
	mutexUnlocks
)

func (p *mutexThread) Next(c *sim.Ctx) sim.Op {
	w := &p.r.w
	for {
		switch p.step {
		case mutexBegins:
			p.step, p.since = mutexRuns, c.Now
		case mutexRuns:
			if p.left == 0 {
				c.Record(p.r.request, c.Now-p.since)
				return sim.Op{Kind: sim.OpExit}
			}
			p.left--
			p.m = &p.r.mutexes[c.Rand.Below(int64(len(p.r.mutexes)))]
			p.step = mutexLocks
			return sim.Op{Kind: sim.OpRun, Dur: c.Rand.Jitter(w.loops, w.jitter)}
		case mutexLocks:
			if p.m.held {
				p.m.waiters++
				return sim.Op{Kind: sim.OpWait, Obj: p.m.event, N: 1}
			}
			p.m.held = true
			p.step = mutexUnlocks
			return sim.Op{Kind: sim.OpRun, Dur: c.Rand.Jitter(w.hold, w.jitter)}
		case mutexUnlocks:
			c.Work(1)
			p.m.held = false
			p.step = mutexRuns
			if p.m.waiters > 0 {
				p.m.waiters--
				return sim.Op{Kind: sim.OpSignal, Obj: p.m.event, N: 1}
			}
		}
	}
}
