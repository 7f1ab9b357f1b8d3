package policy

import (
	"slices"
	"testing"

	"schedlab/kernel"
)

// nohzBench is a machine whose CPUs all idle with a stopped tick, and which
// notes the kicks.
func nohzBench(t *testing.T, machine, spec string) (*bench, *[]int32) {
	b := newBench(t, machine, spec)
	for c := range b.K.RQ {
		b.EnterNohzIdle(int32(c))
	}
	var kicked []int32
	b.NohzKick = func(cpu, _ int32) { kicked = append(kicked, cpu) }
	return b, &kicked
}

// balancedNow lists the CPUs whose lowest domain was balanced at the bench's time.
func (b *bench) balancedNow() []int32 {
	var out []int32
	for c := range b.K.RQ {
		if b.K.RQ[c].SD[0].LastBalance == b.K.Jiffies(b.now) {
			out = append(out, int32(c))
		}
	}
	return out
}

// TestNohzKickFlags is nohz_balancer_kick: what a busy tick asks the first idle
// CPU for, by version.
func TestNohzKickFlags(t *testing.T) {
	for _, tc := range []struct {
		what, spec   string
		tasks        []int32 // running, by CPU; the ticking one is 0
		due, blocked bool    // nohz.next_balance, nohz.next_blocked reached
		load, joined bool    // has_blocked, needs_update
		want         uint8
		wantNext     int64 // nohz.next_balance - jiffies afterwards, where there is a kick
	}{
		{"nothing is due", "v6.12", []int32{0, 0}, false, false, true, false, 0, 0},
		{"two tasks", "v6.12", []int32{0, 0}, true, false, true, false, nohzStats | nohzBalance, 1},
		{"one task in a quiet LLC", "v6.12", []int32{0}, true, false, true, false, 0, 0},
		{"two busy CPUs of the LLC", "v6.12", []int32{0, 1}, true, false, true, false, nohzStats | nohzBalance, 1},
		{"blocked load only", "v6.12", []int32{0, 0}, false, true, true, false, nohzStats, 10},
		{"none blocked", "v6.12", []int32{0, 0}, false, true, false, false, 0, 0},
		{"a newcomer", "v6.12", []int32{0}, false, false, false, true, nohzNext, 10},
		{"a newcomer, v6.1", "v6.1", []int32{0}, false, false, false, true, nohzNext, 10},
		{"all", "v6.12", []int32{0, 0}, true, true, true, true, nohzNext | nohzStats | nohzBalance, 1},
		{"v5.14", "v5.14", []int32{0, 0}, true, false, true, false, nohzStats | nohzBalance, 1},
		{"v5.14, blocked load only", "v5.14", []int32{0, 0}, false, true, true, false, nohzStats, 10},
		{"v4.20", "v4.20", []int32{0, 0}, true, false, true, false, nohzStats | nohzBalance, 1},
		{"v4.20, blocked load only", "v4.20", []int32{0, 0}, false, true, true, false, nohzStats, 11},
	} {
		b, kicked := nohzBench(t, "synthetic:sockets=1,cores=4,threads=1", tc.spec)
		b.occupy(tc.tasks...)
		for _, c := range tc.tasks[1:] {
			b.exitNohzIdle(&b.K.RQ[c])
		}
		j := b.K.Jiffies(b.now)
		n := &b.K.Nohz
		n.HasBlocked, n.NeedsUpdate = tc.load, tc.joined
		n.NextBalance, n.NextBlocked = j+10, j
		if tc.due {
			n.NextBalance = j
		}
		if tc.blocked {
			n.NextBlocked = j - 1
		}
		b.nohzKick(&b.K.RQ[0], b.now)
		if b.K.RQ[0].NohzIdle {
			t.Errorf("%s: the busy CPU is still among the idle", tc.what)
		}
		target := int32(1)
		if slices.Contains(tc.tasks, 1) {
			target = 2
		}
		if got := b.K.RQ[target].NohzKick; got != tc.want {
			t.Errorf("%s: kicked to do %b, want %b", tc.what, got, tc.want)
		}
		if tc.want == 0 {
			if len(*kicked) != 0 {
				t.Errorf("%s: CPUs %v are kicked", tc.what, *kicked)
			}
			continue
		}
		if got := n.NextBalance - j; got != tc.wantNext || !slices.Equal(*kicked, []int32{target}) {
			t.Errorf("%s: next_balance in %d, kicked %v; want %d, [%d]", tc.what, got, *kicked, tc.wantNext, target)
		}
		b.nohzKick(&b.K.RQ[0], b.now)
		if len(*kicked) != 1 {
			t.Errorf("%s: a kick is sent again while one is on its way", tc.what)
		}
	}
}

