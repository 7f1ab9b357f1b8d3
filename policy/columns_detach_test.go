package policy

import (
	"testing"

	"schedlab/kernel"
)

// TestBusiestQueue is reference D.6 on CPUs 1 to 3 of 4: what is compared, and
// which queues are passed over. Ties go to the lowest CPU.
func TestBusiestQueue(t *testing.T) {
	for _, tc := range []struct {
		what      string
		kind      migrationType
		imbalance int64
		queues    []looks
		wants     columns[int32]
	}{
		// Load: of runnable tasks up to v5.3, with blocked ones later.
		{"load", migrateLoad, 9000, []looks{{1, 2, 2, 900, 0, 100}, {2, 2, 2, 100, 0, 900}}, columns[int32]{2, 2, 1, 1, 1, 1}},
		{"load, a tie", migrateLoad, 9000, []looks{{2, 2, 2, 500, 0, 500}, {3, 2, 2, 500, 0, 500}}, all[int32](2)},
		{"load, one task too large", migrateLoad, 899, []looks{{1, 1, 1, 900, 0, 900}, {2, 2, 2, 100, 0, 100}}, all[int32](2)},
		{"load, one task that fits", migrateLoad, 900, []looks{{1, 1, 1, 900, 0, 900}, {2, 2, 2, 100, 0, 100}}, all[int32](1)},
		// One fair task beside one of another class: up to v5.3 those are two.
		{"load, one fair task of two", migrateLoad, 899, []looks{{1, 2, 1, 900, 0, 900}, {2, 2, 2, 100, 0, 100}}, columns[int32]{1, 1, 2, 2, 2, 2}},
		{"load, none fair", migrateLoad, 9000, []looks{{1, 2, 0, 900, 0, 0}, {2, 1, 1, 100, 0, 100}}, all[int32](2)},
		// Utilisation: v6.12 counts what waits, up to the capacity; one task is never taken.
		{"utilisation", migrateUtil, 0, []looks{{1, 2, 2, 0, 300, 900}, {2, 2, 2, 0, 400, 400}}, columns[int32]{0, 0, 2, 2, 1, 1}},
		{"utilisation, waiting beyond the capacity", migrateUtil, 0, []looks{{1, 2, 2, 0, 1024, 1024}, {2, 2, 2, 0, 300, 3000}}, columns[int32]{0, 0, 1, 1, 1, 1}},
		{"utilisation, one task", migrateUtil, 0, []looks{{1, 1, 1, 0, 900, 900}, {2, 2, 2, 0, 300, 300}}, columns[int32]{0, 0, 2, 2, 2, 2}},
		{"tasks", migrateTask, 0, []looks{{1, 2, 2, 900, 900, 900}, {2, 3, 3, 1, 1, 1}}, columns[int32]{0, 0, 2, 2, 2, 2}},
		{"tasks, fair ones", migrateTask, 0, []looks{{1, 4, 1, 1, 1, 1}, {2, 2, 2, 1, 1, 1}}, columns[int32]{0, 0, 2, 2, 2, 2}},
		{"tasks, a tie", migrateTask, 0, []looks{{2, 2, 2, 1, 1, 1}, {3, 2, 2, 1, 1, 1}}, columns[int32]{0, 0, 2, 2, 2, 2}},
	} {
		by(t, tc.what, "", tc.wants, func(t *testing.T, spec string) int32 {
			b := newBench(t, "synthetic:sockets=2,cores=4,threads=1", spec)
			if b.gen < GenV514 && tc.kind != migrateLoad {
				return 0 // which moves load alone
			}
			b.show(tc.queues...)
			sd := b.domains(4)[1]
			e := balanceEnv{sd: sd, cpus: sd.Span, cpu: 4, dst: 4, kind: tc.kind, imbalance: tc.imbalance}
			own := b.domains(0)[1]
			if rq := b.findBusiestRQ(&e, own.Groups[own.First]); rq != nil {
				return rq.CPU
			}
			return -1
		})
	}
}

