package machine

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedlab/cpumask"
)

// bitmap is a set as hwloc writes it.
func bitmap(m cpumask.Mask) string {
	words := strings.Split(hexOf(m), ",")
	for i, w := range words {
		if words[i] = "0x" + w; w == "00000000" && i > 0 && i < len(words)-1 {
			words[i] = ""
		}
	}
	return strings.Join(words, ",")
}

// asXML writes a machine as hwloc does: its formats differ in where nodes stand
// and in what caches and packages are called.
func asXML(m *Machine, version string) string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc.dtd\">\n<topology")
	if version != "" {
		fmt.Fprintf(&b, " version=%q", version)
	}
	b.WriteString(">\n<object type=\"Machine\" os_index=\"0\"><info name=\"Architecture\" value=\"x86_64\"/>\n")
	old := version == ""
	open := func(kind string, index int, more string) {
		fmt.Fprintf(&b, "<object type=%q os_index=\"%d\" %s>\n", kind, index, more)
	}
	cache := func(level int) {
		if old {
			fmt.Fprintf(&b, "<object type=\"Cache\" depth=\"%d\" cache_type=\"0\">\n", level)
		} else {
			fmt.Fprintf(&b, "<object type=\"L%dCache\">\n", level)
		}
	}
	pkg, close := "Package", "</object>\n"
	if old {
		pkg = "Socket"
	}
	within := func(set cpumask.Mask, of func(*CPU) int, each func(id int, cpus cpumask.Mask)) {
		g := groupBy(set, func(c int) (int, bool) { return of(&m.CPUs[c]), true })
		for _, cpus := range g.members {
			each(of(&m.CPUs[cpus[0]]), cpumask.Of(cpus...))
		}
	}
	for id := range m.Nodes {
		if !old {
			open("NUMANode", id, fmt.Sprintf("cpuset=%q", bitmap(m.Nodes[id].CPUs)))
			b.WriteString(close)
		} else if m.Nodes[id].CPUs.Empty() {
			open("NUMANode", id, `cpuset="0x0"`)
			b.WriteString(close)
		}
	}
	llcs := func(set cpumask.Mask) {
		within(set, func(c *CPU) int { return c.LLC }, func(_ int, cpus cpumask.Mask) {
			cache(3)
			within(cpus, func(c *CPU) int { return c.Core }, func(core int, cpus cpumask.Mask) {
				cache(2)
				open("Core", core, "")
				for c := range cpus.All() {
					open("PU", c, "")
					b.WriteString(close)
				}
				b.WriteString(close + close)
			})
			b.WriteString(close)
		})
	}
	within(m.Online, func(c *CPU) int { return c.Package }, func(id int, cpus cpumask.Mask) {
		if !old {
			open(pkg, id, "")
			llcs(cpus)
			b.WriteString(close)
			return
		}
		// What contains the other is outside: of equals the node.
		several := len(groupBy(cpus, func(c int) (int, bool) { return m.CPUs[c].Node, true }).members) > 1
		if several {
			open(pkg, id, "")
		}
		within(cpus, func(c *CPU) int { return c.Node }, func(node int, cpus cpumask.Mask) {
			open("NUMANode", node, fmt.Sprintf("cpuset=%q", bitmap(cpus)))
			if !several {
				open(pkg, id, "")
			}
			llcs(cpus)
			if b.WriteString(close); !several {
				b.WriteString(close)
			}
		})
		if several {
			b.WriteString(close)
		}
	})
	var indexes, values []string
	for i := range m.Nodes {
		indexes = append(indexes, fmt.Sprint(i))
		for j := range m.Nodes {
			values = append(values, fmt.Sprint(m.Nodes[i].Distance[j]))
		}
	}
	n := len(m.Nodes)
	if old {
		fmt.Fprintf(&b, "<distances nbobjs=\"%d\" relative_depth=\"1\" latency_base=\"10.0\">\n", n)
		for _, v := range values {
			fmt.Fprintf(&b, "<latency value=\"%s.%s\"/>\n", v[:len(v)-1], v[len(v)-1:])
		}
		b.WriteString("</distances>\n</object>\n")
	} else {
		fmt.Fprintf(&b, "</object>\n<distances2 type=\"NUMANode\" nbobjs=\"%d\" kind=\"5\" name=\"NUMALatency\" indexing=\"os\">\n<indexes length=\"1\">%s</indexes>\n<u64values length=\"1\">%s</u64values>\n</distances2>\n",
			n, strings.Join(indexes, " "), strings.Join(values, " "))
	}
	b.WriteString("</topology>\n")
	return b.String()
}

