package machine

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recorded are the machines of ../shared/domains by name, as their names say;
// a recording's name begins with one of them. ccx-1s2d4c2t is not what its name
// says: the L3 that sysfs shows, and the kernel built its domains from, is one.
var recorded = map[string]struct {
	counts    Counts
	distances string // of node 0
	isolated  string
	nohzFull  string
}{
	"1cpu":            {Counts{1, 1, 0, 1, 1, 1, 1}, "10", "", ""},
	"2s2c2t":          {Counts{2, 2, 0, 2, 4, 8, 8}, "10 20", "", ""},
	"2s4c2t-uma":      {Counts{2, 1, 0, 2, 8, 16, 16}, "10", "", ""},
	"2s4c2t":          {Counts{2, 2, 0, 2, 8, 16, 16}, "10 20", "", ""},
	"4s2c2t-ring":     {Counts{4, 4, 0, 4, 8, 16, 16}, "10 20 30 20", "", ""},
	"8n2c-cube":       {Counts{8, 8, 0, 8, 16, 16, 16}, "10 16 16 22 16 22 22 28", "", ""},
	"ccx-1s2d4c2t":    {Counts{1, 1, 0, 1, 8, 16, 16}, "10", "", ""},
	"isol-2s4c2t":     {Counts{2, 2, 0, 2, 8, 16, 16}, "10 20", "2-3,10-11", ""},
	"nohzfull-1s8c":   {Counts{1, 1, 0, 1, 8, 8, 8}, "10", "", "1-7"},
	"nohzfull-2s4c2t": {Counts{2, 2, 0, 2, 8, 16, 16}, "10 20", "", "1-7,9-15"},
	"nol3-2s4c":       {Counts{2, 1, 0, 8, 8, 8, 8}, "10", "", ""},
	"offline-2s4c2t":  {Counts{2, 1, 0, 2, 7, 13, 13}, "10", "", ""},
	"uma-4c":          {Counts{1, 1, 0, 1, 4, 4, 4}, "10", "", ""},
	"uma-4c2t":        {Counts{1, 1, 0, 1, 4, 8, 8}, "10", "", ""},
	"uma-8c2t":        {Counts{1, 1, 0, 1, 8, 16, 16}, "10", "", ""},
}

func TestDomainSnapshots(t *testing.T) {
	for _, file := range shared(t, "domains/*.tgz") {
		name := strings.TrimSuffix(filepath.Base(file), ".tgz")
		t.Run(name, func(t *testing.T) {
			m := checkRecorded(t, file, name)
			if m.Kernel == nil || m.Kernel.Release != "6.12.107+deb12-cloud-amd64" {
				t.Fatalf("kernel %+v", m.Kernel)
			}
			if m.Kernel.Preempt != "voluntary" || m.Kernel.HZ != 250 {
				t.Errorf("preempt %q, HZ %d: this is Debian's cloud kernel, voluntary at 250", m.Kernel.Preempt, m.Kernel.HZ)
			}
		})
	}
}

func TestRecordings(t *testing.T) {
	for _, file := range shared(t, "recordings/*.tgz") {
		name := strings.TrimSuffix(filepath.Base(file), ".tgz")
		t.Run(name, func(t *testing.T) {
			m := checkRecorded(t, file, machineOf(name))
			hz, preempt := 1000, "full"
			if strings.HasSuffix(name, "-hz250") {
				hz, preempt = 250, "voluntary"
			}
			if m.Kernel.HZ != hz || m.Kernel.Preempt != preempt {
				t.Errorf("HZ %d, preempt %q, want %d, %q", m.Kernel.HZ, m.Kernel.Preempt, hz, preempt)
			}
			halt := []IdleState{{Name: "HALT", Latency: 2000, Halt: true}}
			if diff := cmp.Diff(halt, m.Idle); diff != "" {
				t.Errorf("the recording's cpuidle says none: idle states (-want +got)\n%s", diff)
			}
		})
	}
}

// machineOf returns the longest machine's name that begins a recording's.
func machineOf(recording string) string {
	best := ""
	for name := range recorded {
		if strings.HasPrefix(recording, name) && len(name) > len(best) {
			best = name
		}
	}
	return best
}

func checkRecorded(t *testing.T, file, name string) *Machine {
	t.Helper()
	want, ok := recorded[name]
	if !ok {
		t.Skipf("%s is not in the table", name)
	}
	m, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Summary(); got != want.counts {
		t.Errorf("got %v, want %v", got, want.counts)
	}
	if got := strings.Trim(strings.Join(strings.Fields(sprint(m.Nodes[0].Distance)), " "), "[]"); got != want.distances {
		t.Errorf("distances of node 0: %s, want %s", got, want.distances)
	}
	if got := m.Boot.Isolated.String(); got != want.isolated {
		t.Errorf("isolated %q, want %q", got, want.isolated)
	}
	if got := m.Boot.NohzFull.String(); got != want.nohzFull {
		t.Errorf("nohz_full %q, want %q", got, want.nohzFull)
	}
	if !m.X86 || len(m.Warnings) > 0 {
		t.Errorf("x86 %v, warnings %q", m.X86, m.Warnings)
	}
	k := m.Kernel
	if k == nil || !k.Features["NI_RANDOM"] || k.Features["HRTICK"] || k.Tunables["migration_cost_ns"] != 500000 || k.Tunables["nr_migrate"] != 32 {
		t.Errorf("kernel configuration %+v", k)
	}
	checkLLCAgainstKernel(t, file, m)
	return m
}

// checkLLCAgainstKernel compares each LLC with the span of the domain that the
// kernel named MC; a kernel leaves it out where an LLC has one core.
func checkLLCAgainstKernel(t *testing.T, file string, m *Machine) {
	t.Helper()
	fsys, err := OpenSnapshot(file)
	if err != nil {
		t.Fatal(err)
	}
	r := tree{fsys}
	stat, _, err := r.text("proc/schedstat")
	if err != nil {
		t.Fatal(err)
	}
	cpu := ""
	for line := range strings.Lines(stat) {
		f := strings.Fields(line)
		if strings.HasPrefix(f[0], "cpu") {
			cpu = f[0]
		}
		if !strings.HasPrefix(f[0], "domain") {
			continue
		}
		level, err := fs.ReadFile(fsys, "sys/kernel/debug/sched/domains/"+cpu+"/"+f[0]+"/name")
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(string(level)) != "MC" {
			continue
		}
		var span []int
		for id := range m.CPUs {
			if m.CPUs[id].LLC == m.CPUs[atoi(t, cpu[3:])].LLC && !m.Boot.Isolated.Test(id) {
				span = append(span, id)
			}
		}
		kernel, err := parseHexIDs(f[1])
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(span, kernel) {
			t.Errorf("%s: LLC %v, the kernel's MC domain %v", cpu, span, kernel)
		}
	}
}
