package workload

import (
	"schedlab/internal/keyval"
	"schedlab/machine"
	"schedlab/sim"
)

// saladfork is mmtests' program of that name: a process forks one that exits at
// once, and waits for it, over and over.
type saladfork struct {
	iterations int
	jitter     int64
	attributes
}

func init() {
	register(Info{
		Name:    "saladfork",
		Summary: "a process that forks one which exits at once, over and over (mmtests' saladfork)",
		Unit:    "forks",
		Short:   "iterations",
		Doc: `mmtests' saladfork: a process forks a child, which exits at once, and waits for
it. The latencies "fork-local" and "fork-remote" are from before the fork to after
the wait, where the child ran on the parent's NUMA node and where it did not;
"local" is the rate of the former. CPU times of fork and exit are the machine's.`,
	}, func(s *keyval.Spec) sim.Workload {
		return saladfork{
			iterations: s.Int("iterations", 1000, 1, maxTasks-1, "forks"),
			jitter:     s.PerMille("jitter", 200, "by how much the CPU time of a fork varies, uniformly, either way"),

			attributes: readAttributes(s),
		}
	})
}

func (w saladfork) Name() string { return "saladfork" }
func (w saladfork) Unit() string { return "forks" }

func (w saladfork) taskCount() int { return w.iterations + 1 }

func (w saladfork) Setup(b *sim.Builder) error {
	t, err := w.spec(b) // which the children inherit
	if err != nil {
		return err
	}
	// The wake-up of a waiting parent is sync: the child is about to go.
	exits := b.Channel(sim.ChannelSpec{Capacity: 1 << 10, OneReader: true, Sync: true})
	t.Name = "saladfork"
	t.Program = &forker{
		w: w, m: b.Machine(), exits: exits,
		local: b.Latency("fork-local"), remote: b.Latency("fork-remote"), near: b.Amount("local", "forks", 1),
	}
	b.Task(t)
	return nil
}

// forker is the parent.
type forker struct {
	w                   saladfork
	m                   *machine.Machine
	exits               int32
	local, remote, near int32
	forked              int
	waits               bool
	since               int64
	cpu                 int32 // where it forked
	childCPU            int32 // where the child ran
}

func (p *forker) Next(c *sim.Ctx) sim.Op {
	if p.waits {
		p.waits = false
		return sim.Op{Kind: sim.OpRecv, Obj: p.exits, N: 1}
	}
	if p.forked > 0 {
		p.note(c)
	}
	if p.forked == p.w.iterations {
		return sim.Op{Kind: sim.OpExit}
	}
	p.forked++
	p.waits = true
	p.since, p.cpu = c.Now, c.CPU()
	child := &sim.TaskSpec{Name: "child", Program: &forkedChild{parent: p}}
	return sim.Op{Kind: sim.OpFork, Dur: c.Rand.Jitter(p.m.Costs.Fork, p.w.jitter), Task: child}
}

func (p *forker) note(c *sim.Ctx) {
	c.Work(1)
	if p.m.CPUs[p.cpu].Node == p.m.CPUs[p.childCPU].Node {
		c.Add(p.near, 1)
		c.Record(p.local, c.Now-p.since)
	} else {
		c.Record(p.remote, c.Now-p.since)
	}
}

// forkedChild looks where it runs, tells its parent, and exits.
type forkedChild struct {
	parent *forker
	told   bool
}

func (p *forkedChild) Next(c *sim.Ctx) sim.Op {
	if p.told {
		return sim.Op{Kind: sim.OpExit}
	}
	p.told = true
	p.parent.childCPU = c.CPU()
	return sim.Op{Kind: sim.OpSend, Obj: p.parent.exits, N: 1}
}
