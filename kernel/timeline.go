package kernel

// timeline is the order of a runqueue's waiting fair tasks: by vruntime under
// CFS, by deadline under EEVDF; equal keys in order of arrival. It is a sorted
// array, not a tree: queues are short (the busiest of a hackbench has tens of
// tasks), and a move of 24-byte entries costs less than the misses of a tree.
// The vruntime stands beside the key so that EEVDF's search for the first
// eligible entry reads one array only.
type timeline struct{ e []timeEntry }

type timeEntry struct {
	key, v int64
	id     TaskID
}

// insert adds an entry behind those of equal key.
func (q *timeline) insert(key, v int64, id TaskID) {
	if len(q.e) == 0 { // most queues hold one waiting task at most
		q.e = append(q.e, timeEntry{key, v, id})
		return
	}
	i := q.search(key)
	q.e = append(q.e, timeEntry{})
	copy(q.e[i+1:], q.e[i:])
	q.e[i] = timeEntry{key, v, id}
}

// search returns the index behind the last entry whose key is not above key.
func (q *timeline) search(key int64) int {
	lo, hi := 0, len(q.e)
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); q.e[mid].key <= key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// remove takes the entry of a task with that key out.
func (q *timeline) remove(key int64, id TaskID) {
	if len(q.e) == 1 && q.e[0].id == id {
		q.e = q.e[:0]
		return
	}
	for i := q.search(key) - 1; i >= 0; i-- {
		if q.e[i].id == id {
			q.e = append(q.e[:i], q.e[i+1:]...)
			return
		}
	}
	panic("kernel: task is not on the timeline that it is marked as on")
}

// first returns the entry with the lowest key, nil when empty.
func (q *timeline) first() *timeEntry {
	if len(q.e) == 0 {
		return nil
	}
	return &q.e[0]
}
