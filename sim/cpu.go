package sim

import (
	"schedlab/kernel"
	"schedlab/machine"
	"schedlab/policy"
)

// cpu is the simulator's part of a CPU.
type cpu struct {
	core    int32
	mm      int32 // address space that its page tables are of; kept while idle
	pushTo  int32 // a kick is to push a task to that CPU (active balance); -1: none
	online  bool
	idle    bool
	running bool // an operation is using CPU time since started
	steady  bool // ... at the same speed whatever the siblings do
	tickOn  bool
	halted  bool // it takes an interrupt to leave the idle state
	irq     bool // the kick on its way is an interrupt, which costs the running task time
	nohz    bool // a kick is to balance for the idle CPUs

	started int64 // when the running operation began or will begin to progress
	speed   int64 // its speed, of 1000
	debt    int64 // ns owed before anything else progresses

	idleFrom int64 // begin of the idle period; what is owed on entry comes before
	latency  int64 // exit latency of the idle state
	busyFrom int64
	busyNs   int64
	idleNs   int64

	timers timerQueue
	aimed  int64 // time of the timer slot's event; Forever: none
	guess  idleGuess
}

func (s *Sim) initCPUs() {
	n := len(s.m.CPUs)
	s.cpus = make([]cpu, n)
	s.busy = make([]int32, n)
	s.siblings = make([][]int32, n)
	for i := range s.cpus {
		c := &s.cpus[i]
		*c = cpu{core: int32(s.m.CPUs[i].Core), online: s.m.Online.Test(i), idle: true, pushTo: -1, speed: 1000, aimed: Forever}
		if c.online {
			for o := range s.k.Smt[i].All() {
				if o != i {
					s.siblings[i] = append(s.siblings[i], int32(o))
				}
			}
			s.chooseState(c, 1<<62, 1<<62)
			s.k.RQ[i].IdleLatency = c.latency
			s.k.RQ[i].TickStopped = true
			s.sched.EnterNohzIdle(int32(i))
		}
	}
}

// speedOf is the speed of a thread of c's core, of 1000, given how many of its
// threads are busy. More than two share what two get.
func (s *Sim) speedOf(c int32) int64 {
	n := int64(s.busy[s.cpus[c].core])
	if n <= 1 || s.costs.SMTSpeed == 0 {
		return 1000
	}
	return max(s.costs.SMTSpeed*2/n, 1)
}

// speedNow is the speed of the running operation of c.
func (s *Sim) speedNow(c int32) int64 {
	if s.cpus[c].steady {
		return 1000
	}
	return s.speedOf(c)
}

// startOperation lets the current task of c use the CPU time that its
// operation still needs, after what the CPU owes.
func (s *Sim) startOperation(c int32) {
	cp := &s.cpus[c]
	t := &s.tasks[s.k.Face[c].Curr]
	cp.steady = t.op.Kind == OpRunTime
	cp.speed = s.speedNow(c)
	cp.started = s.now + cp.debt
	cp.debt = 0
	cp.running = true
	need := t.left
	if cp.speed != 1000 {
		need = (t.left*1000 + cp.speed - 1) / cp.speed
	}
	s.q.set(s.slotRun(c), cp.started+need)
}

// stopOperation takes the operation off the CPU, with what it still needs.
func (s *Sim) stopOperation(c int32) {
	cp := &s.cpus[c]
	if !cp.running {
		return
	}
	cp.running = false
	s.q.cancel(s.slotRun(c))
	cp.started += cp.debt
	cp.debt = 0
	ran := s.now - cp.started
	if ran < 0 {
		cp.debt += -ran
		return
	}
	t := &s.tasks[s.k.Face[c].Curr]
	t.left = max(t.left-ran*cp.speed/1000, 0)
}

// charge makes the CPU whose event this is owe ns: settle puts its running
// operation off, or its next one begins later.
func (s *Sim) charge(c int32, ns int64) { s.cpus[c].debt += ns }

// chargeDecision makes it owe what the meter counted since it was last read.
func (s *Sim) chargeDecision(c int32) { s.cpus[c].debt += s.metered() }

// metered is what the meter counted since it was last read; nothing for a
// recording, whose run times contain it. The scheduler sees its own costs there
// all the same: rules such as newidle's gate depend on them.
func (s *Sim) metered() int64 {
	ns := s.k.Meter.Take()
	if s.recorded {
		return 0
	}
	return ns
}

// operationDone is the end of the CPU time of an operation.
func (s *Sim) operationDone(c int32) {
	s.acting = c
	s.cpus[c].running = false
	t := &s.tasks[s.k.Face[c].Curr]
	t.left = 0
	s.proceed(c)
	s.aimTimer(c)
}

