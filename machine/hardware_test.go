package machine

import "testing"

// TestHardware counts parts as hwloc does: of the cpuset of the process that took
// the snapshot, nodes by their memory, cores of a compute unit apart.
func TestHardware(t *testing.T) {
	mounts := func(line string) []string { return []string{"proc/mounts", line + "\n"} }
	for _, c := range []struct {
		name   string
		change []string
		want   Hardware
		warns  bool
	}{
		{"plain", nil, Hardware{Packages: 2, Nodes: 2, L1d: 2, L3: 2, Cores: 2, CPUs: 4}, false},
		{"an instruction cache, an L2 of one core, an L4",
			[]string{"cpu/cpu0/cache/index4/level", "1", "cpu/cpu0/cache/index4/type", "Instruction", "cpu/cpu0/cache/index4/shared_cpu_map", "5",
				"cpu/cpu2/cache/index4/level", "1", "cpu/cpu2/cache/index4/type", "Instruction", "cpu/cpu2/cache/index4/shared_cpu_map", "5",
				"cpu/cpu1/cache/index5/level", "2", "cpu/cpu1/cache/index5/type", "Unified", "cpu/cpu1/cache/index5/shared_cpu_map", "0",
				"cpu/cpu0/cache/index6/level", "4", "cpu/cpu0/cache/index6/type", "Unified", "cpu/cpu0/cache/index6/shared_cpu_map", "f"},
			Hardware{Packages: 2, Nodes: 2, L1d: 2, L1i: 1, L2: 1, L3: 2, L4: 1, Cores: 2, CPUs: 4}, false},
		{"two core_ids among siblings", []string{"cpu/cpu2/topology/core_id", "1", "cpu/cpu3/topology/core_id", "1"},
			Hardware{Packages: 2, Nodes: 2, L1d: 2, L3: 2, Cores: 4, CPUs: 4}, true},
		{"no core_id", eachCPU(4, "topology/core_id", "-"), Hardware{Packages: 2, Nodes: 2, L1d: 2, L3: 2, CPUs: 4}, false},
		{"a cpuset", append(mounts("none /dev/cpuset cpuset rw 0 0"), "proc/self/cpuset", "/job\n", "dev/cpuset/job/cpus", "0,2\n", "dev/cpuset/job/mems", "0\n"),
			Hardware{Packages: 1, Nodes: 1, L1d: 1, L3: 1, Cores: 1, CPUs: 2}, true},
		{"a cpuset with the memory of a node whose CPUs it lacks", append(mounts("x /sys/fs/cgroup cgroup rw,cpuset 0 0"),
			"proc/self/cgroup", "4:cpuset:/job\n", "sys/fs/cgroup/job/cpuset.cpus", "0\n", "sys/fs/cgroup/job/cpuset.mems", "0-1\n"),
			Hardware{Packages: 2, Nodes: 2, MemoryOnlyNodes: 1, L1d: 2, L3: 2, Cores: 2, CPUs: 1}, true},
		{"a cgroup v2", append(mounts("x /cg cgroup2 rw 0 0"), "cg/cgroup.controllers", "cpu cpuset io\n", "proc/self/cgroup", "0::/a/b\n",
			"cg/a/b/cpuset.cpus.effective", "1,3\n", "cg/a/b/cpuset.mems.effective", "1\n"),
			Hardware{Packages: 1, Nodes: 1, L1d: 1, L3: 1, Cores: 1, CPUs: 2}, true},
		{"a cgroup v2 without the controller", append(mounts("x /cg cgroup2 rw 0 0"), "cg/cgroup.controllers", "cpu io\n", "proc/self/cgroup", "0::/a/b\n",
			"cg/a/b/cpuset.cpus.effective", "1,3\n"), Hardware{Packages: 2, Nodes: 2, L1d: 2, L3: 2, Cores: 2, CPUs: 4}, false},
		{"a cpuset that names no CPU of it", append(mounts("none /dev/cpuset cpuset rw 0 0"), "proc/self/cpuset", "/job\n", "dev/cpuset/job/cpus", "9\n"),
			Hardware{Packages: 2, Nodes: 2, L1d: 2, L3: 2, Cores: 2, CPUs: 4}, false},
		{"a path out of the snapshot", append(mounts("none /dev/cpuset cpuset rw 0 0"), "proc/self/cpuset", "/../../../x\n"),
			Hardware{Packages: 2, Nodes: 2, L1d: 2, L3: 2, Cores: 2, CPUs: 4}, false},
		{"a node with CPUs and no memory", []string{"node/node0/meminfo", "Node 0 MemTotal:              0 kB\n", "node/node1/meminfo", "Node 1 MemTotal:       99090348 kB\n"},
			Hardware{Packages: 2, Nodes: 1, L1d: 2, L3: 2, Cores: 2, CPUs: 4}, false},
		{"a node of memory alone, and that of a GPU", []string{"node/node2/cpulist", "\n", "node/node3/cpulist", "\n", "proc/driver/nvidia/gpus/0004:04:00.0/numa_status", "Node:      3\nStatus:    online\n"},
			Hardware{Packages: 2, Nodes: 3, MemoryOnlyNodes: 1, L1d: 2, L3: 2, Cores: 2, CPUs: 4}, true},
	} {
		m := mustRead(t, smt4(c.change...))
		if m.Hardware != c.want {
			t.Errorf("%s:\ngot  %+v\nwant %+v", c.name, m.Hardware, c.want)
		}
		if warns := len(m.Warnings) > 0; warns != c.warns && c.warns {
			t.Errorf("%s: no warning", c.name)
		}
		if got := m.Summary(); got.Online != 4 {
			t.Errorf("%s: %s: what may run there is no part of what there is", c.name, got)
		}
	}
}
