package machine

import (
	"reflect"
	"strings"
	"testing"
)

func TestPresets(t *testing.T) {
	want := map[string]struct {
		counts Counts
		deep   IdleState
	}{
		"uma-16":         {Counts{1, 1, 0, 1, 8, 16, 16}, IdleState{Name: "C6", Latency: 133000, Residency: 600000}},
		"e5-2630v4-1s":   {Counts{1, 1, 0, 1, 10, 20, 20}, IdleState{Name: "C6", Latency: 133000, Residency: 400000}},
		"x6-2":           {Counts{2, 2, 0, 2, 44, 88, 88}, IdleState{Name: "C6", Latency: 133000, Residency: 400000}},
		"cascadelake-2s": {Counts{2, 2, 0, 2, 40, 80, 80}, IdleState{Name: "C6", Latency: 133000, Residency: 600000}},
	}
	for _, info := range List() {
		m, err := Load(info.Name)
		if err != nil {
			t.Errorf("%s: %v", info.Name, err)
			continue
		}
		if info.Summary == "" || len(m.Sources) < len(costFields)+2 {
			t.Errorf("%s: summary %q, %d sources", info.Name, info.Summary, len(m.Sources))
		}
		w, ok := want[info.Name]
		if !ok {
			continue
		}
		if got := m.Summary(); got != w.counts || m.Name != info.Name || !m.X86 {
			t.Errorf("%s: got %v, want %v", info.Name, got, w.counts)
		}
		if got := m.Idle[len(m.Idle)-1]; got != w.deep {
			t.Errorf("%s: deepest idle state %+v, want %+v", info.Name, got, w.deep)
		}
		delete(want, info.Name)
	}
	for name := range want {
		t.Errorf("%s is not in List()", name)
	}
}

// TestNumbering: CPU k+44 is the sibling of CPU k, sockets alternate by 22.
func TestNumbering(t *testing.T) {
	m, err := Load("x6-2")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a, b int
		want Dist
	}{
		{0, 0, DistSelf}, {0, 44, DistCore}, {44, 0, DistCore}, {0, 1, DistLLC}, {0, 21, DistLLC}, {0, 65, DistLLC},
		{0, 22, DistRemote}, {21, 66, DistRemote}, {22, 66, DistCore}, {43, 87, DistCore}, {43, 65, DistRemote},
	} {
		if got := m.Distance(c.a, c.b); got != c.want {
			t.Errorf("CPUs %d and %d: %v, want %v", c.a, c.b, got, c.want)
		}
	}
	wantIDs(t, "distances", m.Nodes[0].Distance, 10, 21)
	wantIDs(t, "distances", m.Nodes[1].Distance, 21, 10)
	if got := m.Nodes[1].CPUs.String(); got != "22-43,66-87" {
		t.Errorf("node 1 has CPUs %s", got)
	}
}

// TestEveryCostHasAName keeps costFields complete: every field of Costs once.
func TestEveryCostHasAName(t *testing.T) {
	var c Costs
	fields := reflect.TypeOf(c).NumField()
	if len(costFields) != fields {
		t.Fatalf("%d names for %d fields", len(costFields), fields)
	}
	for i, f := range costFields {
		*f.at(&c) = int64(i + 1)
	}
	for i := range fields {
		f := reflect.TypeOf(c).Field(i)
		v := int(reflect.ValueOf(c).Field(i).Int())
		if v == 0 {
			t.Errorf("%s has no name", f.Name)
		} else if got := strings.ReplaceAll(costFields[v-1].name, "_", ""); got != strings.ToLower(f.Name) {
			t.Errorf("%s is called %s", f.Name, costFields[v-1].name)
		}
	}
}

func TestSourcesNameEveryCost(t *testing.T) {
	for _, name := range []string{"x6-2", "uma-16", "synthetic:cores=4"} {
		m, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		all := "\n" + strings.Join(m.Sources, "\n")
		for _, f := range costFields {
			if !strings.Contains(all, "\n"+f.name+" = ") {
				t.Errorf("%s: no source for %s", name, f.name)
			}
		}
	}
	m := mustRead(t, smt4())
	if !strings.Contains(m.Sources[0], "family "+defaultFamily) {
		t.Errorf("a snapshot does not say that its costs are a default's: %q", m.Sources[0])
	}
}

func TestBadPresets(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"unknown key", "summary: x\nsokets: 2\n", "sokets"},
		{"unknown cost", "costs: {line_won: {value: 1, kind: M, source: x}}", `unknown cost "line_won"`},
		{"no source", "costs: {line_own: {value: 1, kind: M}}", "line_own: needs a kind"},
		{"unknown kind", "costs: {line_own: {value: 1, kind: X, source: x}}", "line_own: needs a kind"},
		{"idle without source", "idle: [{name: C1, latency: 2us}]", `"C1": needs`},
		{"latency of words", "idle: [{name: C1, latency: soon, source: x}]", "soon"},
		{"no YAML", "{", "["},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := decodePreset([]byte(c.text))
			wantError(t, err, c.want)
		})
	}
}

