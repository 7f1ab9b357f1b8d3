package domain

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"schedlab/cpumask"
	"schedlab/machine"
)

// want is what a table test expects of one domain.
type want struct {
	name                   string
	level, weight, groups  int
	min, max, busy, pct    int
	tries, imb             int
	busyIdx, idleIdx       int
	flags, firstGroupFlags string
}

func of(d *Domain, r Rules) want {
	return want{
		name: d.Name, level: d.Level, weight: d.Weight, groups: len(d.Groups),
		min: d.MinInterval, max: d.MaxInterval, busy: d.BusyFactor, pct: d.ImbalancePct,
		tries: d.CacheNiceTries, imb: d.ImbNUMA,
		busyIdx: d.BusyIdx, idleIdx: d.IdleIdx,
		flags: short(r.FlagNames(d.Flags)), firstGroupFlags: short(r.FlagNames(d.Groups[d.First].Flags)),
	}
}

// short leaves out the prefix of flag names and writes + for the four flags
// that near domains have.
func short(names string) string {
	names = strings.ReplaceAll(names, "SD_", "")
	return strings.ReplaceAll(names, "BALANCE_NEWIDLE BALANCE_EXEC BALANCE_FORK WAKE_AFFINE", "+")
}

// The machines of the published tables, and what reference A.8 and A.6 say of them.
func TestWorkedExamples(t *testing.T) {
	x6 := shape{sockets: 2, cores: 22, threads: 2}
	x5 := shape{sockets: 8, cores: 18, threads: 2, distances: twoBoards()}
	const (
		smt419  = "LOAD_BALANCE + SHARE_CPUCAPACITY SHARE_PKG_RESOURCES PREFER_SIBLING"
		mc419   = "LOAD_BALANCE + SHARE_PKG_RESOURCES PREFER_SIBLING"
		node419 = "LOAD_BALANCE + PREFER_SIBLING"
		near419 = "LOAD_BALANCE + SERIALIZE OVERLAP NUMA"
		far419  = "LOAD_BALANCE BALANCE_NEWIDLE SERIALIZE OVERLAP NUMA"
		smt612  = "+ SHARE_CPUCAPACITY SHARE_LLC PREFER_SIBLING"
		mc612   = "+ SHARE_LLC PREFER_SIBLING"
		near612 = "+ SERIALIZE OVERLAP NUMA"
	)
	for _, tt := range []struct {
		name  string
		shape shape
		rules Rules
		want  []want
	}{
		{"x6-2 v4.19", x6, RulesV419(), []want{
			{"SMT", 0, 2, 2, 2, 4, 32, 110, 0, 0, 0, 0, smt419, ""},
			{"MC", 1, 44, 22, 44, 88, 32, 117, 1, 0, 2, 0, mc419, smt419},
			{"NUMA", 4, 88, 2, 88, 176, 32, 125, 2, 0, 3, 2, near419, node419},
		}},
		{"x6-2 v5.3", x6, RulesV53(), []want{
			{"SMT", 0, 2, 2, 2, 4, 32, 110, 0, 0, 0, 0, smt419, ""},
			{"MC", 1, 44, 22, 44, 88, 32, 117, 1, 0, 0, 0, mc419, smt419},
			{"NUMA", 4, 88, 2, 88, 176, 32, 125, 2, 0, 0, 0, near419, node419},
		}},
		{"x6-2 v6.1", x6, RulesV61(), []want{
			{"SMT", 0, 2, 2, 2, 4, 16, 110, 0, 0, 0, 0, "+ SHARE_CPUCAPACITY SHARE_PKG_RESOURCES PREFER_SIBLING", ""},
			{"MC", 2, 44, 22, 44, 88, 16, 117, 1, 0, 0, 0, "+ SHARE_PKG_RESOURCES PREFER_SIBLING", "+ SHARE_PKG_RESOURCES PREFER_SIBLING"},
			{"NUMA", 5, 88, 2, 88, 176, 16, 117, 2, 5, 0, 0, near612, "+ PREFER_SIBLING"},
		}},
		{"x6-2 v6.12", x6, RulesV612(), []want{
			{"SMT", 0, 2, 2, 2, 4, 16, 110, 0, 0, 0, 0, smt612, ""},
			{"MC", 2, 44, 22, 44, 88, 16, 117, 1, 0, 0, 0, mc612, smt612},
			{"NUMA", 5, 88, 2, 88, 176, 16, 117, 2, 5, 0, 0, near612, mc612},
		}},
		{"x5-8 v4.19", x5, RulesV419(), []want{
			{"SMT", 0, 2, 2, 2, 4, 32, 110, 0, 0, 0, 0, smt419, ""},
			{"MC", 1, 36, 18, 36, 72, 32, 117, 1, 0, 2, 0, mc419, smt419},
			{"NUMA", 4, 144, 4, 144, 288, 32, 125, 2, 0, 3, 2, near419, node419},
			{"NUMA", 5, 288, 2, 288, 576, 32, 125, 2, 0, 3, 2, far419, near419},
		}},
		{"x5-8 v6.12", x5, RulesV612(), []want{
			{"SMT", 0, 2, 2, 2, 4, 16, 110, 0, 0, 0, 0, smt612, ""},
			{"MC", 2, 36, 18, 36, 72, 16, 117, 1, 0, 0, 0, mc612, smt612},
			{"NUMA", 5, 144, 4, 144, 288, 16, 117, 2, 4, 0, 0, near612, mc612},
			{"NUMA", 6, 288, 2, 288, 576, 16, 117, 2, 8, 0, 0, "BALANCE_NEWIDLE SERIALIZE OVERLAP NUMA", near612},
		}},
		{"one LLC, one node", shape{sockets: 1, cores: 8, threads: 2}, RulesV612(), []want{
			{"SMT", 0, 2, 2, 2, 4, 16, 110, 0, 0, 0, 0, smt612, ""},
			{"MC", 2, 16, 8, 16, 32, 16, 117, 1, 0, 0, 0, mc612, smt612},
		}},
		{"two LLCs in a node", shape{sockets: 1, cores: 8, threads: 2, perLLC: 4}, RulesV612(), []want{
			{"SMT", 0, 2, 2, 2, 4, 16, 110, 0, 0, 0, 0, smt612, ""},
			{"MC", 2, 8, 4, 8, 16, 16, 117, 1, 0, 0, 0, mc612, smt612},
			{"PKG", 3, 16, 2, 16, 32, 16, 117, 1, 2, 0, 0, "+ PREFER_SIBLING", mc612},
		}},
		{"no SMT, clusters of four", shape{sockets: 1, cores: 8, perCluster: 4}, RulesV612(), []want{
			{"CLS", 1, 4, 4, 4, 8, 16, 117, 1, 0, 0, 0, "+ CLUSTER SHARE_LLC PREFER_SIBLING", ""},
			{"MC", 2, 8, 2, 8, 16, 16, 117, 1, 0, 0, 0, mc612, "+ CLUSTER SHARE_LLC PREFER_SIBLING"},
		}},
		{"several nodes in a package", shape{sockets: 1, cores: 4, nodesPerSocket: 2, perLLC: 2}, RulesV612(), []want{
			{"MC", 2, 2, 2, 2, 4, 16, 117, 1, 0, 0, 0, mc612, ""},
			{"NUMA", 4, 4, 2, 4, 8, 16, 117, 2, 1, 0, 0, near612, mc612},
		}},
		{"one CPU", shape{sockets: 1, cores: 1}, RulesV612(), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := mustBuild(t, tt.shape.machine(), tt.rules)
			for cpu, c := range d.CPUs {
				var got []want
				for _, dom := range c.Levels {
					got = append(got, of(dom, tt.rules))
				}
				if !slices.Equal(got, tt.want) {
					t.Fatalf("CPU %d:\ngot  %+v\nwant %+v", cpu, got, tt.want)
				}
			}
		})
	}
}

