package policy

import (
	"testing"

	"schedlab/cpumask"
	"schedlab/domain"
	"schedlab/kernel"
)

// groupOf asks the slow path at the top domain of CPU 0 for a group: the lowest
// CPU of it, 0 to stay.
func (b *bench) groupOf(t *kernel.Task, flag domain.Flags) int {
	sds := b.domains(0)
	if g := b.findIdlestGroup(sds[len(sds)-1], t, 0, flag); g != nil {
		return g.Span.First()
	}
	return 0
}

// TestIdlestNode is reference B.9 on two nodes with CPUs to spare: how many tasks
// keep a new one at home?
func TestIdlestNode(t *testing.T) {
	for _, tc := range []struct {
		what, machine string
		tasks         []int32
		mask          cpumask.Mask
		wants         columns[int]
	}{
		{"nothing runs", "sockets=2,cores=4", nil, nil, columns[int]{}},
		// v4.20: a node's load is its tasks' over 4 CPUs, 256 each; 0 + 256 >= 256 keeps one at
		// home. v5.14: fewer than 8/4. v6.1: imb_numa_nr is 1, and 1 + 1 > 1.
		{"one task", "sockets=2,cores=4", []int32{1}, nil, columns[int]{0, 0, 0, 4, 4, 4}},
		{"two tasks", "sockets=2,cores=4", []int32{1, 2}, nil, columns[int]{4, 4, 4, 4, 4, 4}},
		// 16 CPUs a node: a task is 64, 8 of them 512; 32/4 = 8; imb_numa_nr = 16/8 = 2.
		{"one of 16", "sockets=2,cores=16", []int32{1}, nil, columns[int]{}},
		{"two of 16", "sockets=2,cores=16", []int32{1, 2}, nil, columns[int]{0, 0, 0, 16, 16, 16}},
		{"four of 16", "sockets=2,cores=16", []int32{1, 2, 3, 4}, nil, columns[int]{0, 0, 0, 16, 16, 16}},
		{"five of 16", "sockets=2,cores=16", []int32{1, 2, 3, 4, 5}, nil, columns[int]{16, 16, 0, 16, 16, 16}},
		{"seven of 16", "sockets=2,cores=16", []int32{1, 2, 3, 4, 5, 6, 7}, nil, columns[int]{16, 16, 0, 16, 16, 16}},
		{"eight of 16", "sockets=2,cores=16", []int32{1, 2, 3, 4, 5, 6, 7, 8}, nil, columns[int]{16, 16, 16, 16, 16, 16}},
		// A task that may use one CPU here: imb_numa_nr counts as 1. 6.12.117 looks at
		// allowed CPUs only: one idle here, one there.
		{"one of 16, pinned", "sockets=2,cores=16", []int32{1}, cpumask.Of(0, 16), columns[int]{0, 0, 0, 16, 16, 0}},
		{"local node not allowed", "sockets=2,cores=4", nil, cpumask.Of(5), columns[int]{4, 4, 4, 4, 4, 4}},
		{"other node not allowed", "sockets=2,cores=4", []int32{1, 2, 3}, cpumask.Of(0, 1), columns[int]{}},
	} {
		by(t, tc.what, "", tc.wants, func(t *testing.T, spec string) int {
			b := newBench(t, "synthetic:threads=1,"+tc.machine, spec)
			b.occupy(tc.tasks...)
			return b.groupOf(b.K.Task(b.K.NewTask(kernel.Fair, 0, 0, tc.mask, 0)), domain.BalanceFork)
		})
	}
}

// TestIdlestLoad is the load rule of reference B.9 from v5.14 on: with both
// groups overloaded or fully busy, and 1000 over there, from which load here does a
// task leave? 117 keeps 174 = 1024*17/100 of a margin.
func TestIdlestLoad(t *testing.T) {
	for _, class := range []groupClass{classOverloaded, classFullyBusy} {
		for flags, want := range map[domain.Flags]int64{
			0:           1171, // 100*1170 = 117*1000
			domain.NUMA: 1175, // 1000 + 174 >= 1174
		} {
			for _, v := range Versions()[2:] {
				b := newBench(t, "synthetic:sockets=1,cores=2,threads=1", v.Name)
				p := b.task(0)
				there := &domain.Group{}
				leaves := func(here, load int64) bool {
					l, o := groupStats{class: class, avgLoad: here}, groupStats{class: class, avgLoad: load}
					return b.leaveFor(&domain.Domain{ImbalancePct: 117, Flags: flags}, p, there, there, &l, &o) == there
				}
				first := int64(0)
				for !leaves(first, 1000) {
					first++
				}
				if first != want {
					t.Errorf("%s, class %d, flags %v: from %d on, want %d", v.Name, class, flags, first, want)
				}
				// 300 is within the margin of 200 across nodes: 200 + 174 >= 300.
				if got := leaves(300, 200); got != (flags == 0) {
					t.Errorf("%s, class %d, flags %v: 300 against 200 leaves %v", v.Name, class, flags, got)
				}
			}
		}
	}
}

