package machine

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"schedlab/cpumask"
)

// TestPartitionOfHonestMasks: of masks that agree, the groups come back.
func TestPartitionOfHonestMasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		colour := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 200).Draw(t, "colour")
		cpus := cpumask.New(len(colour))
		for c := range colour {
			if rapid.IntRange(0, 3).Draw(t, "online") > 0 {
				cpus.Set(c)
			}
		}
		first := make([]int, len(colour))
		liar, err := partition(cpus, func(cpu int) (cpumask.Mask, error) {
			m := cpumask.New(len(colour))
			for c := range colour {
				if colour[c] == colour[cpu] {
					m.Set(c)
				}
			}
			return m, nil
		}, func(c, f int) { first[c] = f })
		if err != nil || liar != -1 {
			t.Fatalf("liar %d, error %v", liar, err)
		}
		for c := range cpus.All() {
			want := cpus.Next(0)
			for colour[want] != colour[c] {
				want = cpus.Next(want + 1)
			}
			if first[c] != want {
				t.Fatalf("CPU %d: first %d, want %d", c, first[c], want)
			}
		}
	})
}

// TestPartitionOfAnyMasks: whatever CPUs say, each online CPU is set once, with
// the lowest id of its group; and who is named a liar does contradict.
func TestPartitionOfAnyMasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 80).Draw(t, "n")
		any := rapid.Custom(func(t *rapid.T) cpumask.Mask {
			if rapid.Bool().Draw(t, "silent") {
				return nil
			}
			return cpumask.Of(rapid.SliceOfN(rapid.IntRange(0, n+10), 0, 5).Draw(t, "ids")...)
		})
		cpus := cpumask.Of(rapid.SliceOfN(rapid.IntRange(0, n), 1, -1).Draw(t, "cpus")...)
		said := map[int]cpumask.Mask{}
		for c := range cpus.All() {
			said[c] = any.Draw(t, "said")
		}
		first := map[int]int{}
		liar, err := partition(cpus, func(c int) (cpumask.Mask, error) { return said[c], nil }, func(c, f int) {
			if _, twice := first[c]; twice {
				t.Fatalf("CPU %d is set twice", c)
			}
			first[c] = f
		})
		if err != nil {
			t.Fatal(err)
		}
		for c := range cpus.All() {
			f, ok := first[c]
			if !ok || f > c || first[f] != f {
				t.Fatalf("CPU %d: first %d, set %v", c, f, ok)
			}
		}
		if liar >= 0 && said[liar] == nil {
			t.Fatalf("CPU %d said nothing", liar)
		}
	})
}

func TestPartitionPassesErrorsOn(t *testing.T) {
	bad := errors.New("bad")
	_, err := partition(cpumask.Of(3, 4), func(c int) (cpumask.Mask, error) {
		if c == 4 {
			return nil, bad
		}
		return nil, nil
	}, func(int, int) {})
	if err != bad {
		t.Errorf("error %v", err)
	}
}
