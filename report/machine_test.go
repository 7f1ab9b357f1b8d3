package report

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"schedlab/cpumask"
	"schedlab/domain"
	"schedlab/machine"
	"schedlab/policy"
	"schedlab/workload"
)

func mask(t *testing.T, list string) cpumask.Mask {
	t.Helper()
	m, err := cpumask.ParseList(list)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// oddMachine has two cores of two threads, a hole, an offline CPU and a node
// without CPUs; its own kernel is known.
func oddMachine(t *testing.T) *machine.Machine {
	t.Helper()
	m := &machine.Machine{
		Name:     "odd",
		Hardware: machine.Hardware{Packages: 1, Nodes: 2, MemoryOnlyNodes: 1, L1d: 2, L1i: 2, L2: 2, L3: 1, Cores: 2, CPUs: 4},
		Online:   mask(t, "0-3"),
		Nodes: []machine.Node{
			{ID: 0, Exists: true, CPUs: mask(t, "0-3"), Distance: []int{10, 0, 17}},
			{ID: 1},
			{ID: 2, Exists: true, Distance: []int{17, 0, 10}},
		},
		Idle: []machine.IdleState{{Name: "POLL", Polling: true}, {Name: "C1", Latency: 2000, Residency: 2_000_000, Halt: true}},
		Boot: machine.Boot{Isolated: mask(t, "2-3")},
		Kernel: &machine.KernelConfig{
			Release: "6.12.0", HZ: 250, Features: map[string]bool{"NI_RANDOM": true, "DELAY_ZERO": false},
			Tunables: map[string]int64{"nr_migrate": 32, "migration_cost_ns": 500000},
		},
		Costs:   machine.Costs{LineOwn: 1, Fork: 60000, SMTSpeed: 620},
		Sources: []string{"line_own = 1 ns: a guess"},
	}
	for id := range 6 {
		c := machine.CPU{ID: id, Possible: id != 4, Online: id < 4, Core: id &^ 1, Cluster: id &^ 1, Capacity: 1024}
		if id == 5 {
			c.Core, c.Cluster, c.LLC, c.Package, c.Die = 5, 5, 5, 5, 5
		}
		m.CPUs = append(m.CPUs, c)
	}
	return m
}

// oddDomains are made by hand: SMT below MC for CPUs 0 and 1, the others alone.
func oddDomains(t *testing.T) *domain.Domains {
	t.Helper()
	group := func(list string, f domain.Flags) *domain.Group {
		g := &domain.Group{Span: mask(t, list), Flags: f}
		g.Weight = g.Span.Weight()
		return g
	}
	smt := []*domain.Group{group("0", 0), group("1", 0)}
	mc := []*domain.Group{group("0-1", domain.ShareCPUCapacity), group("2", 0), group("3", 0)}
	d := &domain.Domains{CPUs: make([]domain.CPU, 6)}
	for id := range d.CPUs {
		d.CPUs[id] = domain.CPU{Root: -1, LLC: id, LLCSize: 1}
	}
	for id := range 2 {
		d.CPUs[id] = domain.CPU{LLC: 0, LLCSize: 4, Levels: []*domain.Domain{
			{Name: "SMT", Level: 0, Span: mask(t, "0-1"), Weight: 2, Flags: domain.BalanceNewidle | domain.ShareCPUCapacity | domain.ShareLLC,
				Groups: smt, First: id, MinInterval: 2, MaxInterval: 4, BusyFactor: 16, ImbalancePct: 110},
			{Name: "MC", Level: 2, Span: mask(t, "0-3"), Weight: 4, Flags: domain.BalanceNewidle | domain.ShareLLC,
				Groups: mc, MinInterval: 4, MaxInterval: 8, BusyFactor: 16, ImbalancePct: 117, CacheNiceTries: 1, ImbNUMA: 3},
		}}
	}
	return d
}

func TestMachine(t *testing.T) {
	for _, f := range Listings {
		golden(t, "machine."+string(f), func(w *bytes.Buffer) error {
			return Out{W: w, Format: f}.Machine(oddMachine(t))
		})
	}
}

func TestDomains(t *testing.T) {
	for _, f := range Listings {
		golden(t, "domains."+string(f), func(w *bytes.Buffer) error {
			return Out{W: w, Format: f}.Domains(oddMachine(t), oddDomains(t), domain.Rules{})
		})
	}
}

// A machine of thousands of CPUs is shown in a screen or two.
func TestDomainsOfManyCPUsFold(t *testing.T) {
	m, err := machine.Load("synthetic:sockets=8,cores=18,threads=2,nodes=8")
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.Parse("v6.12")
	if err != nil {
		t.Fatal(err)
	}
	d, err := domain.Build(m, p.Rules())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := (Out{W: &b, Format: Table}).Domains(m, d, p.Rules()); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if len(lines) > 50 {
		t.Errorf("%d lines for 288 CPUs:\n%s", len(lines), b.String())
	}
	for _, l := range lines {
		if len([]rune(l)) > 140 {
			t.Errorf("a line of %d characters: %s", len([]rune(l)), l)
		}
	}
	if !strings.Contains(b.String(), "CPUs 0-287: 288 alike") {
		t.Errorf("not folded:\n%s", b.String())
	}
}

// CPUs whose domains differ in anything that the table shows are not folded.
func TestClassesTellApart(t *testing.T) {
	changes := map[string]func(*domain.CPU){
		"name":     func(c *domain.CPU) { c.Levels[1].Name = "PKG" },
		"level":    func(c *domain.CPU) { c.Levels[1].Level++ },
		"flags":    func(c *domain.CPU) { c.Levels[1].Flags = 0 },
		"groups":   func(c *domain.CPU) { c.Levels[1].Groups = c.Levels[1].Groups[:2] },
		"interval": func(c *domain.CPU) { c.Levels[1].MaxInterval++ },
		"imb":      func(c *domain.CPU) { c.Levels[1].ImbNUMA++ },
		"llc":      func(c *domain.CPU) { c.LLCSize++ },
		"depth":    func(c *domain.CPU) { c.Levels = c.Levels[:1] },
	}
	m := oddMachine(t)
	if got := describe(classes(m, oddDomains(t))); got != "0-1 2-3 5" {
		t.Errorf("classes %s, want 0-1 2-3 5", got)
	}
	for what, change := range changes {
		d := oddDomains(t)
		change(&d.CPUs[1])
		if got := describe(classes(m, d)); got != "0 1 2-3 5" {
			t.Errorf("%s differs: classes %s, want 0 1 2-3 5", what, got)
		}
	}
}

func describe(all []class) string {
	var out []string
	for _, c := range all {
		out = append(out, c.cpus.String())
	}
	return strings.Join(out, " ")
}

func TestShort(t *testing.T) {
	var odd []string
	for id := 1; id < 200; id += 2 {
		odd = append(odd, fmt.Sprint(id))
	}
	for list, want := range map[string]string{
		"":                     "",
		"0-21,44-65":           "0-21,44-65",
		strings.Join(odd, ","): "1,3,5,7,9,11,13,15,17,19,21,23,...",
	} {
		if got := short(mask(t, list)); got != want {
			t.Errorf("%q: got %q, want %q", list, got, want)
		}
	}
}

func TestLists(t *testing.T) {
	presets := []machine.PresetInfo{{Name: "a-1", Summary: "one"}, {Name: "b-2", Summary: "two, and more"}}
	versions := []policy.VersionInfo{{Name: "v1", Summary: "first"}, {Name: "v2", Summary: "second"}}
	keys := []policy.KeyInfo{
		{Name: "sis", Values: "on|off", Doc: "search", Ref: "B.7", In: []string{"v1", "v2"}},
		{Name: "NI_RANDOM", Values: "on|off", Doc: "skip", Ref: "L", In: []string{"v2"}},
	}
	for _, f := range Listings {
		golden(t, "machines."+string(f), func(w *bytes.Buffer) error { return Out{W: w, Format: f}.Machines(presets) })
		golden(t, "policies."+string(f), func(w *bytes.Buffer) error { return Out{W: w, Format: f}.Policies(versions, keys) })
	}
}

// Every setting of a policy is there in every format.
func TestPolicy(t *testing.T) {
	p, err := policy.Parse("v6.12,sis=full")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Listings {
		var b bytes.Buffer
		if err := (Out{W: &b, Format: f}).Policy(p); err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Settings() {
			if !strings.Contains(b.String(), s.Name) || !strings.Contains(b.String(), s.Value) {
				t.Errorf("%s: %s=%s is missing", f, s.Name, s.Value)
			}
		}
		for _, r := range p.FixedRules() {
			if !strings.Contains(b.String(), r.Name) {
				t.Errorf("%s: the rule %q is missing", f, r.Name)
			}
		}
	}
}

func TestWorkloads(t *testing.T) {
	kinds := []workload.Info{
		{Name: "pipe", Summary: "to and fro", Unit: "messages", Keys: []workload.Key{{Name: "loops", Default: "1000", Doc: "how often"}}},
		{Name: "trace", Summary: "a recording", Unit: "wake-ups"},
	}
	for _, f := range Listings {
		golden(t, "workloads."+string(f), func(w *bytes.Buffer) error { return Out{W: w, Format: f}.Workloads(kinds) })
	}
}

// Every cost that a machine has is shown, once.
func TestCostsAreComplete(t *testing.T) {
	var c machine.Costs
	v := reflect.ValueOf(&c).Elem()
	for i := range v.NumField() {
		v.Field(i).SetInt(int64(i + 1))
	}
	seen := map[int64]string{}
	for _, x := range costs(&c) {
		if seen[x.value] != "" {
			t.Errorf("%s and %s show the same cost", seen[x.value], x.name)
		}
		seen[x.value] = x.name
	}
	for i := range v.NumField() {
		if seen[int64(i+1)] == "" {
			t.Errorf("%s is not shown", v.Type().Field(i).Name)
		}
	}
}

func TestWorkload(t *testing.T) {
	k := workload.Info{
		Name: "pipe", Summary: "to and fro", Unit: "messages", Doc: "One writes,\nthe other reads.",
		Keys: []workload.Key{{Name: "loops", Default: "1000", Values: "1-10", Doc: "how often"}},
	}
	for _, f := range Listings {
		golden(t, "workload."+string(f), func(w *bytes.Buffer) error { return Out{W: w, Format: f}.Workload(k) })
	}
	golden(t, "workload-bare.table", func(w *bytes.Buffer) error {
		return Out{W: w, Format: Table}.Workload(workload.Info{Name: "mix", Summary: "several", Unit: "of the first"})
	})
}