// TestIdlestClass is the choice between classes of reference B.9 from v5.14 on.
func TestIdlestClass(t *testing.T) {
	for _, tc := range []struct {
		what      string
		was, next groupStats
		want      bool
	}{
		{"lower class", groupStats{class: classFullyBusy}, groupStats{class: classHasSpare}, true},
		{"higher class", groupStats{class: classHasSpare}, groupStats{class: classFullyBusy, avgLoad: -1}, false},
		{"less load", groupStats{class: classOverloaded, avgLoad: 2}, groupStats{class: classOverloaded, avgLoad: 1}, true},
		{"equal load", groupStats{class: classFullyBusy, avgLoad: 2}, groupStats{class: classFullyBusy, avgLoad: 2}, false},
		{"more idle CPUs", groupStats{idle: 1}, groupStats{idle: 2, util: 9}, true},
		{"fewer idle CPUs", groupStats{idle: 2, util: 9}, groupStats{idle: 1}, false},
		{"less utilised", groupStats{idle: 1, util: 2}, groupStats{idle: 1, util: 1}, true},
		{"equal", groupStats{idle: 1, util: 2}, groupStats{idle: 1, util: 2}, false},
		{"imbalanced", groupStats{class: classImbalanced}, groupStats{class: classImbalanced, avgLoad: -1}, false},
	} {
		if got := idlerGroup(&tc.next, &tc.was); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.what, got, tc.want)
		}
	}
}

// TestIdlestByLoad419 is the rule of v4.20 and v5.3 (reference B.9) on three
// nodes of one CPU each, at imbalance_pct 125: m = 256, b = 112. CPU 0 decides.
func TestIdlestByLoad419(t *testing.T) {
	for _, tc := range []struct {
		what      string
		run, load [3]int64
		want      int
	}{
		{"300 > 43 + 256", [3]int64{900, 300, 43}, [3]int64{900, 0, 900}, 2},
		{"300 = 44 + 256, by load: 100*100 > 112*89", [3]int64{900, 300, 44}, [3]int64{900, 100, 89}, 2},
		{"by load: 100*100 < 112*90", [3]int64{900, 300, 44}, [3]int64{900, 100, 90}, 1},
		{"by load: 100*112 = 112*100", [3]int64{900, 300, 44}, [3]int64{900, 112, 100}, 1},
		{"555 < 300 + 256", [3]int64{900, 300, 555}, [3]int64{900, 100, 1}, 2},
		{"556 = 300 + 256", [3]int64{900, 300, 556}, [3]int64{900, 100, 1}, 1},
		{"at home: 300 + 256 >= 556", [3]int64{556, 300, 600}, [3]int64{900, 100, 100}, 0},
		{"away: 300 + 256 < 557", [3]int64{557, 300, 600}, [3]int64{900, 100, 100}, 1},
	} {
		for _, spec := range []string{"v4.20", "v5.3"} {
			b := newBench(t, "synthetic:sockets=3,cores=1,threads=1", spec)
			for c := range b.K.RQ {
				b.K.RQ[c].Avg.Run, b.K.RQ[c].Avg.Load = tc.run[c], tc.load[c]
			}
			if got := b.groupOf(b.K.Task(b.K.NewTask(kernel.Fair, 0, 0, nil, 0)), domain.BalanceFork); got != tc.want {
				t.Errorf("%s: %s: group of CPU %d, want %d", spec, tc.what, got, tc.want)
			}
		}
	}
}