// twoBoards are the distances of eight sockets on two boards: 21 within a
// board, 31 across.
func twoBoards() [][]int {
	d := make([][]int, 8)
	for i := range d {
		for j := range d {
			switch {
			case i == j:
				d[i] = append(d[i], 10)
			case i/4 == j/4:
				d[i] = append(d[i], 21)
			default:
				d[i] = append(d[i], 31)
			}
		}
	}
	return d
}

func TestShortcuts(t *testing.T) {
	d := mustBuild(t, shape{sockets: 2, cores: 8, threads: 2, perCluster: 4}.machine(), RulesV612())
	got := d.CPUs[29] // socket 1, core 13, second thread
	got.Levels = nil
	if want := (CPU{Root: 0, LLC: 8, LLCSize: 16, Share: 12, LLCAt: 2, NUMAAt: 3}); !equalCPU(got, want) {
		t.Errorf("6.12: got %+v, want %+v", got, want)
	}
	d = mustBuild(t, shape{sockets: 2, cores: 8, threads: 2, perCluster: 4}.machine(), RulesV61())
	if c := d.CPUs[29]; c.Share != 8 {
		t.Errorf("6.1 knows no clusters: share id %d, want the LLC's, 8", c.Share)
	}

	noLLC := shape{sockets: 1, cores: 4, threads: 2, perLLC: 1}.machine()
	d = mustBuild(t, noLLC, RulesV612())
	if c := d.CPUs[5]; c.LLC != 1 || c.LLCSize != 2 || c.LLCAt != 0 {
		t.Errorf("without MC the core is the LLC: got %+v", c)
	}
	for id := range noLLC.CPUs { // as a source says that knows no shared cache
		noLLC.CPUs[id].LLC, noLLC.CPUs[id].Cluster = id, id
	}
	d = mustBuild(t, noLLC, RulesV612())
	if c := d.CPUs[5]; c.LLC != 1 || c.LLCSize != 2 || c.LLCAt != 0 || len(c.Levels) != 2 {
		t.Errorf("without caches the core is the LLC: got %+v", c)
	}
}

