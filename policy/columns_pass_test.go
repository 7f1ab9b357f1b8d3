package policy

import (
	"testing"

	"schedlab/cpumask"
	"schedlab/domain"
	"schedlab/kernel"
)

// TestRightToBalance is should_we_balance of reference D.2 for the group of CPUs
// 0 to 3 and their siblings 8 to 11, at the level of its node.
func TestRightToBalance(t *testing.T) {
	for _, tc := range []struct {
		what  string
		level int   // 0: SMT
		busy  []int // of the group
		why   idleType
		wants columns[int] // the CPU that may
	}{
		{"the first idle CPU", 2, []int{1, 9}, idle, all(0)},
		// v6.12 wants a whole idle core first.
		{"of a busy core", 2, []int{8}, idle, columns[int]{0, 0, 0, 0, 1, 1}},
		{"asked when busy", 2, []int{8}, notIdle, columns[int]{0, 0, 0, 0, 1, 1}},
		{"no idle core: the first idle thread", 2, []int{0, 9, 2, 3, 10, 11}, idle, all(1)},
		{"no idle core, second threads", 2, []int{0, 1, 2, 3, 9}, idle, all(8)},
		{"none idle", 2, []int{0, 1, 2, 3, 8, 9, 10, 11}, notIdle, all(0)},
		// Between threads of a core it does not matter. The group is CPU 8.
		{"at SMT level", 0, []int{0}, idle, all(8)},
	} {
		by(t, tc.what, "", tc.wants, func(t *testing.T, spec string) int {
			b := newBench(t, "synthetic:sockets=2,cores=4,threads=2", spec)
			for _, c := range tc.busy {
				b.occupy(int32(c))
			}
			may := -1
			for _, c := range []int{0, 1, 2, 3, 8, 9, 10, 11} {
				if tc.level == 0 && c != 8 {
					continue
				}
				sd := b.domains(int32(c))[tc.level]
				if tc.level == 2 && sd.Flags&domain.NUMA == 0 {
					t.Fatal("no NUMA domain")
				}
				if b.shouldBalance(&balanceEnv{sd: sd, cpus: sd.Span, cpu: int32(c), dst: int32(c), idle: tc.why}) {
					if may >= 0 {
						t.Errorf("%s: CPUs %d and %d may both", spec, may, c)
					}
					may = c
				}
			}
			return may
		})
	}
}

// TestRightToSearch is the newly idle case: from v6.1 on not with work to do.
func TestRightToSearch(t *testing.T) {
	always, since61 := all(true), columns[bool]{true, true, true, false, false, false}
	for _, tc := range []struct {
		what          string
		task, pending bool
		wants         columns[bool]
	}{{"nothing to do", false, false, always}, {"a task", true, false, since61}, {"a wake-up on its way", false, true, since61}} {
		by(t, tc.what, "", tc.wants, func(t *testing.T, spec string) bool {
			b := newBench(t, "synthetic:sockets=1,cores=4,threads=1", spec)
			if tc.task {
				b.occupy(2)
			}
			if tc.pending {
				b.K.WakeListAdd(b.task(2), 0)
			}
			sd := b.domains(2)[0]
			return b.shouldBalance(&balanceEnv{sd: sd, cpus: sd.Span, cpu: 2, dst: 2, idle: newlyIdle})
		})
	}
}

