package sim

import (
	"testing"

	"schedlab/machine"
)

// TestMenu follows the governor's guess (reference F.4) through patterns of
// idle periods.
func TestMenu(t *testing.T) {
	const us, ms = 1000, 1_000_000
	for _, tc := range []struct {
		name     string
		sleep    int64 // to the next timer
		periods  []int64
		at, most int64 // the guess after them lies within
	}{
		{"nothing known: the timer", 2 * ms, nil, 2 * ms, 2 * ms},
		{"regular", 50 * ms, []int64{40 * us}, 39 * us, 41 * us},
		{"one long period in eight is left out", 50 * ms, []int64{40 * us, 40 * us, 40 * us, 40 * us, 40 * us, 40 * us, 40 * us, 30 * ms}, 39 * us, 41 * us},
		{"always until the timer", 2 * ms, []int64{2 * ms}, 1900 * us, 2 * ms},
		{"no pattern: the timer, corrected", 10 * ms, []int64{10 * us, 900 * us, 40 * us, 2 * ms, 5 * us, 600 * us, 90 * us, 1500 * us}, 100 * us, 2 * ms},
	} {
		var g idleGuess
		for i := 0; i < 64 && len(tc.periods) > 0; i++ {
			g.expect(tc.sleep)
			g.learn(tc.periods[i%len(tc.periods)], 0)
		}
		if got := g.expect(tc.sleep); got < tc.at || got > tc.most {
			t.Errorf("%s: %d ns, want %d to %d", tc.name, got, tc.at, tc.most)
		}
	}
}

// TestMenuSums: the sums and the order that remember keeps are those of the ring.
func TestMenuSums(t *testing.T) {
	var g idleGuess
	r := NewRand(1, 1)
	for range 1000 {
		g.remember(int32(r.Below(1000)) * int32(r.Below(2)))
		var sum, squares int64
		for i, us := range g.recent {
			sum += int64(us)
			squares += int64(us) * int64(us)
			if i > 0 && g.sorted[i] < g.sorted[i-1] {
				t.Fatalf("not in order: %v", g.sorted)
			}
		}
		if sum != g.sum || squares != g.squares {
			t.Fatalf("sums %d, %d are kept as %d, %d", sum, squares, g.sum, g.squares)
		}
	}
}

// TestNextEvent: a CPU's clock is set to its first timer or its tick, whichever
// comes first; a timer that would come before that is not given to it.
func TestNextEvent(t *testing.T) {
	m, p := load(t, "uma-16", "v6.12")
	s, err := newSim(Config{Machine: m, Policy: p, Workload: phases{1, 1, 1}, Seed: 1, For: 1e9})
	if err != nil {
		t.Fatal(err)
	}
	tick := s.k.Config.Tick
	s.now = tick + 5
	if got := s.nextEvent(3); got != Forever {
		t.Errorf("idle without timers: %d", got)
	}
	s.cpus[3].tickOn = true
	if got := s.nextEvent(3); got != 2*tick {
		t.Errorf("ticking: %d, want %d", got, 2*tick)
	}
	s.cpus[3].timers.push(tick+9, 0)
	if got := s.nextEvent(3); got != tick+9 {
		t.Errorf("with a timer before the tick: %d, want %d", got, tick+9)
	}
}

// TestChooseState: the deepest state that is worth the expected time, and the
// first one rather than polling unless a timer comes before that is worth it.
func TestChooseState(t *testing.T) {
	const us = 1000
	s := &Sim{m: &machine.Machine{Idle: []machine.IdleState{
		{Latency: 2 * us, Residency: 2 * us}, {Latency: 10 * us, Residency: 20 * us}, {Latency: 133 * us, Residency: 600 * us, Halt: true},
	}}}
	for _, tc := range []struct {
		expected, sleep, latency int64
		halted                   bool
	}{
		{0, 100_000 * us, 2 * us, false}, // a short period is expected, no timer is near
		{1 * us, 2 * us, 2 * us, false},
		{1 * us, 1 * us, 0, false}, // polls
		{19 * us, 30 * us, 2 * us, false},
		{20 * us, 30 * us, 10 * us, false},
		{600 * us, 900 * us, 133 * us, true},
	} {
		var c cpu
		s.chooseState(&c, tc.expected, tc.sleep)
		if c.latency != tc.latency || c.halted != tc.halted {
			t.Errorf("expected %d, timer in %d: exit latency %d, halted %v; want %d, %v", tc.expected, tc.sleep, c.latency, c.halted, tc.latency, tc.halted)
		}
	}
	for _, s := range []*Sim{{m: &machine.Machine{}}, {m: s.m, recorded: true}} {
		var c cpu
		s.chooseState(&c, 1<<40, 1<<40)
		if c.latency != 0 || !c.halted {
			t.Errorf("without idle states, or in a replay: %d, %v", c.latency, c.halted)
		}
	}
}
