package sim

import (
	"slices"

	"schedlab/machine"
)

// spinLock is a lock that tasks spin for. Whoever wants it uses its CPU until
// the lock is free, and whoever holds it may be preempted: the scheduler knows
// of neither.
type spinLock struct {
	held     bool
	spinners []int32 // tasks that wait for it, on a CPU or not
}

// SpinLock adds a spinlock of user space and returns its number.
func (b *Builder) SpinLock() int32 {
	b.sim.locks = append(b.sim.locks, spinLock{})
	return int32(len(b.sim.locks) - 1)
}

// CPU is the CPU that the task runs on.
func (c *Ctx) CPU() int32 { return c.sim.k.Task(c.Task).CPU }

// TryLock takes a lock if it is free, and reports whether it did.
func (c *Ctx) TryLock(lock int32) bool {
	l := &c.sim.locks[lock]
	if l.held {
		return false
	}
	l.held = true
	return true
}

// Spin is the operation of a task that could not take a lock: it uses the CPU
// until the lock is freed, and should then try again.
func (c *Ctx) Spin(lock int32) Op {
	l := &c.sim.locks[lock]
	l.spinners = append(l.spinners, c.Task)
	return Op{Kind: OpRunTime, Dur: 1 << 60}
}

// SpinFor is Spin for a time at most, in ns of CPU time. A task that finds the lock
// held when it is over calls StopSpinning before it does anything else.
func (c *Ctx) SpinFor(lock int32, ns int64) Op {
	op := c.Spin(lock)
	op.Dur = min(op.Dur, max(ns, 0))
	return op
}

// StopSpinning takes the task from those that spin for a lock.
func (c *Ctx) StopSpinning(lock int32) {
	l := &c.sim.locks[lock]
	if i := slices.Index(l.spinners, c.Task); i >= 0 {
		l.spinners = slices.Delete(l.spinners, i, i+1)
	}
}

// Unlock frees a lock. Those that spin for it see that when its cache line has
// reached them, those that are preempted when they run again.
func (c *Ctx) Unlock(lock int32) {
	s := c.sim
	l := &s.locks[lock]
	l.held = false
	for _, id := range l.spinners {
		s.endSpin(id, c.CPU())
	}
	l.spinners = l.spinners[:0]
}

func (s *Sim) endSpin(id, from int32) {
	t, c := &s.tasks[id], s.k.Task(id).CPU
	if s.k.Face[c].Curr != id || !s.cpus[c].running {
		t.left = 0
		return
	}
	s.stopOperation(c)
	t.left = s.lineCost(from, c)
	s.startOperation(c)
}

// lineCost is the time of a cache line from one CPU to another.
func (s *Sim) lineCost(from, to int32) int64 {
	switch s.distance(from, to) {
	case machine.DistCore:
		return s.costs.LineCore
	case machine.DistLLC:
		return s.costs.LineLLC
	case machine.DistNode:
		return s.costs.LineNode
	case machine.DistRemote:
		return s.costs.LineRemote
	}
	return s.costs.LineOwn
}