// lscpuForms write a machine as lscpu does.
var lscpuForms = map[string]func(m *Machine) string{
	"-p": func(m *Machine) string {
		var b strings.Builder
		b.WriteString("# The following is the parsable format, which can be fed to other\n# programs.\n# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n")
		for c := range m.Online.All() {
			x := &m.CPUs[c]
			fmt.Fprintf(&b, "%d,%d,%d,%d,,%d,%d,%d,%d\n", c, x.Core, x.Package, x.Node, x.Core, x.Core, x.Core, x.LLC)
		}
		return b.String()
	},
	"-p=ONLINE,L3,CORE,CPU,SOCKET,NODE,MODELNAME": func(m *Machine) string {
		var b strings.Builder
		b.WriteString("# Online,L3,Core,CPU,Socket,Node,ModelName\n")
		for id := range m.CPUs {
			if x := &m.CPUs[id]; x.Online {
				fmt.Fprintf(&b, "Y,%d,%d,%d,%d,%d,A CPU @ 2 GHz\n", x.LLC, x.Core, id, x.Package, x.Node)
			} else {
				fmt.Fprintf(&b, "N,,-,%d,-,-,\n", id)
			}
		}
		return b.String()
	},
	"-e": func(m *Machine) string {
		var b strings.Builder
		b.WriteString("CPU NODE SOCKET CORE L1d:L1i:L2:L3 ONLINE    MAXMHZ\n")
		for id := range m.CPUs {
			if x := &m.CPUs[id]; x.Online {
				fmt.Fprintf(&b, "%3d %4d %6d %4d %d:%d:%d:%d %6s 3700.0000\n", id, x.Node, x.Package, x.Core, x.Core, x.Core, x.Core, x.LLC, "yes")
			} else {
				fmt.Fprintf(&b, "%3d %4s %6s %4s -:-:-:- %6s -\n", id, "-", "-", "-", "no")
			}
		}
		return b.String()
	},
	"-J -e": func(m *Machine) string {
		var rows []string
		for id := range m.CPUs {
			if x := &m.CPUs[id]; x.Online {
				rows = append(rows, fmt.Sprintf(`{"cpu": %d, "node": %d, "socket": "%d", "core": %d, "l1d:l1i:l2:l3": "%d:%d:%d:%d", "online": true}`,
					id, x.Node, x.Package, x.Core, x.Core, x.Core, x.Core, x.LLC))
			} else {
				rows = append(rows, fmt.Sprintf(`{"cpu": %d, "node": null, "socket": null, "core": null, "l1d:l1i:l2:l3": "-", "online": false}`, id))
			}
		}
		return "{\n \"cpus\": [\n" + strings.Join(rows, ",\n") + "\n]}\n"
	},
}

func drawRegular(t *rapid.T) *Machine {
	perNode := rapid.IntRange(1, 3).Draw(t, "LLCs in a node")
	llc := rapid.IntRange(1, 4).Draw(t, "cores in an LLC")
	nodes := rapid.IntRange(1, 3).Draw(t, "nodes in a socket")
	sockets := rapid.IntRange(1, 4).Draw(t, "sockets")
	m, err := layout{
		Sockets: sockets, Cores: perNode * llc * nodes, Threads: rapid.IntRange(1, 4).Draw(t, "threads"), LLC: llc, Nodes: sockets * nodes,
	}.build("test")
	if err != nil {
		t.Fatal(err)
	}
	gone := cpumask.Of(rapid.SliceOfN(rapid.IntRange(0, len(m.CPUs)-1), 0, 4).Draw(t, "offline")...)
	gone.Clear(rapid.IntRange(0, len(m.CPUs)-1).Draw(t, "stays"))
	m.takeOffline(gone)
	for c := range gone.All() {
		m.CPUs[c].Node = 0 // sysfs does not tell
	}
	return m
}