func equalCPU(a, b CPU) bool {
	return a.Root == b.Root && a.LLC == b.LLC && a.LLCSize == b.LLCSize && a.Share == b.Share &&
		a.LLCAt == b.LLCAt && a.NUMAAt == b.NUMAAt
}

func TestIsolatedAndOffline(t *testing.T) {
	m := shape{sockets: 2, cores: 4, threads: 2}.machine()
	m.Boot.Isolated = mask(t, "2-3,10")
	setOffline(m, 7)
	d := mustBuild(t, m, RulesV612())
	for _, c := range []int{2, 3, 7, 10} {
		if got := d.CPUs[c]; got.Levels != nil || !equalCPU(got, CPU{Root: -1, LLC: c, LLCSize: 1, Share: c, LLCAt: -1, NUMAAt: -1}) {
			t.Errorf("CPU %d is isolated or offline: got %+v", c, got)
		}
	}
	if got := d.Roots[0].Span.String(); got != "0-1,4-6,8-9,11-15" {
		t.Errorf("root domain %s", got)
	}
	// CPU 11 lost its thread to the isolation, CPU 15 its thread to the outage.
	for cpu, want := range map[int]string{
		0:  "SMT 0,8|MC 0-1,8-9,11|NUMA 0-1,4-6,8-9,11-15",
		11: "MC 0-1,8-9,11|NUMA 0-1,4-6,8-9,11-15",
		15: "MC 4-6,12-15|NUMA 0-1,4-6,8-9,11-15",
	} {
		var got []string
		for _, l := range d.CPUs[cpu].Levels {
			got = append(got, l.Name+" "+l.Span.String())
		}
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("CPU %d: %s, want %s", cpu, s, want)
		}
	}
	// Intervals count isolated CPUs, but not offline ones (reference A.2).
	if a, b := d.CPUs[0].Levels[1].MinInterval, d.CPUs[15].Levels[0].MinInterval; a != 8 || b != 7 {
		t.Errorf("min_interval of MC: %d and %d, want 8 and 7", a, b)
	}
	mc := d.CPUs[11].Levels[0]
	if g := mc.Groups[mc.First]; g.Span.String() != "11" || g.Flags != 0 || g.Cores != 1 || g.Capacity != 1024 {
		t.Errorf("CPU 11's own group: %+v", g)
	}
	if got := d.Reach[0].CPUs[0].String(); got != "0-3,8-11" {
		t.Errorf("node 0 reaches %s at distance 10: isolated CPUs belong to it", got)
	}
}

