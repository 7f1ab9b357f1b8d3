package rtapp

import "schedlab/sim"

// Mutexes and condition variables are here what they are in glibc: state in user
// space, and a queue in the kernel of threads that sleep. A thread that unlocks a
// contended mutex wakes the first of its queue, which then competes for it with
// whoever comes by: the mutex is not handed over. Every sleeper waits for its own
// event, which counts, so a wake-up that comes before the sleep is not lost.

// mutex is a normal pthread mutex. Who holds it is not known, as in glibc.
type mutex struct {
	state uint8
	queue queue
}

const (
	unlocked  = iota
	locked    // and nobody was seen to wait
	contended // locked, and somebody may be asleep
)

// semaphore is a POSIX semaphore.
type semaphore struct {
	count int64
	queue queue
}

// barrier is rt-app's own: a mutex, a condition variable, and a count.
type barrier struct {
	mutex   mutex
	cond    queue
	missing int32 // threads that have to come before the last one
}

// queue holds threads that sleep, first come first served, linked through next.
// A thread is in one at a time.
type queue struct{ head, tail *thread }

func (q *queue) push(p *thread) {
	p.next = nil
	if q.head == nil {
		q.head = p
	} else {
		q.tail.next = p
	}
	q.tail = p
}

func (q *queue) pop() *thread {
	p := q.head
	if p != nil {
		q.head = p.next
		p.next = nil
	}
	return p
}

func (q *queue) len() int {
	n := 0
	for p := q.head; p != nil; p = p.next {
		n++
	}
	return n
}

// synchronize takes an event between threads a step on.
func (p *thread) synchronize(e *event) (sim.Op, bool) {
	r := p.r
	switch e.kind {
	case eventLock:
		return p.acquire(&r.mutexes[e.obj])
	case eventUnlock:
		return p.release(&r.mutexes[e.obj])
	case eventSignal:
		return p.rouse(&r.conds[e.obj], false)
	case eventBroad:
		return p.rouse(&r.conds[e.obj], true)
	case eventWait:
		return p.await(&r.conds[e.obj], &r.mutexes[e.mutex])
	case eventBarrier:
		return p.meet(&r.barriers[e.obj])
	case eventPost:
		return p.post(&r.sems[e.obj])
	}
	return p.down(&r.sems[e.obj])
}

// acquire locks a mutex. p.inner is 1 once the thread has slept for it: it then
// leaves the mutex contended, since others may still sleep.
func (p *thread) acquire(m *mutex) (sim.Op, bool) {
	if m.state == unlocked {
		m.state = locked + p.inner
		p.inner = 0
		return sim.Op{}, false
	}
	m.state = contended
	m.queue.push(p)
	p.inner = 1
	return p.sleep(), true
}

// release unlocks a mutex, whoever holds it, and wakes the first that sleeps.
func (p *thread) release(m *mutex) (sim.Op, bool) {
	if p.inner == 0 {
		was := m.state
		m.state = unlocked
		if was != contended {
			return sim.Op{}, false
		}
		p.inner, p.left = 1, 1
		return p.call(), true
	}
	return p.wakeNext(&m.queue)
}

// rouse wakes the first of a queue, or all that are in it now.
func (p *thread) rouse(q *queue, all bool) (sim.Op, bool) {
	if p.inner == 0 {
		if q.head == nil {
			return sim.Op{}, false
		}
		p.inner, p.left = 1, 1
		if all {
			p.left = q.len()
		}
		return p.call(), true
	}
	return p.wakeNext(q)
}

// wakeNext wakes p.left threads of a queue, one at a time.
func (p *thread) wakeNext(q *queue) (sim.Op, bool) {
	if p.left > 0 {
		p.left--
		if waiter := q.pop(); waiter != nil {
			return waiter.wake(), true
		}
	}
	p.inner = 0
	return sim.Op{}, false
}

// Steps of a wait for a condition variable.
const (
	waitJoins    = iota // the queue
	waitReleases        // the mutex
	waitSleeps
	waitAcquires // the mutex again
	waitEnds
)

// await waits for a condition variable: the mutex is released meanwhile.
func (p *thread) await(q *queue, m *mutex) (sim.Op, bool) {
	switch p.step {
	case waitJoins:
		q.push(p)
		p.step = waitReleases
		fallthrough
	case waitReleases:
		if op, ok := p.release(m); ok {
			return op, true
		}
		p.step = waitSleeps
		return p.sleep(), true
	case waitSleeps:
		p.step = waitAcquires
		fallthrough
	case waitAcquires:
		if op, ok := p.acquire(m); ok {
			return op, true
		}
		p.step = waitEnds
	}
	return sim.Op{}, false
}

// Steps of a barrier, behind those of its wait.
const (
	meetArrives  = waitEnds + 1 + iota
	meetLast     // wakes the others
	meetReleases // the mutex
)

// meet waits at a barrier until its other users are there. The steps are those of
// rt-app, which counts the missing ones up again as they wake: a thread that is
// back before all have woken passes.
func (p *thread) meet(b *barrier) (sim.Op, bool) {
	for {
		switch p.step {
		case waitJoins:
			if op, ok := p.acquire(&b.mutex); ok {
				return op, true
			}
			p.step = meetArrives
		case meetArrives:
			if b.missing == 0 {
				p.step = meetLast
				continue
			}
			b.missing--
			b.cond.push(p)
			p.step = waitReleases
		case meetLast:
			if op, ok := p.rouse(&b.cond, true); ok {
				return op, true
			}
			p.step = meetReleases
		case meetReleases:
			return p.release(&b.mutex)
		case waitEnds:
			b.missing++
			p.step = meetReleases
		default:
			if op, ok := p.await(&b.cond, &b.mutex); ok {
				return op, true
			}
		}
	}
}

// post counts a semaphore up and wakes the first that sleeps.
func (p *thread) post(s *semaphore) (sim.Op, bool) {
	if p.inner == 0 {
		s.count++
	}
	return p.rouse(&s.queue, false)
}

// down counts it down, or sleeps until it can.
func (p *thread) down(s *semaphore) (sim.Op, bool) {
	if s.count > 0 {
		s.count--
		return sim.Op{}, false
	}
	s.queue.push(p)
	return p.sleep(), true
}