// TestHotColumns is hot(p) of reference D.7 for a task that ran as long ago as
// given.
func TestHotColumns(t *testing.T) {
	for _, tc := range []struct {
		what, settings string
		ago            int64
		class          kernel.Class
		smt, dstBusy   bool
		buddy          bool
		wants          columns[bool]
	}{
		{"499999 ns", "", 499_999, kernel.Fair, false, false, false, all(true)},
		{"500000 ns", "", 500_000, kernel.Fair, false, false, false, all(false)},
		{"SCHED_IDLE", "", 0, kernel.IdlePolicy, false, false, false, all(false)},
		// Threads of a core share what is hot; v4.20 does not know that.
		{"SMT", "", 0, kernel.Fair, true, false, false, columns[bool]{true, true, false, false, false, false}},
		{"always", ",migration_cost_ns=-1", 1 << 40, kernel.Fair, false, false, false, all(true)},
		{"never", ",migration_cost_ns=0", 0, kernel.Fair, false, false, false, all(false)},
		{"buddy, busy there", "", 1 << 40, kernel.Fair, false, true, true, all(true)},
		{"buddy, idle there", "", 1 << 40, kernel.Fair, false, false, true, all(false)},
		{"buddy that does not count", ",CACHE_HOT_BUDDY=off", 1 << 40, kernel.Fair, false, true, true, all(false)},
	} {
		by(t, tc.what, tc.settings+",NEXT_BUDDY=on", tc.wants, func(t *testing.T, spec string) bool {
			b := newBench(t, "synthetic:sockets=1,cores=2,threads=2", spec)
			b.run1(0, kernel.Fair, 0)
			id := b.add(0, tc.class, 0)
			if tc.buddy {
				b.K.Task(id).SumExec = 1
				b.K.RQ[0].NeedResched = false
				b.K.CheckPreempt(&b.K.RQ[0], b.K.Task(id), b.now, 0)
				if b.K.RQ[0].Curr == id || !b.K.RQ[0].IsBuddy(id) {
					t.Fatalf("%s: task %d is no buddy", spec, id)
				}
			}
			if tc.dstBusy {
				b.occupy(1)
			}
			b.K.Task(id).ExecStart = b.now - tc.ago
			sd := b.domains(0)[1]
			if tc.smt {
				sd = b.domains(0)[0]
			}
			return b.hot(&balanceEnv{sd: sd, dst: 1, src: &b.K.RQ[0], now: b.now}, b.K.Task(id))
		})
	}
}

// TestMayMigrate is the rest of can_migrate of reference D.7.
func TestMayMigrate(t *testing.T) {
	for _, tc := range []struct {
		what                   string
		kthread, running, cold bool
		failed                 int32 // nr_balance_failed - cache_nice_tries
		wants                  columns[bool]
	}{
		{"cold", false, false, true, 0, all(true)},
		{"running", false, true, true, 9, all(false)},
		{"hot", false, false, false, 0, all(false)},
		{"hot, too many failures", false, false, false, 1, all(true)},
		// A kernel thread of one CPU whose mask allows another all the same.
		{"per-CPU kernel thread", true, false, true, 0, columns[bool]{true, true, false, false, false, false}},
	} {
		by(t, tc.what, "", tc.wants, func(t *testing.T, spec string) bool {
			b := newBench(t, "synthetic:sockets=1,cores=4,threads=1", spec)
			p := b.occupy(0)[0]
			p.OnCPU, p.PerCPUKthread = tc.running, tc.kthread
			p.ExecStart = b.now
			if tc.cold {
				p.ExecStart = 0
			}
			sd, st := b.domains(1)[0], &b.K.RQ[1].SD[0]
			st.NrBalanceFailed = int32(sd.CacheNiceTries) + tc.failed
			return b.canMigrate(&balanceEnv{sd: sd, st: st, cpus: sd.Span, dst: 1, src: &b.K.RQ[0], now: b.now}, p)
		})
	}
}