// TestBalancedPass is what a balanced pass leaves (reference D.2, 7): the interval,
// doubled up to max_interval (8 here), or up to 512 where all was pinned; and the
// flag of the group above, which stays where all was pinned, but in v5.3.
func TestBalancedPass(t *testing.T) {
	for _, tc := range []struct {
		what     string
		why      idleType
		pinned   bool
		interval int64
		wants    columns[int64]
	}{
		{"idle", idle, false, 4, all[int64](8)},
		{"busy", notIdle, false, 4, all[int64](8)},
		{"newly idle", newlyIdle, false, 4, columns[int64]{8, 4, 4, 4, 4, 4}},
		{"at the longest", idle, false, 8, all[int64](8)},
		{"pinned", idle, true, 8, all[int64](16)},
		{"pinned, 511", idle, true, 511, all[int64](1022)},
		{"pinned, 512", idle, true, 512, all[int64](512)},
	} {
		pass := func(t *testing.T, spec string) (interval int64, flag bool) {
			b := newBench(t, "synthetic:sockets=2,cores=4,threads=1", spec)
			st := &b.K.RQ[1].SD[0]
			st.BalanceInterval, st.NrBalanceFailed = tc.interval, 3
			e := balanceEnv{sd: b.domains(1)[0], st: st, cpu: 1, dst: 1, idle: tc.why, allPinned: tc.pinned}
			b.setImbalance(&e, true)
			b.Sched.balanced(&e)
			if st.NrBalanceFailed != 0 {
				t.Errorf("%s: %d failures left", spec, st.NrBalanceFailed)
			}
			return st.BalanceInterval, b.parentGroup(&e).Imbalance
		}
		by(t, tc.what, "", tc.wants, func(t *testing.T, spec string) int64 { i, _ := pass(t, spec); return i })
		kept := columns[bool]{}
		if tc.pinned {
			kept = columns[bool]{true, false, true, true, true, true}
		}
		by(t, tc.what+": imbalanced", "", kept, func(t *testing.T, spec string) bool { _, f := pass(t, spec); return f })
	}
}

// TestOtherDestination is the pinned handling of reference D.2: a task that may
// not come to CPU 0 may go to another CPU of its group; in v6.12 to one of the
// balance mask, before to any. CPU 2 is in the group and not in the mask.
func TestOtherDestination(t *testing.T) {
	for _, tc := range []struct {
		what  string
		mask  cpumask.Mask
		why   idleType
		wants columns[int32]
	}{
		{"in the balance mask", cpumask.Of(1, 3), idle, all[int32](1)},
		{"in the group only", cpumask.Of(2, 3), idle, columns[int32]{2, 2, 2, 2, -1, -1}},
		{"outside", cpumask.Of(3), idle, all[int32](-1)},
		{"newly idle", cpumask.Of(1, 3), newlyIdle, all[int32](-1)},
	} {
		by(t, tc.what, "", tc.wants, func(t *testing.T, spec string) int32 {
			b := newBench(t, "synthetic:sockets=1,cores=4,threads=1", spec)
			p := b.occupy(3)[0]
			b.K.SetMask(p, tc.mask)
			e := balanceEnv{
				sd:   &domain.Domain{Groups: []*domain.Group{{Span: cpumask.Of(0, 1, 2), Balance: cpumask.Of(0, 1)}}},
				cpus: cpumask.Full(4), idle: tc.why, newDst: -1, allPinned: true,
			}
			if b.canMigrate(&e, p) || !e.somePinned || !e.allPinned {
				t.Errorf("%s: a task that may not come here: some pinned %v, all %v", spec, e.somePinned, e.allPinned)
			}
			return e.newDst
		})
	}
}

// TestAllPinnedElsewhere is the rest of it: all that CPU 2 has is pinned to it, so
// the pass takes from CPU 3, which has less.
func TestAllPinnedElsewhere(t *testing.T) {
	by(t, "a second search", ",migration_cost_ns=0", all(int32(3)), func(t *testing.T, spec string) int32 {
		b := newBench(t, "synthetic:sockets=1,cores=4,threads=1", spec)
		for range 4 {
			b.K.SetMask(b.K.Task(b.add(2, kernel.Fair, 0)), cpumask.Of(2))
		}
		b.Schedule(2, Preempted, b.now)
		b.occupy(3, 3)
		b.now += 50 * ms
		b.K.Tick(&b.K.RQ[2], b.now)
		b.K.Tick(&b.K.RQ[3], b.now)
		if n, _ := b.balanceRQ(0, 0, idle, b.now); n != 1 {
			return -int32(n)
		}
		if b.K.RQ[3].NrRunning == 1 && b.K.RQ[0].NrRunning == 1 {
			return 3
		}
		return 2
	})
}