func TestSynthetic(t *testing.T) {
	m, err := Load("synthetic:sockets=8,cores=256,threads=2,llc=16,nodes=16")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.Summary(), (Counts{8, 16, 0, 128, 2048, 4096, 4096}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, c := range []struct {
		a, b int
		want Dist
	}{{0, 2048, DistCore}, {0, 15, DistLLC}, {0, 16, DistNode}, {0, 127, DistNode}, {0, 128, DistRemote}, {0, 256, DistRemote}} {
		if got := m.Distance(c.a, c.b); got != c.want {
			t.Errorf("CPUs %d and %d: %v, want %v", c.a, c.b, got, c.want)
		}
	}
	wantIDs(t, "distances", m.Nodes[2].Distance[:4], 21, 21, 10, 11)
	for name, want := range map[string]Counts{
		"synthetic:cores=4":                      {1, 1, 0, 1, 4, 4, 4},
		"synthetic:sockets=2,cores=3,threads=4":  {2, 2, 0, 2, 6, 24, 24},
		"synthetic:sockets=4,cores=2,nodes=1":    {4, 1, 0, 4, 8, 8, 8},
		"synthetic:sockets=1,cores=8,nodes=4":    {1, 4, 0, 4, 8, 8, 8},
		"synthetic:cores=8,nodes=2,llc=8":        {1, 2, 0, 1, 8, 8, 8},
		"synthetic:sockets=2,cores=32,llc=1":     {2, 2, 0, 64, 64, 64, 64},
		"synthetic:sockets=32,cores=2048,llc=64": {32, 32, 0, 1024, 65536, 65536, 65536},
	} {
		if m, err := Load(name); err != nil || m.Summary() != want {
			t.Errorf("%s: %v, want %v (error %v)", name, m.Summary(), want, err)
		}
	}
}

func TestBadLayouts(t *testing.T) {
	for _, c := range []struct {
		l    layout
		want string
	}{
		{layout{Cores: 1, Threads: 1}, "sockets=0"},
		{layout{Sockets: 1, Cores: 1}, "threads=0"},
		{layout{Sockets: 2, Cores: 1, Threads: 1, Nodes: -2}, "nodes=-2"},
		{layout{Sockets: 1, Cores: 2048, Threads: 1, Nodes: 2048}, "nodes=2048"},
		{layout{Sockets: 2, Cores: 1, Threads: 1, Distances: [][]int{{10}}}, "1 rows for 2 nodes"},
		{layout{Sockets: 2, Cores: 1, Threads: 1, Distances: [][]int{{10, 20}, {20}}}, "row 1 has 1 values for 2 nodes"},
	} {
		_, err := c.l.build("test")
		wantError(t, err, c.want)
	}
	m, err := layout{Sockets: 2, Cores: 1, Threads: 1, Distances: [][]int{{10, 33}, {34, 10}}}.build("test")
	if err != nil || m.Nodes[0].Distance[1] != 33 || m.Nodes[1].Distance[0] != 34 {
		t.Errorf("nodes %+v, error %v", m.Nodes, err)
	}
}

func TestCountsInWords(t *testing.T) {
	for want, n := range map[string]Counts{
		"1 package, 1 node, 1 LLC, 1 core, 1 of 1 CPU online":                          {1, 1, 0, 1, 1, 1, 1},
		"2 packages, 3 nodes (1 without CPUs), 2 LLCs, 44 cores, 87 of 88 CPUs online": {2, 3, 1, 2, 44, 87, 88},
	} {
		if got := n.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestBadNames(t *testing.T) {
	for name, want := range map[string][]string{
		"x7-2":                                {"x6-2", "uma-16", "host", "synthetic:", "directory"},
		"":                                    {"x6-2"},
		"synthetic:":                          {"cores=C is missing, the cores of each socket (form: synthetic:cores=C[,"},
		"synthetic:sockets=2":                 {"cores=C is missing", "form: synthetic:"},
		"synthetic:nodes=3":                   {"cores=C is missing", "form: synthetic:"},
		"synthetic:cores=4,":                  {"a key is missing at a comma"},
		"synthetic:cores=":                    {"cores= is not a positive number"},
		"synthetic:cores=0":                   {"cores=0 is not a positive number"},
		"synthetic:cores=x":                   {"cores=x is not a positive number"},
		"synthetic:cores=-4":                  {"cores=-4 is not a positive number"},
		"synthetic:cores=4,cores=5":           {`key "cores" is given twice`},
		"synthetic:cores=4,dies=5":            {`unknown key "dies"`, "form: synthetic:"},
		"synthetic:cores=4,llc=3":             {"llc=3"},
		"synthetic:sockets=2,cores=4,nodes=3": {"nodes=3"},
		"synthetic:sockets=3,cores=4,nodes=2": {"nodes=2"},
		"synthetic:cores=65537":               {"cores=65537"},
		"synthetic:sockets=65536,cores=65536,threads=65536": {"limit of 65536 CPUs"},
		"/dev/null": {"neither a directory nor a regular file"},
	} {
		_, err := Load(name)
		wantError(t, err, append(want, "machine "+clip(name)[:min(len(name), 40)])...)
	}
	_, err := Load(t.TempDir())
	wantError(t, err, "no sys/devices/system/cpu")
}

func TestHost(t *testing.T) {
	m, err := Load("host")
	if err != nil {
		t.Skipf("this host's sysfs does not tell: %v", err)
	}
	if m.Name != "host" || m.Online.Empty() {
		t.Errorf("%s: %v", m.Name, m.Summary())
	}
}

// TestFamilies: every cost family is complete with what it extends, but for the
// base, which leaves idle states to the generations.
func TestFamilies(t *testing.T) {
	entries, err := presetFiles.ReadDir("presets/costs")
	if err != nil || len(entries) == 0 {
		t.Fatalf("%d families, error %v", len(entries), err)
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".yaml")
		m, err := layout{Sockets: 1, Cores: 1, Threads: 1}.build(name)
		if err != nil {
			t.Fatal(err)
		}
		err = m.applyFamily(name)
		if name == "xeon" {
			wantError(t, err, "no cost family has idle states")
			continue
		}
		if err != nil {
			t.Error(err)
		} else if err := m.Validate(); err != nil {
			t.Error(err)
		}
	}
}