// sameOnline compares what two machines say of the CPUs that are online.
func sameOnline(t *rapid.T, what string, want, got *Machine) {
	t.Helper()
	last := want.Online.Last() + 1
	a, b := want.Online.Clone(), got.Online.Clone()
	if a.String() != b.String() {
		t.Fatalf("%s: online %s, want %s", what, b, a)
	}
	for c := range want.Online.All() {
		if d := cmp.Diff(want.CPUs[c], got.CPUs[c]); d != "" {
			t.Fatalf("%s: CPU %d of %d (-wrote +read)\n%s", what, c, last, d)
		}
	}
}

// TestDescriptions: any regular machine, with any CPUs offline, written in every
// form that is read and read again is the same machine.
func TestDescriptions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawRegular(t)
		for _, version := range []string{"", "2.0", "3.0"} {
			text := asXML(m, version)
			got, err := readDescription(strings.NewReader(text), "test")
			if err != nil {
				t.Fatalf("XML %q: %v\n%s", version, err, text)
			}
			sameOnline(t, "XML "+version, m, got)
			for i := range m.Nodes {
				if version == "" && m.Nodes[i].CPUs.Empty() {
					continue // its place in the matrix is anywhere
				}
				if d := cmp.Diff(m.Nodes[i].Distance, got.Nodes[i].Distance); d != "" && !emptyNodes(m) {
					t.Fatalf("XML %q: node %d: %s\n%s", version, i, d, text)
				}
			}
		}
		for form, write := range lscpuForms {
			got, err := readDescription(strings.NewReader(write(m)), "test")
			if err != nil {
				t.Fatalf("lscpu %s: %v\n%s", form, err, write(m))
			}
			sameOnline(t, "lscpu "+form, m, got)
		}
	})
}

// emptyNodes reports whether all CPUs of a node are offline.
func emptyNodes(m *Machine) bool {
	for i := range m.Nodes {
		if m.Nodes[i].CPUs.Empty() {
			return true
		}
	}
	return false
}

// TestYAML: every preset, and any machine with offline CPUs, written and read
// again is the same, costs, idle states, boot parameters and sources included.
func TestYAML(t *testing.T) {
	for _, p := range List() {
		m, err := Load(p.Name)
		if err != nil {
			t.Fatal(err)
		}
		m.Boot.Isolated, m.Boot.ManagedIRQ = cpumask.Of(1), cpumask.Of(1)
		m.CPUs[len(m.CPUs)-1].Capacity = 700
		m.Kernel = &KernelConfig{Release: "6.12", HZ: 250, Preempt: "voluntary", Features: map[string]bool{"NI_RANDOM": true}, Tunables: map[string]int64{"nr_migrate": 32}}
		roundTripYAML(t, m)
	}
	rapid.Check(t, func(t *rapid.T) {
		m := drawRegular(t)
		if err := m.applyFamily(defaultFamily); err != nil {
			t.Fatal(err)
		}
		m.X86 = rapid.Bool().Draw(t, "x86")
		roundTripYAML(t, m)
	})
}

