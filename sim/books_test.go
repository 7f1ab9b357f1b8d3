package sim

import (
	"testing"

	"pgregory.net/rapid"
)

// TestExitIdleKeepsDebts: what a CPU owes when its idle period ends before it
// began is owed still, and its time adds up.
func TestExitIdleKeepsDebts(t *testing.T) {
	m, p := load(t, "uma-16", "v6.12")
	rapid.Check(t, func(t *rapid.T) {
		s, err := newSim(Config{Machine: m, Policy: p, Workload: replayed{}, For: 1e9}) // in which nothing costs anything
		if err != nil {
			t.Fatal(err)
		}
		cp := &s.cpus[3]
		// The CPU was busy from the start on, and idles once it has paid.
		cp.idleFrom = rapid.Int64Range(0, 1000).Draw(t, "paid at")
		cp.busyNs = cp.idleFrom
		s.now = rapid.Int64Range(0, 1000).Draw(t, "now")
		cp.debt = rapid.Int64Range(0, 100).Draw(t, "new debt")
		owed := cp.debt + max(cp.idleFrom-s.now, 0)
		s.exitIdle(3)
		if cp.debt != owed {
			t.Fatalf("owes %d ns, want %d", cp.debt, owed)
		}
		if cp.busyNs+cp.idleNs != s.now || cp.busyNs != min(cp.idleFrom, s.now) {
			t.Fatalf("busy %d, idle %d at %d; it was to idle from %d", cp.busyNs, cp.idleNs, s.now, cp.idleFrom)
		}
	})
}

// TestNoteTellsDecisionsApart: decisions that differ in one number, whatever its
// size, give different digests.
func TestNoteTellsDecisionsApart(t *testing.T) {
	numbers := []uint64{0, 1, 2, 127, 128, 255, 1 << 15, 1 << 16, 1<<16 + 1, 1 << 20, 1 << 23, 1<<31 - 1, 1<<32 - 1}
	seen := map[uint64][2]uint64{}
	for _, a := range numbers {
		for _, mark := range []uint64{0, movedMark} {
			for _, b := range numbers {
				var s Sim
				s.note(a|mark, b)
				if other, ok := seen[s.digest]; ok {
					t.Errorf("(%#x, %#x) and (%#x, %#x) have one digest", a|mark, b, other[0], other[1])
				}
				seen[s.digest] = [2]uint64{a | mark, b}
			}
		}
	}
}
