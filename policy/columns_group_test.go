package policy

import (
	"testing"

	"schedlab/domain"
)

// TestGroupClass is reference D.3 for a group of 4 CPUs and imbalance_pct 117:
// 100*4096 < 3501*117, 4096*117 < 100*4793. Up to v5.3 the runnable average says
// nothing, and everything that is not overloaded or imbalanced is of one class.
func TestGroupClass(t *testing.T) {
	other := func(c groupClass) columns[groupClass] {
		return columns[groupClass]{classHasSpare, classHasSpare, c, c, c, c}
	}
	for _, tc := range []struct {
		what      string
		tasks     int64
		util, run int64
		flag      bool // imbalanced
		wants     columns[groupClass]
	}{
		{"fewer tasks than CPUs", 3, 4096, 9000, false, all(classHasSpare)},
		{"as many, capacity left", 4, 3500, 4792, false, all(classHasSpare)},
		{"as many, utilised", 4, 3501, 0, false, other(classFullyBusy)},
		{"as many, waiting", 4, 0, 4793, false, other(classFullyBusy)},
		{"more, capacity left", 5, 3500, 4792, false, all(classHasSpare)},
		{"more, utilised", 5, 3501, 0, false, all(classOverloaded)},
		{"more, waiting", 5, 3500, 4793, false, other(classOverloaded)},
		{"flagged", 3, 0, 0, true, all(classImbalanced)},
		{"flagged and overloaded", 5, 3501, 0, true, all(classOverloaded)},
	} {
		by(t, tc.what, "", tc.wants, func(t *testing.T, spec string) groupClass {
			// The level of the LLC has 117 in all versions, with groups of one CPU; ask
			// there about the group of a node.
			b := newBench(t, "synthetic:sockets=2,cores=4,threads=1", spec)
			g := b.domains(0)[1].Groups[b.domains(0)[1].First]
			b.show(looks{0, int32(tc.tasks) - 2, int32(tc.tasks) - 2, 0, min(tc.util, 1024), tc.run},
				looks{1, 1, 1, 0, min(max(tc.util-1024, 0), 1024), 0},
				looks{2, 1, 1, 0, min(max(tc.util-2048, 0), 1024), 0}, looks{3, 0, 0, 0, max(tc.util-3072, 0), 0})
			b.K.Group[g.ID].Imbalance = tc.flag
			e := balanceEnv{sd: b.domains(0)[0], cpus: b.domains(0)[1].Span, cpu: 4, dst: 4, idle: idle}
			if b.gen < GenV514 {
				over := false
				return b.groupStats419(&e, g, false, &over).class
			}
			var st groupStats
			b.fillStats(&e, g, b.look(&e, g), false, &st)
			return st.class
		})
	}
}

// TestSMTBalance is the class that v6.12 brought: an idle CPU looks at a core with
// two fair tasks.
func TestSMTBalance(t *testing.T) {
	smt := columns[groupClass]{classHasSpare, classHasSpare, classFullyBusy, classFullyBusy, classSMTBalance, classSMTBalance}
	busy := columns[groupClass]{classHasSpare, classHasSpare, classFullyBusy, classFullyBusy, classFullyBusy, classFullyBusy}
	for _, tc := range []struct {
		what  string
		why   idleType
		local bool
		tasks int32
		wants columns[groupClass]
	}{
		{"idle", idle, false, 2, smt},
		{"newly idle", newlyIdle, false, 2, smt},
		{"busy", notIdle, false, 2, busy},
		{"the own core", idle, true, 2, busy},
		{"one task", idle, false, 1, all(classHasSpare)},
	} {
		by(t, tc.what, "", tc.wants, func(t *testing.T, spec string) groupClass {
			b := newBench(t, "synthetic:sockets=1,cores=4,threads=2", spec)
			sd := b.domains(0)[1]
			g := sd.Groups[sd.First]
			b.show(looks{0, tc.tasks, tc.tasks, 0, 1024, 2048}, looks{4, 0, 0, 0, 1024, 0})
			e := balanceEnv{sd: sd, cpus: sd.Span, cpu: 1, dst: 1, idle: tc.why}
			if b.gen < GenV514 {
				over := false
				return b.groupStats419(&e, g, tc.local, &over).class
			}
			var st groupStats
			b.fillStats(&e, g, b.look(&e, g), tc.local, &st)
			return st.class
		})
	}
}