func roundTripYAML(t interface {
	Helper()
	Fatalf(string, ...any)
}, m *Machine) {
	t.Helper()
	var b bytes.Buffer
	if err := m.WriteYAML(&b); err != nil {
		t.Fatalf("%v", err)
	}
	got, err := readDescription(bytes.NewReader(b.Bytes()), m.Name)
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	want := *m
	want.Sources, want.Warnings = nil, nil
	sources := got.Sources
	got.Sources, got.Warnings = nil, nil
	if d := cmp.Diff(&want, got, cmp.Comparer(func(a, b cpumask.Mask) bool { return a.String() == b.String() })); d != "" {
		t.Fatalf("(-wrote +read)\n%s\n%s", d, b.String())
	}
	for _, s := range m.Sources {
		if strings.HasPrefix(s, "ipi = ") && !strings.Contains(strings.Join(sources, "\n"), s) {
			t.Fatalf("%q is lost", s)
		}
	}
}

// TestLscpuSummary: the counts make a regular machine, flat and nested alike.
func TestLscpuSummary(t *testing.T) {
	const text = "Architecture:        x86_64\nCPU(s):              8\nOn-line CPU(s) list: 0-7\nThread(s) per core:  2\nCore(s) per socket:  2\nSocket(s):           2\n" +
		"L1d cache:           128 KiB (4 instances)\nL3 cache:            32 MiB (2 instances)\nNUMA node(s):        2\nNUMA node0 CPU(s):   0,1,4,5\nNUMA node1 CPU(s):   2,3,6,7\n"
	flat := `{"lscpu": [{"field":"Architecture:","data":"x86_64"},{"field":"CPU(s):","data":"8"},{"field":"On-line CPU(s) list:","data":"0-7"},
		{"field":"Thread(s) per core:","data":"2"},{"field":"Core(s) per socket:","data":"2"},{"field":"Socket(s):","data":"2"},{"field":"L1d cache:","data":"128 KiB (4 instances)"},
		{"field":"L3 cache:","data":"32 MiB (2 instances)"},{"field":"NUMA node(s):","data":"2"},{"field":"NUMA node0 CPU(s):","data":"0,1,4,5"},{"field":"NUMA node1 CPU(s):","data":"2,3,6,7"}]}`
	nested := `{"lscpu": [{"field":"Architecture:","data":"x86_64","children":[]},{"field":"CPU(s):","data":8,"children":[{"field":"On-line CPU(s) list:","data":"0-7"}]},
		{"field":"Vendor ID:","data":"x","children":[{"field":"Model name:","data":"y","children":[{"field":"Thread(s) per core:","data":"2"},{"field":"Core(s) per socket:","data":"2"},{"field":"Socket(s):","data":"2"}]}]},
		{"field":"Caches (sum of all):","data":null,"children":[{"field":"L1d:","data":"128 KiB (4 instances)"},{"field":"L3:","data":"32 MiB (2 instances)"}]},
		{"field":"NUMA:","data":null,"children":[{"field":"NUMA node(s):","data":"2"},{"field":"NUMA node0 CPU(s):","data":"0,1,4,5"},{"field":"NUMA node1 CPU(s):","data":"2,3,6,7"}]}]}`
	for form, text := range map[string]string{"text": text, "flat": flat, "nested": nested} {
		m, err := readDescription(strings.NewReader(text), "test")
		if err != nil {
			t.Errorf("%s: %v", form, err)
			continue
		}
		if want := (Hardware{Packages: 2, Nodes: 2, L1d: 4, L3: 2, Cores: 4, CPUs: 8}); m.Hardware != want {
			t.Errorf("%s: %+v, want %+v", form, m.Hardware, want)
		}
		if m.CPUs[5].Core != 1 || m.CPUs[6].Package != 2 || m.CPUs[6].Node != 1 || m.CPUs[7].LLC != 2 || len(m.Warnings) == 0 {
			t.Errorf("%s: %+v, warnings %q", form, m.CPUs, m.Warnings)
		}
	}
}

// TestPresetsThatHalt: a state that presets mark so is left by an interrupt.
func TestPresetsThatHalt(t *testing.T) {
	for name, halts := range map[string]bool{"kvm-4": true, "s390-lpar": true, "uma-16": false} {
		m, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Idle[len(m.Idle)-1].Halt; got != halts {
			t.Errorf("%s: the deepest idle state halts: %v, want %v", name, got, halts)
		}
	}
}
