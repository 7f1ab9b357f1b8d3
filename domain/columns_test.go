package domain

import (
	"slices"
	"testing"
)

// column is one version's rules.
type column struct {
	version string
	rules   Rules
}

// columns are the versions of reference A; 6.12.117 builds as v6.12 does.
func columns() []column {
	return []column{{"v4.19", RulesV419()}, {"v5.3", RulesV53()}, {"v5.14", RulesV514()}, {"v6.1", RulesV61()}, {"v6.12", RulesV612()}}
}

// everyLevel has every level of reference A.1 that can remain, and both kinds of
// NUMA level: four nodes on two boards (21, 31), of two LLCs with two clusters of
// two cores with two threads.
func everyLevel() shape {
	s := shape{sockets: 4, cores: 8, threads: 2, perCluster: 2, perLLC: 4}
	for i := range 4 {
		var row []int
		for j := range 4 {
			row = append(row, map[bool]int{true: 21, false: 31}[i/2 == j/2])
		}
		row[i] = 10
		s.distances = append(s.distances, row)
	}
	return s
}

// TestLevelsAndAttributes is reference A.1 and A.2, level by level and version by
// version: names and numbers, intervals, factors, tries, load indices, flags,
// the allowed NUMA imbalance of A.6.
func TestLevelsAndAttributes(t *testing.T) {
	const (
		old      = "LOAD_BALANCE + "
		smtPkg   = "SHARE_CPUCAPACITY SHARE_PKG_RESOURCES PREFER_SIBLING"
		pkg      = "SHARE_PKG_RESOURCES PREFER_SIBLING"
		smtLLC   = "+ SHARE_CPUCAPACITY SHARE_LLC PREFER_SIBLING"
		cluster  = "+ CLUSTER SHARE_LLC PREFER_SIBLING"
		llc      = "+ SHARE_LLC PREFER_SIBLING"
		near     = "SERIALIZE OVERLAP NUMA"
		siblings = "PREFER_SIBLING"
		far      = "BALANCE_NEWIDLE SERIALIZE OVERLAP NUMA"
	)
	v53 := []want{
		{"SMT", 0, 2, 2, 2, 4, 32, 110, 0, 0, 0, 0, old + smtPkg, ""},
		{"MC", 1, 8, 4, 8, 16, 32, 117, 1, 0, 0, 0, old + pkg, old + smtPkg},
		{"DIE", 2, 16, 2, 16, 32, 32, 125, 1, 0, 0, 0, old + siblings, old + pkg},
		{"NUMA", 4, 32, 2, 32, 64, 32, 125, 2, 0, 0, 0, old + near, old + siblings},
		{"NUMA", 5, 64, 2, 64, 128, 32, 125, 2, 0, 0, 0, "LOAD_BALANCE " + far, old + near},
	}
	v419 := slices.Clone(v53)
	v419[1].busyIdx = 2
	v419[2].busyIdx, v419[2].idleIdx = 2, 1
	v419[3].busyIdx, v419[3].idleIdx = 3, 2
	v419[4].busyIdx, v419[4].idleIdx = 3, 2
	wants := map[string][]want{
		"v4.19": v419,
		"v5.3":  v53,
		"v5.14": {
			{"SMT", 0, 2, 2, 2, 4, 16, 110, 0, 0, 0, 0, "+ " + smtPkg, ""},
			{"MC", 1, 8, 4, 8, 16, 16, 117, 1, 0, 0, 0, "+ " + pkg, "+ " + smtPkg},
			{"DIE", 2, 16, 2, 16, 32, 16, 117, 1, 0, 0, 0, "+ " + siblings, "+ " + pkg},
			{"NUMA", 4, 32, 2, 32, 64, 16, 117, 2, 0, 0, 0, "+ " + near, "+ " + siblings},
			{"NUMA", 5, 64, 2, 64, 128, 16, 117, 2, 0, 0, 0, far, "+ " + near},
		},
		// Two LLCs in a node: 2; the reference span is 32, so 2 * 64/32 on top.
		"v6.1": {
			{"SMT", 0, 2, 2, 2, 4, 16, 110, 0, 0, 0, 0, "+ " + smtPkg, ""},
			{"CLS", 1, 4, 2, 4, 8, 16, 117, 1, 0, 0, 0, "+ " + pkg, "+ " + smtPkg},
			{"MC", 2, 8, 2, 8, 16, 16, 117, 1, 0, 0, 0, "+ " + pkg, "+ " + pkg},
			{"DIE", 3, 16, 2, 16, 32, 16, 117, 1, 2, 0, 0, "+ " + siblings, "+ " + pkg},
			{"NUMA", 5, 32, 2, 32, 64, 16, 117, 2, 2, 0, 0, "+ " + near, "+ " + siblings},
			{"NUMA", 6, 64, 2, 64, 128, 16, 117, 2, 4, 0, 0, far, "+ " + near},
		},
		"v6.12": {
			{"SMT", 0, 2, 2, 2, 4, 16, 110, 0, 0, 0, 0, smtLLC, ""},
			{"CLS", 1, 4, 2, 4, 8, 16, 117, 1, 0, 0, 0, cluster, smtLLC},
			{"MC", 2, 8, 2, 8, 16, 16, 117, 1, 0, 0, 0, llc, cluster},
			{"PKG", 3, 16, 2, 16, 32, 16, 117, 1, 2, 0, 0, "+ " + siblings, llc},
			{"NUMA", 5, 32, 2, 32, 64, 16, 117, 2, 2, 0, 0, "+ " + near, "+ " + siblings},
			{"NUMA", 6, 64, 2, 64, 128, 16, 117, 2, 4, 0, 0, far, "+ " + near},
		},
	}
	for _, c := range columns() {
		var got []want
		for _, l := range mustBuild(t, everyLevel().machine(), c.rules).CPUs[13].Levels {
			got = append(got, of(l, c.rules))
		}
		if !slices.Equal(got, wants[c.version]) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", c.version, got, wants[c.version])
		}
	}
}

