package machine

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"schedlab/cpumask"
)

func sprint(v any) string { return fmt.Sprint(v) }

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func parseHexIDs(s string) ([]int, error) {
	m, err := cpumask.ParseHex(s)
	return slices.Collect(m.All()), err
}

// snap makes a snapshot of pairs of a path and a content. Paths that begin with
// cpu/ or node/ are below sys/devices/system.
func snap(pairs ...string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		p := pairs[i]
		if strings.HasPrefix(p, "cpu/") || strings.HasPrefix(p, "node/") {
			p = "sys/devices/system/" + p
		}
		fsys[p] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return fsys
}

// smt4 is a plain machine to alter: two packages, each one node and one LLC, of
// one core with two threads, as a recent x86 kernel shows it.
func smt4(change ...string) fstest.MapFS {
	pairs := []string{
		"proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\n",
		"cpu/possible", "0-3\n", "cpu/present", "0-3\n", "cpu/online", "0-3\n",
		"node/node0/cpulist", "0,2\n", "node/node0/distance", "10 21\n",
		"node/node1/cpulist", "1,3\n", "node/node1/distance", "21 10\n",
	}
	for cpu := range 4 {
		same := fmt.Sprintf("%d,%d\n", cpu%2, cpu%2+2)
		dir := fmt.Sprintf("cpu/cpu%d/", cpu)
		pairs = append(pairs,
			dir+"topology/physical_package_id", fmt.Sprint(cpu%2), dir+"topology/core_id", "0",
			dir+"topology/thread_siblings_list", same, dir+"topology/core_siblings_list", same,
			dir+"cache/index0/level", "1\n", dir+"cache/index0/type", "Data\n", dir+"cache/index0/shared_cpu_list", same,
			dir+"cache/index3/level", "3\n", dir+"cache/index3/type", "Unified\n", dir+"cache/index3/shared_cpu_list", same,
		)
	}
	return alter(snap(pairs...), change...)
}

// alter sets files, or with the content "-" removes what the path begins.
func alter(fsys fstest.MapFS, change ...string) fstest.MapFS {
	for i := 0; i < len(change); i += 2 {
		if change[i+1] != "-" {
			for p, f := range snap(change[i], change[i+1]) {
				fsys[p] = f
			}
			continue
		}
		for p := range fsys {
			if strings.HasPrefix(strings.TrimPrefix(p, "sys/devices/system/"), change[i]) {
				delete(fsys, p)
			}
		}
	}
	return fsys
}

func mustRead(t testing.TB, fsys fs.FS) *Machine {
	t.Helper()
	m, err := ReadFS(fsys, "test")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ids returns what of gives for each CPU.
func ids(m *Machine, of func(*CPU) int) []int {
	var all []int
	for id := range m.CPUs {
		all = append(all, of(&m.CPUs[id]))
	}
	return all
}

func cores(m *Machine) []int    { return ids(m, func(c *CPU) int { return c.Core }) }
func clusters(m *Machine) []int { return ids(m, func(c *CPU) int { return c.Cluster }) }
func llcs(m *Machine) []int     { return ids(m, func(c *CPU) int { return c.LLC }) }
func packages(m *Machine) []int { return ids(m, func(c *CPU) int { return c.Package }) }
func nodes(m *Machine) []int    { return ids(m, func(c *CPU) int { return c.Node }) }

func wantIDs(t *testing.T, what string, got []int, want ...int) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// wantError checks that err is one line which has all parts.
func wantError(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("error is not one line: %q", err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q lacks %q", err, part)
		}
	}
}