func TestAllIsolated(t *testing.T) {
	m := shape{sockets: 1, cores: 4}.machine()
	m.Boot.Isolated = cpumask.Full(4)
	setOffline(m, 0)
	d := mustBuild(t, m, RulesV612())
	if d.CPUs[1].Root != 0 || d.CPUs[2].Root != -1 || d.Roots[0].Span.String() != "1" {
		t.Errorf("the first online CPU keeps house: got %+v", d)
	}
}

func TestPartitions(t *testing.T) {
	m := shape{sockets: 2, cores: 4, threads: 2}.machine()
	parts := []cpumask.Mask{mask(t, "4-7,12-15"), mask(t, "0-2,8")}
	d, err := BuildPartitions(m, RulesV612(), parts)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Roots) != 2 || d.CPUs[4].Root != 0 || d.CPUs[0].Root != 1 || d.CPUs[3].Root != -1 {
		t.Fatalf("roots: %+v", d.Roots)
	}
	top := d.CPUs[1].Levels[0]
	if top.Name != "MC" || top.Span.String() != "0-2,8" || len(d.CPUs[4].Levels) != 2 {
		t.Errorf("CPU 1: %s %s", top.Name, top.Span)
	}
	seen := map[int]cpumask.Mask{}
	for _, c := range d.CPUs {
		for _, l := range c.Levels {
			for _, g := range l.Groups {
				if seen[g.ID] != nil && !seen[g.ID].Equal(g.Span) {
					t.Errorf("groups %s and %s have the same id", seen[g.ID], g.Span)
				}
				seen[g.ID] = g.Span
			}
		}
	}
	if len(seen) != d.States {
		t.Errorf("%d ids in use, States says %d", len(seen), d.States)
	}
}

// The order of a ring is that of the span's highest CPU (see the package comment).
func TestRingOrder(t *testing.T) {
	m := shape{sockets: 1, cores: 4, threads: 2}.machine()
	for id, core := range []int{0, 1, 2, 3, 0, 3, 2, 1} {
		m.CPUs[id].Core, m.CPUs[id].Cluster = core, core
	}
	d := mustBuild(t, m, RulesV612())
	for cpu, want := range map[int]string{
		0: "0,4 2,6 3,5 1,7",
		7: "1,7 0,4 2,6 3,5",
		2: "2,6 3,5 1,7 0,4",
	} {
		if got := strings.Join(walk(d.CPUs[cpu].Levels[1]), " "); got != want {
			t.Errorf("CPU %d walks %s, want %s", cpu, got, want)
		}
	}
}

// At NUMA levels the order depends on where a CPU stands among the others, so
// CPUs of one node may walk different ways.
func TestOverlapOrder(t *testing.T) {
	m := shape{sockets: 3, cores: 2}.machine()
	renumber(m, []int{0, 3, 1, 5, 2, 4})
	d := mustBuild(t, m, RulesV612())
	for cpu, want := range map[int]string{
		0: "0,3 1,5 2,4",
		3: "0,3 2,4 1,5",
		1: "1,5 2,4 0,3",
		5: "1,5 0,3 2,4",
	} {
		if got := strings.Join(walk(d.CPUs[cpu].Levels[1]), " "); got != want {
			t.Errorf("CPU %d walks %s, want %s", cpu, got, want)
		}
	}
}

