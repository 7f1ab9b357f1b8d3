package policy

import (
	"math"
	"testing"

	"schedlab/cpumask"
)

// TestScanLimits is reference B.7: how many CPUs, plus one, a search may look at.
// 16 CPUs; avg_idle is 1 ms, wake_avg_idle half of it, the last search's cost as
// given; -1 is no search.
func TestScanLimits(t *testing.T) {
	const never = math.MaxInt64
	for _, tc := range []struct {
		what, settings string
		cost           int64 // avg_scan_cost
		aged           int64 // jiffies since the last wake-up of the CPU
		cores          bool
		scan           int32
		wants          columns[int64]
	}{
		// 16*1953/1000 = 31 (1 ms / 512 = 1953); 16*500000/1000 = 8000.
		{"as they come", "", 999, 0, false, 5, columns[int64]{31, 31, 8000, 6, 6, 6}},
		{"SIS_PROP", ",sis=prop", 999, 0, false, 5, columns[int64]{31, 31, 8000, 8000, 8000, 8000}},
		// Halved three times: 16*62500/1000.
		{"three jiffies later", ",sis=prop", 999, 3, false, 5, columns[int64]{31, 31, 1000, 1000, 1000, 1000}},
		{"much later", ",sis=prop", 999, 100, false, 5, columns[int64]{31, 31, 4, 4, 4, 4}},
		// 16*1953 = 31248 is not above four times 7812, and above four times 7811.
		{"the least limit", ",sis=prop", 7811, 9, false, 5, columns[int64]{4, 4, 4, 4, 4, 4}},
		{"just above it", ",sis=prop", 7000, 0, false, 5, columns[int64]{4, 4, 1142, 1142, 1142, 1142}},
		// With an idle core in sight SIS_PROP does not count; v4.20 has two passes.
		{"idle cores, SIS_PROP", ",sis=prop", 999, 0, true, 5, columns[int64]{31, 31, never, never, never, never}},
		{"idle cores, SIS_UTIL", ",sis=util", 999, 0, true, 5, columns[int64]{6, 6, 6, 6, 6, 6}},
		{"SIS_UTIL, nothing to scan", ",sis=util", 999, 0, true, 0, columns[int64]{-1, -1, -1, -1, -1, -1}},
		{"no limit", ",sis=full", 999, 0, false, 5, columns[int64]{never, never, never, never, never, never}},
	} {
		by(t, tc.what, tc.settings, tc.wants, func(t *testing.T, spec string) int64 {
			b := newBench(t, "synthetic:sockets=1,cores=8,threads=2", spec)
			b.K.ScanCost[1], b.shared(0).NrIdleScan = tc.cost, tc.scan
			rq := &b.K.RQ[1]
			rq.AvgIdle, rq.WakeAvgIdle, rq.WakeStamp = 1_000_000, 500_000, b.K.Jiffies(b.now)-tc.aged
			nr, ok := int64(0), false
			if b.gen < GenV514 {
				nr, ok = b.limit419(b.llc(3), 1, 3)
			} else {
				nr, ok = b.scanLimit(tc.cores, 1, 3, b.now)
			}
			if !ok {
				return -1
			}
			return nr
		})
	}
}

// TestScanAverageGate is SIS_AVG_CPU of v4.20: no search below its average cost.
func TestScanAverageGate(t *testing.T) {
	for _, v := range []string{"v4.20", "v5.3"} {
		for cost, want := range map[int64]bool{1952: true, 1953: false} { // 1 ms / 512 = 1953, cost + 1
			b := newBench(t, "synthetic:sockets=1,cores=8,threads=2", v+",SIS_AVG_CPU=on")
			b.K.ScanCost[1] = cost
			if _, ok := b.limit419(b.llc(3), 1, 3); ok != want {
				t.Errorf("%s, cost %d: search %v, want %v", v, cost, ok, want)
			}
		}
	}
}

