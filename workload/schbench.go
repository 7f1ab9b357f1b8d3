package workload

import (
	"fmt"
	"math"
	"time"

	"schedlab/cpumask"
	"schedlab/internal/keyval"
	"schedlab/sim"
)

// schbench is message threads that hand requests to worker threads, which
// sleep a little and then compute under a lock of their CPU.
type schbench struct {
	messengers, workers int // workers of each messenger; 0: one per CPU
	sleeps              int
	sleep               int64
	operations          int
	footprint           int   // KB
	multiply            int64 // ns of a multiplication and addition
	locking             bool
	pin                 bool // message threads have a CPU each, workers the others
	rps                 int  // requests a second; 0: each worker asks for the next
	pipe                int  // bytes; 0: requests instead
	copy                int64
	jitter              int64
	window
}

func init() {
	register(Info{
		Name:    "schbench",
		Summary: "message threads and workers whose requests punish preemption",
		Unit:    "requests",
		Doc: `A worker posts to its message thread and waits; the message thread wakes all who
wait. A request is two sleeps of 100 us and matrix multiplications under a spinlock
of the CPU that the worker is on. Who is preempted or moved while it holds one
makes the next worker on that CPU spin.

Metrics, after the warm-up: worker-wakeup is from the post to the worker's running
again (schbench's wakeup latency, taken once before all posts of a list), request is
the request with its sleeps (schbench's request latency).

With rps=N message threads issue N requests a second in turn over their workers, all
at the start of each second, as schbench -R does. With pipe=N a round is a copy of N
bytes by either side, without request and lock (schbench -p). Options without a key:
-A, -C, -M and -W with a list, --split.

The time of a multiplication is that of the machine in schbench's README (16.86 ms a
request, 5 x 104^3 multiplications); its CPUs' siblings were busy, here siblings
slow each other on top. Whether a request is longer than a slice decides how often
it is preempted, so compare policies with operations set for your machine. A futex
call costs the machine's system call, 20% more or less (assumed).`,
	}, readSchbench)
}

func readSchbench(s *keyval.Spec) sim.Workload {
	w := schbench{
		messengers: s.Int("messengers", 1, 1, 10_000, "message threads (-m)"),
		workers:    s.Int("workers", 0, 0, maxTasks, "workers of each message thread (-t); 0: one per CPU"),
		sleeps:     s.Int("sleeps", 2, 0, 100, "sleeps of a request (2: README; the program of 2025 has 1)"),
		sleep:      s.Duration("sleep", 100*time.Microsecond, 0, time.Second, "length of a sleep (-s)"),
		operations: s.Int("operations", 5, 0, 1000, "matrix multiplications of a request (-n)"),
		footprint:  s.Int("footprint", 256, 1, 65_536, "KB of the three matrices (-F): side = sqrt(KB x 1024 / 24)"),
		multiply:   s.Duration("multiply", 3*time.Nanosecond, 1, time.Microsecond, "work of one multiplication and addition (README: 16.86 ms a request)"),
		locking:    s.Bool("locking", true, "the work holds a spinlock of its CPU (off: -L)"),
		pin:        s.Bool("pin", false, "each message thread has a CPU of its own, from the first on; workers share the others (-M auto)"),
		rps:        s.Int("rps", 0, 0, 10_000_000, "requests a second over all message threads (-R); 0: workers ask for them"),
		pipe:       s.Int("pipe", 0, 0, 1<<20, "bytes that go either way instead of requests (-p); 0: requests"),
		copy:       s.Duration("copy", 50*time.Nanosecond, 0, time.Second, "CPU time to write 1 KB with pipe (assumed: 20 GB/s)"),
		jitter:     s.PerMille("jitter", 10, "by how much the work varies, uniformly, either way (README: p99 2% above the median)"),
		window:     readWindow(s, 500*time.Millisecond, 2*time.Second, "schbench -w 5 -r 30"),
	}
	if w.rps > 0 && w.pipe > 0 {
		s.Reject("rps and pipe exclude each other")
	}
	if n := int64(w.messengers) * int64(w.workers); n > maxTasks {
		s.Reject("messengers x workers = %d tasks are too many, %d is the most", n, maxTasks)
	}
	return w
}

func (w schbench) Name() string { return "schbench" }
func (w schbench) Unit() string { return "requests" }

func (w schbench) taskCount() int { return w.messengers * max(w.workers, 1) }

// work is the length of a request's matrix work.
func (w schbench) work() int64 {
	side := int64(math.Sqrt(float64(w.footprint) * 1024 / 24))
	return int64(w.operations) * side * side * side * w.multiply
}