// Groups that are equal are one object; those that differ only in what their
// flags say share their live state.
func TestSharing(t *testing.T) {
	// With two LLCs in a node PKG stays, with the flags of NODE, which goes.
	d := mustBuild(t, shape{sockets: 2, cores: 4, perLLC: 2}.machine(), RulesV612())
	if a, b := d.CPUs[0].Levels[2].Groups, d.CPUs[4].Levels[2].Groups; a[0] != b[1] || a[1] != b[0] {
		t.Errorf("equal groups are two objects: %+v, %+v", a[0], b[1])
	}
	d = mustBuild(t, shape{sockets: 2, cores: 4}.machine(), RulesV612())
	a, b := d.CPUs[0].Levels[1].Groups[0], d.CPUs[4].Levels[1].Groups[1]
	if a.ID != b.ID || a.Flags == b.Flags || !a.Span.Equal(b.Span) {
		t.Errorf("groups of node 0, seen from both: %+v, %+v", a, b)
	}
}

func TestShape(t *testing.T) {
	for _, tt := range []struct {
		distances [][]int
		want      NUMAShape
	}{
		{[][]int{{10, 21, 21}, {21, 10, 21}, {21, 21, 10}}, Direct},
		{lineOf(3), GluelessMesh},
		{twoBoards(), Backplane},
	} {
		m := shape{sockets: len(tt.distances), cores: 1, distances: tt.distances}.machine()
		if got := mustBuild(t, m, RulesV612()).Shape; got != tt.want {
			t.Errorf("%v: shape %d, want %d", tt.distances, got, tt.want)
		}
	}
}

// On x86 nodes inside a package leave no room for PKG; elsewhere it exists and
// counts, though it goes as degenerate.
func TestPackageOfNodes(t *testing.T) {
	m := shape{sockets: 1, cores: 4, nodesPerSocket: 2, perLLC: 2}.machine()
	m.X86 = false
	if l := mustBuild(t, m, RulesV612()).CPUs[0].Levels[1]; l.Name != "NUMA" || l.Level != 5 {
		t.Errorf("%s at level %d, want NUMA at 5", l.Name, l.Level)
	}
}

// A partition inside a node gets no NUMA levels, which v4.19 would not remove.
func TestStopsAtPartition(t *testing.T) {
	m := shape{sockets: 2, cores: 4}.machine()
	m.Boot.Isolated = mask(t, "4-7")
	if l := mustBuild(t, m, RulesV419()).CPUs[0].Levels; len(l) != 1 || l[0].Name != "MC" {
		t.Errorf("got %d levels up to %s, want MC alone", len(l), l[len(l)-1].Name)
	}
}

// Four nodes in a row, of one CPU each: three hops.
func TestThreeHops(t *testing.T) {
	m := shape{sockets: 4, cores: 1, distances: lineOf(4)}.machine()
	got := func(r Rules, cpu int) string {
		var s []string
		for _, l := range mustBuild(t, m, r).CPUs[cpu].Levels {
			s = append(s, l.Span.String()+":"+strings.Join(walk(l), " "))
		}
		return strings.Join(s, "|")
	}
	for _, tt := range []struct {
		name  string
		rules Rules
		cpu   int
		want  string
	}{
		{"v4.19", RulesV419(), 0, "0-1:0 1|0-2:0-1 1-3|0-3:0-2 1-3"},
		{"v4.19", RulesV419(), 1, "0-2:1 2 0|0-3:0-2 2-3"},
		{"v6.12", RulesV612(), 0, "0-1:0 1|0-2:0-1 2|0-3:0-2 1-3"},
		{"v6.12", RulesV612(), 1, "0-2:1 2 0|0-3:0-2 2-3"},
		{"v6.12", RulesV612(), 3, "2-3:3 2|1-3:2-3 1|0-3:1-3 0-2"},
	} {
		if s := got(tt.rules, tt.cpu); s != tt.want {
			t.Errorf("%s CPU %d: %s, want %s", tt.name, tt.cpu, s, tt.want)
		}
	}
	d := mustBuild(t, m, RulesV612())
	if d.Shape != GluelessMesh {
		t.Errorf("shape %d", d.Shape)
	}
	// CPU 0 comes to the group 0-2 from below, CPUs 1 and 2 do not.
	top := d.CPUs[0].Levels[2]
	if g := top.Groups[0]; g.Balance.String() != "0" || g.BalanceAt != 0 {
		t.Errorf("balance mask of %s: %s", g.Span, g.Balance)
	}
	if g := top.Groups[1]; g.Balance.String() != "3" || g.BalanceAt != 3 {
		t.Errorf("balance mask of %s: %s", g.Span, g.Balance)
	}
}

