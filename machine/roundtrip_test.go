package machine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedlab/cpumask"
)

// asSysfs writes a machine the way a kernel shows it, offline CPUs included.
func asSysfs(m *Machine, maps bool) memFS {
	fsys := newMemFS()
	put := func(p, text string) { fsys.add("sys/devices/system/"+p, []byte(text+"\n")) }
	masks := func(name string, of cpumask.Mask) {
		if maps {
			put(strings.TrimSuffix(name, "_list"), hexOf(of))
		} else {
			put(name, of.String())
		}
	}
	share := func(id int, of func(*CPU) int) cpumask.Mask {
		all := cpumask.New(len(m.CPUs))
		for c := range m.Online.All() {
			if of(&m.CPUs[c]) == of(&m.CPUs[id]) {
				all.Set(c)
			}
		}
		return all
	}
	fsys.add("proc/cpuinfo", []byte("vendor_id\t: GenuineIntel\n"))
	put("cpu/possible", fmt.Sprintf("0-%d", len(m.CPUs)-1))
	put("cpu/online", m.Online.String())
	for id := range m.CPUs {
		dir := fmt.Sprintf("cpu/cpu%d/", id)
		put(dir+"uevent", "")
		if !m.CPUs[id].Online {
			continue
		}
		masks(dir+"topology/thread_siblings_list", share(id, func(c *CPU) int { return c.Core }))
		masks(dir+"topology/core_siblings_list", share(id, func(c *CPU) int { return c.Package }))
		put(dir+"cache/index0/level", "3")
		put(dir+"cache/index0/type", "Unified")
		if maps {
			put(dir+"cache/index0/shared_cpu_map", hexOf(share(id, func(c *CPU) int { return c.LLC })))
		} else {
			put(dir+"cache/index0/shared_cpu_list", share(id, func(c *CPU) int { return c.LLC }).String())
		}
	}
	for id, n := range m.Nodes {
		put(fmt.Sprintf("node/node%d/cpulist", id), n.CPUs.String())
		put(fmt.Sprintf("node/node%d/distance", id), strings.Trim(fmt.Sprint(n.Distance), "[]"))
	}
	fsys.sort()
	return fsys
}

func hexOf(m cpumask.Mask) string {
	var words []string
	for id := max(m.Last(), 0) / 32 * 32; id >= 0; id -= 32 {
		var w uint32
		for bit := range 32 {
			if m.Test(id + bit) {
				w |= 1 << bit
			}
		}
		words = append(words, fmt.Sprintf("%08x", w))
	}
	return strings.Join(words, ",")
}

// TestSnapshotRoundTrip: any regular machine, with any CPUs offline, written as
// sysfs and read again is the same machine.
func TestSnapshotRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawRegular(t)
		got, err := ReadFS(asSysfs(m, rapid.Bool().Draw(t, "maps")), "test")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m.CPUs, got.CPUs); diff != "" {
			t.Fatalf("CPUs (-wrote +read)\n%s", diff)
		}
		if !got.Online.Equal(m.Online) || len(got.Nodes) != len(m.Nodes) || len(got.Warnings) > 0 {
			t.Fatalf("online %s, %d nodes, warnings %q", got.Online, len(got.Nodes), got.Warnings)
		}
		for i, n := range m.Nodes {
			if !got.Nodes[i].CPUs.Equal(n.CPUs) || !got.Nodes[i].Exists || cmp.Diff(n.Distance, got.Nodes[i].Distance) != "" {
				t.Fatalf("node %d: wrote %+v, read %+v", i, n, got.Nodes[i])
			}
		}
	})
}

// TestLargeSnapshot reads a machine beyond 1024 CPUs.
func TestLargeSnapshot(t *testing.T) {
	m, err := Load("synthetic:sockets=2,cores=384,threads=2,llc=16,nodes=4")
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadFS(asSysfs(m, false), "test")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m.CPUs, got.CPUs); diff != "" {
		t.Fatalf("CPUs (-wrote +read)\n%s", diff)
	}
}
