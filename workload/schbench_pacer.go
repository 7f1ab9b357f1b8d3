package workload

import "schedlab/sim"

// schbenchPacer is a message thread that issues requests at a rate: those of a
// second at its start.
type schbenchPacer struct {
	m      *schbenchMessenger
	rate   int
	issued int   // in this second
	turn   int   // of the workers
	second int64 // when it began
	wakes  *schbenchWorker
}

// pending is how many requests a worker can have, and full what a message thread
// waits for when one has that many.
const (
	pending = 128
	full    = 100_000 // ns
)

func (p *schbenchPacer) Next(c *sim.Ctx) sim.Op {
	if w := p.wakes; w != nil {
		p.wakes = nil
		return sim.Op{Kind: sim.OpSignal, Obj: w.event, N: 1}
	}
	if p.issued == 0 {
		p.second = c.Now
	}
	if p.issued == p.rate {
		p.issued = 0
		return sim.Op{Kind: sim.OpSleepUntil, Dur: p.second + 1_000_000_000}
	}
	p.issued++
	w := p.m.workers[p.turn]
	p.turn = (p.turn + 1) % len(p.m.workers)
	if w.pending > pending {
		return sim.Op{Kind: sim.OpSleep, Dur: full}
	}
	w.pending++
	w.queued++
	w.woken = c.Now
	if w.waits {
		w.waits = false
		p.wakes = w
	}
	return sim.Op{Kind: sim.OpRun, Dur: p.m.r.call(c)}
}
