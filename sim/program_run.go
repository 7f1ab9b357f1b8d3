package sim

import (
	"schedlab/kernel"
	"schedlab/policy"
)

// resume lets the current task of c go on from where it stands. It reports
// whether the task proceeds: no operation of it uses CPU time now.
func (s *Sim) resume(c int32) bool {
	t := &s.tasks[s.k.Face[c].Curr]
	if t.step == stepAct && t.left > 0 {
		s.startOperation(c)
		return false
	}
	return true
}

// proceed carries operations out, of one task after another where they take no
// time, until one uses CPU time or the CPU is idle.
func (s *Sim) proceed(c int32) {
	for {
		id := s.k.Face[c].Curr
		t := &s.tasks[id]
		if t.step == stepNext && !s.nextOperation(id, t) {
			return
		}
		if t.step == stepBegin {
			if t.trait&mayWait != 0 && !s.mayBegin(c, id, t) {
				if !s.leave(c, id, blocks) {
					return
				}
				continue
			}
			t.step = stepAct
			// What acts on others does so when the CPU has paid what it owes.
			if t.left > 0 || s.cpus[c].debt > 0 && t.trait&affectsOthers != 0 {
				s.startOperation(c)
				return
			}
		}
		t.step = stepNext
		how := goesOn
		if t.trait&acts != 0 {
			how = s.act(c, id, t)
		}
		if how == goesOn && !s.k.Face[c].NeedResched {
			continue
		}
		if !s.leave(c, id, how) {
			return
		}
	}
}

// nextOperation asks a task's program what to do next. It reports whether the
// run can go on.
func (s *Sim) nextOperation(id int32, t *task) bool {
	if s.spinning() {
		s.fail("%d operations use no time at %d ns, the last ones in task %d: a program without end", s.spins, s.now, id)
		return false
	}
	s.ctx.Now, s.ctx.Task, s.ctx.Rand = s.now, id, &t.rand
	op := t.prog.Next(&s.ctx)
	// Field by field: a copy of the whole waits for its own stores. The
	// pointers of the rare kinds are left alone otherwise.
	t.op.Kind, t.op.N, t.op.Obj, t.op.Dur = op.Kind, op.N, op.Obj, op.Dur
	t.trait = traits[op.Kind&15]
	if t.trait&hasPointer != 0 {
		t.op.Task = op.Task
	}
	t.step = stepBegin
	t.left = t.cpuTime()
	return true
}

// spinning counts an operation, and reports whether more have begun at this
// instant than any program that ends would need.
func (s *Sim) spinning() bool {
	if s.now != s.spunAt {
		s.spunAt, s.spins = s.now, 0
	}
	s.spins++
	return s.spins > maxSpins+spinsPerTask*len(s.order)
}

// then says how a task goes on after it acted.
type then uint8

const (
	goesOn  then = iota // where it is, unless the CPU is to reschedule
	blocks              // it goes to sleep
	exits               // it ends
	evicted             // it may not stay on the CPU
	fails               // it does not: the run fails
)

// leave calls the scheduler for a task that may leave the CPU. It reports
// whether the task that is current then proceeds.
func (s *Sim) leave(c, id int32, how then) bool {
	switch how {
	case blocks:
		s.cpus[c].debt += s.costs.Syscall
		return s.reschedule(c, policy.Blocks)
	case exits:
		return s.reschedule(c, policy.Exits)
	case evicted:
		s.sched.Evict(c, s.now)
		return s.switched(c, id, s.sched.Schedule(c, policy.Preempted, s.now), policy.Preempted)
	case fails:
		return false
	}
	return s.reschedule(c, policy.Preempted)
}

// trait says what carrying an operation out takes, as bits, so that the loop
// above asks instead of choosing among kinds again at each step.
type trait uint8

const (
	usesCPU       trait = 1 << iota // Dur is CPU time
	mayWait                         // it can have to wait before it begins
	acts                            // it does something when its CPU time is used
	affectsOthers                   // ... that other tasks see
	hasPointer
)

