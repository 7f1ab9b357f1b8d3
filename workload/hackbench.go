package workload

import (
	"fmt"

	"schedlab/internal/keyval"
	"schedlab/sim"
)

// hackbench is hackbench, which is perf bench sched messaging: per group fds
// senders and fds receivers; each sender writes loops rounds of one message to
// every receiver of its group, each receiver has one socket or pipe that its
// senders share.
type hackbench struct {
	groups, loops, fds int
	size               int32
	thread, pipe       bool
	jitter             int64 // per mille
	attributes
}

func init() {
	register(Info{
		Name:    "hackbench",
		Summary: "groups of senders and receivers over sockets or pipes",
		Unit:    "messages",
		Doc: `Each sender writes loops rounds of one message to every receiver of its group; a
receiver has one socket or pipe that its senders share. The measured time is from
the release of all to the last one's end. Senders block on a full buffer, receivers
on an empty one. CPU times of sends and receives are the machine's.`,
	}, readHackbench)
}

func readHackbench(s *keyval.Spec) sim.Workload {
	w := hackbench{
		groups: s.Int("groups", 10, 1, maxTasks, "groups of 2 x fds tasks"),
		loops:  s.Int("loops", 100, 1, 10_000_000, "rounds of each sender"),
		fds:    s.Int("fds", 20, 1, 10_000, "senders, and receivers, of a group"),
		thread: s.Enum("mode", "process", "whether the tasks share an address space", "process", "thread") == "thread",
		pipe:   s.Enum("ipc", "socket", "what carries the messages", "socket", "pipe") == "pipe",
		size:   int32(s.Int("datasize", 100, 1, maxMessage, "bytes of a message")),
		jitter: s.PerMille("jitter", 200, jitterDoc),

		attributes: readAttributes(s),
	}
	if tasks := int64(w.groups) * int64(w.fds) * 2; tasks > maxTasks {
		s.Reject("groups x fds x 2 = %d tasks are too many, %d is the most", tasks, maxTasks)
	}
	return w
}

// jitterDoc is the meaning of the key jitter where it is about system calls.
const jitterDoc = "by how much the CPU time of a send or receive varies, uniformly, either way"

func (w hackbench) Name() string { return "hackbench" }
func (w hackbench) Unit() string { return "messages" }

func (w hackbench) taskCount() int { return w.groups * w.fds * 2 }

func (w hackbench) Setup(b *sim.Builder) error {
	c := b.Costs()
	m := &together{forkTime: c.Fork, ready: b.Event(), start: b.Event(), done: b.Event()}
	send, receive := c.SocketSend, c.SocketRecv
	channel := socket(w.size)
	if w.pipe {
		send, receive, channel = c.PipeWrite, c.PipeRead, pipe(w.size)
	}
	for g := range w.groups {
		first := int32(-1)
		for range w.fds {
			ch := b.Channel(channel)
			if first < 0 {
				first = ch
			}
		}
		for i := range w.fds {
			r := hackbenchWorker{w: &w, m: m, op: sim.OpRecv, time: receive, first: first + int32(i), channels: 1, left: w.fds * w.loops}
			m.children = append(m.children, w.child("receiver", g, i, r))
		}
		for i := range w.fds {
			s := hackbenchWorker{w: &w, m: m, op: sim.OpSend, time: send, first: first, channels: int32(w.fds), left: w.fds * w.loops}
			m.children = append(m.children, w.child("sender", g, i, s))
		}
	}
	t, err := w.spec(b) // which its children inherit
	if err != nil {
		return err
	}
	t.Name, t.Program, t.MM = "hackbench", m, mainMM
	b.Task(t)
	return nil
}

// mainMM is the address space of a workload's first process.
const mainMM = 1

func (w hackbench) child(role string, group, i int, p hackbenchWorker) *sim.TaskSpec {
	t := &sim.TaskSpec{Name: fmt.Sprintf("%s-%d-%d", role, group, i), Program: &p}
	if w.thread {
		t.MM = mainMM
	}
	return t
}

// hackbenchWorker sends to, or receives from, channels in turn.
type hackbenchWorker struct {
	w        *hackbench
	m        *together
	op       sim.OpKind
	time     int64
	first    int32
	channels int32
	turn     int32 // channel of the next operation, from first on
	left     int   // operations to begin
	step     workerStep
}

type workerStep uint8

const (
	workerReports workerStep = iota // says that it is ready
	workerWaits                     // for the start
	workerBegins                    // its first operation
	workerWorks                     // has an operation behind it
	workerEnds
)

func (p *hackbenchWorker) Next(c *sim.Ctx) sim.Op {
	switch p.step {
	case workerReports:
		p.step = workerWaits
		return sim.Op{Kind: sim.OpSignal, Obj: p.m.ready, N: 1}
	case workerWaits:
		p.step = workerBegins
		return sim.Op{Kind: sim.OpWait, Obj: p.m.start, N: 1}
	case workerEnds:
		return sim.Op{Kind: sim.OpExit}
	case workerWorks:
		if p.op == sim.OpRecv {
			c.Work(1)
		}
	}
	if p.left == 0 {
		p.step = workerEnds
		return sim.Op{Kind: sim.OpSignal, Obj: p.m.done, N: 1}
	}
	p.step = workerWorks
	p.left--
	ch := p.first + p.turn
	if p.turn++; p.turn == p.channels {
		p.turn = 0
	}
	return sim.Op{Kind: p.op, Obj: ch, N: p.w.size, Dur: c.Rand.Jitter(p.time, p.w.jitter)}
}
