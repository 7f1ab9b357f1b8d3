package machine

import (
	"fmt"
	"os"
	"path/filepath"
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

// TestLscpu compares which CPUs share a core, a socket, a node and a cache with
// what lscpu -p says of the same machine. It prints logical ids, which repeat for
// each type of CPU, and raw ones, which repeat in each socket or are unknown: CPUs
// share what has equal ids in both tables. What lscpu does not know is not compared.
func TestLscpu(t *testing.T) {
	for _, file := range shared(t, "machines/lscpu/*.tar.gz") {
		name := strings.TrimSuffix(filepath.Base(file), ".tar.gz")
		t.Run(name, func(t *testing.T) {
			m, err := Load(file)
			if err != nil {
				t.Fatal(err)
			}
			logical, raw := readTables(t, filepath.Join(filepath.Dir(file), "lscpu-"+name))
			if len(logical) != m.Online.Weight() || len(raw) != len(logical) {
				t.Fatalf("%d CPUs online, lscpu %d and %d", m.Online.Weight(), len(logical), len(raw))
			}
			for i := range logical {
				for column, id := range raw[i] {
					if column != "CPU" && logical[i][column] != "" {
						logical[i][column] += "/" + id
					}
				}
				if logical[i]["Core"] != "" {
					logical[i]["Core"] += " of " + logical[i]["Socket"]
				}
			}
			compareRows(t, m, logical)
		})
	}
}

// compareRows compares every pair of CPUs.
func compareRows(t *testing.T, m *Machine, rows []map[string]string) {
	t.Helper()
	for i, a := range rows {
		for _, b := range rows[:i] {
			x, y := &m.CPUs[cpuNumber(t, a["CPU"])], &m.CPUs[cpuNumber(t, b["CPU"])]
			for _, c := range []struct {
				column string
				same   bool
			}{
				{"Core", x.Core == y.Core}, {"Socket", x.Package == y.Package}, {"Node", x.Node == y.Node}, {"L3", x.LLC == y.LLC},
			} {
				if a[c.column] == "" || b[c.column] == "" {
					continue
				}
				if want := a[c.column] == b[c.column]; c.same != want {
					t.Fatalf("CPUs %d and %d have one %s: %v, lscpu %v", x.ID, y.ID, c.column, c.same, want)
				}
			}
		}
	}
}

func cpuNumber(t *testing.T, s string) (n int) {
	t.Helper()
	if _, err := fmt.Sscan(s, &n); err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return n
}

// readTables reads the two tables of lscpu -p: of logical and of raw ids.
func readTables(t *testing.T, file string) (logical, raw []map[string]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var tables [][]map[string]string
	var head []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "# CPU,"):
			head = strings.Split(line[2:], ",")
			tables = append(tables, nil)
		case line == "" || line[0] == '#' || head == nil:
		default:
			row := map[string]string{}
			for i, v := range strings.Split(line, ",") {
				row[head[i]] = v
			}
			tables[len(tables)-1] = append(tables[len(tables)-1], row)
		}
	}
	if len(tables) != 2 {
		t.Fatalf("%s: %d tables", file, len(tables))
	}
	return tables[0], tables[1]
}

// TestLscpuText reads lscpu's own output: the machine of the table is that of the
// dump, as far as the table says.
func TestLscpuText(t *testing.T) {
	for _, file := range shared(t, "machines/lscpu/lscpu-*") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			m, err := Load(file)
			if err != nil {
				t.Fatal(err)
			}
			rows, _ := readTables(t, file)
			if len(rows) != m.Online.Weight() {
				t.Errorf("%d CPUs online, %d rows", m.Online.Weight(), len(rows))
			}
			for _, r := range rows {
				if r["Core"] != "" { // threads of a core share its L1
					r["Core"] += "/" + r["Socket"] + "/" + r["L1d"]
				}
			}
			compareRows(t, m, rows)
		})
	}
}