// TestWorkedExamplesByVersion has the numbers of reference A.8 that every version
// shares, and those that a column changes: level, weight, groups, busy_factor,
// imbalance_pct, cache_nice_tries and imb_numa_nr, level by level.
func TestWorkedExamplesByVersion(t *testing.T) {
	type row struct {
		name                                          string
		level, weight, groups, busy, pct, tries, imbs int
	}
	type machine struct {
		name  string
		shape shape
		rows  func(busy, top int, clusters, imb bool) []row
	}
	machines := []machine{
		// One LLC in a node of 44: 44/8 = 5 in v6.1 and later.
		{"2 x 22 x 2", shape{sockets: 2, cores: 22, threads: 2}, func(busy, top int, clusters, imb bool) []row {
			c, i := b2i(clusters), 5*b2i(imb)
			return []row{{"SMT", 0, 2, 2, busy, 110, 0, 0}, {"MC", 1 + c, 44, 22, busy, 117, 1, 0}, {"NUMA", 4 + c, 88, 2, busy, top, 2, i}}
		}},
		// 36/8 = 4, and twice that on top.
		{"8 x 18 x 2", shape{sockets: 8, cores: 18, threads: 2, distances: twoBoards()}, func(busy, top int, clusters, imb bool) []row {
			c, i := b2i(clusters), 4*b2i(imb)
			return []row{{"SMT", 0, 2, 2, busy, 110, 0, 0}, {"MC", 1 + c, 36, 18, busy, 117, 1, 0},
				{"NUMA", 4 + c, 144, 4, busy, top, 2, i}, {"NUMA", 5 + c, 288, 2, busy, top, 2, 2 * i}}
		}},
	}
	for _, m := range machines {
		for _, c := range columns() {
			busy, top, since61 := 16, 117, c.version == "v6.1" || c.version == "v6.12"
			if c.version == "v4.19" || c.version == "v5.3" {
				busy, top = 32, 125
			}
			var got []row
			for _, l := range mustBuild(t, m.shape.machine(), c.rules).CPUs[0].Levels {
				got = append(got, row{l.Name, l.Level, l.Weight, len(l.Groups), l.BusyFactor, l.ImbalancePct, l.CacheNiceTries, l.ImbNUMA})
			}
			if want := m.rows(busy, top, since61, since61); !slices.Equal(got, want) {
				t.Errorf("%s, %s:\ngot  %v\nwant %v", m.name, c.version, got, want)
			}
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestIntervalsCountTheLevel is w of reference A.2: the intervals come from the
// CPUs of the level, whatever the partition leaves of them, in every version.
func TestIntervalsCountTheLevel(t *testing.T) {
	for _, c := range columns() {
		m := shape{sockets: 2, cores: 4, threads: 2}.machine()
		m.Boot.Isolated = mask(t, "1,9")
		l := mustBuild(t, m, c.rules).CPUs[0].Levels
		for i, w := range []struct{ weight, level int }{{2, 2}, {6, 8}, {14, 16}} {
			if l[i].Weight != w.weight || l[i].MinInterval != w.level || l[i].MaxInterval != 2*w.level {
				t.Errorf("%s, %s: %d CPUs, %d to %d ms; want %d, %d to %d", c.version, l[i].Name, l[i].Weight, l[i].MinInterval, l[i].MaxInterval, w.weight, w.level, 2*w.level)
			}
		}
	}
}

// TestNUMAImbalance is reference A.6 in a package of four nodes, which x86 gives
// no level of its own: the first level beyond the LLC is NODE, with two LLCs.
func TestNUMAImbalance(t *testing.T) {
	near := [][]int{{10, 12, 12, 12}, {12, 10, 12, 12}, {12, 12, 10, 12}, {12, 12, 12, 10}}
	s := shape{sockets: 1, cores: 16, nodesPerSocket: 4, perLLC: 2, distances: near}
	for _, c := range columns() {
		want := 0
		if c.version == "v6.1" || c.version == "v6.12" {
			want = 2 // and 2 * 16/16 on top
		}
		l := mustBuild(t, s.machine(), c.rules).CPUs[0].Levels
		if len(l) != 3 || l[1].Name != "NODE" || l[1].ImbNUMA != want || l[2].Name != "NUMA" || l[2].ImbNUMA != want {
			t.Errorf("%s: %v, want MC, NODE and NUMA that allow %d", c.version, l, want)
		}
	}
}
