package domain

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"schedlab/cpumask"
	"schedlab/machine"
)

var allRules = map[string]Rules{
	"v4.19": RulesV419(), "v5.3": RulesV53(), "v5.14": RulesV514(), "v6.1": RulesV61(), "v6.12": RulesV612(),
}

// drawMachine draws a machine with scattered CPU numbers, some CPUs offline
// and some isolated, and nodes at symmetric distances.
func drawMachine(t *rapid.T) *machine.Machine {
	s := shape{
		sockets: rapid.IntRange(1, 5).Draw(t, "sockets"),
		threads: rapid.IntRange(1, 3).Draw(t, "threads"),
	}
	perCluster := rapid.IntRange(1, 3).Draw(t, "cores in a cluster")
	perLLC := perCluster * rapid.IntRange(1, 2).Draw(t, "clusters in an LLC")
	s.nodesPerSocket = rapid.IntRange(1, 2).Draw(t, "nodes in a socket")
	s.perCluster, s.perLLC = perCluster, perLLC
	s.cores = perLLC * s.nodesPerSocket * rapid.IntRange(1, 2).Draw(t, "LLCs in a node")
	s.distances = drawDistances(t, s.sockets*s.nodesPerSocket)
	m := s.machine()
	m.X86 = rapid.Bool().Draw(t, "x86")
	if rapid.Bool().Draw(t, "scattered") {
		renumber(m, rapid.Permutation(ids(len(m.CPUs))).Draw(t, "numbers"))
	}
	pick := rapid.SliceOfN(rapid.IntRange(0, len(m.CPUs)-1), 0, len(m.CPUs)/2)
	setOffline(m, pick.Draw(t, "offline")...)
	if m.Online.Empty() {
		m.Online.Set(0)
	}
	m.Boot.Isolated = cpumask.Of(pick.Draw(t, "isolated")...)
	return m
}

// drawDistances draws a symmetric table over few values, so that some pairs
// are equally far.
func drawDistances(t *rapid.T, nodes int) [][]int {
	d := make([][]int, nodes)
	for i := range d {
		d[i] = make([]int, nodes)
		d[i][i] = 10
		for j := range i {
			far := rapid.SampledFrom([]int{12, 20, 30, 31}).Draw(t, "distance")
			d[i][j], d[j][i] = far, far
		}
	}
	return d
}

func ids(n int) []int {
	v := make([]int, n)
	for i := range v {
		v[i] = i
	}
	return v
}

// renumber gives the CPUs new numbers: old number i becomes to[i].
func renumber(m *machine.Machine, to []int) {
	cpus := make([]machine.CPU, len(m.CPUs))
	for id, c := range m.CPUs {
		c.ID = to[id]
		cpus[c.ID] = c
	}
	m.CPUs = cpus
}

func TestProperties(t *testing.T) {
	for name, r := range allRules {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				m := drawMachine(t)
				d, err := Build(m, r)
				if err != nil {
					t.Fatal(err)
				}
				if want := balanced(m); !d.Roots[0].Span.Equal(want) {
					t.Fatalf("partition %s, want %s", d.Roots[0].Span, want)
				}
				for cpu := range d.CPUs {
					checkCPU(t, m, d, r, cpu)
				}
				checkStates(t, d)
				checkRings(t, d)
			})
		})
	}
}

// balanced returns the CPUs that are online and not isolated, or the first
// online one.
func balanced(m *machine.Machine) cpumask.Mask {
	want := cpumask.New(len(m.CPUs))
	for c := range m.Online.All() {
		if !m.Boot.Isolated.Test(c) {
			want.Set(c)
		}
	}
	if want.Empty() {
		want.Set(m.Online.First())
	}
	return want
}

