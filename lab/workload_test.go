package lab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedlab/replay"
	"schedlab/sim"
	"schedlab/workload"
)

func TestSplitTrace(t *testing.T) {
	is := func(names ...string) func(string) bool {
		return func(file string) bool {
			for _, n := range names {
				if n == file {
					return true
				}
			}
			return false
		}
	}
	for _, tc := range []struct {
		text       string
		exists     func(string) bool
		file, keys string
	}{
		{"rec.tgz", is(), "rec.tgz", ""},
		{"rec.tgz,jitter=2%", is("rec.tgz"), "rec.tgz", "jitter=2%"},
		{"rec.tgz,jitter=", is("rec.tgz"), "rec.tgz", "jitter="},
		{"a,b=c,d.tgz", is(), "a,b=c,d.tgz", ""},
		{"a,b.tgz,jitter=0.5", is("a,b.tgz"), "a,b.tgz", "jitter=0.5"},
		{"rec,jitter=2%", is("rec", "rec,jitter=2%"), "rec,jitter=2%", ""},
		{"a,jitter=2%,jitter=3%", is(), "a,jitter=2%", "jitter=3%"},
		{"a,jitter=2%/rec.tgz", is(), "a,jitter=2%/rec.tgz", ""},
		{"a,jitter=2%,b", is(), "a,jitter=2%,b", ""},
		{",jitter=2%", is(), "", "jitter=2%"},
		{"", is(), "", ""},
	} {
		if file, keys := splitFile(tc.text, tc.exists); file != tc.file || keys != tc.keys {
			t.Errorf("%q: file %q, keys %q; want %q and %q", tc.text, file, keys, tc.file, tc.keys)
		}
	}
}

func FuzzSplitTrace(f *testing.F) {
	f.Add("rec.tgz,jitter=2%", true)
	f.Add("a,b/c,jitter=", false)
	f.Fuzz(func(t *testing.T, text string, exists bool) {
		file, keys := splitFile(text, func(string) bool { return exists })
		if keys == "" && file != text || keys != "" && (exists || file+","+keys != text || !strings.HasPrefix(keys, "jitter=")) {
			t.Errorf("%q is parted into %q and %q", text, file, keys)
		}
	})
}

const someTrace = `# tracer: nop
#
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
          <idle>-0       [001] d..2.    10.000000: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=100 next_prio=120
               a-100     [001] d..2.    10.002000: sched_switch: prev_comm=a prev_pid=100 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
`

// TestTraceJitter: a recording takes a jitter, which is part of its name, and is
// heard; a file's commas are its own.
func TestTraceJitter(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"rec.txt", "a,b=1.txt", "odd,jitter=7%"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(someTrace), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for spec, want := range map[string]string{
		"rec.txt":               "trace:rec.txt",
		"rec.txt,jitter=0%":     "trace:rec.txt,jitter=0%",
		"rec.txt,jitter=2.5":    "trace:rec.txt,jitter=2.5%",
		"rec.txt,jitter=1%":     "trace:rec.txt", // the default
		"a,b=1.txt,jitter=100%": "trace:a,b=1.txt,jitter=100%",
		"odd,jitter=7%":         "trace:odd,jitter=7%",
	} {
		w, err := ParseWorkload("trace:" + filepath.Join(dir, spec))
		if err != nil || w.Name() != want {
			t.Errorf("%s: %v, %v; want %s", spec, w, err, want)
		}
		if _, ok := w.(*replay.Workload); !ok {
			t.Errorf("%s: %T has no warnings", spec, w)
		}
	}
	for spec, want := range map[string]string{
		"rec.txt,jitter=":     "trace: jitter=: must be a percentage from 0% to 100%",
		"rec.txt,jitter=101%": "trace: jitter=101%: must be a percentage",
		"rec.txt,loops=3":     "rec.txt,loops=3",
	} {
		if w, err := ParseWorkload("trace:" + filepath.Join(dir, spec)); w != nil || err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v; want one line with %q", spec, w, err, want)
		}
	}
	took := func(spec string, seed uint64) int64 {
		w, err := ParseWorkload("trace:" + filepath.Join(dir, spec))
		if err != nil {
			t.Fatal(err)
		}
		r, err := sim.Run(t.Context(), sim.Config{Machine: testMachine(4), Policy: policies(t, "v6.12")[0], Workload: w, Seed: seed, For: 1e9})
		if err != nil {
			t.Fatal(err)
		}
		return r.Busy
	}
	if a, b := took("rec.txt,jitter=0%", 1), took("rec.txt,jitter=0%", 2); a != b || a != 2_000_000 {
		t.Errorf("without jitter %d and %d ns, recorded are 2 ms", a, b)
	}
	if a, b := took("rec.txt,jitter=50%", 1), took("rec.txt,jitter=50%", 2); a == b {
		t.Errorf("with jitter %d ns whatever the seed", a)
	}
}

// TestTraceKeys: the key is listed with its default.
func TestTraceKeys(t *testing.T) {
	for _, k := range workload.List() {
		if k.Name == "trace" {
			if len(k.Keys) != 1 || k.Keys[0].Name != "jitter" || k.Keys[0].Default != "1%" || k.Keys[0].Doc == "" {
				t.Errorf("%+v", k.Keys)
			}
			return
		}
	}
	t.Error("no trace")
}