// v4.19 takes the distances of node 0 only.
func TestNodeZeroNotRepresentative(t *testing.T) {
	star := [][]int{{10, 20, 20}, {20, 10, 30}, {20, 30, 10}}
	m := shape{sockets: 3, cores: 2, distances: star}.machine()
	for _, tt := range []struct {
		rules Rules
		reach int
		top   string
	}{{RulesV419(), 2, "0-3"}, {RulesV514(), 3, "0-5"}} {
		d := mustBuild(t, m, tt.rules)
		levels := d.CPUs[2].Levels
		if top := levels[len(levels)-1].Span.String(); top != tt.top || len(d.Reach) != tt.reach {
			t.Errorf("%d distances, CPU 2 reaches %s, want %d and %s", len(d.Reach), top, tt.reach, tt.top)
		}
	}
}

// The distance from node 0 to itself is the identity, though another be less.
func TestOddIdentity(t *testing.T) {
	m := shape{sockets: 2, cores: 2, distances: [][]int{{12, 10}, {10, 12}}}.machine()
	if d := mustBuild(t, m, RulesV419()); len(d.Reach) != 1 || d.Reach[0].Distance != 12 {
		t.Errorf("v4.19: %+v", d.Reach)
	}
	if d := mustBuild(t, m, RulesV514()); len(d.Reach) != 2 {
		t.Errorf("v5.14: %+v", d.Reach)
	}
}

// A node without near neighbours: its level for the near distance spans no more
// than the node. v4.19 keeps it, since it alone has the flags of a NUMA level.
func TestLonelyNode(t *testing.T) {
	far := [][]int{{10, 20, 30}, {20, 10, 30}, {30, 30, 10}}
	m := shape{sockets: 3, cores: 2, distances: far}.machine()
	for _, tt := range []struct {
		rules Rules
		want  string
	}{
		{RulesV419(), "MC 4-5 2|NUMA 4-5 1|NUMA 0-5 2"},
		{RulesV514(), "MC 4-5 2|NUMA 0-5 2"},
	} {
		var got []string
		for _, l := range mustBuild(t, m, tt.rules).CPUs[4].Levels {
			got = append(got, fmt.Sprint(l.Name, " ", l.Span, " ", len(l.Groups)))
		}
		if s := strings.Join(got, "|"); s != tt.want {
			t.Errorf("got %s, want %s", s, tt.want)
		}
	}
}

// A node of memory alone adds a level up to v5.14, which then adds nothing to
// what lies below it and goes; its number remains.
func TestMemoryNode(t *testing.T) {
	m := shape{sockets: 2, cores: 2}.machine()
	for n := range m.Nodes {
		m.Nodes[n].Distance = append(m.Nodes[n].Distance, 17)
	}
	m.Nodes = append(m.Nodes, machine.Node{ID: 2, Exists: true, Distance: []int{17, 17, 10}})
	for _, tt := range []struct {
		rules Rules
		level int
	}{{RulesV514(), 5}, {RulesV61(), 5}} {
		d := mustBuild(t, m, tt.rules)
		if l := d.CPUs[0].Levels[1]; l.Name != "NUMA" || l.Level != tt.level {
			t.Errorf("%s at level %d, want NUMA at %d", l.Name, l.Level, tt.level)
		}
	}
}