// reschedule calls the scheduler on a CPU and carries its choice out. It reports
// whether the task that is current then proceeds.
func (s *Sim) reschedule(c int32, why policy.Why) bool {
	s.stopOperation(c)
	prev := s.k.Face[c].Curr
	next := s.sched.Schedule(c, why, s.now)
	return s.switched(c, prev, next, why)
}

// switched carries a switch from prev to next out; None is idle. It reports
// whether next proceeds.
func (s *Sim) switched(c int32, prev, next kernel.TaskID, why policy.Why) bool {
	cp := &s.cpus[c]
	cp.debt += s.metered()
	if next == prev {
		if next != kernel.None {
			return s.resume(c)
		}
		cp.payIdle(s.now)
		s.waits.setFree(c, s.k.IsIdle(c), s.now)
		return false
	}
	s.stats.Switches++
	s.note(uint64(uint32(c)), uint64(uint32(next)))
	if prev != kernel.None && why == policy.Preempted {
		s.stats.Preemptions++
		s.beginWait(prev)
	}
	if next == kernel.None {
		s.enterIdle(c)
		return false
	}
	if prev == kernel.None {
		s.exitIdle(c)
	}
	s.switchIn(c, next)
	return s.resume(c)
}

// switchIn charges for the switch and the cold caches, and ends the task's wait.
func (s *Sim) switchIn(c int32, id kernel.TaskID) {
	cp, t := &s.cpus[c], &s.tasks[id]
	cp.debt += s.costs.Switch
	if cp.mm != t.mm {
		cp.mm = t.mm
		cp.debt += s.costs.SwitchMM
	}
	if t.lastCPU != c {
		if t.lastCPU >= 0 {
			cp.debt += s.coldCost(t.lastCPU, c)
		}
		t.lastCPU = c
	}
	s.endWait(id)
	if t.wokenAt >= 0 {
		_ = s.stats.Latency.RecordValue(s.now + cp.debt - t.wokenAt)
		t.wokenAt = -1
	}
}

// beginWait notes that a task is runnable and does not run.
func (s *Sim) beginWait(id kernel.TaskID) {
	if t := &s.tasks[id]; !t.waiting {
		t.waiting = true
		s.waits.add(s.k.MaskIndex(s.k.Task(id)), 1, s.now)
	}
}

// endWait notes that it runs.
func (s *Sim) endWait(id kernel.TaskID) {
	if t := &s.tasks[id]; t.waiting {
		t.waiting = false
		s.waits.add(s.k.MaskIndex(s.k.Task(id)), -1, s.now)
	}
}

// distance is how far the caches of two CPUs are apart.
func (s *Sim) distance(a, b int32) machine.Dist { return s.m.Distance(int(a), int(b)) }

func (s *Sim) coldCost(from, to int32) int64 {
	switch s.distance(from, to) {
	case machine.DistLLC:
		return s.costs.ColdCore
	case machine.DistNode:
		return s.costs.ColdLLC
	case machine.DistRemote:
		return s.costs.ColdNode
	}
	return 0
}

// setBusy changes how many threads of c's core are busy, and with it the speed
// of those that run.
func (s *Sim) setBusy(c int32, by int32) {
	core := s.cpus[c].core
	s.busy[core] += by
	if s.costs.SMTSpeed == 1000 || s.costs.SMTSpeed == 0 {
		return
	}
	for _, o := range s.siblings[c] {
		if s.cpus[o].running && s.cpus[o].speed != s.speedNow(o) {
			s.stopOperation(o)
			s.startOperation(o)
		}
	}
}

// onResched: need_resched was set. The CPU whose event this is sees its own when
// the event ends; another one is told.
func (s *Sim) onResched(c, _ int32) {
	if c != s.acting {
		s.kick(c)
	}
}

// onWakeQueued: the first task was put on a CPU's wake list.
func (s *Sim) onWakeQueued(c, _ int32) {
	s.waits.setFree(c, false, s.now)
	s.kick(c)
}

func (s *Sim) onEnqueued(t *kernel.Task) {
	s.waits.setFree(t.CPU, false, s.now)
	if !t.Delayed {
		s.beginWait(t.ID)
	}
}

// movedMark tells a migration to a CPU from a switch on it in the digest.
const movedMark = 1 << 32

func (s *Sim) onMigrate(t *kernel.Task, from, to int32) {
	if t.State == kernel.TaskNew {
		return
	}
	s.stats.Migrations[s.distance(from, to)-machine.DistCore]++
	s.note(uint64(uint32(to))|movedMark, uint64(uint32(t.ID)))
}