// since514 runs a decision under v5.14 and later, which have a column each.
func since514(t *testing.T, what string, want [4]int64, decide func(b *bench) int64) {
	t.Helper()
	for i, v := range Versions()[2:] {
		b := newBench(t, "synthetic:sockets=2,cores=2,threads=1", v.Name)
		if got := decide(b); got != want[i] {
			t.Errorf("%s, %s: %d, want %d", what, v.Name, got, want[i])
		}
	}
}

func same(v int64) [4]int64 { return [4]int64{v, v, v, v} }

// since612 is a column for v5.14 and v6.1 and another for v6.12.
func since612(before, since int64) [4]int64 { return [4]int64{before, before, since, since} }

// TestBusiestCandidate is the first part of reference D.5: whether a group
// replaces the busiest so far. A core of several threads is marked smt.
func TestBusiestCandidate(t *testing.T) {
	plain, smt := &domain.Group{}, &domain.Group{Flags: domain.ShareCPUCapacity}
	for _, tc := range []struct {
		what     string
		was, g   *domain.Group
		b, st    groupStats
		replaces [4]int64
	}{
		{"no fair task", plain, plain, groupStats{class: classHasSpare, fair: 1}, groupStats{class: classOverloaded}, same(0)},
		{"the first", nil, plain, groupStats{}, groupStats{fair: 1}, same(1)},
		{"higher class", plain, plain, groupStats{class: classFullyBusy}, groupStats{class: classImbalanced, fair: 1}, same(1)},
		{"lower class", plain, plain, groupStats{class: classFullyBusy}, groupStats{class: classHasSpare, fair: 1}, same(0)},
		{"overloaded, more load", plain, plain, groupStats{class: classOverloaded, avgLoad: 1}, groupStats{class: classOverloaded, avgLoad: 2, fair: 1}, same(1)},
		{"overloaded, equal", plain, plain, groupStats{class: classOverloaded, avgLoad: 2}, groupStats{class: classOverloaded, avgLoad: 2, fair: 1}, same(0)},
		{"imbalanced", plain, plain, groupStats{class: classImbalanced}, groupStats{class: classImbalanced, avgLoad: 2, fair: 9}, same(0)},
		{"fully busy", plain, plain, groupStats{class: classFullyBusy}, groupStats{class: classFullyBusy, fair: 1}, since612(0, 1)},
		{"fully busy after a core", smt, plain, groupStats{class: classFullyBusy}, groupStats{class: classFullyBusy, fair: 1}, same(0)},
		{"fewer idle", plain, plain, groupStats{idle: 2, running: 9}, groupStats{idle: 1, running: 1, fair: 1}, same(1)},
		{"more idle", plain, plain, groupStats{idle: 1, running: 1}, groupStats{idle: 2, running: 9, fair: 1}, same(0)},
		{"equally idle, more tasks", plain, plain, groupStats{idle: 1, running: 1}, groupStats{idle: 1, running: 2, fair: 1}, same(1)},
		{"equal", plain, plain, groupStats{idle: 1, running: 2}, groupStats{idle: 1, running: 2, fair: 1}, same(0)},
		// Cores of several threads beside cores of one.
		{"a core with two tasks after a CPU", plain, smt, groupStats{idle: 0, running: 9}, groupStats{idle: 1, running: 1, fair: 2}, since612(0, 1)},
		{"a core with one task after a CPU", plain, smt, groupStats{idle: 2, running: 1}, groupStats{idle: 1, running: 1, fair: 1}, since612(1, 0)},
		{"a CPU after a core", smt, plain, groupStats{idle: 0, running: 9}, groupStats{idle: 1, running: 1, fair: 1}, since612(0, 1)},
	} {
		since514(t, tc.what, tc.replaces, func(b *bench) int64 { return b2int64(b.busier(tc.was, tc.g, &tc.b, &tc.st)) })
	}
	// smt_balance, of v6.12 alone: with idle threads as with spare capacity, else as fully busy.
	for _, tc := range []struct {
		what  string
		was   *domain.Group
		b, st groupStats
		want  bool
	}{
		{"fewer idle threads", smt, groupStats{idle: 1, running: 3}, groupStats{idle: 0, running: 2, fair: 2}, true},
		{"more idle threads", smt, groupStats{idle: 0, running: 2}, groupStats{idle: 1, running: 3, fair: 3}, false},
		{"as many, more tasks", smt, groupStats{idle: 1, running: 2}, groupStats{idle: 1, running: 3, fair: 3}, true},
		{"no idle threads", smt, groupStats{running: 2}, groupStats{running: 3, fair: 3}, false},
	} {
		tc.b.class, tc.st.class = classSMTBalance, classSMTBalance
		for _, spec := range []string{"v6.12", "v6.12.117"} {
			b := newBench(t, "uma-16", spec)
			if got := b.busier(tc.was, smt, &tc.b, &tc.st); got != tc.want {
				t.Errorf("%s, %s: %v, want %v", spec, tc.what, got, tc.want)
			}
		}
	}
}