func TestUnequalCapacities(t *testing.T) {
	m := shape{sockets: 1, cores: 8, perLLC: 4}.machine()
	for id := range 4 {
		m.CPUs[id].Capacity = 400
	}
	for _, tt := range []struct {
		name  string
		rules Rules
		mc    Flags // of these flags
		top   Flags
	}{
		{"v4.19", RulesV419(), PreferSibling, PreferSibling},
		{"v5.3", RulesV53(), BalanceWake, PreferSibling | AsymCPUCapacity},
		{"v6.12", RulesV612(), 0, PreferSibling | AsymCPUCapacity | AsymCPUCapacityFull},
	} {
		const these = PreferSibling | BalanceWake | AsymCPUCapacity | AsymCPUCapacityFull
		l := mustBuild(t, m, tt.rules).CPUs[0].Levels
		if len(l) != 2 || l[0].Flags&these != tt.mc || l[1].Flags&these != tt.top {
			t.Errorf("%s: got %v", tt.name, l)
		}
	}
	l := mustBuild(t, m, RulesV612()).CPUs[0].Levels
	if g := l[1].Groups[l[1].First]; g.Capacity != 1600 {
		t.Errorf("capacity of CPU 0's group: %d", g.Capacity)
	}
}

// A span with some of the partition's capacities, and not all.
func TestPartlyUnequal(t *testing.T) {
	m := shape{sockets: 1, cores: 4, perLLC: 2}.machine()
	m.CPUs[0].Capacity, m.CPUs[1].Capacity = 400, 800
	const these = AsymCPUCapacity | AsymCPUCapacityFull
	l := mustBuild(t, m, RulesV612()).CPUs[0].Levels
	if l[0].Flags&these != AsymCPUCapacity || l[1].Flags&these != these {
		t.Errorf("got %v and %v", l[0].Flags, l[1].Flags)
	}
}

// Where a domain with SD_PREFER_SIBLING is removed, the one below gets it back.
func TestPreferSiblingComesDown(t *testing.T) {
	m := shape{sockets: 2, cores: 4}.machine()
	for id := range m.CPUs {
		m.CPUs[id].Capacity = []int{400, 400, 1024, 1024, 400, 400, 1024, 1024}[id]
	}
	m.CPUs[2].LLC, m.CPUs[3].LLC = 2, 2
	d := mustBuild(t, m, RulesV53()) // capacities show at DIE, which node 1 does not need
	if f := d.CPUs[0].Levels[0].Flags; f&PreferSibling != 0 {
		t.Errorf("MC of node 0, below DIE: %v", f)
	}
	if f := d.CPUs[4].Levels[0].Flags; f&PreferSibling == 0 || d.CPUs[4].Levels[1].Name != "NUMA" {
		t.Errorf("MC of node 1, below no DIE: %v", f)
	}
}

func TestInvalidDistance(t *testing.T) {
	m := shape{sockets: 2, cores: 2, distances: [][]int{{10, 300}, {300, 10}}}.machine()
	d := mustBuild(t, m, RulesV612())
	if l := d.CPUs[0].Levels; len(l) != 1 || l[0].Name != "MC" || len(d.Reach) > 0 {
		t.Errorf("Linux makes no NUMA levels here: got %v", l)
	}
}

