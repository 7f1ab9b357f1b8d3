package sim

import "schedlab/kernel"

// timerQueue holds the armed timers of one CPU, earliest first: a binary heap
// by (time, order of arming). The event queue has one slot for its head.
type timerQueue struct {
	e   []event
	seq uint32
}

// next is the time of the earliest timer; Forever when none is armed.
func (q *timerQueue) next() int64 {
	if len(q.e) == 0 {
		return Forever
	}
	return q.e[0].at
}

func (q *timerQueue) push(at int64, task int32) {
	q.seq++
	n := event{at, uint64(q.seq)<<32 | uint64(task)}
	q.e = append(q.e, n)
	q.rise(len(q.e)-1, n)
}

func (q *timerQueue) pop() int32 {
	task := int32(uint32(q.e[0].id))
	last := len(q.e) - 1
	n := q.e[last]
	e := q.e[:last]
	q.e = e
	if last == 0 {
		return task
	}
	// The hole sinks to the bottom, always to the earlier child, and the last one
	// rises from there: it belongs near the bottom anyway.
	i := 0
	for 2*i+2 < last {
		child := 2*i + 1
		child += int(later(e[child].at, e[child].id, e[child+1].at, e[child+1].id))
		e[i] = e[child]
		i = child
	}
	if child := 2*i + 1; child < last {
		e[i] = e[child]
		i = child
	}
	q.rise(i, n)
	return task
}

// rise puts n into the hole i or above it.
func (q *timerQueue) rise(i int, n event) {
	for i > 0 {
		parent := (i - 1) / 2
		if p := &q.e[parent]; later(p.at, p.id, n.at, n.id) == 0 {
			break
		}
		q.e[i] = q.e[parent]
		i = parent
	}
	q.e[i] = n
}

// arm sets a timer that wakes a task, on the CPU that get_nohz_timer_target
// gives to the one that arms it.
func (s *Sim) arm(c, task int32, at int64) {
	on := s.sched.TimerTarget(c)
	if on != c && at < s.nextEvent(on) {
		on = c // it would be the next to expire there, where nobody sets the clock for it
	}
	s.chargeDecision(c)
	q := &s.cpus[on].timers
	q.push(at, task)
	if on != s.acting {
		s.aimTimer(on)
	}
}

// nextEvent is when a CPU's clock is set to interrupt it next.
func (s *Sim) nextEvent(c int32) int64 {
	at := s.cpus[c].timers.next()
	if s.cpus[c].tickOn {
		at = min(at, (s.now/s.k.Config.Tick+1)*s.k.Config.Tick)
	}
	return at
}

// aimTimer sets the event of a CPU's earliest timer. The interrupt of an idle
// CPU is handled when its idle state is left. It is called once at the end of
// every event of a CPU, whatever became of its timers and its idleness.
func (s *Sim) aimTimer(c int32) {
	cp := &s.cpus[c]
	at := cp.timers.next()
	switch {
	case at == Forever:
		if cp.aimed != Forever {
			s.q.cancel(s.slotTimer(c))
		}
	case cp.idle:
		at = max(max(at, cp.idleFrom)+cp.latency, s.now)
	default:
		at = max(at, s.now)
	}
	if at != cp.aimed {
		cp.aimed = at
		if at != Forever {
			s.q.set(s.slotTimer(c), at)
		}
	}
}

// timerFired handles the timers of a CPU that are due.
func (s *Sim) timerFired(c int32) {
	cp := &s.cpus[c]
	cp.aimed = Forever
	s.acting = c
	s.charge(c, s.costs.IRQ)
	for cp.timers.next() <= s.now {
		id := cp.timers.pop()
		s.tasks[id].granted = true
		if !s.recorded { // a recording's sleeps are waits whose wake-up it lacks
			s.stats.Wakeups++
		}
		s.wake(c, id, kernel.WakeIRQ)
	}
	s.settle(c)
}
