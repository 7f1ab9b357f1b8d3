package sim

import "math/bits"

// queue is the event queue: a tournament of slots. A slot is a place where at
// most one event can be pending (the end of a CPU's running operation, its next
// timer, ...), so an event is moved or cancelled where it stands and nothing
// stale is ever popped. Ties in time go by the order of scheduling.
//
// The slots are the leaves of a tree; each inner node holds the slot below it
// whose event comes first, the root the first of all. A change replays the games
// from its leaf up, until one ends as before. A heap moves events about for
// that; here one side of each game is known beforehand, and no game is lost time.
type queue struct {
	key  []key   // by slot
	node []int32 // node 1 is the root, i has children 2i and 2i+1, slot s is leaf len(key)+s
	seq  uint32
	// open is a slot whose event was taken and whose games are still to be
	// replayed: most often it gets its next event at once. -1: none.
	open int32
}

// key orders events. The sequence wraps: it orders events of one instant, which
// are never 2^31 settings apart.
type key struct {
	at  int64 // Forever: nothing pending
	seq uint32
}

// earlier is 1 if a comes before b and 0 otherwise, without a branch: which of
// two events comes first cannot be predicted, and a wrong guess costs more than
// both compares. Times are not negative; the sequence's sign bit makes its order
// unsigned.
func earlier(aAt, bAt int64, aSeq, bSeq uint32) uint64 {
	_, borrow := bits.Sub64(uint64(aSeq-bSeq)>>31^1, 1, 0)
	_, borrow = bits.Sub64(uint64(aAt), uint64(bAt), borrow)
	return borrow
}

// grow makes room for slots up to n-1, before any event is set.
func (q *queue) grow(n int) {
	q.key = make([]key, n)
	q.node = make([]int32, 2*n)
	q.open = -1
	for i := range q.key {
		q.key[i].at = Forever
		q.node[n+i] = int32(i)
	}
	for i := n - 1; i > 0; i-- {
		q.node[i] = q.node[2*i]
	}
}

// set schedules the slot's event for a time before Forever, instead of any that
// is pending.
func (q *queue) set(slot int32, at int64) {
	q.seq++
	q.key[slot] = key{at, q.seq}
	q.replay(slot)
}

// replay plays the games of a slot whose event changed.
func (q *queue) replay(slot int32) {
	if slot == q.open {
		q.open = -1
	}
	keys, nodes := q.key, q.node
	first, k := slot, keys[slot]
	for i := uint(int(slot) + len(keys)); i > 1; i >>= 1 {
		other := nodes[i^1]
		o := keys[other]
		if earlier(o.at, k.at, o.seq, k.seq) != 0 {
			first, k = other, o
		}
		was := nodes[i>>1]
		if uint32((was^first)-1)&uint32(-(first^slot))>>31 != 0 {
			return // was == first != slot, in one branch
		}
		nodes[i>>1] = first
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
	if q.pending(slot) {
		q.key[slot].at = Forever
		q.replay(slot)
	}
}

// delay puts the slot's pending event off by ns.
func (q *queue) delay(slot int32, ns int64) { q.set(slot, q.key[slot].at+ns) }

// pending reports whether the slot has an event.
func (q *queue) pending(slot int32) bool { return q.key[slot].at != Forever }

// pendingBy reports whether it has one at or before that time.
func (q *queue) pendingBy(slot int32, at int64) bool {
	has := q.key[slot].at
	return has <= at && has != Forever
}

// next is the time of the earliest event; Forever if none is pending.
func (q *queue) next() int64 {
	if q.open >= 0 {
		q.replay(q.open)
	}
	return q.key[q.node[1]].at
}

// pop takes the earliest event of those that next saw.
func (q *queue) pop() (slot int32, at int64) {
	at = q.next()
	slot = q.node[1]
	q.key[slot].at = Forever
	q.open = slot
	return slot, at
}
