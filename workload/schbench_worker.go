package workload

import "schedlab/sim"

// schbenchWorker asks for requests and executes them.
type schbenchWorker struct {
	r       *schbenchRun
	m       *schbenchMessenger
	event   int32
	woken   int64 // when it was posted
	step    schbenchStep
	sleeps  int // that the request still has
	since   int64
	cpu     int32 // whose lock it wants or has
	pending int   // rps: requests issued since it last looked,
	queued  int   // not begun yet,
	taken   int   // taken together
	waits   bool  // rps: an issue has to wake it
}

type schbenchStep uint8

// Steps of a worker: what it does next.
const (
	schbenchAsks schbenchStep = iota
	schbenchPosts
	schbenchWakes // the message thread
	schbenchWaits
	schbenchReturns // from its wait
	schbenchRuns    // again
	schbenchBegins  // a request
	schbenchSleeps
	schbenchLooks // which CPU it is on
	schbenchLocks
	schbenchWorks
	schbenchUnlocks
)

func (p *schbenchWorker) Next(c *sim.Ctx) sim.Op {
	for {
		if op, ok := p.act(c); ok {
			return op
		}
	}
}

// act takes one step; without an operation the next one follows at once.
func (p *schbenchWorker) act(c *sim.Ctx) (op sim.Op, ok bool) {
	r := p.r
	switch p.step {
	case schbenchAsks:
		return p.ask()
	case schbenchPosts:
		p.step = schbenchWaits
		p.m.posted = append(p.m.posted, p)
		if p.m.waits {
			p.m.waits = false
			p.step = schbenchWakes
			return sim.Op{Kind: sim.OpRun, Dur: r.call(c)}, true
		}
	case schbenchWakes:
		p.step = schbenchWaits
		return sim.Op{Kind: sim.OpSignal, Obj: p.m.event, N: 1}, true
	case schbenchWaits:
		p.step = schbenchReturns
		return sim.Op{Kind: sim.OpWait, Obj: p.event, N: 1}, true
	case schbenchReturns:
		p.step = schbenchRuns
		return sim.Op{Kind: sim.OpRun, Dur: r.call(c)}, true
	case schbenchRuns:
		p.run(c)
	default:
		return p.request(c)
	}
	return op, false
}

// ask asks for work: for the next request, or with rps for those issued meanwhile.
func (p *schbenchWorker) ask() (op sim.Op, ok bool) {
	r := p.r
	switch {
	case r.w.rps == 0:
		p.step = schbenchPosts
		return sim.Op{Kind: sim.OpRun, Dur: r.copy}, true
	case p.queued > 0:
		p.step = schbenchBegins
		p.taken, p.queued, p.pending = p.queued, 0, 0
	default:
		p.step = schbenchWaits
		p.waits, p.pending = true, 0
	}
	return op, false
}

// run is what the worker does when it runs again after its wait.
func (p *schbenchWorker) run(c *sim.Ctx) {
	r := p.r
	c.Record(r.wakeup, c.Now-p.woken)
	p.step = schbenchAsks
	switch {
	case r.w.pipe > 0:
		c.Work(1)
	case r.w.rps == 0:
		p.step, p.taken = schbenchBegins, 1
	}
}

// request takes one step of a request.
func (p *schbenchWorker) request(c *sim.Ctx) (op sim.Op, ok bool) {
	r := p.r
	switch p.step {
	case schbenchBegins:
		p.step = schbenchSleeps
		p.since, p.sleeps = c.Now, r.w.sleeps
	case schbenchSleeps:
		if p.sleeps > 0 {
			p.sleeps--
			return sim.Op{Kind: sim.OpSleep, Dur: r.w.sleep}, true
		}
		p.step = schbenchWorks
		if r.w.locking {
			p.step = schbenchLooks
		}
	case schbenchLooks:
		p.step = schbenchLocks
		p.cpu = c.CPU()
	case schbenchLocks:
		return p.lock(c)
	case schbenchWorks:
		p.step = schbenchUnlocks
		return sim.Op{Kind: sim.OpRun, Dur: c.Rand.Jitter(r.work, r.w.jitter)}, true
	case schbenchUnlocks:
		p.end(c)
	}
	return op, false
}

// lock takes the lock of the CPU that the worker was on when it looked, and
// looks again if it has been moved since.
func (p *schbenchWorker) lock(c *sim.Ctx) (op sim.Op, ok bool) {
	lock := p.r.locks[p.cpu]
	if !c.TryLock(lock) {
		return c.Spin(lock), true
	}
	p.step = schbenchWorks
	if c.CPU() != p.cpu {
		c.Unlock(lock)
		p.step = schbenchLooks
	}
	return op, false
}

// end ends a request.
func (p *schbenchWorker) end(c *sim.Ctx) {
	r := p.r
	if r.w.locking {
		c.Unlock(r.locks[p.cpu])
	}
	c.Record(r.request, c.Now-p.since)
	c.Work(1)
	p.step = schbenchBegins
	if p.taken--; p.taken == 0 {
		p.step = schbenchAsks
	}
}
