package sim

import "math/bits"

// queue is the event queue: a tournament of slots. A slot is a place where at
// most one event can be pending (the end of a CPU's running operation, its next
// timer, ...), so an event is moved or cancelled where it stands and nothing
// stale is ever popped. Ties in time go by the order of scheduling.
//
// The slots are the leaves of a tree; each inner node holds the event below it
// that comes first, the root the first of all. A change replays the games from
// its leaf up, until one ends as before. A heap moves events about for that; here
// one side of each game is known beforehand, and no game is lost time.
type queue struct {
	node  []event // node 1 is the root, i has children 2i and 2i+1, slot s is leaf slots+s
	slots int32
	seq   uint32
	// open is a slot whose event was taken and whose games are still to be
	// replayed: most often it gets its next event at once. Until then the nodes
	// above hold what was taken, which wins against all. -1: none.
	open int32
}

// event is one change of a slot. The order of changes wraps: it tells events of
// one instant apart, which are never 2^31 changes apart.
type event struct {
	at int64  // Forever: nothing pending
	id uint64 // order of the change << 32 | slot
}

// later is 1 if b comes before a and 0 otherwise, without a branch: which of two
// events comes first cannot be predicted, and a wrong guess costs more than both
// compares. Times are not negative.
func later(aAt int64, aID uint64, bAt int64, bID uint64) uint64 {
	_, borrow := bits.Sub64(uint64(bAt), uint64(aAt), (bID-aID)>>63)
	return borrow
}

// grow makes room for slots up to n-1, before any event is set.
func (q *queue) grow(n int) {
	*q = queue{node: make([]event, 2*n), slots: int32(n), open: -1}
	for i := range q.node {
		q.node[i].at = Forever
	}
	for slot := range n {
		q.set(int32(slot), Forever)
	}
}

// set schedules the slot's event, instead of any that is pending.
func (q *queue) set(slot int32, at int64) {
	if slot == q.open {
		q.open = -1
	}
	q.seq++
	nodes, id := q.node, uint64(q.seq)<<32|uint64(slot)
	i := uint(slot + q.slots)
	nodes[i] = event{at, id}
	for i > 1 {
		other := &nodes[i^1]
		otherAt, otherID := other.at, other.id
		if later(at, id, otherAt, otherID) != 0 {
			at, id = otherAt, otherID
		}
		i >>= 1
		if nodes[i].id == id {
			return
		}
		nodes[i] = event{at, id}
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
		q.set(slot, Forever)
	}
}

// delay puts the slot's pending event off by ns.
func (q *queue) delay(slot int32, ns int64) { q.set(slot, q.at(slot)+ns) }

// at is when the slot's event is; Forever: it has none.
func (q *queue) at(slot int32) int64 { return q.node[slot+q.slots].at }

// pending reports whether the slot has an event.
func (q *queue) pending(slot int32) bool { return q.at(slot) != Forever }

// pendingBy reports whether it has one at or before that time.
func (q *queue) pendingBy(slot int32, at int64) bool {
	has := q.at(slot)
	return has <= at && has != Forever
}

// next is the time of the earliest event; Forever if none is pending.
func (q *queue) next() int64 {
	if q.open >= 0 {
		q.set(q.open, Forever)
	}
	return q.node[1].at
}

// pop takes the earliest event.
func (q *queue) pop() (slot int32, at int64) {
	at = q.next()
	q.open = int32(uint32(q.node[1].id))
	q.node[q.open+q.slots].at = Forever
	return q.open, at
}
