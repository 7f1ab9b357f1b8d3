package machine

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// shared is where other people's machines lie, if they do.
func shared(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../../shared", pattern))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("no ../shared/%s here: real machines are not checked", pattern)
	}
	return files
}

// hwlocDiffers lists the machines that hwloc sees otherwise, and why.
var hwlocDiffers = map[string]string{
	"16em64t-4s2ca2c-cpusetreorder":   "hwloc obeys a cpuset",
	"40intel64-4n10c+pci-conflicts":   "its masks contradict its lists: hwloc reads masks, schedlab lists",
	"64amd64-4s2n4ca2co":              "hwloc believes core_id, Linux schedules by thread_siblings",
	"16amd64-8n2c-cpusets":            "hwloc obeys a cpuset",
	"32amd64-4s2n4c-cgroup2":          "hwloc obeys a cgroup",
	"4fake-4gr1nu1pu":                 "hwloc obeys a cpuset",
	"fakememinitiators-1np2c+1npp+gi": "hwloc drops nodes of CPUs without memory",
	"nvidiagpunumanodes":              "hwloc drops the nodes of GPUs",
}

func TestHwlocCounts(t *testing.T) {
	for _, file := range shared(t, "machines/hwloc/*.tar.bz2") {
		name := strings.TrimSuffix(filepath.Base(file), ".tar.bz2")
		t.Run(name, func(t *testing.T) {
			m, err := Load(file)
			if err != nil {
				t.Fatal(err)
			}
			if why := hwlocDiffers[name]; why != "" {
				t.Skip(why)
			}
			got := m.Summary()
			want := hwlocCounts(t, strings.TrimSuffix(file, ".tar.bz2"))
			for _, c := range []struct {
				what      string
				got, want int
			}{
				{"packages", got.Packages, want["Package"]},
				{"nodes", got.Nodes, want["NUMANode"]},
				{"cores", got.Cores, want["Core"]},
				{"CPUs", got.Online, want["PU"]},
			} {
				if c.want == 0 {
					t.Logf("hwloc shows no %s, schedlab %d", c.what, c.got)
				} else if c.got != c.want {
					t.Errorf("%s: got %d, hwloc %d", c.what, c.got, c.want)
				}
			}
		})
	}
}

var (
	consoleCount = regexp.MustCompile(`(?m)depth -?\d+:\s+(\d+) (\w+) \(type`)
	xmlObject    = regexp.MustCompile(`<object type="(\w+)"`)
)

// hwlocCounts reads how many of each kind hwloc found.
func hwlocCounts(t *testing.T, base string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	if text, err := os.ReadFile(base + ".console"); err == nil {
		for _, m := range consoleCount.FindAllStringSubmatch(string(text), -1) {
			counts[m[2]], _ = strconv.Atoi(m[1])
		}
		return counts
	}
	text, err := os.ReadFile(base + ".xml")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range xmlObject.FindAllStringSubmatch(string(text), -1) {
		counts[m[1]]++
	}
	return counts
}

// lscpuDiffers lists the machines that lscpu sees otherwise, and why.
var lscpuDiffers = map[string]string{
	"arm-A510-A710-A715-X3": "lscpu takes equal core ids of different packages for one core",
}

// TestLscpu compares which CPUs share a core, a socket and a node with the
// table that lscpu -p makes of the same machine.
func TestLscpu(t *testing.T) {
	for _, file := range shared(t, "machines/lscpu/*.tar.gz") {
		name := strings.TrimSuffix(filepath.Base(file), ".tar.gz")
		t.Run(name, func(t *testing.T) {
			m, err := Load(file)
			if err != nil {
				t.Fatal(err)
			}
			if why := lscpuDiffers[name]; why != "" {
				t.Skip(why)
			}
			rows := lscpuTable(t, filepath.Join(filepath.Dir(file), "lscpu-"+name))
			if len(rows) != m.Online.Weight() {
				t.Fatalf("%d CPUs online, lscpu %d", m.Online.Weight(), len(rows))
			}
			for i, a := range rows {
				for _, b := range rows[:i] {
					x, y := m.CPUs[a[0]], m.CPUs[b[0]]
					if got, want := x.Core == y.Core, a[1] == b[1]; got != want {
						t.Fatalf("CPUs %d and %d share a core: %v, lscpu %v", x.ID, y.ID, got, want)
					}
					if got, want := x.Package == y.Package, a[2] == b[2]; got != want {
						t.Fatalf("CPUs %d and %d share a package: %v, lscpu %v", x.ID, y.ID, got, want)
					}
					if got, want := x.Node == y.Node, a[3] == b[3]; got != want {
						t.Fatalf("CPUs %d and %d share a node: %v, lscpu %v", x.ID, y.ID, got, want)
					}
				}
			}
		})
	}
}

// lscpuTable reads the first parsable table: CPU, core, socket, node, logical.
func lscpuTable(t *testing.T, file string) (rows [][4]int) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "# CPU,")
	if !ok {
		t.Fatalf("%s: no table", file)
	}
	table, _, _ = strings.Cut(table, "\n\n")
	for _, line := range strings.Split(table, "\n")[1:] {
		fields := strings.Split(line, ",")
		if len(fields) < 4 {
			continue
		}
		var row [4]int
		for i := range row {
			if fields[i] != "" {
				if row[i], err = strconv.Atoi(fields[i]); err != nil {
					t.Fatalf("%s: %q: %v", file, line, err)
				}
			}
		}
		rows = append(rows, row)
	}
	return rows
}
