package cpumask

import (
	"slices"
	"testing"
)

func TestWidths(t *testing.T) {
	for _, c := range []struct{ n, words int }{{0, 0}, {1, 1}, {64, 1}, {65, 2}, {128, 2}, {4096, 64}, {4097, 65}} {
		if got := len(New(c.n)); got != c.words {
			t.Errorf("New(%d) has %d words, want %d", c.n, got, c.words)
		}
		full := Full(c.n)
		if full.Weight() != c.n || full.Last() != c.n-1 || full.Test(c.n) {
			t.Errorf("Full(%d): weight %d, last %d", c.n, full.Weight(), full.Last())
		}
	}
}

func TestEmptyMasks(t *testing.T) {
	for name, m := range map[string]Mask{"nil": nil, "of nothing": Of(), "wide": New(200)} {
		if !m.Empty() || m.Weight() != 0 || m.First() != -1 || m.Last() != -1 || m.Next(5) != -1 || m.NextWrap(5, -1) != -1 || m.Test(0) {
			t.Errorf("%s: not empty", name)
		}
		if !m.Equal(nil) || !m.Subset(nil) || m.Intersects(Full(300)) || m.String() != "" {
			t.Errorf("%s: differs from nil", name)
		}
		m.Clear(1000)
	}
}

func TestIDsThatNoMaskHas(t *testing.T) {
	m := Full(64)
	for _, id := range []int{-1, -64, 64, 1 << 40} {
		if m.Test(id) {
			t.Errorf("holds %d", id)
		}
		m.Clear(id)
	}
	if m.Weight() != 64 {
		t.Errorf("weight %d after clearing ids that it does not hold", m.Weight())
	}
}

// TestWrappedOrder has the order in which the kernel looks for a CPU.
func TestWrappedOrder(t *testing.T) {
	m := Of(0, 3, 63, 64, 130)
	for _, c := range []struct {
		start int
		want  []int
	}{
		{0, []int{0, 3, 63, 64, 130}},
		{1, []int{3, 63, 64, 130, 0}},
		{63, []int{63, 64, 130, 0, 3}},
		{65, []int{130, 0, 3, 63, 64}},
		{130, []int{130, 0, 3, 63, 64}},
		{131, []int{0, 3, 63, 64, 130}},
		{9999, []int{0, 3, 63, 64, 130}},
	} {
		if got := slices.Collect(m.Wrap(c.start)); !slices.Equal(got, c.want) {
			t.Errorf("from %d: %v, want %v", c.start, got, c.want)
		}
	}
}

func TestGrowKeepsTheOriginal(t *testing.T) {
	m := Of(1)
	n := m.Grow(200)
	n.Set(150)
	n.Set(2)
	if m.String() != "1" || n.String() != "1-2,150" {
		t.Errorf("original %s, grown %s", m, n)
	}
	if same := n.Grow(10); len(same) != len(n) {
		t.Errorf("Grow made it narrower: %d words", len(same))
	}
}

// TestNothingAllocates holds the promise of the package for hot paths.
func TestNothingAllocates(t *testing.T) {
	a, b, d := Full(4096), Of(5, 700, 4000), New(4096)
	sum := 0
	for name, f := range map[string]func(){
		"All":  func() { walk(&sum, a) },
		"Wrap": func() { walkWrapped(&sum, b) },
		"Next": func() { sum += b.Next(6) + b.NextAnd(a, 6) + b.NextWrap(6, -1) },
		"sets": func() {
			d.SetAnd(a, b)
			d.Or(b)
			d.And(a)
			d.AndNot(b)
			d.CopyFrom(b)
			d.Zero()
		},
		"asks": func() { sum += a.Weight() + a.WeightAnd(b); a.Equal(b); b.Subset(a); a.Intersects(b); a.Empty() },
	} {
		if n := testing.AllocsPerRun(10, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func walk(sum *int, m Mask) {
	for c := range m.All() {
		*sum += c
	}
}

func walkWrapped(sum *int, m Mask) {
	for c := range m.Wrap(1000) {
		*sum += c
	}
}
