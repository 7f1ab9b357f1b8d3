package rtapp

import "schedlab/sim"

// What rt-app's own code takes, in ns. Assumed: docs/model.md.
const (
	loopTime  = 1000 // of a loop of a phase: two readings of the clock, a line of the log
	eventTime = 50   // of an event, beside what it does
)

// thread is one thread at work: where it is in its task, and in its event.
type thread struct {
	r     *run
	task  *task
	masks []int32 // by phase
	event int32   // it waits for this one, whatever it waits for
	index int
	attr  attr
	born  int32 // mask that it was created with
	mask  int32 // mask that it has
	own   []timer

	change sim.TaskSpec // what it asks for when it changes its CPUs or its policy

	stage stage
	step  uint8 // of the event
	inner uint8 // of what the step consists of
	next  *thread

	phase, phaseLoop, loop int
	at                     int   // event of the phase
	first                  int64 // when it begins: the reference of its timers
	until                  int64 // of a runtime event
	left                   int   // threads that a broadcast has still to wake
	owed                   int64 // ns that its events took, to be paid with the loop
}

// stage is how far a thread is in its life.
type stage uint8

const (
	arrives stage = iota // at the start, which is one for all
	opens                // the start, as the last one there
	gated                // waits for the start
	begins               // with its delay
	turns                // to the next loop of a phase
	pinned               // to that loop's CPUs
	ranked               // with that loop's policy and priority
	works                // on the events of a phase
	pays                 // for the loop
	counts               // the loop
	ends
)

// Next implements [sim.Program].
func (p *thread) Next(c *sim.Ctx) sim.Op {
	for !p.r.over {
		if op, ok := p.goOn(c); ok {
			return op
		}
	}
	return forever
}

// goOn takes the thread a step on. It reports whether that needs an operation.
func (p *thread) goOn(c *sim.Ctx) (sim.Op, bool) {
	switch p.stage {
	case arrives:
		return p.arrive(c)
	case opens:
		if waiter := p.r.gate.pop(); waiter != nil {
			return waiter.wake(), true
		}
		p.stage = begins
	case gated:
		p.stage = begins
	case begins:
		return p.begin()
	case turns:
		return p.turn()
	case pinned:
		return p.rank()
	case ranked:
		p.stage, p.at = works, 0
	case works:
		return p.work(c)
	case pays:
		p.stage = counts
		pay := loopTime + p.owed
		p.owed = 0
		return sim.Op{Kind: sim.OpRunTime, Dur: pay}, true
	case counts:
		c.Work(1)
		p.advance()
	case ends:
		return p.end(c), true
	}
	return sim.Op{}, false
}

// arrive waits until every thread that exists from the start is there. The first
// thread sets the time from which timers count.
func (p *thread) arrive(c *sim.Ctx) (sim.Op, bool) {
	r := p.r
	if p.index == 0 {
		r.zero = c.Now
	}
	if r.absent--; r.absent > 0 {
		p.stage = gated
		r.gate.push(p)
		return p.sleep(), true
	}
	c.Begin()
	p.stage = opens
	return sim.Op{}, false
}

// begin waits for the task's delay.
func (p *thread) begin() (sim.Op, bool) {
	p.stage = turns
	p.first = p.r.zero + p.task.delay
	if p.task.delay == 0 {
		return sim.Op{}, false
	}
	return sim.Op{Kind: sim.OpSleepUntil, Dur: p.first}, true
}

// turn goes to the CPUs of the next loop of a phase. Where neither phase nor task
// names any, these are the ones that the thread was created with.
func (p *thread) turn() (sim.Op, bool) {
	if p.loop == p.task.loop {
		p.stage = ends
		return sim.Op{}, false
	}
	p.stage = pinned
	want := p.masks[p.phase]
	if want == inherited {
		want = p.born
	}
	if want == p.mask {
		return sim.Op{}, false
	}
	p.mask = want
	p.change.Affinity = p.r.masks[want]
	return sim.Op{Kind: sim.OpAffinity, Task: &p.change}, true
}

// rank takes the policy and priority of the next loop of a phase.
func (p *thread) rank() (sim.Op, bool) {
	p.stage = ranked
	want := p.task.phases[p.phase].attr
	if want == p.attr {
		return sim.Op{}, false
	}
	p.attr = want
	p.change.Sched = want.sched(0) // the group stays
	return sim.Op{Kind: sim.OpSched, Task: &p.change}, true
}

// work takes the event at hand a step on, or goes to the next one.
func (p *thread) work(c *sim.Ctx) (sim.Op, bool) {
	events := p.task.phases[p.phase].events
	if p.at == len(events) {
		p.stage = pays
		return sim.Op{}, false
	}
	op, ok := p.do(c, &events[p.at])
	if !ok {
		p.at++
		p.step, p.inner = 0, 0
		p.owed += eventTime
	}
	return op, ok
}

// advance goes to the next loop, of the phase or of a later one.
func (p *thread) advance() {
	p.stage = turns
	n := p.task.phases[p.phase].loop
	if n <= 0 {
		return // without end
	}
	if p.phaseLoop++; p.phaseLoop < n {
		return
	}
	p.phaseLoop = 0
	if p.phase++; p.phase < len(p.task.phases) {
		return
	}
	p.phase = 0
	if p.task.loop > 0 {
		p.loop++
	}
}

// end is the thread's exit; the last one ends the measured time.
func (p *thread) end(c *sim.Ctx) sim.Op {
	if p.r.alive--; p.r.alive == 0 {
		c.End()
	}
	return sim.Op{Kind: sim.OpExit}
}

// sleep waits for the thread's own event, on which one wakes it.
func (p *thread) sleep() sim.Op { return sim.Op{Kind: sim.OpWait, Obj: p.event, N: 1} }
func (p *thread) wake() sim.Op  { return sim.Op{Kind: sim.OpSignal, Obj: p.event, N: 1} }
