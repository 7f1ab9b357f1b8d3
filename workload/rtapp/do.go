package rtapp

import "schedlab/sim"

// do takes an event a step on. It returns an operation and true, after which it
// is called again, or false when the event is over. p.step counts the steps that
// are done.
func (p *thread) do(c *sim.Ctx, e *event) (sim.Op, bool) {
	r := p.r
	switch e.kind {
	case eventRun:
		return p.once(sim.Op{Kind: sim.OpRun, Dur: c.Rand.Jitter(e.dur, r.w.jitter)})
	case eventRuntime:
		return p.runtime(c, e.dur)
	case eventSleep:
		return p.once(sim.Op{Kind: sim.OpSleep, Dur: e.dur})
	case eventTimer:
		return p.waitTimer(c, &r.timers[e.obj], r.plan.timers[e.obj], e.dur)
	case eventOwnTimer:
		return p.waitTimer(c, &p.own[e.obj], p.task.timers[e.obj], e.dur)
	case eventYield:
		return p.afterCall(sim.Op{Kind: sim.OpYield})
	case eventFork:
		if p.step++; p.step > 1 {
			return sim.Op{}, false
		}
		return p.fork(c, e.obj)
	}
	return p.synchronize(e)
}

// once is an event of one operation.
func (p *thread) once(op sim.Op) (sim.Op, bool) {
	p.step++
	return op, p.step == 1
}

// afterCall is an event of one operation that comes with a system call.
func (p *thread) afterCall(op sim.Op) (sim.Op, bool) {
	switch p.step++; p.step {
	case 1:
		return p.call(), true
	case 2:
		return op, true
	}
	return sim.Op{}, false
}

// call is the CPU time of a system call.
func (p *thread) call() sim.Op { return sim.Op{Kind: sim.OpRunTime, Dur: p.r.syscall} }

// slice is the work between two looks at the clock in a runtime event, ns.
const slice = 32_000

// runtime works in slices until the time has passed since it began, whether the
// thread was on a CPU then or not: that is what rt-app does.
func (p *thread) runtime(c *sim.Ctx, ns int64) (sim.Op, bool) {
	if p.step == 0 {
		p.step = 1
		p.until = c.Now + ns
	} else if c.Now >= p.until {
		return sim.Op{}, false
	}
	return sim.Op{Kind: sim.OpRun, Dur: c.Rand.Jitter(slice, p.r.w.jitter)}, true
}

// timer is when a timer ends next.
type timer struct {
	at  int64
	set bool
}

// waitTimer waits until a timer ends, and sets its next end a period later. One that
// was missed ends at once; a relative one then counts from now.
func (p *thread) waitTimer(c *sim.Ctx, t *timer, mode timerMode, period int64) (sim.Op, bool) {
	if p.step++; p.step > 1 {
		return sim.Op{}, false
	}
	if !t.set {
		*t = timer{p.first, true}
	}
	t.at += period
	if c.Now < t.at {
		return sim.Op{Kind: sim.OpSleepUntil, Dur: t.at}, true
	}
	if !mode.absolute {
		t.at = c.Now
	}
	return sim.Op{}, false
}