// TestTakeFromImbalance is the amount of reference D.7: whether a task fits what
// is to move, and what remains; -1 is: it does not fit.
func TestTakeFromImbalance(t *testing.T) {
	for _, tc := range []struct {
		what, settings string
		kind           migrationType
		load, util     int64
		failed         int32
		imbalance      int64
		wants          columns[int64]
	}{
		// v4.20 takes a task of twice the imbalance, v5.14 one of 2^failures of it.
		{"load fits", "", migrateLoad, 1000, 0, 0, 1000, all[int64](0)},
		{"load, half fits", "", migrateLoad, 1001, 0, 0, 500, from514[int64](-501, none)},
		{"load, more than half", "", migrateLoad, 1002, 0, 0, 500, all[int64](none)},
		{"load, failed twice", "", migrateLoad, 2003, 0, 2, 500, from514[int64](none, -1503)},
		{"load, failed twice, too large", "", migrateLoad, 2004, 0, 2, 500, all[int64](none)},
		{"load, failed often", "", migrateLoad, 2004, 0, 99, 500, from514[int64](none, -1504)},
		{"no load: one at least", "", migrateLoad, 0, 0, 0, 10, from514[int64](10, 9)},
		{"little load, LB_MIN", ",LB_MIN=on", migrateLoad, 15, 0, 0, 100, all[int64](none)},
		{"16, LB_MIN", ",LB_MIN=on", migrateLoad, 16, 0, 0, 100, all[int64](84)},
		{"little load, LB_MIN, failed", ",LB_MIN=on", migrateLoad, 15, 0, 1, 100, all[int64](85)},
		{"utilisation fits", "", migrateUtil, 0, 100, 0, 100, columns[int64]{0, 0, 0, 0, 0, 0}},
		{"utilisation, too much", "", migrateUtil, 0, 101, 0, 100, columns[int64]{none, none, none, none, none, none}},
		// Only v6.12 forgives by failures.
		{"utilisation, failed twice", "", migrateUtil, 0, 403, 2, 100, columns[int64]{none, none, none, none, -303, -303}},
		{"tasks", "", migrateTask, 9999, 1024, 0, 3, all[int64](2)},
	} {
		by(t, tc.what, tc.settings, tc.wants, func(t *testing.T, spec string) int64 {
			b := newBench(t, "synthetic:sockets=1,cores=4,threads=1", spec)
			p := b.task(0)
			p.Avg.Load, p.Avg.Util, p.UtilEst = tc.load, tc.util, 0
			st := &b.K.RQ[1].SD[0]
			st.NrBalanceFailed = tc.failed
			e := balanceEnv{sd: b.domains(1)[0], st: st, kind: tc.kind, imbalance: tc.imbalance}
			if !b.takeFromImbalance(&e, p) {
				return none
			}
			return e.imbalance
		})
	}
}

// none is no amount: the task does not fit.
const none = -1 << 40

// TestNewidleTakes is the end of the loop of reference D.7: how many of five
// waiting tasks a newly idle CPU takes, by the preemption model; it leaves the
// queue one task in any case.
func TestNewidleTakes(t *testing.T) {
	for _, tc := range []struct {
		settings string
		why      idleType
		wants    columns[int]
	}{
		{",preempt=full", newlyIdle, all(1)},
		{",preempt=voluntary", newlyIdle, all(5)},
		{",preempt=none", newlyIdle, all(5)},
		{",preempt=full", idle, all(5)},
		{",preempt=full", notIdle, all(5)},
	} {
		by(t, "takes", tc.settings, tc.wants, func(t *testing.T, spec string) int {
			b := newBench(t, "synthetic:sockets=1,cores=4,threads=1", spec)
			b.occupy(0, 0, 0, 0, 0, 0)
			b.now += 100 * ms
			sd := b.domains(1)[0]
			e := balanceEnv{
				sd: sd, st: &b.K.RQ[1].SD[0], cpus: sd.Span, cpu: 1, dst: 1, idle: tc.why, now: b.now,
				src: &b.K.RQ[0], kind: migrateTask, imbalance: 99, loopMax: 32, loopBreak: detachBurst,
			}
			if b.gen < GenV514 {
				e.kind, e.imbalance = migrateLoad, 1<<30
			}
			return b.detachTasks(&e)
		})
	}
}

// TestDetachFromTail: the order of reference D.7 is one in every version: what
// was queued or ran longest ago goes first, rejected tasks go to the head.
func TestDetachFromTail(t *testing.T) {
	by(t, "the oldest but one, which is hot", "", all(2), func(t *testing.T, spec string) int {
		b := newBench(t, "synthetic:sockets=1,cores=4,threads=1", spec)
		first := b.occupy(0)[0].ID
		var waiting []kernel.TaskID
		for range 3 {
			waiting = append(waiting, b.add(0, kernel.Fair, 0))
		}
		b.K.Task(first).ExecStart = b.now
		b.now += 100 * ms
		b.K.Task(waiting[0]).ExecStart = b.now
		b.K.Task(waiting[1]).ExecStart = b.now - 1
		sd := b.domains(1)[0]
		e := balanceEnv{
			sd: sd, st: &b.K.RQ[1].SD[0], cpus: sd.Span, cpu: 1, dst: 1, idle: idle, now: b.now,
			src: &b.K.RQ[0], kind: migrateTask, imbalance: 1, loopMax: 32, loopBreak: detachBurst,
		}
		if n := b.detachTasks(&e); n != 1 {
			return -n
		}
		for i, id := range waiting {
			if id == b.tasks[0] {
				return i
			}
		}
		return -1
	})
}
