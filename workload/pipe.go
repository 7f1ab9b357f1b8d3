package workload

import (
	"schedlab/internal/keyval"
	"schedlab/sim"
)

// pingPipe is perf bench sched pipe: two tasks and two pipes; one writes and
// reads, the other reads and writes, so that one runs at a time.
type pingPipe struct {
	loops  int
	thread bool
	bind   string
	jitter int64
}

func init() {
	register(Info{
		Name:    "pipe",
		Summary: "two tasks that hand one message back and forth (perf bench sched pipe)",
		Unit:    "loops",
		Doc: `One task writes and reads, the other reads and writes: one of them runs at a time,
and every message is a wake-up. CPU times of writes and reads are the machine's.
bind takes the first CPU of the first node and another one: of its core
(cross-ht), of its LLC or else its node but not its core (cross-socket, whatever
the name says), or the last CPU of the last node (cross-node).`,
	}, func(s *keyval.Spec) sim.Workload {
		return pingPipe{
			loops:  s.Int("loops", 100_000, 1, 100_000_000, "round trips"),
			thread: s.Enum("mode", "process", "whether the tasks share an address space", "process", "thread") == "thread",
			bind:   s.Enum("bind", bindOff, "two CPUs that both tasks are bound to, as mmtests' bindings of that name choose them", bindOff, bindHT, bindSocket, bindNode),
			jitter: s.PerMille("jitter", 200, jitterDoc),
		}
	})
}

// pipeMessage is an int.
const pipeMessage = 4

func (w pingPipe) Name() string { return "pipe" }
func (w pingPipe) Unit() string { return "loops" }

func (w pingPipe) taskCount() int { return 2 }

func (w pingPipe) Setup(b *sim.Builder) error {
	cpus, err := bound(b.Machine(), w.bind)
	if err != nil {
		return err
	}
	there, back := b.Channel(pipe(pipeMessage)), b.Channel(pipe(pipeMessage))
	c := b.Costs()
	times := [2]int64{c.PipeWrite, c.PipeRead}
	second := &sim.TaskSpec{Name: "pipe-b", Program: &pipePeer{w: w, times: times, in: there, out: back}}
	if w.thread {
		second.MM = mainMM
	}
	b.Task(sim.TaskSpec{
		Name: "pipe-a", MM: mainMM, Affinity: cpus, // which the other one inherits
		Program: &pipePeer{w: w, times: times, in: back, out: there, first: true, peer: second, forkTime: c.Fork},
	})
	return nil
}

// pipePeer is one of the two tasks; the first forks the other and measures.
type pipePeer struct {
	w        pingPipe
	times    [2]int64 // of a write, of a read
	in, out  int32
	first    bool
	forkTime int64
	peer     *sim.TaskSpec
	turns    int // operations begun
}

func (p *pipePeer) Next(c *sim.Ctx) sim.Op {
	if p.peer != nil {
		peer := p.peer
		p.peer = nil
		return sim.Op{Kind: sim.OpFork, Dur: p.forkTime, Task: peer}
	}
	if p.first && p.turns == 0 {
		c.Begin()
	}
	if p.first && p.turns > 0 && p.turns%2 == 0 {
		c.Work(1)
	}
	if p.turns == 2*p.w.loops {
		if p.first {
			c.End()
		}
		return sim.Op{Kind: sim.OpExit}
	}
	writes := p.first == (p.turns%2 == 0)
	p.turns++
	if writes {
		return sim.Op{Kind: sim.OpSend, Obj: p.out, N: pipeMessage, Dur: c.Rand.Jitter(p.times[0], p.w.jitter)}
	}
	return sim.Op{Kind: sim.OpRecv, Obj: p.in, N: pipeMessage, Dur: c.Rand.Jitter(p.times[1], p.w.jitter)}
}
