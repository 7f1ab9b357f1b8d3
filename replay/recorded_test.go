package replay

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedlab/trace"
)

const shared = "../../shared"

// files lists shared files, or skips the test.
func files(t testing.TB, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(shared, pattern))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Skipf("no ../shared/%s here", pattern)
	}
	return found
}

func load(t testing.TB, path string, options ...Option) *Workload {
	t.Helper()
	w, err := Load(path, options...)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Every recorded wake-up is delivered, nothing deadlocks, and with unlimited
// CPUs nothing ends later than it did in the recording.
func TestRecordings(t *testing.T) {
	for _, path := range files(t, "recordings/*.tgz") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			w := load(t, path, Jitter(0))
			info, stats := w.Info(), w.Stats()
			t.Logf("%+v", stats)
			if stats.Resynced != 0 {
				t.Errorf("%d contradictions in a recording without losses", stats.Resynced)
			}
			s := newWorld(t, w, info.NumCPUs)
			s.end()
			if s.delivered != info.Count[trace.Waking] || w.Wakeups() != s.delivered {
				t.Errorf("%d wake-ups delivered, %d promised, %d recorded", s.delivered, w.Wakeups(), info.Count[trace.Waking])
			}
			if s.now > w.Span() {
				t.Errorf("ends at %d, the recording at %d", s.now, w.Span())
			}
			if s.ran != stats.Run {
				t.Errorf("%d ns run of %d", s.ran, stats.Run)
			}
			if stats.Forked != info.Count[trace.WakeupNew] {
				t.Errorf("%d tasks forked of %d", stats.Forked, info.Count[trace.WakeupNew])
			}
			checkBusy(t, w)
			// Tracing starts with one event after another: only there are
			// sleeps without a wake-up.
			if limit := int64(info.NumCPUs) * 4; stats.Unrecorded > limit {
				t.Errorf("%d sleeps end without a wake-up", stats.Unrecorded)
			}
		})
	}
}

// checkBusy checks CPU time: no CPU is busy longer than the recording, and
// what the tasks use is what the CPUs gave.
func checkBusy(t *testing.T, w *Workload) {
	t.Helper()
	sum, stats := int64(0), w.Stats()
	for cpu, busy := range stats.Busy {
		if sum += busy; busy > stats.Span {
			t.Errorf("CPU %d is busy for %d ns of %d", cpu, busy, stats.Span)
		}
	}
	if sum != stats.Run {
		t.Errorf("CPUs are busy for %d ns, tasks run for %d", sum, stats.Run)
	}
}

// A loopback benchmark's wake-ups stand in softirq context, and are its tasks'
// all the same.
func TestLoopbackKeepsDependencies(t *testing.T) {
	w := load(t, files(t, "recordings/2s4c2t-tbench.tgz")[0])
	if s := w.Stats(); s.FromTasks < s.Wakeups*8/10 {
		t.Errorf("%d of %d wake-ups are by tasks", s.FromTasks, s.Wakeups)
	}
}

// Texts without sched_waking, with overwritten rings, without flags.
func TestOtherTexts(t *testing.T) {
	for _, pattern := range []string{
		"traces/qemu/B-*/ftrace-hotplug.txt.gz", "traces/qemu/B-*/ftrace-overwritten-tgid.txt.gz",
		"traces/lisa/juno-report-raw.txt", "traces/trappy/no-trailing-line.txt", "traces/trappy/unsorted.txt",
	} {
		path := files(t, pattern)[0]
		t.Run(filepath.Base(path), func(t *testing.T) {
			w := load(t, path, Jitter(0))
			info := w.Info()
			want := info.Count[trace.Waking]
			if want == 0 {
				want = info.Count[trace.Wakeup]
			}
			t.Logf("%+v", w.Stats())
			s := newWorld(t, w, 16)
			s.end()
			if s.delivered != want || w.Wakeups() != want {
				t.Errorf("%d wake-ups delivered, %d promised, %d recorded", s.delivered, w.Wakeups(), want)
			}
			if info.Backward == 0 {
				checkBusy(t, w)
			}
		})
	}
}

// A workload serves several runs at once, and its machine may be another one.
func TestRunsAtOnce(t *testing.T) {
	w := load(t, files(t, "recordings/2s4c2t-mixed.tgz")[0])
	before := script(w, 16)
	var all sync.WaitGroup
	ends := make([]int64, 4)
	for i := range ends {
		all.Go(func() {
			s := newWorld(t, w, 2+i/2*14)
			s.end()
			ends[i] = s.now
		})
	}
	all.Wait()
	if ends[0] != ends[1] || ends[2] != ends[3] {
		t.Errorf("equal runs end at %v", ends)
	}
	if diff := cmp.Diff(before, script(w, 16)); diff != "" {
		t.Errorf("a run changed the workload:\n%s", diff)
	}
}
