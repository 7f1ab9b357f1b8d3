package main

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type single struct {
	Machine, Workload, Policy string
	Seed                      uint64
	Metrics                   []struct {
		Name, Unit string
		Value      float64
	}
	Digest string
}

// Replayed under its own policy on its own machine, a recording has as many
// wake-ups as were recorded.
func TestRecordingsReplayTheirWakeups(t *testing.T) {
	if shared() == "" {
		t.Skip("shared recordings are missing")
	}
	files, err := filepath.Glob(filepath.Join(shared(), "recordings", "*.tgz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			out, stderr, code := invoke(t, "run", "--machine", file, "--workload", "trace:"+file, "--policy", "v6.12.117", "--format", "json")
			if code != 0 {
				t.Fatalf("exit %d: %s", code, stderr)
			}
			r := decode[single](t, out)
			recorded := countLines(t, file, " sched_waking: ")
			for _, m := range r.Metrics {
				if m.Name == "wakeups" && m.Value != float64(recorded) {
					t.Errorf("%v wake-ups, recorded were %d", m.Value, recorded)
				}
			}
			if recorded == 0 || r.Policy != "v6.12.117" || r.Workload != "trace:"+filepath.Base(file) {
				t.Errorf("%d wake-ups recorded; %+v", recorded, r)
			}
		})
	}
}

// countLines counts the lines of a recording's trace.txt that contain word.
func countLines(t *testing.T, file, word string) int {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err != nil {
			t.Fatalf("%s: no trace.txt: %v", file, err)
		}
		if filepath.Base(h.Name) != "trace.txt" {
			continue
		}
		n := 0
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if strings.Contains(lines.Text(), word) {
				n++
			}
		}
		if lines.Err() != nil {
			t.Fatal(lines.Err())
		}
		return n
	}
}
