package cpumask

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// set is the oracle: a set of ids as plain as can be.
type set map[int]bool

func (s set) sorted() []int { return slices.Sorted(maps.Keys(s)) }

// wrapped is the members in wrapped order from start.
func (s set) wrapped(start int) []int {
	ids := s.sorted()
	i, _ := slices.BinarySearch(ids, start)
	return append(slices.Clone(ids[i:]), ids[:i]...)
}

// next is the lowest member that is not below from, or -1.
func (s set) next(from int) int {
	for _, id := range s.sorted() {
		if id >= from {
			return id
		}
	}
	return -1
}

func (s set) both(o set) set {
	all := set{}
	for id := range s {
		if o[id] {
			all[id] = true
		}
	}
	return all
}

// widest is an id that no test goes beyond: some words, not a whole number.
const widest = 300

var someIDs = rapid.SliceOfNDistinct(rapid.OneOf(
	rapid.IntRange(0, widest), rapid.SampledFrom([]int{0, 1, 62, 63, 64, 65, 126, 127, 128, 191, 192, 255, 256}),
), 0, 40, rapid.ID[int])

// pair draws a set and the same set as a mask, of any width that holds it.
func pair(t *rapid.T, label string) (set, Mask) {
	ids := someIDs.Draw(t, label)
	s, m := set{}, Of(ids...)
	for _, id := range ids {
		s[id] = true
	}
	return s, m.Grow(rapid.IntRange(0, 2*widest).Draw(t, label+" width"))
}

func same(t *rapid.T, what string, got Mask, want set) {
	t.Helper()
	if ids := slices.Collect(got.All()); !slices.Equal(ids, want.sorted()) {
		t.Fatalf("%s: got %v, want %v", what, ids, want.sorted())
	}
}

func TestQueriesAgreeWithSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, ma := pair(t, "a")
		b, mb := pair(t, "b")
		at := rapid.IntRange(-2, 2*widest).Draw(t, "at")
		ids, both := a.sorted(), a.both(b)
		first, last := -1, -1
		if len(ids) > 0 {
			first, last = ids[0], ids[len(ids)-1]
		}
		for _, c := range []struct {
			name      string
			got, want any
		}{
			{"Test", ma.Test(at), a[at]},
			{"Weight", ma.Weight(), len(a)},
			{"WeightAnd", ma.WeightAnd(mb), len(both)},
			{"Empty", ma.Empty(), len(a) == 0},
			{"Equal", ma.Equal(mb), maps.Equal(a, b)},
			{"Subset", ma.Subset(mb), len(both) == len(a)},
			{"Intersects", ma.Intersects(mb), len(both) > 0},
			{"First", ma.First(), first},
			{"Last", ma.Last(), last},
			{"Next", ma.Next(at), a.next(at)},
			{"NextAnd", ma.NextAnd(mb, at), both.next(at)},
			{"FirstAnd", ma.FirstAnd(mb), both.next(0)},
		} {
			if c.got != c.want {
				t.Fatalf("%s: got %v, want %v (a %v, b %v, at %d)", c.name, c.got, c.want, ids, b.sorted(), at)
			}
		}
	})
}

func TestChangesAgreeWithSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, ma := pair(t, "a")
		b, mb := pair(t, "b")
		wide := func() Mask { return ma.Clone().Grow(2 * widest) }
		union, minus := maps.Clone(a), maps.Clone(a)
		for id := range b {
			union[id] = true
			delete(minus, id)
		}
		m := wide()
		m.Or(mb)
		same(t, "Or", m, union)
		m = ma.Clone()
		m.And(mb)
		same(t, "And", m, a.both(b))
		m = ma.Clone()
		m.AndNot(mb)
		same(t, "AndNot", m, minus)
		m = New(2 * widest)
		m.SetRange(0, widest)
		m.SetAnd(ma, mb)
		same(t, "SetAnd", m, a.both(b))
		m = wide()
		m.CopyFrom(mb)
		same(t, "CopyFrom", m, b)
		same(t, "Clone left the original", ma, a)
		m.Zero()
		same(t, "Zero", m, set{})
	})
}

// TestAnyChanges applies a run of single changes to a set and a mask.
func TestAnyChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, m := set{}, New(widest+1)
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				id := rapid.IntRange(0, widest).Draw(t, "id")
				s[id] = true
				m.Set(id)
			},
			"clear": func(t *rapid.T) {
				id := rapid.IntRange(0, 4*widest).Draw(t, "id")
				delete(s, id)
				m.Clear(id)
			},
			"range": func(t *rapid.T) {
				lo, hi := rapid.IntRange(0, widest).Draw(t, "lo"), rapid.IntRange(0, widest).Draw(t, "hi")
				for id := lo; id <= hi; id++ {
					s[id] = true
				}
				m.SetRange(lo, hi)
			},
			"grow": func(t *rapid.T) { m = m.Grow(rapid.IntRange(0, 4*widest).Draw(t, "n")) },
			"":     func(t *rapid.T) { same(t, "mask", m, s) },
		})
	})
}

func TestWalksAgreeWithSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, m := pair(t, "ids")
		start := rapid.IntRange(0, 2*widest).Draw(t, "start")
		if got, want := slices.Collect(m.Wrap(start)), s.wrapped(start); !slices.Equal(got, want) {
			t.Fatalf("Wrap(%d): got %v, want %v", start, got, want)
		}
		var got []int
		for c := m.NextWrap(start, -1); c >= 0; c = m.NextWrap(start, c) {
			got = append(got, c)
		}
		if want := s.wrapped(start); !slices.Equal(got, want) {
			t.Fatalf("NextWrap(%d): got %v, want %v", start, got, want)
		}
	})
}

// TestWalkSeesRemovals: members removed ahead of the cursor are not visited.
func TestWalkSeesRemovals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, m := pair(t, "ids")
		start := rapid.IntRange(0, widest).Draw(t, "start")
		gone := someIDs.Draw(t, "gone")
		at := rapid.IntRange(0, 40).Draw(t, "at")
		var got, want []int
		for c := range m.Wrap(start) {
			if len(got) == at {
				for _, id := range gone {
					m.Clear(id)
				}
			}
			got = append(got, c)
		}
		for i, c := range s.wrapped(start) {
			if i <= at || !slices.Contains(gone, c) {
				want = append(want, c)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestWalksStopWhenAsked(t *testing.T) {
	m := Of(1, 70, 200)
	for c := range m.All() {
		if c != 1 {
			t.Errorf("All went on to %d", c)
		}
		break
	}
	for c := range m.Wrap(70) {
		if c != 70 {
			t.Errorf("Wrap went on to %d", c)
		}
		break
	}
}