// TestScanAccounting is reference B.7: what a search of a CPU leaves. Its cost is
// averaged by one eighth, rounded toward zero, unless the limit ended it; from
// v5.14 on it is taken from wake_avg_idle as well.
func TestScanAccounting(t *testing.T) {
	type left struct {
		cost    int64 // avg_scan_cost, less what a search costs
		charged bool  // wake_avg_idle became less
	}
	for _, tc := range []struct {
		what   string
		before int64 // avg_scan_cost, less what a search costs
		idle   []int // there is one to be found
		wants  columns[left]
	}{
		{"seven above", 7, []int{6}, from514(left{7, false}, left{7, true})},
		{"eight above", 8, []int{6}, from514(left{7, false}, left{7, true})},
		{"nine below", -9, []int{6}, from514(left{-8, false}, left{-8, true})},
	} {
		by(t, tc.what, ",sis=prop,recent-used=off", tc.wants, func(t *testing.T, spec string) left {
			b := newBench(t, "synthetic:sockets=1,cores=8,threads=1", spec)
			b.occupyBut(tc.idle...)
			id := b.task(2).ID
			b.occupyBut(tc.idle...)
			search := func() int64 {
				rq := &b.K.RQ[1]
				rq.AvgIdle, rq.WakeAvgIdle, rq.WakeStamp = 1_000_000, 500_000, b.K.Jiffies(b.now)
				before := b.K.Meter.Ns
				if f := b.sibling(id, 1, 2, 3); f.cpu != 6 {
					t.Fatalf("%s: found CPU %d", spec, f.cpu)
				}
				return b.K.Meter.Ns - before
			}
			// The first steps cost too: tell the search's part by its average from nothing.
			b.K.ScanCost[1] = 0
			search()
			b.K.ScanCost[1] = 0
			took := b.searchPart(search)
			b.K.ScanCost[1] = took + tc.before
			search()
			return left{b.K.ScanCost[1] - took, b.K.RQ[1].WakeAvgIdle < 500_000}
		})
	}
	by(t, "the limit ends it", ",sis=prop,recent-used=off", all(left{9_000_000, false}), func(t *testing.T, spec string) left {
		b := newBench(t, "synthetic:sockets=1,cores=8,threads=1", spec)
		b.occupyBut()
		id := b.task(2).ID
		b.K.ScanCost[1] = 9_000_000
		rq := &b.K.RQ[1]
		rq.AvgIdle, rq.WakeAvgIdle, rq.WakeStamp = 1_000_000, 500_000, b.K.Jiffies(b.now)
		b.sibling(id, 1, 2, 3)
		return left{b.K.ScanCost[1], rq.WakeAvgIdle < 500_000}
	})
}

// searchPart finds what the search itself costs: the cost at which its average
// does not move, the middle of the 15 that rounding toward zero gives.
func (b *bench) searchPart(search func() int64) int64 {
	total := search()
	first := int64(-1)
	for cost := int64(0); cost <= total+8; cost++ {
		b.K.ScanCost[1] = cost
		search()
		if b.K.ScanCost[1] == cost {
			first = cost
			break
		}
	}
	return first + 7
}

// TestIdleScanTable is the value table of reference B.7, exactly, for the
// versions that limit by utilisation; earlier ones compute it for sis=util alone.
func TestIdleScanTable(t *testing.T) {
	cores := []string{"cores=8", "cores=10", "cores=22", "cores=28"}
	for _, v := range []string{"v6.1", "v6.12", "v6.12.117"} {
		for _, tc := range []struct {
			permille int64
			want     [4]int32
		}{
			{0, [4]int32{16, 20, 44, 56}}, {250, [4]int32{14, 18, 40, 51}}, {500, [4]int32{10, 13, 28, 36}},
			{600, [4]int32{8, 10, 22, 28}}, {700, [4]int32{5, 6, 14, 18}}, {800, [4]int32{2, 2, 5, 7}}, {855, [4]int32{}},
		} {
			for i, c := range cores {
				b := newBench(t, "synthetic:sockets=1,threads=2,"+c, v)
				level := b.K.Dom.CPUs[0].LLCAt
				for c := range b.K.RQ {
					b.K.RQ[c].Avg.Util = tc.permille * 1024 / 1000
				}
				e := balanceEnv{sd: b.domains(0)[level], level: level, cpus: cpumask.Full(len(b.K.RQ)), idle: notIdle}
				b.updateIdleScan(&e)
				if got := b.shared(0).NrIdleScan; got != tc.want[i] {
					t.Errorf("%s, %s at %d per mille: %d, want %d", v, c, tc.permille, got, tc.want[i])
				}
			}
		}
	}
}