// checkCPU checks what holds for the domains of any CPU.
func checkCPU(t *rapid.T, m *machine.Machine, d *Domains, r Rules, cpu int) {
	c := &d.CPUs[cpu]
	if in := d.Roots[0].Span.Test(cpu); in != (c.Root == 0) {
		t.Fatalf("CPU %d has root %d, the partition is %s", cpu, c.Root, d.Roots[0].Span)
	}
	if c.Root < 0 && len(c.Levels) > 0 {
		t.Fatalf("CPU %d is in no partition, and has domains", cpu)
	}
	for i, l := range c.Levels {
		where := fmt.Sprintf("CPU %d, %s at %d (%s)", cpu, l.Name, l.Level, l.Span)
		if !l.Span.Test(cpu) || !l.Span.Subset(d.Roots[0].Span) || l.Weight != l.Span.Weight() || l.Weight < 2 {
			t.Fatalf("%s: wrong span", where)
		}
		if i > 0 {
			below := c.Levels[i-1]
			if !below.Span.Subset(l.Span) || below.Level >= l.Level {
				t.Fatalf("%s: does not nest over %s at %d", where, below.Span, below.Level)
			}
		}
		checkGroups(t, m, r, d, where, cpu, i)
	}
	checkShortcuts(t, d, cpu)
}

func checkGroups(t *rapid.T, m *machine.Machine, r Rules, d *Domains, where string, cpu, i int) {
	l := d.CPUs[cpu].Levels[i]
	cover := cpumask.New(1024)
	sum := 0
	for _, g := range l.Groups {
		cover.Or(g.Span)
		sum += g.Weight
		if g.Weight != g.Span.Weight() || g.Balance.Empty() || !g.Balance.Subset(g.Span) || g.BalanceAt != g.Balance.First() {
			t.Fatalf("%s: group %s, balance %s at %d", where, g.Span, g.Balance, g.BalanceAt)
		}
		capacity := int64(0)
		for c := range g.Span.All() {
			capacity += d.CPUs[c].Capacity
		}
		if g.Cores != cores(m, g.Span) || g.Capacity != capacity {
			t.Fatalf("%s: group %s has %d cores, capacity %d", where, g.Span, g.Cores, g.Capacity)
		}
		if r.Descend && !g.Span.Subset(l.Span) {
			t.Fatalf("%s: group %s reaches out", where, g.Span)
		}
	}
	if !l.Span.Subset(cover) {
		t.Fatalf("%s: groups cover only %s", where, cover)
	}
	if l.Flags&Overlap == 0 && sum != l.Weight {
		t.Fatalf("%s: groups overlap", where)
	}
	own := l.Groups[l.First]
	if !own.Span.Test(cpu) || !own.Balance.Test(cpu) {
		t.Fatalf("%s: first group %s, balance %s", where, own.Span, own.Balance)
	}
	switch {
	case i > 0 && !own.Span.Equal(d.CPUs[cpu].Levels[i-1].Span):
		t.Fatalf("%s: first group %s is not the domain below, %s", where, own.Span, d.CPUs[cpu].Levels[i-1].Span)
	case i == 0 && (own.Weight != 1 || own.Flags != 0):
		t.Fatalf("%s: first group %s with flags %v at the bottom", where, own.Span, own.Flags)
	}
}

func cores(m *machine.Machine, span cpumask.Mask) int {
	seen := map[int]bool{}
	for c := range span.All() {
		seen[m.CPUs[c].Core] = true
	}
	return len(seen)
}

func checkShortcuts(t *rapid.T, d *Domains, cpu int) {
	c := &d.CPUs[cpu]
	want := CPU{LLC: cpu, LLCSize: 1, LLCAt: -1, NUMAAt: -1, Root: c.Root}
	for i, l := range c.Levels {
		if l.Flags&ShareLLC != 0 {
			want.LLCAt, want.LLCSize, want.LLC = i, l.Weight, l.Span.First()
		}
		if l.Flags&NUMA != 0 && want.NUMAAt < 0 {
			want.NUMAAt = i
		}
	}
	want.Share = want.LLC
	for i := len(c.Levels) - 1; i >= 0; i-- {
		if c.Levels[i].Flags&Cluster != 0 {
			want.Share = c.Levels[i].Span.First()
		}
	}
	if !equalCPU(*c, want) {
		t.Fatalf("CPU %d: shortcuts %+v, want %+v", cpu, *c, want)
	}
	if c.LLCAt >= 0 {
		for o := range c.Levels[c.LLCAt].Span.All() {
			if d.CPUs[o].LLC != c.LLC || d.CPUs[o].LLCSize != c.LLCSize {
				t.Fatalf("CPUs %d and %d share an LLC and differ on it", cpu, o)
			}
		}
	}
}

