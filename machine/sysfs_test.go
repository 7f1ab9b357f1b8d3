package machine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestPlainMachine(t *testing.T) {
	m := mustRead(t, smt4())
	wantIDs(t, "cores", cores(m), 0, 1, 0, 1)
	wantIDs(t, "clusters", clusters(m), 0, 1, 0, 1)
	wantIDs(t, "LLCs", llcs(m), 0, 1, 0, 1)
	wantIDs(t, "packages", packages(m), 0, 1, 0, 1)
	wantIDs(t, "nodes", nodes(m), 0, 1, 0, 1)
	wantIDs(t, "distances", m.Nodes[0].Distance, 10, 21)
	if !m.X86 || m.Kernel != nil || len(m.Warnings) > 0 || m.Name != "test" {
		t.Errorf("x86 %v, kernel %v, warnings %q, name %q", m.X86, m.Kernel, m.Warnings, m.Name)
	}
	if got, want := m.Summary(), (Counts{2, 2, 0, 2, 2, 4, 4}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestOddMachines has a case for each way in which sysfs may differ from the
// plain machine: what is changed, and what must come out.
func TestOddMachines(t *testing.T) {
	for _, c := range []struct {
		name   string
		change []string
		check  func(t *testing.T, m *Machine)
		warn   string // in the only warning; none if empty
	}{
		{
			name:   "values end in NUL",
			change: []string{"cpu/online", "0-3\n\x00", "cpu/cpu0/topology/physical_package_id", "0\x00", "node/node0/distance", "10 21\x00"},
			check: func(t *testing.T, m *Machine) {
				wantIDs(t, "packages", packages(m), 0, 1, 0, 1)
				wantIDs(t, "distances", m.Nodes[0].Distance, 10, 21)
			},
		},
		{
			name:   "one CPU",
			change: []string{"cpu/possible", "0", "cpu/present", "0", "cpu/online", "0", "node/", "-", "cpu/cpu1", "-", "cpu/cpu2", "-", "cpu/cpu3", "-"},
			check: func(t *testing.T, m *Machine) {
				if got, want := m.Summary(), (Counts{1, 1, 0, 1, 1, 1, 1}); got != want {
					t.Errorf("got %v, want %v", got, want)
				}
			},
		},
		{
			name: "offline CPU has no topology directory",
			change: []string{"cpu/online", "0-2", "cpu/cpu3", "-", "cpu/cpu1/topology/thread_siblings_list", "1",
				"cpu/cpu1/topology/core_siblings_list", "1", "node/node1/cpulist", "1", "cpu/cpu1/cache/index3/shared_cpu_list", "1"},
			check: func(t *testing.T, m *Machine) {
				wantIDs(t, "cores", cores(m), 0, 1, 0, 3)
				wantIDs(t, "LLCs", llcs(m), 0, 1, 0, 3)
				if m.Online.String() != "0-2" || m.CPUs[3].Online || !m.CPUs[3].Possible {
					t.Errorf("online %s, CPU 3 %+v", m.Online, m.CPUs[3])
				}
				if got, want := m.Summary(), (Counts{2, 2, 0, 2, 2, 3, 4}); got != want {
					t.Errorf("got %v, want %v", got, want)
				}
			},
		},
		{
			name:   "CPU 0 offline",
			change: []string{"cpu/online", "1-3", "cpu/cpu0/topology", "-", "cpu/cpu2/topology/thread_siblings_list", "2"},
			check: func(t *testing.T, m *Machine) {
				wantIDs(t, "cores", cores(m), 0, 1, 2, 1)
				wantIDs(t, "packages", packages(m), 0, 1, 2, 1)
				if m.Online.String() != "1-3" || m.Nodes[0].CPUs.String() != "2" {
					t.Errorf("online %s, node 0 has %s", m.Online, m.Nodes[0].CPUs)
				}
			},
		},
		{
			name:   "possible, present and online differ",
			change: []string{"cpu/possible", "0-7", "cpu/present", "0-5"},
			check: func(t *testing.T, m *Machine) {
				if len(m.CPUs) != 8 || m.Online.String() != "0-3" || !m.CPUs[7].Possible || m.CPUs[7].Online {
					t.Errorf("%d CPUs, online %s, CPU 7 %+v", len(m.CPUs), m.Online, m.CPUs[7])
				}
			},
		},
		{
			name: "ids with holes",
			change: []string{"cpu/possible", "0,2,6", "cpu/present", "0,2,6", "cpu/online", "0,2,6", "cpu/cpu1", "-", "cpu/cpu3", "-",
				"cpu/cpu6/topology/physical_package_id", "1", "cpu/cpu6/topology/core_id", "0", "node/node1/cpulist", "6"},
			check: func(t *testing.T, m *Machine) {
				if len(m.CPUs) != 7 || m.CPUs[1].Possible || m.CPUs[5].Possible || !m.CPUs[6].Online {
					t.Errorf("%d CPUs: %+v", len(m.CPUs), m.CPUs)
				}
				wantIDs(t, "cores", cores(m), 0, 1, 0, 3, 4, 5, 6)
				wantIDs(t, "nodes", nodes(m), 0, 0, 0, 0, 0, 0, 1)
				if got, want := m.Summary(), (Counts{2, 2, 0, 2, 2, 3, 3}); got != want {
					t.Errorf("got %v, want %v", got, want)
				}
			},
		},
		{
			name:   "no lists of CPUs: old kernels have directories and cpuN/online",
			change: []string{"cpu/possible", "-", "cpu/present", "-", "cpu/online", "-", "cpu/cpu3/online", "0", "cpu/cpu2/online", "1", "node/", "-"},
			check: func(t *testing.T, m *Machine) {
				if m.Online.String() != "0-2" || len(m.CPUs) != 4 {
					t.Errorf("online %s of %d", m.Online, len(m.CPUs))
				}
			},
		},
		{
			name:   "no node directory",
			change: []string{"node/", "-"},
			check: func(t *testing.T, m *Machine) {
				if len(m.Nodes) != 1 || m.Nodes[0].CPUs.String() != "0-3" {
					t.Errorf("nodes %+v", m.Nodes)
				}
				wantIDs(t, "distances", m.Nodes[0].Distance, 10)
			},
		},
		{
			name:   "no cache directory",
			change: []string{"cpu/cpu0/cache", "-", "cpu/cpu1/cache", "-", "cpu/cpu2/cache", "-", "cpu/cpu3/cache", "-"},
			check:  func(t *testing.T, m *Machine) { wantIDs(t, "LLCs: threads share what there is", llcs(m), 0, 1, 0, 1) },
		},
		{
			name: "only shared_cpu_map",
			change: []string{"cpu/cpu0/cache/index3/shared_cpu_list", "-", "cpu/cpu2/cache/index3/shared_cpu_list", "-",
				"cpu/cpu1/cache/index3/shared_cpu_list", "-", "cpu/cpu3/cache/index3/shared_cpu_list", "-",
				"cpu/cpu0/cache/index3/shared_cpu_map", "f", "cpu/cpu1/cache/index3/shared_cpu_map", "00000000,0000000f",
				"cpu/cpu2/cache/index3/shared_cpu_map", "f", "cpu/cpu3/cache/index3/shared_cpu_map", "0000000f"},
			check: func(t *testing.T, m *Machine) { wantIDs(t, "LLCs", llcs(m), 0, 0, 0, 0) },
		},
		{
			name: "only sibling maps",
			change: append(eachCPU(4, "topology/thread_siblings_list", "-", "topology/core_siblings_list", "-"),
				"cpu/cpu0/topology/thread_siblings", "5", "cpu/cpu0/topology/core_siblings", "f",
				"cpu/cpu1/topology/thread_siblings", "a", "cpu/cpu1/topology/core_siblings", "f",
				"cpu/cpu2/topology/thread_siblings", "5", "cpu/cpu2/topology/core_siblings", "f",
				"cpu/cpu3/topology/thread_siblings", "a", "cpu/cpu3/topology/core_siblings", "f"),
			check: func(t *testing.T, m *Machine) {
				wantIDs(t, "cores", cores(m), 0, 1, 0, 1)
				wantIDs(t, "packages", packages(m), 0, 0, 0, 0)
			},
		},
		{
			name:   "only ids, and core_id unique only per package",
			change: eachCPU(4, "topology/thread_siblings_list", "-", "topology/core_siblings_list", "-"),
			check: func(t *testing.T, m *Machine) {
				wantIDs(t, "packages", packages(m), 0, 1, 0, 1)
				wantIDs(t, "cores", cores(m), 0, 1, 0, 1)
			},
		},
		{
			name: "ids of -1 mean unknown",
			change: append(eachCPU(4, "topology/thread_siblings_list", "-", "topology/core_siblings_list", "-", "topology/core_id", "-1", "topology/physical_package_id", "-1"),
				"cpu/cpu0/cache", "-", "cpu/cpu1/cache", "-", "cpu/cpu2/cache", "-", "cpu/cpu3/cache", "-"),
			check: func(t *testing.T, m *Machine) {
				wantIDs(t, "cores", cores(m), 0, 1, 2, 3)
				wantIDs(t, "LLCs", llcs(m), 0, 1, 2, 3)
			},
		},
		{
			name:   "core_cpus_list of newer kernels stands above thread_siblings_list",
			change: eachCPU(4, "topology/core_cpus_list", "0-3", "topology/package_cpus_list", "0-3"),
			check: func(t *testing.T, m *Machine) {
				wantIDs(t, "cores", cores(m), 0, 0, 0, 0)
				wantIDs(t, "packages", packages(m), 0, 0, 0, 0)
				wantIDs(t, "LLCs contain cores", llcs(m), 0, 0, 0, 0)
			},
		},
		{
			name:   "SMT4",
			change: eachCPU(4, "topology/thread_siblings_list", "0-3", "topology/core_siblings_list", "0-3"),
			check:  func(t *testing.T, m *Machine) { wantIDs(t, "cores", cores(m), 0, 0, 0, 0) },
		},
		{
			name:   "siblings that leave the CPU itself out",
			change: eachCPU(4, "topology/thread_siblings_list", ""),
			check:  func(t *testing.T, m *Machine) { wantIDs(t, "cores", cores(m), 0, 1, 2, 3) },
		},
		{
			name:   "siblings that contradict each other",
			change: []string{"cpu/cpu1/topology/core_siblings_list", "0-3"},
			check:  func(t *testing.T, m *Machine) { wantIDs(t, "packages", packages(m), 0, 1, 0, 1) },
			warn:   "packages: what CPU 1 says contradicts",
		},
		{
			name:   "LLC that spans nodes (sub-NUMA clusters)",
			change: eachCPU(4, "cache/index3/shared_cpu_list", "0-3", "topology/core_siblings_list", "0-3", "topology/physical_package_id", "0"),
			check: func(t *testing.T, m *Machine) {
				wantIDs(t, "LLCs", llcs(m), 0, 0, 0, 0)
				wantIDs(t, "nodes", nodes(m), 0, 1, 0, 1)
				if d := m.Distance(0, 1); d != DistLLC {
					t.Errorf("distance %v", d)
				}
			},
		},
		{
			name:   "x86 without L3 has the L2 as LLC",
			change: eachCPU(4, "cache/index3/level", "2", "cache/index3/shared_cpu_list", "0-3"),
			check:  func(t *testing.T, m *Machine) { wantIDs(t, "LLCs", llcs(m), 0, 0, 0, 0) },
		},
		{
			name:   "x86 with L4 has the L3 as LLC",
			change: eachCPU(4, "cache/index4/level", "4", "cache/index4/type", "Unified", "cache/index4/shared_cpu_list", "0-3"),
			check:  func(t *testing.T, m *Machine) { wantIDs(t, "LLCs", llcs(m), 0, 1, 0, 1) },
		},
		{
			name: "elsewhere the highest level is the LLC",
			change: append(eachCPU(4, "cache/index4/level", "4", "cache/index4/type", "Unified", "cache/index4/shared_cpu_list", "0-3"),
				"proc/cpuinfo", "processor: 0\nCPU implementer: 0x48\n"),
			check: func(t *testing.T, m *Machine) {
				wantIDs(t, "LLCs", llcs(m), 0, 0, 0, 0)
				if m.X86 {
					t.Error("x86")
				}
			},
		},
		{
			name:   "an instruction cache is no LLC",
			change: eachCPU(4, "cache/index3/type", "Instruction", "cache/index3/shared_cpu_list", "0-3"),
			check:  func(t *testing.T, m *Machine) { wantIDs(t, "LLCs", llcs(m), 0, 1, 0, 1) },
		},
		{
			name:   "clusters",
			change: eachCPU(4, "topology/cluster_cpus_list", "0-3"),
			check:  func(t *testing.T, m *Machine) { wantIDs(t, "clusters", clusters(m), 0, 0, 0, 0) },
		},
		{
			name:   "a kernel without clusters: x86 shares an L2",
			change: eachCPU(4, "cache/index2/level", "2", "cache/index2/type", "Unified", "cache/index2/shared_cpu_list", "0-3"),
			check: func(t *testing.T, m *Machine) {
				wantIDs(t, "clusters", clusters(m), 0, 0, 0, 0)
				wantIDs(t, "LLCs", llcs(m), 0, 1, 0, 1)
			},
		},
		{
			name:   "memory-only node",
			change: []string{"node/node0/distance", "10 21 17", "node/node1/distance", "21 10 28", "node/node2/cpulist", "\n", "node/node2/distance", "17 28 10"},
			check: func(t *testing.T, m *Machine) {
				if got, want := m.Summary(), (Counts{2, 3, 1, 2, 2, 4, 4}); got != want {
					t.Errorf("got %v, want %v", got, want)
				}
				if m.Nodes[2].Distance[1] != 28 || !m.Nodes[2].CPUs.Empty() {
					t.Errorf("node 2 %+v", m.Nodes[2])
				}
			},
		},
		{
			name: "node ids with holes: distances are to those that exist",
			change: []string{"node/node1", "-", "node/node8/cpulist", "1,3", "node/node8/distance", "40 10",
				"node/node0/distance", "10 40"},
			check: func(t *testing.T, m *Machine) {
				if len(m.Nodes) != 9 || m.Nodes[1].Exists || m.Nodes[0].Distance[8] != 40 || m.Nodes[8].Distance[0] != 40 || m.Nodes[0].Distance[1] != 0 {
					t.Errorf("nodes %+v", m.Nodes)
				}
				wantIDs(t, "nodes", nodes(m), 0, 8, 0, 8)
			},
		},
		{
			name:   "cpumap in place of cpulist",
			change: []string{"node/node0/cpulist", "-", "node/node0/cpumap", "00000000,00000005"},
			check:  func(t *testing.T, m *Machine) { wantIDs(t, "nodes", nodes(m), 0, 1, 0, 1) },
		},
		{
			name:   "no distances",
			change: []string{"node/node0/distance", "-", "node/node1/distance", "-"},
			check:  func(t *testing.T, m *Machine) { wantIDs(t, "distances", m.Nodes[1].Distance, 20, 10) },
		},
		{
			name:   "distances of 0",
			change: []string{"node/node0/distance", "0 0"},
			check:  func(t *testing.T, m *Machine) { wantIDs(t, "distances", m.Nodes[0].Distance, 10, 20) },
			warn:   "node0/distance: a distance of 0",
		},
		{
			name:   "distances for another number of nodes",
			change: []string{"node/node0/distance", "10 20 30"},
			check:  func(t *testing.T, m *Machine) { wantIDs(t, "distances", m.Nodes[0].Distance, 10, 20) },
			warn:   "3 distances for 2 nodes",
		},
		{
			name:   "nodes that all claim the same CPUs",
			change: []string{"node/node0/cpulist", "0-3", "node/node1/cpulist", "0-3"},
			check: func(t *testing.T, m *Machine) {
				wantIDs(t, "nodes", nodes(m), 0, 0, 0, 0)
				if m.Summary().Nodes != 1 || m.Nodes[1].Exists || m.Nodes[0].Distance[1] != 0 {
					t.Errorf("nodes %+v", m.Nodes)
				}
			},
			warn: "node 1: lower nodes have all of its CPUs",
		},
		{
			name:   "a CPU in no node",
			change: []string{"node/node1/cpulist", "1"},
			check:  func(t *testing.T, m *Machine) { wantIDs(t, "nodes", nodes(m), 0, 1, 0, 0) },
			warn:   "no node has CPUs 3",
		},
		{
			name:   "capacities",
			change: []string{"cpu/cpu0/cpu_capacity", "1024", "cpu/cpu1/cpu_capacity", "446"},
			check: func(t *testing.T, m *Machine) {
				wantIDs(t, "capacities", ids(m, func(c *CPU) int { return c.Capacity }), 1024, 446, 1024, 1024)
			},
		},
		{
			name:   "capacities above the scale",
			change: append(eachCPU(4, "cpu_capacity", "512"), "cpu/cpu0/cpu_capacity", "2048"),
			check: func(t *testing.T, m *Machine) {
				wantIDs(t, "capacities", ids(m, func(c *CPU) int { return c.Capacity }), 1024, 256, 256, 256)
			},
			warn: "cpu_capacity of up to 2048: scaled to 1024",
		},
		{
			name:   "no cpuinfo",
			change: []string{"proc/cpuinfo", "-"},
			check: func(t *testing.T, m *Machine) {
				if !m.X86 {
					t.Error("not x86")
				}
			},
			warn: "no proc/cpuinfo",
		},
		{
			name:   "s390 names a vendor_id too",
			change: []string{"proc/cpuinfo", "vendor_id       : IBM/S390\n"},
			check: func(t *testing.T, m *Machine) {
				if m.X86 {
					t.Error("x86")
				}
			},
		},
		{
			name: "idle states of cpuidle",
			change: []string{
				"cpu/cpu0/cpuidle/state0/name", "POLL", "cpu/cpu0/cpuidle/state0/latency", "0", "cpu/cpu0/cpuidle/state0/residency", "0",
				"cpu/cpu0/cpuidle/state1/name", "C1", "cpu/cpu0/cpuidle/state1/desc", "MWAIT 0x00", "cpu/cpu0/cpuidle/state1/latency", "2", "cpu/cpu0/cpuidle/state1/residency", "2",
				"cpu/cpu0/cpuidle/state2/name", "C6", "cpu/cpu0/cpuidle/state2/desc", "ACPI HLT", "cpu/cpu0/cpuidle/state2/latency", "133", "cpu/cpu0/cpuidle/state2/residency", "600",
			},
			check: func(t *testing.T, m *Machine) {
				want := []IdleState{{Name: "POLL", Polling: true}, {Name: "C1", Latency: 2000, Residency: 2000}, {Name: "C6", Latency: 133000, Residency: 600000, Halt: true}}
				if !slices.Equal(m.Idle, want) {
					t.Errorf("idle %+v", m.Idle)
				}
				if strings.Contains(strings.Join(m.Sources, "\n"), "idle C1E") {
					t.Errorf("sources name idle states that were replaced: %q", m.Sources)
				}
			},
		},
		{
			name:   "no cpuidle driver",
			change: []string{"cpu/cpuidle/current_driver", "none\n"},
			check: func(t *testing.T, m *Machine) {
				if !slices.Equal(m.Idle, []IdleState{{Name: "HALT", Latency: 2000, Halt: true}}) {
					t.Errorf("idle %+v", m.Idle)
				}
			},
		},
		{
			name:   "a regular file named like a CPU",
			change: []string{"cpu/possible", "-", "cpu/present", "-", "cpu/online", "-", "cpu/cpu9", "x"},
			check: func(t *testing.T, m *Machine) {
				if len(m.CPUs) != 4 {
					t.Errorf("%d CPUs", len(m.CPUs))
				}
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := mustRead(t, smt4(c.change...))
			c.check(t, m)
			if got := strings.Join(m.Warnings, "\n"); c.warn == "" && got != "" || !strings.Contains(got, c.warn) || strings.Contains(got, "\n") {
				t.Errorf("warnings %q, want %q", got, c.warn)
			}
		})
	}
}

// eachCPU gives changes for every CPU's directory.
func eachCPU(n int, pairs ...string) []string {
	var all []string
	for cpu := range n {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, fmt.Sprintf("cpu/cpu%d/%s", cpu, pairs[i]), pairs[i+1])
		}
	}
	return all
}

