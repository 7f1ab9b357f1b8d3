package rtapp

import (
	"fmt"

	"schedlab/sim"
)

// threadShare is the part of a process's fork that creating a thread takes: no
// memory is copied. Assumed.
const threadShare = 4

// launcher is rt-app's first thread. It creates the threads of all tasks, and
// then sleeps until the duration is over, in a thread of its own so that the run
// ends before if all others do.
type launcher struct {
	r     *run
	first []*sim.TaskSpec
	at    int
}

// firstThreads are the threads that exist from the start, in rt-app's order.
func (r *run) firstThreads(newEvent func() int32) []*sim.TaskSpec {
	var all []*sim.TaskSpec
	for i := range r.plan.tasks {
		for range r.plan.tasks[i].instances {
			all = append(all, r.spec(int32(i), newEvent(), 0))
		}
	}
	return all
}

// Next implements [sim.Program].
func (l *launcher) Next(*sim.Ctx) sim.Op {
	if l.at < len(l.first) {
		l.at++
		return sim.Op{Kind: sim.OpFork, Dur: l.r.create, Task: l.first[l.at-1]}
	}
	if l.at == len(l.first) && l.r.plan.duration > 0 {
		l.at++
		return sim.Op{Kind: sim.OpFork, Task: &sim.TaskSpec{Name: "rt-app-end", MM: threadsMM, Daemon: true, Program: &ending{r: l.r}}}
	}
	return sim.Op{Kind: sim.OpExit}
}

// ending ends the run when the duration is over, whatever the threads do then.
type ending struct {
	r    *run
	step int
}

// Next implements [sim.Program].
func (e *ending) Next(c *sim.Ctx) sim.Op {
	e.step++
	if e.step == 1 {
		return sim.Op{Kind: sim.OpSleep, Dur: e.r.plan.duration}
	}
	if !e.r.over {
		e.r.over = true
		c.End()
		c.Finish()
	}
	return forever
}

// forever is what a thread does that is not to run again, and does not exit.
var forever = sim.Op{Kind: sim.OpSleepUntil, Dur: sim.Forever}

// spec makes a new thread of a task. mask is what it is created with.
func (r *run) spec(task, event, mask int32) *sim.TaskSpec {
	t := &r.plan.tasks[task]
	p := &thread{r: r, task: t, masks: r.phaseMask[task], event: event, index: r.threads, attr: t.attr, born: mask, mask: mask, own: make([]timer, len(t.timers))}
	r.threads++
	r.alive++
	return &sim.TaskSpec{
		Name: fmt.Sprintf("%s-%d", t.name, p.index), Program: p, MM: threadsMM,
		Sched: t.attr.sched(r.groups[task]),
	}
}

// sched is how the simulator schedules a thread with the attributes, of a group.
func (a attr) sched(group int32) sim.Sched {
	return sim.Sched{Nice: a.nice, RTPrio: a.rtPrio, RR: a.rr, IdlePol: a.idle, Batch: a.batch, Group: group}
}

// maxForks is how often one task may be forked (rt-app's FORKS_LIMIT).
const maxForks = 1024

// fork is the fork event: another thread of a task. A program that forks without
// end fails as it does in rt-app.
func (p *thread) fork(c *sim.Ctx, task int32) (sim.Op, bool) {
	r := p.r
	name := r.plan.tasks[task].name
	switch {
	case r.forks[task] >= maxForks:
		return r.fail(c, fmt.Errorf("task %q reached its limit of %d forks", name, maxForks))
	case r.threads >= maxThreads:
		return r.fail(c, fmt.Errorf("fork of task %q: there are %d threads already", name, maxThreads))
	}
	r.forks[task]++
	child := r.spec(task, c.Event(), p.mask)
	child.Program.(*thread).stage = begins // the start does not wait for it
	return sim.Op{Kind: sim.OpFork, Dur: r.create, Task: child}, true
}

// fail ends the run: the file is at fault.
func (r *run) fail(c *sim.Ctx, err error) (sim.Op, bool) {
	c.Fail(&sim.SetupError{Workload: r.w.name, Err: err})
	return forever, true
}
