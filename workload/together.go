package workload

import "schedlab/sim"

// together forks tasks, waits until all are ready, releases them at once and
// measures from there to the last one's end.
type together struct {
	children           []*sim.TaskSpec
	forkTime           int64
	ready, start, done int32
	step               int
}

func (p *together) Next(c *sim.Ctx) sim.Op {
	n := len(p.children)
	i := p.step
	p.step++
	switch i - n {
	case 0:
		return sim.Op{Kind: sim.OpWait, Obj: p.ready, N: int32(n)}
	case 1:
		c.Begin()
		return sim.Op{Kind: sim.OpSignal, Obj: p.start, N: int32(n)}
	case 2:
		return sim.Op{Kind: sim.OpWait, Obj: p.done, N: int32(n)}
	case 3:
		c.End()
		return sim.Op{Kind: sim.OpExit}
	}
	return sim.Op{Kind: sim.OpFork, Dur: p.forkTime, Task: p.children[i]}
}

// member is one of the tasks: it says that it is ready, waits for the start, does
// its work, and says that it is done when that exits.
type member struct {
	of   *together
	then sim.Program
	step int
}

func (p *member) Next(c *sim.Ctx) sim.Op {
	switch p.step {
	case 0:
		p.step++
		return sim.Op{Kind: sim.OpSignal, Obj: p.of.ready, N: 1}
	case 1:
		p.step++
		return sim.Op{Kind: sim.OpWait, Obj: p.of.start, N: 1}
	case 2:
		if op := p.then.Next(c); op.Kind != sim.OpExit {
			return op
		}
		p.step++
		return sim.Op{Kind: sim.OpSignal, Obj: p.of.done, N: 1}
	}
	return sim.Op{Kind: sim.OpExit}
}
