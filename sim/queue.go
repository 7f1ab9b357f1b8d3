package sim

import "math/bits"

// queue is the event queue: a 4-ary heap of slots. A slot is a place where at
// most one event can be pending (the end of a CPU's running operation, a task's
// timer, ...), so an event is moved or cancelled where it stands and nothing
// stale is ever popped. Ties in time go by the order of scheduling.
type queue struct {
	heap []queued
	pos  []int32 // of each slot in heap; -1: nothing pending
	seq  uint32
}

// queued is kept to 16 bytes, four children to a cache line. The sequence wraps:
// it orders events of one instant, which are never 2^31 settings apart.
type queued struct {
	at   int64
	seq  uint32
	slot int32
}

func (a *queued) before(b *queued) bool {
	return a.at < b.at || a.at == b.at && int32(a.seq-b.seq) < 0
}

// earlier is before as 0 or 1 and without a branch: which of two events comes
// first cannot be predicted, and a wrong guess costs more than both compares.
// Times are not negative; the sequence's sign bit makes its order unsigned.
func (a *queued) earlier(b *queued) int32 {
	_, borrow := bits.Sub64(uint64(a.seq-b.seq)>>31^1, 1, 0)
	_, borrow = bits.Sub64(uint64(a.at), uint64(b.at), borrow)
	return int32(borrow)
}

// grow makes room for slots up to n-1.
func (q *queue) grow(n int) {
	for len(q.pos) < n {
		q.pos = append(q.pos, -1)
	}
}

// set schedules the slot's event for a time, instead of any that is pending.
func (q *queue) set(slot int32, at int64) {
	q.seq++
	e := queued{at, q.seq, slot}
	i := q.pos[slot]
	if i < 0 {
		i = int32(len(q.heap))
		q.heap = append(q.heap, e)
		q.up(i, e)
		return
	}
	if e.before(&q.heap[i]) {
		q.up(i, e)
	} else {
		q.down(i, e)
	}
}

// setBefore schedules the slot's event unless one is pending at or before that time.
func (q *queue) setBefore(slot int32, at int64) {
	if !q.pendingBy(slot, at) {
		q.set(slot, at)
	}
}

// cancel removes the slot's event, if any.
func (q *queue) cancel(slot int32) {
	i := q.pos[slot]
	if i < 0 {
		return
	}
	q.pos[slot] = -1
	last := len(q.heap) - 1
	e := q.heap[last]
	q.heap = q.heap[:last]
	if int(i) == last {
		return
	}
	if e.before(&q.heap[i]) {
		q.up(i, e)
	} else {
		q.down(i, e)
	}
}

// delay puts the slot's pending event off by ns.
func (q *queue) delay(slot int32, ns int64) { q.set(slot, q.heap[q.pos[slot]].at+ns) }

// pending reports whether the slot has an event.
func (q *queue) pending(slot int32) bool { return q.pos[slot] >= 0 }

// pendingBy reports whether it has one at or before that time.
func (q *queue) pendingBy(slot int32, at int64) bool {
	i := q.pos[slot]
	return i >= 0 && q.heap[i].at <= at
}

// pop takes the earliest event. The hole that it leaves sinks to the bottom,
// always to the earlier child, and the last event rises from there: it belongs
// near the bottom anyway, and so nothing is compared that could go either way.
func (q *queue) pop() (slot int32, at int64) {
	first := q.heap[0]
	q.pos[first.slot] = -1
	n := int32(len(q.heap)) - 1
	e := q.heap[n]
	q.heap = q.heap[:n]
	if n == 0 {
		return first.slot, first.at
	}
	h := q.heap
	hole := int32(0)
	for 4*hole+4 < n {
		c := 4*hole + 1
		i := c + h[c+1].earlier(&h[c])
		j := c + 2 + h[c+3].earlier(&h[c+2])
		best := i + (j-i)*h[j].earlier(&h[i])
		h[hole] = h[best]
		q.pos[h[hole].slot] = hole
		hole = best
	}
	if c := 4*hole + 1; c < n {
		best := c
		for c++; c < n; c++ {
			if h[c].before(&h[best]) {
				best = c
			}
		}
		h[hole] = h[best]
		q.pos[h[hole].slot] = hole
		hole = best
	}
	q.up(hole, e)
	return first.slot, first.at
}

func (q *queue) up(i int32, e queued) {
	for i > 0 {
		parent := (i - 1) / 4
		p := &q.heap[parent]
		if !e.before(p) {
			break
		}
		q.heap[i] = *p
		q.pos[p.slot] = i
		i = parent
	}
	q.heap[i] = e
	q.pos[e.slot] = i
}

func (q *queue) down(i int32, e queued) {
	n := int32(len(q.heap))
	for {
		child := 4*i + 1
		if child >= n {
			break
		}
		best := child
		for c := child + 1; c < min(child+4, n); c++ {
			if q.heap[c].before(&q.heap[best]) {
				best = c
			}
		}
		b := &q.heap[best]
		if !b.before(&e) {
			break
		}
		q.heap[i] = *b
		q.pos[b.slot] = i
		i = best
	}
	q.heap[i] = e
	q.pos[e.slot] = i
}