// TestTasksLookedAt is reference D.2, 5: at most nr_migrate, of which bursts of 32
// each cost one that is counted only; v6.1 goes on while all were pinned, once
// through the queue: 32, and 34 to 64 of 40.
func TestTasksLookedAt(t *testing.T) {
	for _, tc := range []struct {
		what     string
		running  int32
		settings string
		pinned   bool
		wants    columns[int]
	}{
		{"nr_migrate", 40, "", false, all(32)},
		{"all pinned", 40, "", true, columns[int]{32, 32, 32, 63, 32, 32}},
		{"all pinned, 33", 33, "", true, all(32)},
		{"a short queue", 7, "", false, all(7)},
		{"nr_migrate 70", 100, ",nr_migrate=70", false, all(68)},
	} {
		by(t, tc.what, tc.settings, tc.wants, func(t *testing.T, spec string) int {
			b := newBench(t, "synthetic:sockets=1,cores=4,threads=1", spec)
			rq := &b.K.RQ[0]
			rq.NrRunning = tc.running
			e := balanceEnv{src: rq, allPinned: tc.pinned, loopMax: min(b.K.NrMigrate, int64(tc.running)), loopBreak: detachBurst}
			n := 0
			for b.oneMore(&e) {
				n++
			}
			return n
		})
	}
}

// TestIntervalColumns is interval(sd) of reference D.8 in jiffies: 8 ms, times
// 32 or 16 if busy, less one from v5.14 on, between 1 and HZ*CPUs/10.
func TestIntervalColumns(t *testing.T) {
	for _, tc := range []struct {
		what, settings string
		busy           bool
		interval       int64
		wants          columns[int64]
	}{
		{"idle", ",hz=1000", false, 8, all[int64](8)},
		{"idle, rounded up", ",hz=250", false, 9, all[int64](3)},
		{"busy", ",hz=1000", true, 8, from514[int64](256, 127)},
		{"busy, 250 Hz", ",hz=250", true, 8, from514[int64](64, 31)},
		{"at least one", ",hz=100", false, 0, all[int64](1)},
		{"at least one, busy", ",hz=100", true, 0, all[int64](1)},
		{"at most HZ*8/10", ",hz=1000", true, 60, all[int64](800)},
	} {
		by(t, tc.what, tc.settings, tc.wants, func(t *testing.T, spec string) int64 {
			b := newBench(t, "synthetic:sockets=1,cores=8,threads=1", spec)
			b.K.RQ[1].SD[0].BalanceInterval = tc.interval
			return b.interval(1, 0, tc.busy)
		})
	}
}

// TestBusyColumns says whose interval is the longer one (reference D.8): from
// v5.14 on not that of a CPU that runs SCHED_IDLE tasks only.
func TestBusyColumns(t *testing.T) {
	for _, tc := range []struct {
		what  string
		class kernel.Class
		why   idleType
		wants columns[bool]
	}{
		{"busy", kernel.Fair, notIdle, all(true)},
		{"SCHED_IDLE", kernel.IdlePolicy, notIdle, columns[bool]{true, true, false, false, false, false}},
		{"idle", kernel.Fair, idle, all(false)},
	} {
		by(t, tc.what, ",hz=1000", tc.wants, func(t *testing.T, spec string) bool {
			b := newBench(t, "synthetic:sockets=1,cores=8,threads=1", spec)
			b.run1(1, tc.class, 0)
			st := &b.K.RQ[1].SD[0]
			st.BalanceInterval, st.LastBalance = 8, b.K.Jiffies(b.now)-8 // due for an idle CPU
			b.rebalanceDomains(1, tc.why, b.now)
			return st.LastBalance != b.K.Jiffies(b.now)
		})
	}
}

// TestActiveThreshold is reference D.2, 6: after more than cache_nice_tries + 2
// failures; from v5.14 on only if the pass was to move tasks.
func TestActiveThreshold(t *testing.T) {
	for _, tc := range []struct {
		what   string
		kind   migrationType
		failed int32
		wants  columns[bool]
	}{
		{"three more", migrateTask, 3, all(true)},
		{"two more", migrateTask, 2, all(false)},
		{"load", migrateLoad, 3, columns[bool]{true, true, false, false, false, false}},
		{"utilisation", migrateUtil, 3, columns[bool]{true, true, false, false, false, false}},
	} {
		by(t, tc.what, "", tc.wants, func(t *testing.T, spec string) bool {
			b := newBench(t, "synthetic:sockets=1,cores=4,threads=1", spec)
			sd, st := b.domains(1)[0], &b.K.RQ[1].SD[0]
			st.NrBalanceFailed = int32(sd.CacheNiceTries) + tc.failed
			return b.needActiveBalance(&balanceEnv{sd: sd, st: st, kind: tc.kind})
		})
	}
}
