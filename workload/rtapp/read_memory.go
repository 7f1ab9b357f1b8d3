package rtapp

// What accesses to memory take. Caches are not simulated, so an event of these
// is CPU time. Assumed: docs/model.md.
const (
	fillPerNs    = 10  // bytes that memset writes in a ns
	bytesPerNs   = 2   // bytes that a loop over single bytes reads or writes in a ns
	writeCall    = 250 // ns of a write to /dev/null
	defaultChase = 64  // bytes from one pointer of a chase to the next
)

// chases are how long one step of a pointer chase takes, by the size of what is
// chased through.
var chases = []struct{ size, ns10 int64 }{{32 << 10, 14}, {1 << 20, 45}, {32 << 20, 200}, {1 << 62, 900}}

// mem is a memset of so many bytes.
func (r *reader) mem(m *member) []event {
	return one(event{kind: eventRun, dur: r.bytes(m) / fillPerNs})
}

// iorun is a write of so many bytes to /dev/null, a buffer at a time.
func (r *reader) iorun(m *member) []event {
	n, buffer := r.bytes(m), int64(max(r.memory, 1))
	return one(event{kind: eventRun, dur: (n + buffer - 1) / buffer * writeCall})
}

// bytes is the count of an event that takes one.
func (r *reader) bytes(m *member) int64 {
	if !r.wants(m, integer) {
		return 0
	}
	n := r.number(&m.value, m.key)
	if n < 0 {
		r.fail(m.value.at, "event %s: %d bytes", show(m.key), n)
	}
	return int64(n)
}

// memrun reads, writes or chases pointers.
func (r *reader) memrun(m *member) []event {
	if !r.wants(m, object) {
		return nil
	}
	v := &m.value
	size, count := r.required(v, "size"), r.required(v, "count")
	if r.intOf(v, "stride", defaultChase) <= 0 {
		r.fail(v.at, "event %s: \"stride\" must be positive", show(m.key))
	}
	r.textOf(v, "pattern", "")
	r.textOf(v, "ref", "")
	r.notes.add(m.at, "caches are not simulated: memrun is CPU time, by assumed speeds of memory")
	switch t := r.textOf(v, "type", ""); t {
	case "read", "write":
		return one(event{kind: eventRun, dur: count / bytesPerNs})
	case "chase":
		i := 0
		for size > chases[i].size {
			i++
		}
		return one(event{kind: eventRun, dur: count * chases[i].ns10 / 10})
	default:
		r.fail(v.at, "event %s: unknown type %s (there are chase, read, write)", show(m.key), show(t))
		return nil
	}
}

// required is a positive number that has to be there.
func (r *reader) required(n *node, key string) int64 {
	v := r.typed(n, key, integer)
	if v == nil {
		r.fail(n.at, "%q is missing", key)
		return 1
	}
	x := r.number(v, key)
	if x <= 0 {
		r.fail(v.at, "%q: %d", key, x)
	}
	return int64(x)
}