// TestWorthBalancing are the decision rows of reference D.5.
func TestWorthBalancing(t *testing.T) {
	two := &domain.Group{Cores: 2}
	smt := &domain.Group{Cores: 1, Flags: domain.ShareCPUCapacity}
	over := func(load int64) groupStats {
		return groupStats{class: classOverloaded, avgLoad: load, running: 9, fair: 9}
	}
	spare := func(running, idle int64) groupStats {
		return groupStats{running: running, fair: running, idle: idle, weight: 2}
	}
	busy := func(running int64) groupStats {
		return groupStats{class: classFullyBusy, running: running, fair: running, weight: 2}
	}
	full := groupStats{class: classImbalanced, running: 1, fair: 1}
	for _, tc := range []struct {
		what        string
		local, from *domain.Group
		l, b        groupStats
		why         idleType
		prefer      bool
		want        [4]int64
	}{
		{"1: imbalanced", two, two, over(9999), full, notIdle, false, same(1)},
		{"2: local class higher", two, two, busy(2), spare(9, 0), idle, true, same(0)},
		// All groups hold 1000 on average (see below).
		{"3: no less load here", two, two, over(1200), over(1200), idle, false, same(0)},
		{"3: here above the average", two, two, over(1000), over(9999), idle, false, same(0)},
		{"3: 100*1053 = 117*900", two, two, over(900), over(1053), idle, false, same(0)},
		{"3: 100*1054 > 117*900", two, two, over(900), over(1054), notIdle, false, same(1)},
		{"4: two more tasks there", two, two, spare(0, 2), spare(2, 2), idle, true, same(1)},
		{"4: one more", two, two, spare(1, 2), spare(2, 1), idle, true, same(0)},
		// v6.12 asks for the difference only if the CPU is idle.
		{"4: two more tasks, busy", two, two, spare(0, 2), spare(2, 2), notIdle, true, since612(1, 0)},
		{"4: not spread", two, two, spare(0, 2), spare(2, 2), idle, false, same(0)},
		{"4: nothing spare here", two, two, busy(2), busy(4), idle, true, same(0)},
		{"5: overloaded there, busy", two, two, busy(2), over(1), notIdle, false, same(1)},
		{"5: busy", two, two, spare(0, 9), busy(4), notIdle, false, same(0)},
		{"5: idle CPUs, one more", two, two, spare(0, 2), spare(2, 1), idle, false, same(0)},
		{"5: idle CPUs, two more", two, two, spare(0, 2), spare(2, 0), idle, false, same(1)},
		{"5: one fair task", two, two, spare(0, 3), spare(1, 0), idle, false, same(0)},
		{"5: a group of one CPU", two, two, spare(0, 1), groupStats{running: 2, fair: 2, weight: 1}, idle, false, same(1)},
		{"5: smt_balance, alike", smt, smt, spare(0, 1), groupStats{class: classSMTBalance, running: 2, fair: 2, weight: 2}, idle, false, since612(0, 0)},
		{"5: smt_balance, mixed", two, smt, spare(0, 1), groupStats{class: classSMTBalance, running: 2, fair: 2, weight: 2}, idle, false, since612(1, 1)},
	} {
		since514(t, tc.what, tc.want, func(b *bench) int64 {
			if b.gen < GenV612 && tc.b.class == classSMTBalance {
				return tc.want[0] // no such class
			}
			b.show(looks{cpu: 0, load: 1024}, looks{cpu: 1, load: 1024}, looks{cpu: 2, load: 976}, looks{cpu: 3, load: 976}) // 4000*1024/4096
			e := balanceEnv{sd: b.domains(0)[1], cpu: 0, dst: 0, idle: tc.why}
			return b2int64(b.worthBalancing(&e, tc.local, tc.from, &tc.l, &tc.b, tc.prefer))
		})
	}
}