func (s *Sim) onNohzKick(c, _ int32) {
	s.cpus[c].nohz = true
	s.kick(c)
}

func (s *Sim) onPush(from, to int32) bool {
	cp := &s.cpus[from]
	if cp.pushTo >= 0 {
		return false
	}
	cp.pushTo = to
	s.kick(from)
	return true
}

// kick tells a CPU that there is something for it. An idle one watches its
// need_resched flag (mwait) or sleeps until an interrupt (halt), and takes the
// exit latency of its idle state; a busy one is interrupted.
func (s *Sim) kick(c int32) {
	cp := &s.cpus[c]
	if c == s.acting {
		s.q.setBefore(s.slotKick(c), s.now)
		return
	}
	if cp.idle {
		at := max(s.now, cp.idleFrom) + cp.latency
		if cp.halted {
			at += s.costs.IPI
			s.stats.IPIs++
			s.k.Meter.Add(s.costs.IPISend)
		}
		s.q.setBefore(s.slotKick(c), at)
		return
	}
	at := s.now + s.costs.IPI
	if s.q.pendingBy(s.slotKick(c), at) {
		return
	}
	cp.irq = true
	s.stats.IPIs++
	s.k.Meter.Add(s.costs.IPISend)
	s.q.set(s.slotKick(c), at)
}

// kicked is the arrival of a kick.
func (s *Sim) kicked(c int32) {
	cp := &s.cpus[c]
	s.acting = c
	if cp.idle && s.now < cp.idleFrom {
		s.q.set(s.slotKick(c), cp.idleFrom)
		return
	}
	if cp.irq && !cp.idle {
		s.charge(c, s.costs.IRQ)
	}
	cp.irq = false
	s.sched.EnqueuePending(c, s.now)
	s.chargeDecision(c)
	if cp.pushTo >= 0 {
		s.push(c)
	}
	if cp.nohz {
		cp.nohz = false
		s.sched.NohzIdleBalance(c, s.now)
		s.chargeDecision(c)
	}
	s.settle(c)
}

// push is the stopper of an active balance: it takes the running task off the
// CPU and moves one.
func (s *Sim) push(c int32) {
	cp := &s.cpus[c]
	to := cp.pushTo
	cp.pushTo = -1
	prev := s.k.Face[c].Curr
	if prev == kernel.None {
		return
	}
	s.stopOperation(c)
	s.k.PutPrev(&s.k.RQ[c], s.now)
	s.sched.ActiveBalance(c, to, s.now)
	if s.switched(c, prev, s.sched.Schedule(c, policy.Preempted, s.now), policy.Preempted) {
		s.proceed(c)
	}
}

// settle ends an event on a CPU: it reschedules if asked to, else what it owes
// is paid by its running operation, or by an idle CPU before it idles on.
func (s *Sim) settle(c int32) {
	cp := &s.cpus[c]
	if cp.idle {
		s.takeWoken(c)
	}
	if s.k.Face[c].NeedResched {
		if s.reschedule(c, policy.Preempted) {
			s.proceed(c)
		}
		s.aimTimer(c)
		return
	}
	switch {
	case cp.debt == 0:
	case cp.idle:
		cp.payIdle(s.now)
	case cp.running:
		cp.started += cp.debt
		s.q.delay(s.slotRun(c), cp.debt)
		cp.debt = 0
	}
	s.aimTimer(c)
}

// takeWoken lets an idle CPU that is awake, whatever woke it, enqueue what others
// woke for it, before their kick arrives. It does so on its way to the scheduler:
// do_idle() calls sched_ttwu_pending() there, since v5.8 as part of
// flush_smp_call_function_queue(). One that waits in mwait was asked to
// reschedule when its list was filled; one that halts goes back to it until the
// interrupt is there, unless something else makes it reschedule.
func (s *Sim) takeWoken(c int32) {
	rq := &s.k.RQ[c]
	if rq.WakePending() && (rq.NeedResched || !s.cpus[c].halted) {
		s.sched.EnqueuePending(c, s.now)
		s.chargeDecision(c)
	}
}

// payIdle lets an idle CPU pay what it owes: it is busy for that long, and its
// idle period begins anew.
func (cp *cpu) payIdle(now int64) {
	if cp.debt == 0 {
		return
	}
	if now > cp.idleFrom {
		cp.idleNs += now - cp.idleFrom
		cp.idleFrom = now
	}
	cp.idleFrom += cp.debt
	cp.busyNs += cp.debt
	cp.debt = 0
}