func TestBadSnapshots(t *testing.T) {
	for _, c := range []struct {
		name string
		fsys fstest.MapFS
		want []string
	}{
		{"nothing", snap("readme", "x"), []string{"machine test:", "no sys/devices/system/cpu"}},
		{"no CPU", snap("cpu/online", "\n"), []string{"sys/devices/system/cpu: no CPU is online"}},
		{"no CPU at all", snap("cpu/kernel_max", "0"), []string{"no CPU is online"}},
		{"no topology", smt4(eachCPU(4, "topology", "-")...), []string{"no online CPU has a topology directory"}},
		{"list of words", smt4("cpu/online", "zero"), []string{"sys/devices/system/cpu/online", `"zero"`}},
		{"huge CPU id", smt4("cpu/online", "0-99999999"), []string{"cpu/online", "beyond the limit"}},
		{"huge CPU directory", smt4("cpu/cpu99999999/online", "1"), []string{"cpu99999999", "beyond the limit"}},
		{"huge node", smt4("node/node99999/cpulist", "0"), []string{"node99999", "beyond the limit"}},
		{"sibling mask of words", smt4("cpu/cpu2/topology/thread_siblings_list", "-", "cpu/cpu2/topology/thread_siblings", "xyz"), []string{"cpu2/topology/thread_siblings", `"xyz"`}},
		{"package id of words", smt4("cpu/cpu2/topology/core_siblings_list", "-", "cpu/cpu2/topology/physical_package_id", "two"), []string{"cpu2/topology/physical_package_id", `"two"`}},
		{"cache level out of range", smt4("cpu/cpu1/cache/index3/level", "77"), []string{"cpu1/cache/index3/level", "77 is not within 0..9"}},
		{"distance of words", smt4("node/node1/distance", "10 far"), []string{"node1/distance", `"far"`}},
		{"huge distance", smt4("node/node1/distance", "10 999999999999999999999"), []string{"node1/distance", "is not a distance"}},
		{"capacity of zero", smt4("cpu/cpu1/cpu_capacity", "0"), []string{"cpu1/cpu_capacity", "0 is not within"}},
		{"long value", smt4("cpu/online", strings.Repeat("0,", maxValue)), []string{"cpu/online", "longer than"}},
		{"HZ of words", smt4("config", "CONFIG_HZ=fast\n"), []string{"config: CONFIG_HZ=", "fast"}},
		{"idle latency of words", smt4("cpu/cpu0/cpuidle/state0/latency", "soon"), []string{"state0/latency", `"soon"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ReadFS(c.fsys, "test")
			wantError(t, err, append(c.want, "machine test: ")...)
		})
	}
}

func TestSnapshotMayLieDeeper(t *testing.T) {
	for _, prefix := range []string{"machine/", "rec/machine/", "16amd64-8n2c/", "a/b/"} {
		deep := fstest.MapFS{}
		for p, f := range smt4() {
			deep[prefix+p] = f
		}
		deep[strings.TrimSuffix(prefix, "machine/")+"config"] = &fstest.MapFile{Data: []byte("CONFIG_HZ=250\n")}
		m, err := ReadFS(deep, "test")
		if err != nil {
			t.Errorf("%s: %v", prefix, err)
			continue
		}
		if m.Kernel == nil || m.Kernel.HZ != 250 {
			t.Errorf("%s: the config beside it was not read: %+v", prefix, m.Kernel)
		}
	}
}