func (w schbench) Setup(b *sim.Builder) error {
	workers := w.workers
	if workers == 0 {
		workers = b.Online().Weight()
	}
	if n := int64(w.messengers) * int64(workers); n > maxTasks {
		return fmt.Errorf("messengers x CPUs = %d tasks are too many, %d is the most", n, maxTasks)
	}
	c := b.Costs()
	r := &schbenchRun{
		w: w, work: w.work(), futex: c.Syscall, copy: int64(w.pipe) * w.copy / 1024,
		wakeup: b.Latency("worker-wakeup"),
	}
	if w.pipe == 0 {
		r.request = b.Latency("request")
	}
	if err := r.pin(b.Online()); err != nil {
		return err
	}
	for range b.CPUs() {
		r.locks = append(r.locks, b.SpinLock())
	}
	m := &windowMain{window: w.window, forkTime: c.Fork}
	for i := range w.messengers {
		m.children = append(m.children, r.messenger(b, i, workers))
	}
	b.Task(sim.TaskSpec{Name: "schbench", Program: m, MM: mainMM})
	return nil
}

// schbenchRun is what the threads of a run share.
type schbenchRun struct {
	w               schbench
	work            int64
	futex           int64 // CPU time of a futex call that blocks nobody, beside the wake-up
	copy            int64 // ... of the bytes of pipe
	locks           []int32
	own             []cpumask.Mask // of the message threads; none: every CPU
	others          cpumask.Mask   // of the workers; nil: every CPU
	wakeup, request int32          // latencies; no request with pipe
}

// call is the CPU time of such a call: it varies as system calls do elsewhere.
func (r *schbenchRun) call(c *sim.Ctx) int64 {
	const jitter = 200
	return max(c.Rand.Jitter(r.futex, jitter), 1)
}

// pin gives the message threads the first CPUs, and the workers the others.
func (r *schbenchRun) pin(online cpumask.Mask) error {
	if !r.w.pin {
		return nil
	}
	if n := online.Weight(); n <= r.w.messengers {
		return fmt.Errorf("pin=on: %d message threads leave none of %d CPUs to the workers", r.w.messengers, n)
	}
	r.others = online.Clone()
	for range r.w.messengers {
		first := r.others.First()
		r.own = append(r.own, cpumask.Of(first))
		r.others.Clear(first)
	}
	return nil
}

// messenger is a message thread that first starts its workers.
func (r *schbenchRun) messenger(b *sim.Builder, i, workers int) *sim.TaskSpec {
	m := &schbenchMessenger{r: r, event: b.Event()}
	start := &spawner{forkTime: b.Costs().Fork, then: m}
	for j := range workers {
		w := &schbenchWorker{r: r, m: m, event: b.Event()}
		m.workers = append(m.workers, w)
		start.children = append(start.children, &sim.TaskSpec{
			Name: fmt.Sprintf("schbench-worker-%d-%d", i, j), MM: mainMM, Daemon: true, Program: w, Affinity: r.others,
		})
	}
	if r.w.rps > 0 {
		start.then = &schbenchPacer{m: m, rate: max(r.w.rps/r.w.messengers, 1)}
	}
	t := &sim.TaskSpec{Name: fmt.Sprintf("schbench-msg-%d", i), MM: mainMM, Daemon: true, Program: start}
	if r.w.pin {
		t.Affinity = r.own[i]
	}
	return t
}

// schbenchMessenger wakes the workers that wait, then waits for a post.
type schbenchMessenger struct {
	r       *schbenchRun
	event   int32
	waits   bool              // a post has to wake it
	workers []*schbenchWorker // its own
	posted  []*schbenchWorker // those that wait
	waking  []*schbenchWorker // those that it is waking
	next    int
	since   int64 // when it began to wake them
	step    messengerStep
}

type messengerStep uint8

// Steps of a message thread: what it does next.
const (
	messengerLists messengerStep = iota
	messengerCopies
	messengerPosts
	messengerWakes
)

func (p *schbenchMessenger) Next(c *sim.Ctx) sim.Op {
	switch p.step {
	case messengerLists:
		p.waits = true
		p.posted, p.waking, p.next, p.since = p.waking[:0], p.posted, 0, c.Now
		p.step = messengerCopies
		return p.Next(c)
	case messengerCopies:
		if p.next == len(p.waking) {
			p.step = messengerLists
			return sim.Op{Kind: sim.OpWait, Obj: p.event, N: 1}
		}
		p.step = messengerPosts
		return sim.Op{Kind: sim.OpRun, Dur: p.r.copy}
	case messengerPosts:
		p.step = messengerWakes
		w := p.waking[p.next]
		if w.woken = p.since; p.r.w.pipe > 0 {
			w.woken = c.Now
		}
		return sim.Op{Kind: sim.OpRun, Dur: p.r.call(c)}
	}
	p.step = messengerCopies
	p.next++
	return sim.Op{Kind: sim.OpSignal, Obj: p.waking[p.next-1].event, N: 1}
}
