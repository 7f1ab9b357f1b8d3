package trace

import (
	"bufio"
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

const shared = "../../shared"

// recordings lists the real recordings, or skips the test.
func recordings(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(shared, "recordings", "*.tgz"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("no ../shared/recordings here")
	}
	return files
}

// rawText gives the text of a recording's trace.
func rawText(t testing.TB, path string) []byte {
	t.Helper()
	s, err := openSource(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	text, err := io.ReadAll(s.r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Each kind is read as often as its name stands in the text, and the text is
// nothing but these lines and comments.
func TestRecordingsComplete(t *testing.T) {
	for _, path := range recordings(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			info, err := Summarize(path)
			if err != nil {
				t.Fatal(err)
			}
			if info.Malformed != 0 || info.Lost != 0 || info.Overwritten != 0 || info.Backward != 0 {
				t.Errorf("damage: %+v", info)
			}
			text := rawText(t, path)
			comments := int64(0)
			for line := range bytes.Lines(text) {
				if line[0] == '#' {
					comments++
				}
			}
			if info.Events()+comments != info.Lines || info.Lines != int64(bytes.Count(text, []byte("\n"))) {
				t.Errorf("%d events and %d comments in %d lines", info.Events(), comments, info.Lines)
			}
			for k := range NumKinds {
				if k == int(Other) {
					continue
				}
				want := int64(bytes.Count(text, []byte(": "+Kind(k).String()+": ")))
				if info.Count[k] != want {
					t.Errorf("%v: read %d, the text has %d", Kind(k), info.Count[k], want)
				}
				if k != int(Exec) && want == 0 {
					t.Errorf("%v: none in this recording: the comparison says nothing", Kind(k))
				}
			}
			if info.NumCPUs != info.CPUs.Weight() {
				t.Errorf("%d CPUs said, %v seen", info.NumCPUs, info.CPUs)
			}
		})
	}
}

// The line's own names agree with those of the events, for every line whose
// task is its subject: so the columns are cut right.
func TestRecordingsAgreeWithThemselves(t *testing.T) {
	for _, path := range recordings(t) {
		r, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var e Event
		for r.Next(&e) == nil {
			if e.Kind == Switch && e.PID != e.PrevPID {
				t.Fatalf("%s: event %d: task %d leaves CPU %d of task %d", path, e.Seq, e.PrevPID, e.CPU, e.PID)
			}
			if e.Kind == Exit && (e.PID != e.NextPID || e.Comm != e.NextComm) {
				t.Fatalf("%s: event %d: %s-%d exits as %s-%d", path, e.Seq, e.Comm, e.PID, e.NextComm, e.NextPID)
			}
			if e.Ctx == CtxUnknown || e.Depth < 0 {
				t.Fatalf("%s: event %d: flags not read", path, e.Seq)
			}
		}
		r.Close()
	}
}

// Other traces of the shared data: with a column of thread groups, overwritten
// rings, odd names, raw fields, tabs, a last line without an end.
func TestOtherTexts(t *testing.T) {
	tests := []struct {
		glob                       string
		switches, wakings, wakeups int64
		overwritten, malformed     int64
	}{
		{"traces/qemu/B-*/ftrace-hotplug.txt.gz", 2963, 1507, 1516, 0, 0},
		{"traces/qemu/B-*/ftrace-overwritten-tgid.txt.gz", 1240, 633, 616, 2999, 0},
		{"traces/lisa/juno-report-raw.txt", 1856, 0, 1068, 0, 0},
		{"traces/trappy/no-trailing-line.txt", 1, 0, 0, 0, 0},
		{"traces/trappy/unsorted.txt", 6, 0, 0, 0, 1}, // its last line is cut
	}
	for _, test := range tests {
		files, err := filepath.Glob(filepath.Join(shared, test.glob))
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			t.Skipf("no ../shared/%s here", test.glob)
		}
		info, err := Summarize(files[0])
		if err != nil {
			t.Fatal(err)
		}
		got := []int64{info.Count[Switch], info.Count[Waking], info.Count[Wakeup], info.Overwritten, info.Malformed}
		want := []int64{test.switches, test.wakings, test.wakeups, test.overwritten, test.malformed}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: switches, wakings, wake-ups, overwritten, malformed %v, want %v (%s)", files[0], got, want, info.MalformedCause)
				break
			}
		}
	}
}

// countNames counts a file's event names by an independent cut.
func countNames(text string) map[string]int {
	names := map[string]int{}
	s := bufio.NewScanner(strings.NewReader(text))
	for s.Scan() {
		if fields := strings.SplitN(s.Text(), ": ", 3); len(fields) == 3 {
			names[fields[1]]++
		}
	}
	return names
}

func TestGeneratedText(t *testing.T) {
	text := generate(1000)
	_, info, err := readText(t, strings.NewReader(text))
	if err != io.EOF || info.Malformed > 0 {
		t.Fatalf("err %v, %d malformed: %s", err, info.Malformed, info.MalformedCause)
	}
	for name, n := range countNames(text) {
		found := false
		for k := range NumKinds {
			if Kind(k).String() == name {
				found = info.Count[k] == int64(n)
			}
		}
		if !found {
			t.Errorf("%s: the text has %d, read %v", name, n, info.Count)
		}
	}
}