// traits of each kind; its length is a power of two, so that no kind is out of it.
var traits = [16]trait{
	OpExit:       acts | affectsOthers,
	OpRun:        usesCPU,
	OpRunTime:    usesCPU,
	OpSend:       usesCPU | mayWait | acts | affectsOthers,
	OpRecv:       usesCPU | mayWait | acts | affectsOthers,
	OpSleep:      mayWait,
	OpSleepUntil: mayWait,
	OpWait:       mayWait,
	OpSignal:     acts | affectsOthers,
	OpFork:       usesCPU | acts | affectsOthers | hasPointer,
	OpYield:      acts | affectsOthers,
	OpAffinity:   acts | hasPointer,
	OpSched:      acts | affectsOthers | hasPointer,
}

// cpuTime is what the task's operation uses before it acts.
func (t *task) cpuTime() int64 {
	return min(max(t.op.Dur, 0), MaxRun) & -int64(t.trait&usesCPU)
}

// mayBegin reports whether an operation can go on; if not, the task is on the
// list of what it waits for.
func (s *Sim) mayBegin(c int32, id int32, t *task) bool {
	switch t.op.Kind {
	case OpSend:
		if ch := &s.channels[t.op.Obj]; ch.full(t.op.N) {
			s.listPush(&ch.senders, id)
			return false
		}
	case OpRecv:
		if ch := &s.channels[t.op.Obj]; ch.empty() {
			s.listPush(&ch.receivers, id)
			return false
		}
	case OpWait:
		if t.granted {
			t.granted = false
			return true
		}
		ev := &s.counters[t.op.Obj]
		if ev.count < int64(t.op.N) || ev.waiters.head != nobody {
			s.listPush(&ev.waiters, id)
			return false
		}
		ev.count -= int64(t.op.N)
	case OpSleep, OpSleepUntil:
		return s.mayEndSleep(c, id, t)
	}
	return true
}

// mayEndSleep arms the task's timer, or says that the time has come.
func (s *Sim) mayEndSleep(c int32, id int32, t *task) bool {
	if t.granted {
		t.granted = false
		return true
	}
	until := min(t.op.Dur, farFuture)
	if t.op.Kind == OpSleep {
		until = s.now + s.cpus[c].debt + max(until, 0)
	}
	if until <= s.now {
		return true
	}
	s.arm(c, id, until)
	return false
}

// act does what an operation does to the world, and says how the task goes on.
func (s *Sim) act(c int32, id int32, t *task) then {
	op := &t.op
	switch op.Kind {
	case OpSend:
		return s.send(c, id, t)
	case OpRecv:
		return s.receive(c, id, t)
	case OpSignal:
		s.signal(c, op.Obj, op.N, 0)
	case OpFork:
		s.fork(c, id, op.Task)
	case OpExit:
		return s.exit(c, t)
	case OpYield:
		s.k.Yield(&s.k.RQ[c], s.now)
	case OpAffinity:
		return s.setAffinity(c, id, op)
	case OpSched:
		s.setSched(c, id, &op.Task.Sched)
	}
	return goesOn
}

// send delivers a message, or begins again if the room is gone.
func (s *Sim) send(c int32, id int32, t *task) then {
	ch := &s.channels[t.op.Obj]
	if ch.full(t.op.N) {
		return s.again(id, t, &ch.senders)
	}
	ch.put(t.op.N)
	s.stats.Sent++
	s.wakeList(c, &ch.receivers, ch.OneReader, ch.Sync)
	return goesOn
}

func (s *Sim) receive(c int32, id int32, t *task) then {
	ch := &s.channels[t.op.Obj]
	if ch.empty() {
		return s.again(id, t, &ch.receivers)
	}
	ch.take(t.op.N)
	s.stats.Received++
	if ch.senders.head != nobody && ch.used <= ch.LowWater {
		s.wakeList(c, &ch.senders, ch.OneWriter, ch.Sync)
	}
	return goesOn
}

// again blocks a task whose chance was taken by another one meanwhile; it will
// use the operation's CPU time once more.
func (s *Sim) again(id int32, t *task, l *taskList) then {
	t.step, t.left = stepBegin, t.cpuTime()
	s.listPush(l, id)
	return blocks
}

// wakeList wakes the tasks on a list: all, or the first.
func (s *Sim) wakeList(c int32, l *taskList, one, sync bool) {
	var fl kernel.WakeFlags
	if sync {
		fl = kernel.WakeSync
	}
	for {
		id := s.listPop(l)
		if id == nobody {
			return
		}
		s.stats.Wakeups++
		s.wake(c, id, fl)
		if one {
			return
		}
	}
}