// TestNohzPass is _nohz_idle_balance: who is balanced, and what it leaves.
func TestNohzPass(t *testing.T) {
	for _, tc := range []struct {
		what, spec string
		do         uint8
		want       []int32 // balanced
		blockedDue bool    // next_blocked is set anew
	}{
		{"balance", "v6.12", nohzBalance | nohzStats, []int32{1, 2, 3}, true},
		{"stats only", "v6.12", nohzStats, nil, true},
		{"next only", "v6.12", nohzNext, nil, false},
		{"next only, v6.1", "v6.1", nohzNext, nil, false},
		{"v5.14, stats only", "v5.14", nohzStats, nil, true},
		{"v4.20", "v4.20", nohzBalance | nohzStats, []int32{1, 2, 3}, true},
		{"v4.20, stats only", "v4.20", nohzStats, nil, true},
	} {
		b, _ := nohzBench(t, "synthetic:sockets=1,cores=4,threads=1", tc.spec)
		b.occupy(0)
		j := b.K.Jiffies(b.now)
		n := &b.K.Nohz
		n.NextBalance, n.NextBlocked, n.NeedsUpdate = j-5, j-5, true
		b.K.RQ[2].NohzKick = tc.do
		b.NohzIdleBalance(2, b.now)
		if got := b.balancedNow(); !slices.Equal(got, tc.want) {
			t.Errorf("%s: balanced %v, want %v", tc.what, got, tc.want)
		}
		if b.K.RQ[2].NohzKick != 0 {
			t.Errorf("%s: the kick is kept", tc.what)
		}
		if got := n.NextBlocked > j; got != tc.blockedDue {
			t.Errorf("%s: next_blocked set %v, want %v", tc.what, got, tc.blockedDue)
		}
		if got, want := n.NeedsUpdate, tc.do&nohzNext == 0; got != want {
			t.Errorf("%s: needs_update %v, want %v", tc.what, got, want)
		}
		// CPUs that were never balanced are due at once: no later than now.
		if tc.do&nohzBalance == 0 && n.NextBalance > j {
			t.Errorf("%s: next_balance %d is put off with nobody balanced", tc.what, n.NextBalance-j)
		}
	}
}

// TestNohzPassAborts: a CPU that got work leaves the pass, and all of it to the
// next one.
func TestNohzPassAborts(t *testing.T) {
	for _, spec := range []string{"v4.20", "v5.14", "v6.1", "v6.12"} {
		b, _ := nohzBench(t, "synthetic:sockets=1,cores=4,threads=1", spec)
		j := b.K.Jiffies(b.now)
		n := &b.K.Nohz
		n.NextBalance, n.NextBlocked, n.NeedsUpdate = j-5, j-5, false
		rq := &b.K.RQ[2]
		rq.NohzKick = nohzBalance | nohzStats
		id := b.K.NewTask(kernel.Fair, 0, 0, nil, 2)
		b.StartOn(b.K.Task(id), 2, b.now)
		b.NohzIdleBalance(2, b.now)
		if got := b.balancedNow(); got != nil || rq.NohzKick != 0 || n.NextBalance != j-5 || n.NextBlocked != j-5 {
			t.Errorf("%s: kicked with work to do: balanced %v, kick %b, next_balance %+d, next_blocked %+d", spec, got, rq.NohzKick, n.NextBalance-j, n.NextBlocked-j)
		}
		// It begins, and gets its work between two CPUs.
		p := nohzPass{by: 0, now: b.now, balance: true, stats: true}
		b.occupy(0)
		b.K.RQ[0].NeedResched = true
		if b.balanceOthers(&p) || b.balancedNow() != nil {
			t.Errorf("%s: the pass goes on with work to do", spec)
		}
	}
}

// TestBlockedLoadEnds: has_blocked is cleared by the pass that finds no load left.
func TestBlockedLoadEnds(t *testing.T) {
	for _, spec := range []string{"v4.20", "v5.14", "v6.12"} {
		b, _ := nohzBench(t, "synthetic:sockets=1,cores=2,threads=1", spec)
		b.K.RQ[1].Avg.Load, b.K.RQ[1].Avg.LoadSum, b.K.RQ[1].Avg.Last = 1000, 1000*47742, b.now
		pass := func(after int64) bool {
			b.now += after
			b.K.RQ[0].NohzKick = nohzStats
			b.NohzIdleBalance(0, b.now)
			return b.K.Nohz.HasBlocked
		}
		if !pass(10 * ms) {
			t.Errorf("%s: load is left and has_blocked is clear", spec)
		}
		if pass(5000 * ms) {
			t.Errorf("%s: no load is left and has_blocked is set", spec)
		}
		b.EnterNohzIdle(1)
		if !b.K.Nohz.HasBlocked || !b.K.RQ[1].HasBlocked {
			t.Errorf("%s: a CPU that stops its tick again is not looked at", spec)
		}
	}
}

// TestTickKicksFirst: the kick is decided in the tick, the CPU's own balance runs
// after it. Here it pulls the second task away that the kick is for.
func TestTickKicksFirst(t *testing.T) {
	b, kicked := nohzBench(t, "synthetic:sockets=1,cores=4,threads=1", "v6.12")
	b.occupy(0, 0)
	b.K.Nohz.NextBalance = 0
	b.K.RQ[0].NextBalance = 0
	running := -1
	b.NohzKick = func(cpu, _ int32) {
		*kicked = append(*kicked, cpu)
		if b.balancedNow() == nil {
			running = int(b.K.RQ[0].NrRunning)
		}
	}
	b.Tick(0, b.now)
	if running != 2 || !slices.Contains(b.balancedNow(), 0) {
		t.Errorf("kick with %d tasks before the own balance (want 2); balanced %v", running, b.balancedNow())
	}
}
