package machine

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// hwlocTest is a test of hwloc's own suite: a machine, options, and what hwloc
// makes of it.
type hwlocTest struct {
	name, source, target string
	isDefault            bool // neither options nor variables change what is counted
	icaches              bool // instruction caches are shown
}

var (
	hwlocKey = regexp.MustCompile(`(?m)^(source|target|options|env):[ \t]*(.*)$`)
	// harmless are options and variables that concern I/O, messages and form.
	harmless = regexp.MustCompile(`^(-|-v|--whole-io|--no-icaches|HWLOC_PCI_LOCALITY.*|HWLOC_SHOW_ERRORS.*|HWLOC_CPUKINDS.*|HWLOC_DEBUG_ALLOW_OVERLAPPING_NODE_CPUSETS.*|export HWLOC_\w+)$`)
)

func readHwlocTest(t *testing.T, file string) hwlocTest {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	h := hwlocTest{name: strings.TrimSuffix(filepath.Base(file), ".test"), isDefault: true, icaches: true}
	for _, m := range hwlocKey.FindAllStringSubmatch(string(text), -1) {
		value := strings.TrimSpace(m[2])
		switch m[1] {
		case "source":
			h.source = filepath.Join(filepath.Dir(file), value)
		case "target":
			h.target = filepath.Join(filepath.Dir(file), value)
		case "options":
			for _, o := range strings.Fields(value) {
				h.isDefault = h.isDefault && harmless.MatchString(o)
				h.icaches = h.icaches && o != "--no-icaches"
			}
		case "env":
			h.isDefault = h.isDefault && harmless.MatchString(value)
		}
	}
	return h
}

// TestHwlocCounts compares every machine of hwloc's suite with what hwloc makes
// of it with its default options. Tests with others are left out, but no machine
// that has one without.
func TestHwlocCounts(t *testing.T) {
	compared, machines := map[string]bool{}, map[string]bool{}
	for _, file := range shared(t, "machines/hwloc/*.test") {
		h := readHwlocTest(t, file)
		if _, err := os.Stat(h.source); err != nil {
			continue // not among the machines here
		}
		machines[h.source] = true
		if !h.isDefault {
			continue
		}
		compared[h.source] = true
		t.Run(h.name, func(t *testing.T) {
			m, err := Load(h.source)
			if err != nil {
				t.Fatal(err)
			}
			got, want := m.Hardware, hwlocCounts(t, h.target)
			if !h.icaches {
				got.L1i, want.L1i = 0, 0
			}
			got.MemoryOnlyNodes = 0 // the text does not show them
			if got != want {
				t.Errorf("\ngot   %+v\nhwloc %+v", got, want)
			}
			if strings.Contains(h.name, "buggy") && len(m.Warnings) == 0 {
				t.Error("no warning of a machine that lies")
			}
		})
	}
	for source := range machines {
		if !compared[source] {
			t.Errorf("%s: hwloc's suite has no test with default options", filepath.Base(source))
		}
	}
	if len(machines) < 20 {
		t.Errorf("%d machines", len(machines))
	}
}

var (
	consoleCount = regexp.MustCompile(`(?m)depth -?\d+:\s+(\d+) (\w+) \(type`)
	xmlObject    = regexp.MustCompile(`<object type="(\w+)"[^>]*`)
	xmlDepth     = regexp.MustCompile(` depth="(\d)"`)
)

// hwlocCounts reads how many of each kind hwloc found: from the table at the end
// of its text, or by counting the objects of its XML.
func hwlocCounts(t *testing.T, file string) Hardware {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n := map[string]int{}
	if strings.HasSuffix(file, ".xml") {
		for _, m := range xmlObject.FindAllStringSubmatch(string(text), -1) {
			kind := m[1]
			if kind == "Cache" {
				kind = "L" + xmlDepth.FindStringSubmatch(m[0])[1] + "Cache"
				if strings.Contains(m[0], `cache_type="2"`) {
					kind = strings.Replace(kind, "Cache", "iCache", 1)
				}
			}
			n[kind]++
		}
	} else {
		for _, m := range consoleCount.FindAllStringSubmatch(string(text), -1) {
			n[m[2]], _ = strconv.Atoi(m[1])
		}
	}
	return Hardware{
		Packages: n["Package"] + n["Socket"], Nodes: max(n["NUMANode"], 1), Cores: n["Core"], CPUs: n["PU"] + n["Proc"],
		L1d: n["L1Cache"] + n["L1dCache"], L1i: n["L1iCache"], L2: n["L2Cache"] + n["L2dCache"], L3: n["L3Cache"], L4: n["L4Cache"],
	}
}

// TestHwlocXML: the counts of every XML are the numbers of its objects, and the
// machine has as many parts as these say.
func TestHwlocXML(t *testing.T) {
	files := append(shared(t, "machines/hwloc-xml/*/*.xml"), shared(t, "machines/hwloc/*.xml")...)
	for _, file := range files {
		t.Run(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), func(t *testing.T) {
			m, err := Load(file)
			if err != nil {
				t.Fatal(err)
			}
			got, want := m.Hardware, hwlocCounts(t, file)
			got.MemoryOnlyNodes = 0
			if got != want {
				t.Errorf("\ngot     %+v\nobjects %+v", got, want)
			}
			s := m.Summary()
			if s.Online != want.CPUs || s.Nodes != want.Nodes || want.Cores > 0 && s.Cores != want.Cores || want.Packages > 0 && s.Packages > want.Packages {
				t.Errorf("%s; objects %+v", s, want)
			}
		})
	}
}