// wake wakes a blocked task on behalf of CPU c.
func (s *Sim) wake(c int32, id int32, fl kernel.WakeFlags) {
	t := &s.tasks[id]
	t.wokenAt = s.now
	s.sched.TryToWakeUp(s.k.Task(id), c, fl, s.now)
	s.beginWait(id)
	s.chargeDecision(c)
}

// signal adds to an event and wakes the waiters that it satisfies, in order.
func (s *Sim) signal(c int32, event, n int32, fl kernel.WakeFlags) {
	ev := &s.counters[event]
	ev.count += int64(n)
	woke := false
	for ev.waiters.head != nobody {
		id := ev.waiters.head
		t := &s.tasks[id]
		if ev.count < int64(t.op.N) {
			break
		}
		ev.count -= int64(t.op.N)
		s.listPop(&ev.waiters)
		t.granted = true
		s.stats.Wakeups++
		s.wake(c, id, fl)
		woke = true
	}
	if !woke && s.recorded {
		// The recorded wake-up met a task that was still awake.
		s.stats.Wakeups++
		s.stats.EarlyWakeups++
	}
}

// fork creates and places a child.
func (s *Sim) fork(c int32, parent int32, spec *TaskSpec) {
	child := *spec
	if child.Affinity == nil {
		child.Affinity = s.k.Mask(s.k.Task(parent))
	}
	if child.Sched == (Sched{}) {
		child.Sched = s.scheds[parent]
	}
	id := s.newTask(&child, c)
	s.inherit(id, parent)
	s.birth(id, parent, c)
}

// inherit gives a child its parent's wake-up statistics, which fork copies
// (reference B.3).
func (s *Sim) inherit(id, parent int32) {
	p, t := s.k.Task(parent), s.k.Task(id)
	t.Wakees = p.Wakees
}

func (s *Sim) birth(id, parent, c int32) {
	s.stats.Forks++
	s.sched.WakeUpNew(s.k.Task(id), parent, c, s.now)
	s.chargeDecision(c)
}

func (s *Sim) exit(c int32, t *task) then {
	s.stats.Exits++
	if !t.daemon {
		s.live--
	}
	s.cpus[c].debt += s.costs.Exit
	t.prog = nil
	return exits
}

// setAffinity changes the mask of the current task, which leaves the CPU if it
// may not stay.
func (s *Sim) setAffinity(c int32, id int32, op *Op) then {
	mask := op.Task.Affinity
	if !mask.Intersects(s.m.Online) {
		s.fail("task %d: affinity %v holds no online CPU", id, mask)
		return fails
	}
	s.k.SetMask(s.k.Task(id), mask)
	if s.k.AllowedOn(s.k.Task(id), c) {
		return goesOn
	}
	return evicted
}

// startDue starts the tasks that the workload set up for now.
func (s *Sim) startDue() {
	for s.started < len(s.order) {
		id := s.order[s.started]
		spec := &s.initial[id]
		if at := max(spec.Start, 0); at > s.now {
			s.q.set(slotStart, at)
			return
		}
		s.started++
		s.startInitial(id, spec)
	}
}

func (s *Sim) startInitial(id int32, spec *TaskSpec) {
	kt := s.k.Task(id)
	c := kt.CPU
	s.acting = c
	s.stats.Forks++
	if spec.Placed {
		s.sched.StartOn(kt, c, s.now)
	} else {
		s.sched.WakeUpNew(kt, kernel.None, c, s.now)
	}
	s.chargeDecision(c)
	s.settle(c)
}

// interrupt delivers a source's next wake-up from outside.
func (s *Sim) interrupt(i int32) {
	src := &s.sources[i]
	in := src.next
	if next, ok := src.from.Next(); ok {
		src.next = next
		s.q.set(s.slotSource(int(i)), max(next.At, s.now))
	}
	c := in.CPU
	if c < 0 || int(c) >= len(s.cpus) || !s.cpus[c].online {
		c = int32(s.m.Online.First())
	}
	s.acting = c
	s.charge(c, s.costs.IRQ)
	s.signal(c, in.Event, in.N, kernel.WakeIRQ)
	s.settle(c)
}