// TestIdlestBySpare419 is what exec asks first up to v5.3: spare capacity, for a
// task with a utilisation of 400.
func TestIdlestBySpare419(t *testing.T) {
	for _, tc := range []struct {
		what  string
		spare [3]int64
		flag  domain.Flags
		want  int
	}{
		{"at home: 112*500 > 100*559", [3]int64{500, 559, 0}, domain.BalanceExec, 0},
		{"away: 112*500 = 100*560", [3]int64{500, 560, 0}, domain.BalanceExec, 1},
		{"the first of equals", [3]int64{0, 560, 560}, domain.BalanceExec, 1},
		{"the most spare", [3]int64{0, 560, 561}, domain.BalanceExec, 2},
		{"200 there do not do: by load, at home", [3]int64{200, 200, 200}, domain.BalanceExec, 0},
		{"201 there do", [3]int64{200, 201, 0}, domain.BalanceExec, 1},
		{"fork does not ask: by load, at home", [3]int64{500, 600, 0}, domain.BalanceFork, 0},
	} {
		for _, spec := range []string{"v4.20", "v5.3"} {
			b := newBench(t, "synthetic:sockets=3,cores=1,threads=1", spec)
			for c := range b.K.RQ {
				b.K.RQ[c].Avg.Util = 1024 - tc.spare[c]
			}
			p := b.K.Task(b.K.NewTask(kernel.Fair, 0, 0, nil, 0))
			p.Avg.Util = 400
			if got := b.groupOf(p, tc.flag); got != tc.want {
				t.Errorf("%s: %s: group of CPU %d, want %d", spec, tc.what, got, tc.want)
			}
		}
	}
}

// TestIdlestCPU is idlest_cpu of reference B.9 in a group of 4 CPUs.
func TestIdlestCPU(t *testing.T) {
	for _, tc := range []struct {
		what    string
		busy    []int32
		low     []int32
		latency map[int]int64
		stamp   map[int]int64
		wants   columns[int32]
	}{
		{"the first of equals", []int32{0}, nil, nil, nil, all[int32](1)},
		{"a SCHED_IDLE one at once", []int32{0}, []int32{2}, nil, nil, from514[int32](1, 2)},
		{"idle last", []int32{0}, nil, nil, map[int]int64{3: 7}, all[int32](3)},
		{"wakes fastest", []int32{0}, nil, map[int]int64{1: 9, 2: 5, 3: 9}, map[int]int64{3: 7}, all[int32](2)},
		{"equally fast, idle last", []int32{0}, nil, map[int]int64{1: 5, 2: 5, 3: 5}, map[int]int64{3: 7}, all[int32](3)},
	} {
		by(t, tc.what, "", tc.wants, func(t *testing.T, spec string) int32 {
			b := newBench(t, "synthetic:sockets=2,cores=4,threads=1", spec)
			b.occupy(tc.busy...)
			for _, c := range tc.low {
				b.run1(c, kernel.IdlePolicy, 0)
			}
			for c := range b.K.RQ {
				b.K.RQ[c].IdleLatency, b.K.RQ[c].IdleStamp = tc.latency[c], max(tc.stamp[c], 1)
			}
			p := b.K.Task(b.K.NewTask(kernel.Fair, 0, 0, nil, 0))
			sds := b.domains(0)
			return b.idlestOfGroup(sds[len(sds)-1].Groups[0], p, 0)
		})
	}
	// All busy: the least load, of runnable tasks up to v5.3.
	by(t, "least loaded", "", columns[int32]{2, 2, 3, 3, 3, 3}, func(t *testing.T, spec string) int32 {
		b := newBench(t, "synthetic:sockets=2,cores=4,threads=1", spec)
		b.occupy(0, 1, 2, 3)
		b.K.RQ[2].Avg.Run, b.K.RQ[2].Avg.Load = 10, 500
		b.K.RQ[3].Avg.Run, b.K.RQ[3].Avg.Load = 500, 10
		sds := b.domains(0)
		return b.idlestOfGroup(sds[len(sds)-1].Groups[0], b.K.Task(b.K.NewTask(kernel.Fair, 0, 0, nil, 0)), 0)
	})
}

// TestWithoutTask is cpu_util_without(): the average and the estimate each lose
// what the task has in them, the estimate only while it is queued.
func TestWithoutTask(t *testing.T) {
	for _, tc := range []struct {
		what                 string
		queued               bool
		util, est            int64 // of the queue
		taskUtil, taskEst    int64
		wantUtil, wantNoEsts int64
	}{
		{"alone on its CPU", true, 300, 400, 300, 400, 0, 0},
		{"beside a task that slept long", true, 350, 900, 300, 400, 500, 50},
		{"asleep", false, 350, 200, 300, 400, 200, 50},
	} {
		for settings, want := range map[string]int64{"": tc.wantUtil, ",UTIL_EST=off": tc.wantNoEsts} {
			by(t, tc.what, settings, all(want), func(t *testing.T, spec string) int64 {
				b := newBench(t, "synthetic:sockets=1,cores=2,threads=1", spec)
				p := b.occupy(1)[0]
				p.OnRQ = tc.queued
				rq := &b.K.RQ[1]
				rq.Avg.Util, rq.UtilEst = tc.util, tc.est
				p.Avg.Util, p.UtilEst = tc.taskUtil, int32(tc.taskEst)
				_, _, util := b.withoutTask(rq, p)
				return util
			})
		}
	}
}