// checkStates checks that an id means one balance mask, and ids are dense.
func checkStates(t *rapid.T, d *Domains) {
	balance := make([]cpumask.Mask, d.States)
	for _, c := range d.CPUs {
		for _, l := range c.Levels {
			for _, g := range l.Groups {
				if b := balance[g.ID]; b != nil && !b.Equal(g.Balance) {
					t.Fatalf("state %d is of groups that %s and %s balance", g.ID, b, g.Balance)
				}
				balance[g.ID] = g.Balance
			}
		}
	}
	for id, b := range balance {
		if b == nil {
			t.Fatalf("no group has id %d of %d", id, d.States)
		}
	}
}

// checkRings links the groups as Linux does, CPU after CPU, each time all of
// the span anew, and compares where each CPU's walk then leads.
func checkRings(t *rapid.T, d *Domains) {
	next := map[*Group]*Group{}
	for cpu, c := range d.CPUs {
		for _, l := range c.Levels {
			if l.Flags&Overlap == 0 {
				link(d, l, cpu, next)
			}
		}
	}
	for cpu, c := range d.CPUs {
		for _, l := range c.Levels {
			if l.Flags&Overlap != 0 {
				continue
			}
			g := l.Groups[l.First]
			for i := range l.Groups {
				if want := l.Groups[(l.First+i)%len(l.Groups)]; g != want {
					t.Fatalf("CPU %d, %s: group %d of the walk is %s, want %s", cpu, l.Name, i, want.Span, g.Span)
				}
				g = next[g]
			}
		}
	}
}

func link(d *Domains, l *Domain, cpu int, next map[*Group]*Group) {
	var first, last *Group
	covered := cpumask.New(1024)
	for o := range l.Span.Wrap(cpu) {
		if covered.Test(o) {
			continue
		}
		g := ownGroup(d, l, o)
		covered.Or(g.Span)
		if first == nil {
			first = g
		}
		if last != nil {
			next[last] = g
		}
		last = g
	}
	next[last] = first
}

// ownGroup is the group of a CPU in the domain of its own that is equal to l.
func ownGroup(d *Domains, l *Domain, cpu int) *Group {
	for _, o := range d.CPUs[cpu].Levels {
		if o.Level == l.Level {
			return o.Groups[o.First]
		}
	}
	panic("a CPU of the span lacks the level")
}

// A CPU's view must not depend on CPUs outside its partition.
func TestPartitionsAreIndependent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMachine(t)
		halves := []cpumask.Mask{cpumask.New(len(m.CPUs)), cpumask.New(len(m.CPUs))}
		for c := range m.Online.All() {
			halves[rapid.IntRange(0, 1).Draw(t, "half")].Set(c)
		}
		if halves[0].Empty() || halves[1].Empty() {
			return
		}
		both, err := BuildPartitions(m, RulesV612(), halves)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := BuildPartitions(m, RulesV612(), halves[1:])
		if err != nil {
			t.Fatal(err)
		}
		for c := range halves[1].All() {
			a, b := describe(both.CPUs[c]), describe(alone.CPUs[c])
			if a != b {
				t.Fatalf("CPU %d: with the other half\n%s\nalone\n%s", c, a, b)
			}
		}
	})
}

func describe(c CPU) string {
	s := fmt.Sprintln(c.LLC, c.LLCSize, c.Share, c.LLCAt, c.NUMAAt)
	for _, l := range c.Levels {
		s += fmt.Sprintln(l.Name, l.Level, l.Span, l.Flags, l.ImbNUMA, walk(l))
	}
	return s
}
