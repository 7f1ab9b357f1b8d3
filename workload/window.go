package workload

import (
	"time"

	"schedlab/internal/keyval"
	"schedlab/sim"
)

// window is the measured time of a benchmark that runs for a given time: it
// begins after a warm-up.
type window struct{ warmup, length int64 }

// readWindow reads the keys warmup and time. The benchmarks run for minutes,
// since a real machine is noisy; a simulated one is not.
func readWindow(s *keyval.Spec, warmup, length time.Duration, real string) window {
	const most = time.Hour
	return window{
		warmup: s.Duration("warmup", warmup, 0, most, "virtual time before the measurement begins; "+real),
		length: s.Duration("time", length, time.Millisecond, most, "virtual time that is measured; a --for has to leave room for both"),
	}
}

// Span is how long a run takes at least, ns.
func (w window) Span() int64 { return w.warmup + w.length }

// windowMain starts tasks, then measures for the time of its window. It is the
// task that the run waits for: the others go on until it ends.
type windowMain struct {
	window
	children []*sim.TaskSpec
	forkTime int64
	step     int
}

func (p *windowMain) Next(c *sim.Ctx) sim.Op {
	n := len(p.children)
	p.step++
	switch i := p.step - 1; i - n {
	case 0:
		return sim.Op{Kind: sim.OpSleep, Dur: p.warmup}
	case 1:
		c.Begin()
		return sim.Op{Kind: sim.OpSleep, Dur: p.length}
	case 2:
		c.End()
		return sim.Op{Kind: sim.OpExit}
	default:
		return sim.Op{Kind: sim.OpFork, Dur: p.forkTime, Task: p.children[i]}
	}
}

// spawner forks tasks, then goes on as another program.
type spawner struct {
	children []*sim.TaskSpec
	forkTime int64
	then     sim.Program // nil: exits
}

func (p *spawner) Next(c *sim.Ctx) sim.Op {
	if len(p.children) > 0 {
		child := p.children[0]
		p.children = p.children[1:]
		return sim.Op{Kind: sim.OpFork, Dur: p.forkTime, Task: child}
	}
	if p.then == nil {
		return sim.Op{Kind: sim.OpExit}
	}
	return p.then.Next(c)
}