// TestSiblingImbalance is sibling_diff of reference D.5.
func TestSiblingImbalance(t *testing.T) {
	for _, tc := range []struct {
		what           string
		coresL, coresB int
		l, b           int64
		why            idleType
		want           [4]int64
	}{
		{"equal cores", 2, 2, 1, 4, idle, same(3)},
		{"more here", 2, 2, 4, 1, idle, same(0)},
		{"busy", 2, 2, 1, 4, notIdle, since612(3, 0)},
		{"nothing there", 2, 2, 0, 0, idle, same(0)},
		// x = 2*5 - 1*2 = 8; (16+3)/3 = 6
		{"twice the cores here", 2, 1, 2, 5, idle, since612(3, 6)},
		// x = 1*4 - 2*1 = 2; (4+3)/3 = 2
		{"half the cores here", 1, 2, 1, 4, idle, since612(3, 2)},
		// x = 1*2 - 4*0 = 2; (4+5)/5 = 1, raised: empty here, more than one there
		{"empty here", 1, 4, 0, 2, idle, since612(2, 2)},
		{"one there", 1, 4, 0, 1, idle, since612(1, 1)},
		// x = 0; 5/5 = 1, not raised
		{"as many by cores", 1, 4, 1, 4, idle, since612(3, 1)},
	} {
		since514(t, tc.what, tc.want, func(b *bench) int64 {
			return b.siblingImbalance(&balanceEnv{idle: tc.why}, &domain.Group{Cores: tc.coresL}, &domain.Group{Cores: tc.coresB},
				&groupStats{running: tc.l}, &groupStats{running: tc.b})
		})
	}
}

// TestPrefersSibling says whose flags make a pass spread tasks (reference D.5):
// those of the child domain, from v6.12 on those of the busiest group.
func TestPrefersSibling(t *testing.T) {
	for _, tc := range []struct {
		what         string
		child, group domain.Flags
		want         [4]int64
	}{
		{"both", domain.PreferSibling, domain.PreferSibling, same(1)},
		{"neither", 0, 0, same(0)},
		{"the child", domain.PreferSibling, 0, since612(1, 0)},
		{"the group", 0, domain.PreferSibling, since612(0, 1)},
	} {
		since514(t, tc.what, tc.want, func(b *bench) int64 {
			b.domains(0)[0].Flags = b.domains(0)[0].Flags&^domain.PreferSibling | tc.child
			e := balanceEnv{sd: b.domains(0)[1], level: 1}
			return b2int64(b.prefersSibling(&e, &domain.Group{Flags: tc.group}))
		})
	}
}

