package cpumask

import (
	"iter"
	"math/bits"
	"slices"
)

const wordBits = 64

// Mask is a dense set of CPU ids. The zero value is empty. Methods that read
// treat ids beyond the mask's width as absent, so masks of different widths
// mix; methods that add ids need a mask made wide enough by [New] or [Mask.Grow].
type Mask []uint64

// New returns an empty mask that can hold the ids 0 to n-1.
func New(n int) Mask { return make(Mask, (n+wordBits-1)/wordBits) }

// Of returns a mask that holds the given ids and is just wide enough for them.
func Of(ids ...int) Mask {
	var m Mask
	for _, id := range ids {
		m = m.Grow(id + 1)
		m.Set(id)
	}
	return m
}

// Full returns a mask that holds the ids 0 to n-1.
func Full(n int) Mask {
	m := New(n)
	m.SetRange(0, n-1)
	return m
}

// Grow returns m, or a wider copy of it, able to hold the ids 0 to n-1.
func (m Mask) Grow(n int) Mask {
	need := (n + wordBits - 1) / wordBits
	if need <= len(m) {
		return m
	}
	return append(m, make(Mask, need-len(m))...)
}

// Clone returns an independent copy.
func (m Mask) Clone() Mask { return slices.Clone(m) }

// Test reports whether id is a member.
func (m Mask) Test(id int) bool {
	w := uint(id) / wordBits
	return w < uint(len(m)) && m[w]>>(uint(id)%wordBits)&1 != 0
}

// Set adds id, which must lie within the mask's width.
func (m Mask) Set(id int) { m[uint(id)/wordBits] |= 1 << (uint(id) % wordBits) }

// Clear removes id; an id beyond the width is absent already.
func (m Mask) Clear(id int) {
	if w := uint(id) / wordBits; w < uint(len(m)) {
		m[w] &^= 1 << (uint(id) % wordBits)
	}
}

// SetRange adds the ids lo to hi, both included.
func (m Mask) SetRange(lo, hi int) {
	for id := lo; id <= hi; id++ {
		m.Set(id)
	}
}

// Zero removes every member.
func (m Mask) Zero() { clear(m) }

// CopyFrom makes m, which must be wide enough for o's members, equal to o.
func (m Mask) CopyFrom(o Mask) {
	n := copy(m, o)
	clear(m[n:])
}

// Or adds the members of o, for which m must be wide enough.
func (m Mask) Or(o Mask) {
	for i, w := range o {
		if w != 0 {
			m[i] |= w
		}
	}
}

// And removes the members that o lacks.
func (m Mask) And(o Mask) {
	for i := range m {
		m[i] &= o.word(i)
	}
}

// AndNot removes the members of o.
func (m Mask) AndNot(o Mask) {
	for i := range min(len(m), len(o)) {
		m[i] &^= o[i]
	}
}

// SetAnd makes m the intersection of a and b; m must be wide enough for it.
func (m Mask) SetAnd(a, b Mask) {
	for i := range m {
		m[i] = a.word(i) & b.word(i)
	}
}

// Equal reports whether both hold the same ids, whatever their widths.
func (m Mask) Equal(o Mask) bool {
	for i := range max(len(m), len(o)) {
		if m.word(i) != o.word(i) {
			return false
		}
	}
	return true
}

// Empty reports whether there is no member.
func (m Mask) Empty() bool {
	for _, w := range m {
		if w != 0 {
			return false
		}
	}
	return true
}

// Weight returns the number of members.
func (m Mask) Weight() int {
	n := 0
	for _, w := range m {
		n += bits.OnesCount64(w)
	}
	return n
}

// WeightAnd returns the number of members that o shares.
func (m Mask) WeightAnd(o Mask) int {
	n := 0
	for i := range min(len(m), len(o)) {
		n += bits.OnesCount64(m[i] & o[i])
	}
	return n
}

// Intersects reports whether a member is shared.
func (m Mask) Intersects(o Mask) bool {
	for i := range min(len(m), len(o)) {
		if m[i]&o[i] != 0 {
			return true
		}
	}
	return false
}

// Subset reports whether o holds every member of m.
func (m Mask) Subset(o Mask) bool {
	for i, w := range m {
		if w&^o.word(i) != 0 {
			return false
		}
	}
	return true
}

// First returns the lowest member, or -1.
func (m Mask) First() int { return m.Next(0) }

// Last returns the highest member, or -1.
func (m Mask) Last() int {
	for i := len(m) - 1; i >= 0; i-- {
		if m[i] != 0 {
			return i*wordBits + bits.Len64(m[i]) - 1
		}
	}
	return -1
}

// Next returns the lowest member that is not below from, or -1.
func (m Mask) Next(from int) int {
	if from < 0 {
		from = 0
	}
	i := from / wordBits
	if i >= len(m) {
		return -1
	}
	if w := m[i] >> (uint(from) % wordBits); w != 0 {
		return from + bits.TrailingZeros64(w)
	}
	for i++; i < len(m); i++ {
		if m[i] != 0 {
			return i*wordBits + bits.TrailingZeros64(m[i])
		}
	}
	return -1
}

// NextAnd returns the lowest id, not below from, that is in m and in o, or -1.
func (m Mask) NextAnd(o Mask, from int) int {
	if from < 0 {
		from = 0
	}
	n := min(len(m), len(o))
	i := from / wordBits
	if i >= n {
		return -1
	}
	if w := (m[i] & o[i]) >> (uint(from) % wordBits); w != 0 {
		return from + bits.TrailingZeros64(w)
	}
	for i++; i < n; i++ {
		if w := m[i] & o[i]; w != 0 {
			return i*wordBits + bits.TrailingZeros64(w)
		}
	}
	return -1
}

// FirstAnd returns the lowest id that is in m and in o, or -1.
func (m Mask) FirstAnd(o Mask) int { return m.NextAnd(o, 0) }

// NextWrap continues a wrapped walk that began at start: from the member prev
// (or from before the first, if prev is -1) to the next one in the order
// start, start+1, ..., highest, 0, ..., start-1. It returns -1 at the end.
func (m Mask) NextWrap(start, prev int) int {
	if prev < 0 || prev >= start {
		from := start
		if prev >= 0 {
			from = prev + 1
		}
		if c := m.Next(from); c >= 0 {
			return c
		}
		prev = -1
	}
	if c := m.Next(prev + 1); c >= 0 && c < start {
		return c
	}
	return -1
}

// All walks the members in ascending order.
func (m Mask) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for c := m.Next(0); c >= 0; c = m.Next(c + 1) {
			if !yield(c) {
				return
			}
		}
	}
}

// Wrap walks the members in wrapped order from start.
func (m Mask) Wrap(start int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for c := m.NextWrap(start, -1); c >= 0; c = m.NextWrap(start, c) {
			if !yield(c) {
				return
			}
		}
	}
}

func (m Mask) word(i int) uint64 {
	if i < len(m) {
		return m[i]
	}
	return 0
}
