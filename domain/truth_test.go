package domain

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"schedlab/cpumask"
	"schedlab/machine"
)

// shared holds recordings of real kernels; it is no part of the project.
const shared = "../../shared"

// TestRealKernels builds the domains of every recorded machine and compares
// them with those that its own kernel, a 6.12, built: all that debugfs shows
// and every span, for every CPU.
func TestRealKernels(t *testing.T) {
	for _, pattern := range []string{"domains/*.tgz", "recordings/*.tgz"} {
		files, err := filepath.Glob(filepath.Join(shared, pattern))
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			t.Skipf("no %s here: real kernels are not compared with", filepath.Join(shared, pattern))
		}
		for _, file := range files {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".tgz"), func(t *testing.T) {
				t.Parallel()
				compareWithKernel(t, file)
			})
		}
	}
}

func compareWithKernel(t *testing.T, file string) {
	truth, err := readTruth(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := machine.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	d := mustBuild(t, m, RulesV612())
	if truth.cpus != m.Online.Weight() {
		t.Errorf("schedstat shows %d CPUs, the machine has %d online", truth.cpus, m.Online.Weight())
	}
	compared := 0
	for cpu, c := range d.CPUs {
		got, want := shown(c), truth.domains(cpu)
		if len(got) != len(want) {
			t.Fatalf("CPU %d has %d domains, the kernel's has %d", cpu, len(got), len(want))
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("CPU %d, domain %d:\ngot    %+v\nkernel %+v", cpu, i, got[i], want[i])
			}
			compared++
		}
	}
	if compared != truth.total() {
		t.Errorf("compared %d domains of %d that the kernel shows", compared, truth.total())
	}
}

// view is a domain as the kernel shows it in debugfs and, the span, schedstat.
type view struct {
	name, flags, groupsFlags string
	level, min, max          int
	busy, pct, tries         int
	span                     string
}

func shown(c CPU) []view {
	var vs []view
	for _, l := range c.Levels {
		vs = append(vs, view{
			name: l.Name, flags: l.Flags.String(), groupsFlags: l.Groups[l.First].Flags.String(),
			level: l.Level, min: l.MinInterval, max: l.MaxInterval,
			busy: l.BusyFactor, pct: l.ImbalancePct, tries: l.CacheNiceTries,
			span: l.Span.String(),
		})
	}
	return vs
}

// truth is what one kernel shows, by CPU and domain number.
type truth struct {
	cpus  int // CPUs in schedstat
	views map[[2]int]*view
}

func (tr *truth) at(cpu, i int) *view {
	if tr.views[[2]int{cpu, i}] == nil {
		tr.views[[2]int{cpu, i}] = &view{}
	}
	return tr.views[[2]int{cpu, i}]
}

func (tr *truth) domains(cpu int) []view {
	var vs []view
	for v := tr.views[[2]int{cpu, 0}]; v != nil; v = tr.views[[2]int{cpu, len(vs)}] {
		vs = append(vs, *v)
	}
	return vs
}

func (tr *truth) total() int { return len(tr.views) }

// readTruth reads the kernel's own files from an archive.
func readTruth(file string) (*truth, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	tr := &truth{views: map[[2]int]*view{}}
	for a := tar.NewReader(z); ; {
		h, err := a.Next()
		if errors.Is(err, io.EOF) {
			return tr, nil
		}
		if err != nil {
			return nil, err
		}
		if err := tr.readFile(path.Clean(h.Name), a); err != nil {
			return nil, fmt.Errorf("%s: %w", h.Name, err)
		}
	}
}

func (tr *truth) readFile(name string, r io.Reader) error {
	const debugfs = "machine/sys/kernel/debug/sched/domains/"
	rest, ok := strings.CutPrefix(name, debugfs)
	if !ok && name != "machine/proc/schedstat" {
		return nil
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if !ok {
		return tr.readSchedstat(string(data))
	}
	var cpu, i int
	if n, _ := fmt.Sscanf(rest, "cpu%d/domain%d/", &cpu, &i); n != 2 || strings.HasSuffix(rest, "/") {
		return nil
	}
	if path.Base(rest) == fmt.Sprintf("domain%d", i) {
		return nil
	}
	return tr.at(cpu, i).set(path.Base(rest), strings.TrimSpace(string(data)))
}

func (v *view) set(file, value string) error {
	numbers := map[string]*int{
		"level": &v.level, "min_interval": &v.min, "max_interval": &v.max,
		"busy_factor": &v.busy, "imbalance_pct": &v.pct, "cache_nice_tries": &v.tries,
	}
	switch file {
	case "name":
		v.name = value
	case "flags":
		v.flags = value
	case "groups_flags":
		v.groupsFlags = value
	case "max_newidle_lb_cost": // a live value
	default:
		n := numbers[file]
		if n == nil {
			return errors.New("not a file that we know")
		}
		var err error
		*n, err = strconv.Atoi(value)
		return err
	}
	return nil
}

// readSchedstat takes the spans: a line for each CPU, then one for each of its
// domains.
func (tr *truth) readSchedstat(text string) error {
	cpu := -1
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		if n, ok := strings.CutPrefix(f[0], "cpu"); ok {
			var err error
			if cpu, err = strconv.Atoi(n); err != nil {
				return err
			}
			tr.cpus++
		}
		if n, ok := strings.CutPrefix(f[0], "domain"); ok {
			i, err := strconv.Atoi(n)
			if err != nil {
				return err
			}
			span, err := cpumask.ParseHex(f[1])
			if err != nil {
				return err
			}
			tr.at(cpu, i).span = span.String()
		}
	}
	return nil
}