func TestErrors(t *testing.T) {
	two := func() *machine.Machine { return shape{sockets: 2, cores: 2, threads: 2}.machine() }
	for _, tt := range []struct {
		name   string
		rules  Rules
		change func(*machine.Machine)
		parts  []cpumask.Mask
		want   string
	}{
		{"no rules", Rules{}, func(*machine.Machine) {}, nil, "no kernel version"},
		{"no CPU", RulesV612(), func(m *machine.Machine) { m.Online = nil }, nil, "no online CPU"},
		{"too few CPUs", RulesV612(), func(m *machine.Machine) { m.CPUs = m.CPUs[:5] }, nil, "CPU 7 is online"},
		{"no node", RulesV612(), func(m *machine.Machine) { m.CPUs[3].Node = 4 }, nil, "CPU 3 is on node 4"},
		{"negative node", RulesV612(), func(m *machine.Machine) { m.CPUs[3].Node = -1 }, nil, "CPU 3 is on node -1"},
		{"short table", RulesV612(), func(m *machine.Machine) { m.Nodes[1].Distance = nil }, nil, "node 1 has 0 distances"},
		{"crossed caches", RulesV612(), func(m *machine.Machine) {
			for id := range m.CPUs {
				m.CPUs[id].LLC = id % 3
			}
		}, nil, "level MC: CPUs 0,3-4,6 and 1,4-5,7 overlap in part"},
		{"near twice", RulesV612(), func(m *machine.Machine) { m.Nodes[0].Distance[1] = 10 }, nil, "level NODE: CPUs 0-7 and 2-3,6-7 overlap in part"},
		{"empty partition", RulesV612(), func(*machine.Machine) {}, []cpumask.Mask{cpumask.Of(0), cpumask.Of(99)}, "partition 1 (CPUs 99) has no online CPU"},
		{"partitions overlap", RulesV612(), func(*machine.Machine) {}, []cpumask.Mask{cpumask.Of(0, 1), cpumask.Of(1, 2)}, "partition 1 (CPUs 1-2): CPU 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := two()
			tt.change(m)
			parts := tt.parts
			if parts == nil {
				parts = []cpumask.Mask{m.Online}
			}
			_, err := BuildPartitions(m, tt.rules, parts)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), m.Name) {
				t.Errorf("got %v, want %q and the machine's name", err, tt.want)
			}
		})
	}
}

func TestFlagNames(t *testing.T) {
	f := LoadBalance | BalanceNewidle | Cluster | ShareLLC | NUMA
	if got := f.String(); got != "SD_LOAD_BALANCE SD_BALANCE_NEWIDLE SD_CLUSTER SD_SHARE_LLC SD_NUMA" {
		t.Error(got)
	}
	if got := RulesV61().FlagNames(f); got != "SD_LOAD_BALANCE SD_BALANCE_NEWIDLE SD_CLUSTER SD_SHARE_PKG_RESOURCES SD_NUMA" {
		t.Error(got)
	}
	if got := Flags(0).String(); got != "" {
		t.Errorf("no flags: %q", got)
	}
}

// A machine of 4096 CPUs must be quick to build and small: what it holds is
// shared. The bounds are generous.
func TestLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("large machine skipped in short mode")
	}
	m := shape{sockets: 8, cores: 256, threads: 2, distances: twoBoards()}.machine()
	start := time.Now()
	d := mustBuild(t, m, RulesV612())
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("built in %v", took)
	}
	lists := map[**Group]bool{}
	for _, c := range d.CPUs {
		for _, l := range c.Levels {
			lists[&l.Groups[0]] = true
		}
	}
	// One ring per core and per LLC, one list per node and then per board.
	if want := 2048 + 8 + 8 + 2; len(lists) != want {
		t.Errorf("%d lists of groups, want %d: CPUs share what is equal", len(lists), want)
	}
}

func BenchmarkBuild(b *testing.B) {
	for _, s := range []shape{
		{sockets: 2, cores: 22, threads: 2},
		{sockets: 8, cores: 256, threads: 2, distances: twoBoards()},
	} {
		m := s.machine()
		b.Run(fmt.Sprintf("cpus=%d", len(m.CPUs)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Build(m, RulesV612()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