// TestImbalance are the rows of reference D.5's table of what to move. The
// domain's average load is 1000, groups have a capacity of 2048.
func TestImbalance(t *testing.T) {
	type move struct {
		kind   migrationType
		amount int64
	}
	spare := func(running, idle int64) groupStats {
		return groupStats{running: running, fair: running, idle: idle, weight: 2, capacity: 2048, summed: true}
	}
	of := func(c groupClass, st groupStats) groupStats { st.class = c; return st }
	const llc, node = domain.ShareLLC, domain.NUMA
	task := func(n int64) move { return move{migrateTask, n} }
	every := func(m move) [4]move { return [4]move{m, m, m, m} }
	for _, tc := range []struct {
		what   string
		flags  domain.Flags
		l, b   groupStats
		why    idleType
		prefer bool
		want   [4]move
	}{
		{"imbalanced", llc, spare(0, 2), of(classImbalanced, spare(9, 0)), idle, false, every(task(1))},
		{"utilisation", node, groupStats{capacity: 2048, util: 48, summed: true}, of(classOverloaded, spare(9, 0)), idle, false, every(move{migrateUtil, 2000})},
		{"no utilisation left, idle", node, groupStats{capacity: 2048, util: 2048, summed: true}, of(classOverloaded, spare(9, 0)), idle, false, every(task(1))},
		{"no utilisation left, busy", node, groupStats{capacity: 2048, util: 3000, summed: true}, of(classOverloaded, spare(9, 0)), notIdle, false, every(move{migrateUtil, 0})},
		{"within an LLC: idle CPUs", llc, spare(0, 5), of(classOverloaded, spare(9, 0)), idle, false, every(task(2))},
		{"within an LLC: tasks", llc, spare(0, 2), of(classOverloaded, spare(7, 0)), idle, true, every(task(3))},
		{"one CPU: tasks", llc, spare(1, 2), groupStats{running: 4, fair: 4, weight: 1, capacity: 1024}, idle, false, every(task(1))},
		{"fewer idle here", llc, spare(0, 1), spare(2, 3), idle, false, every(task(0))},
		// Across nodes. v5.14: halved first, then nothing up to 2 while the busiest
		// runs fewer than a quarter of its CPUs. v6.1: nothing up to 2 while what
		// runs here, and one more, is not above imb_numa_nr (1 here), then halved.
		{"nodes, 4 apart", node, spare(0, 4), groupStats{running: 1, fair: 1, weight: 8, capacity: 2048}, idle, false, [4]move{task(0), task(2), task(2), task(2)}},
		{"nodes, 4 apart, more runs there", node, spare(0, 4), groupStats{running: 2, fair: 2, weight: 8, capacity: 2048}, idle, false, every(task(2))},
		{"nodes, 6 apart", node, spare(0, 6), groupStats{running: 1, fair: 1, weight: 8, capacity: 2048}, idle, false, every(task(3))},
		{"nodes, 2 apart, nothing here", node, spare(0, 2), spare(2, 0), idle, false, [4]move{task(1), task(0), task(0), task(0)}},
		{"nodes, 2 apart, one here", node, spare(1, 3), spare(2, 1), idle, false, every(task(1))},
		{"nodes, 3 apart, nothing here", node, spare(0, 3), spare(2, 0), idle, false, every(task(1))},
		// Fully busy here: load(here) = 600*1024/2048 = 300; min((1500-1000)*2048, (1000-300)*2048)/1024
		{"busy: the surplus there", llc, groupStats{class: classFullyBusy, load: 600, capacity: 2048, summed: true}, groupStats{class: classOverloaded, avgLoad: 1500, capacity: 2048}, idle, false, every(move{migrateLoad, 1000})},
		{"busy: the lack here", llc, groupStats{class: classFullyBusy, load: 1600, capacity: 2048, summed: true}, groupStats{class: classOverloaded, avgLoad: 1500, capacity: 2048}, idle, false, every(move{migrateLoad, 400})},
		{"busy: no less load here", llc, groupStats{class: classFullyBusy, load: 3000, capacity: 2048, summed: true}, groupStats{class: classOverloaded, avgLoad: 1500, capacity: 2048}, idle, false, every(move{migrateLoad, 0})},
		// load(here) 1200 above the average: v6.12 moves nothing; before, the lack of
		// 1000 - 1200 is below zero, which unsigned is no limit: (1500-1000)*2048/1024.
		{"busy: above the average", llc, groupStats{class: classFullyBusy, load: 2400, capacity: 2048, summed: true}, groupStats{class: classOverloaded, avgLoad: 1500, capacity: 2048}, idle, false,
			[4]move{{migrateLoad, 1000}, {migrateLoad, 1000}, {migrateLoad, 0}, {migrateLoad, 0}}},
		{"overloaded", llc, groupStats{class: classOverloaded, avgLoad: 800, capacity: 2048}, groupStats{class: classOverloaded, avgLoad: 1500, capacity: 2048}, idle, false, every(move{migrateLoad, 400})},
	} {
		for i, v := range Versions()[2:] {
			b := newBench(t, "synthetic:sockets=2,cores=2,threads=1", v.Name)
			b.show(looks{cpu: 0, load: 1024}, looks{cpu: 1, load: 1024}, looks{cpu: 2, load: 976}, looks{cpu: 3, load: 976})
			sd := *b.domains(0)[1]
			if sd.Flags = tc.flags; b.gen >= GenV61 && sd.ImbNUMA != 1 {
				t.Fatalf("%s: imb_numa_nr %d", v.Name, sd.ImbNUMA)
			}
			e := balanceEnv{sd: &sd, idle: tc.why, kind: 99, imbalance: 99}
			l, st := tc.l, tc.b
			g := &domain.Group{Cores: 2}
			b.calculateImbalance(&e, g, g, &l, &st, tc.prefer)
			if got := (move{e.kind, e.imbalance}); got != tc.want[i] {
				t.Errorf("%s, %s: %+v, want %+v", tc.what, v.Name, got, tc.want[i])
			}
		}
	}
	for _, spec := range []string{"v6.12", "v6.12.117"} {
		b := newBench(t, "uma-16", spec)
		e := balanceEnv{sd: b.domains(0)[1], idle: idle}
		b.calculateImbalance(&e, nil, nil, &groupStats{}, &groupStats{class: classSMTBalance, fair: 5}, true)
		if e.kind != migrateTask || e.imbalance != 1 {
			t.Errorf("%s: smt_balance moves %d of kind %d, want one task", spec, e.imbalance, e.kind)
		}
	}
}
