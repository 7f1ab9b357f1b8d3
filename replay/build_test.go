package replay

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recorder writes an ftrace text by hand. Times are in us.
type recorder struct {
	b      strings.Builder
	target int // target_cpu of wake-ups
}

// line writes an event: flags is the context column and the preempt depth.
func (r *recorder) line(at, cpu int, comm string, pid int, flags, format string, args ...any) {
	fmt.Fprintf(&r.b, "%16s-%-7d [%03d] d.%s. %5d.%06d: %s\n", comm, pid, cpu, flags, 5+at/1000000, at%1000000, fmt.Sprintf(format, args...))
}

// who splits "name-12"; "" is the idle task.
func who(cpu int, task string) (comm string, pid int) {
	if task == "" {
		return fmt.Sprintf("swapper/%d", cpu), 0
	}
	i := strings.LastIndexByte(task, '-')
	fmt.Sscan(task[i+1:], &pid)
	return task[:i], pid
}

func (r *recorder) switchTo(at, cpu int, prev, state, next string) {
	pc, pp := who(cpu, prev)
	nc, np := who(cpu, next)
	r.line(at, cpu, pc, pp, ".2", "sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=%s next_pid=%d next_prio=120", pc, pp, state, nc, np)
}

func (r *recorder) waking(at, cpu int, curr, flags, wakee string) {
	r.wakeEvent("sched_waking", at, cpu, curr, flags, wakee)
}

func (r *recorder) wakeEvent(event string, at, cpu int, curr, flags, wakee string) {
	c, p := who(cpu, curr)
	wc, wp := who(cpu, wakee)
	r.line(at, cpu, c, p, flags, "%s: comm=%s pid=%d prio=120 target_cpu=%03d", event, wc, wp, r.target)
}

func (r *recorder) place(at, cpu int, curr, wakee string, allowed int, mask uint64) {
	c, p := who(cpu, curr)
	_, wp := who(cpu, wakee)
	r.line(at, cpu, c, p, ".3", "place: (f+0x4/0x10) pid=%d prev=1 flags=8 recent=1 allowed=%d mask=%#x flips=0", wp, allowed, mask)
}

// load writes the text to a file and loads it without jitter.
func (r *recorder) load(t *testing.T) *Workload {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hand.txt")
	if err := os.WriteFile(path, []byte("# entries-in-buffer/entries-written: 1/1   #P:4\n"+r.b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := Load(path, Jitter(0))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestOperations(t *testing.T) {
	tests := []struct {
		name  string
		write func(r *recorder)
		want  map[string]string
		stats Stats // Tasks .. Resynced
	}{
		{"a task wakes another, preempted in between",
			func(r *recorder) {
				r.switchTo(0, 0, "", "R", "a-1")
				r.switchTo(100, 0, "a-1", "R+", "x-9")
				r.switchTo(150, 0, "x-9", "S", "a-1")
				r.waking(170, 0, "a-1", ".3", "b-2")
				r.switchTo(180, 1, "", "R", "b-2")
				r.switchTo(200, 0, "a-1", "S", "")
				r.waking(240, 1, "b-2", ".3", "a-1")
				r.switchTo(250, 0, "", "R", "a-1")
				r.switchTo(260, 1, "b-2", "S", "")
				r.switchTo(300, 0, "a-1", "X", "")
			},
			map[string]string{
				"a-1": "run 120 signal b-2 run 30 wait run 50 exit",
				"b-2": "wait run 60 signal a-1 run 20 exit",
				"x-9": "run 50 exit",
			}, Stats{Tasks: 3, Asleep: 2, Wakeups: 2, FromTasks: 2}},
		{"wake-ups from outside: interrupt, softirq, idle",
			func(r *recorder) {
				r.switchTo(0, 0, "", "R", "a-1")
				r.waking(10, 0, "a-1", "h3", "b-2")
				r.switchTo(20, 1, "", "R", "b-2")
				r.switchTo(30, 1, "b-2", "S", "")
				r.waking(40, 0, "a-1", "s3", "b-2")
				r.switchTo(50, 1, "", "R", "b-2")
				r.switchTo(60, 1, "b-2", "S", "")
				r.waking(70, 2, "", ".3", "b-2")
				r.switchTo(80, 1, "", "R", "b-2")
				r.switchTo(90, 1, "b-2", "S", "")
			},
			map[string]string{
				"a-1": "run 90 exit",
				"b-2": "wait run 10 wait run 10 wait run 10 exit",
			}, Stats{Tasks: 2, Asleep: 1, Wakeups: 3, Outside: 3}},
		{"ksoftirqd's softirqs are its own",
			func(r *recorder) {
				r.switchTo(0, 0, "", "R", "ksoftirqd/0-8")
				r.waking(10, 0, "ksoftirqd/0-8", "s3", "b-2")
				r.switchTo(20, 0, "ksoftirqd/0-8", "S", "")
				r.switchTo(25, 1, "", "R", "b-2")
				r.switchTo(30, 1, "b-2", "S", "")
			},
			map[string]string{
				"ksoftirqd/0-8": "run 10 signal b-2 run 10 exit",
				"b-2":           "wait run 5 exit",
			}, Stats{Tasks: 2, Asleep: 2, Wakeups: 1, FromTasks: 1}},
		{"a task that sends handles its own network softirq; not that of an interrupt",
			func(r *recorder) {
				r.switchTo(0, 0, "", "R", "a-1")
				r.line(5, 0, "a", 1, "s1", "softirq_entry: vec=3 [action=NET_RX]")
				r.waking(10, 0, "a-1", "s5", "b-2")
				r.switchTo(20, 1, "", "R", "b-2")
				r.switchTo(30, 1, "b-2", "S", "")
				r.line(35, 0, "a", 1, "s.", "softirq_entry: vec=3 [action=NET_RX]")
				r.waking(40, 0, "a-1", "s5", "b-2")
				r.switchTo(45, 1, "", "R", "b-2")
				r.switchTo(50, 1, "b-2", "S", "")
				r.line(55, 0, "a", 1, "s1", "softirq_entry: vec=1 [action=TIMER]")
				r.waking(60, 0, "a-1", "s5", "b-2")
				r.switchTo(65, 1, "", "R", "b-2")
				r.switchTo(70, 1, "b-2", "S", "")
			},
			map[string]string{
				"a-1": "run 10 signal b-2 run 60 exit",
				"b-2": "wait run 10 wait run 5 wait run 5 exit",
			}, Stats{Tasks: 2, Asleep: 1, Wakeups: 3, FromTasks: 1, Outside: 2}},
		{"early wake-up: the wait stands where the task was awake",
			func(r *recorder) {
				r.switchTo(0, 0, "", "R", "a-1")
				r.switchTo(0, 1, "", "R", "b-2")
				r.waking(40, 0, "a-1", ".3", "b-2") // b is about to sleep, and does not
				r.waking(90, 0, "a-1", ".3", "b-2") // once more
				r.switchTo(100, 1, "b-2", "S", "")
				r.waking(150, 0, "a-1", ".3", "b-2")
				r.switchTo(160, 1, "", "R", "b-2")
				r.switchTo(170, 1, "b-2", "X", "")
				r.switchTo(200, 0, "a-1", "S", "")
			},
			map[string]string{
				"a-1": "run 40 signal b-2 run 50 signal b-2 run 60 signal b-2 run 50 exit",
				"b-2": "run 40 wait run 50 wait run 10 wait run 10 exit",
			}, Stats{Tasks: 2, Asleep: 1, Wakeups: 3, FromTasks: 3, Early: 2}},
		{"woken while it was leaving the CPU: the sleep is the one that the wake-up ends",
			func(r *recorder) {
				r.switchTo(0, 0, "", "R", "a-1")
				r.switchTo(0, 1, "", "R", "b-2")
				r.waking(90, 0, "a-1", ".3", "b-2")
				r.switchTo(100, 1, "b-2", "S", "")
				r.switchTo(110, 1, "", "R", "b-2")
				r.switchTo(170, 1, "b-2", "X", "")
				r.switchTo(200, 0, "a-1", "S", "")
			},
			map[string]string{
				"a-1": "run 90 signal b-2 run 110 exit",
				"b-2": "run 100 wait run 60 exit",
			}, Stats{Tasks: 2, Asleep: 1, Wakeups: 1, FromTasks: 1}},
		{"early wake-up of a task that was preempted on its way to sleep",
			func(r *recorder) {
				r.switchTo(0, 0, "", "R", "a-1")
				r.switchTo(0, 1, "", "R", "b-2")
				r.switchTo(50, 1, "b-2", "R+", "c-3")
				r.waking(60, 0, "a-1", ".3", "b-2")
				r.switchTo(80, 1, "c-3", "S", "b-2")
				r.switchTo(90, 1, "b-2", "Z", "")
				r.switchTo(100, 0, "a-1", "S", "")
			},
			map[string]string{
				"a-1": "run 60 signal b-2 run 40 exit",
				"b-2": "run 50 wait run 10 exit",
				"c-3": "run 30 exit",
			}, Stats{Tasks: 3, Asleep: 2, Wakeups: 1, FromTasks: 1, Early: 1}},
		{"a task wakes itself",
			func(r *recorder) {
				r.switchTo(0, 0, "", "R", "a-1")
				r.waking(60, 0, "a-1", ".3", "a-1")
				r.switchTo(100, 0, "a-1", "X", "")
			},
			map[string]string{"a-1": "run 60 signal a-1 wait run 40 exit"},
			Stats{Tasks: 1, Wakeups: 1, FromTasks: 1, Early: 1}},
		{"sleeps without a wake-up end at the recorded time",
			func(r *recorder) {
				r.switchTo(10, 0, "a-1", "S", "")
				r.switchTo(60, 0, "", "R", "a-1")
				r.switchTo(80, 0, "a-1", "D", "")
				r.wakeEvent("sched_wakeup", 90, 1, "", "h3", "a-1")
				r.switchTo(95, 0, "", "R", "a-1")
				r.switchTo(100, 0, "a-1", "S", "")
				r.waking(120, 1, "", "h3", "a-1")
				r.wakeEvent("sched_wakeup", 121, 1, "", "h3", "a-1")
				r.switchTo(125, 0, "", "R", "a-1")
				r.switchTo(130, 0, "a-1", "S", "")
			},
			map[string]string{"a-1": "until 50 run 20 until 80 run 5 wait run 5 exit"},
			Stats{Tasks: 1, Asleep: 1, Wakeups: 1, Outside: 1, Unrecorded: 2}},
		{"running since the start, and to the end",
			func(r *recorder) {
				r.waking(0, 2, "", "h3", "b-2")
				r.waking(30, 0, "hog-5", "h3", "c-3") // the first that CPU 0 tells
				r.switchTo(100, 1, "", "R", "b-2")
				r.switchTo(130, 1, "b-2", "S", "c-3")
				r.switchTo(150, 1, "c-3", "S", "")
				r.switchTo(200, 1, "", "R", "b-2")
			},
			map[string]string{
				"hog-5": "run 200 exit",
				"b-2":   "wait run 30 until 200 exit",
				"c-3":   "wait run 20 exit",
			}, Stats{Tasks: 3, Asleep: 1, Wakeups: 2, Outside: 2, Unrecorded: 1}},
		{"fork, exec, exit, and the pid again",
			func(r *recorder) {
				r.switchTo(0, 0, "", "R", "sh-1")
				r.line(10, 0, "sh", 1, "..", "sched_process_fork: comm=sh pid=1 child_comm=sh child_pid=7")
				r.wakeEvent("sched_wakeup_new", 15, 0, "sh-1", ".2", "sh-7")
				r.switchTo(20, 1, "", "R", "sh-7")
				r.line(25, 1, "true", 7, "..", "sched_process_exec: filename=/bin/true pid=7 old_pid=7")
				r.line(28, 1, "true", 7, "..", "sched_process_exit: comm=true pid=7 prio=120")
				r.switchTo(30, 1, "true-7", "Z", "")
				r.line(40, 0, "sh", 1, "..", "sched_process_fork: comm=sh pid=1 child_comm=sh child_pid=7")
				r.wakeEvent("sched_wakeup_new", 45, 0, "sh-1", ".2", "sh-7")
				r.switchTo(50, 0, "sh-1", "S", "sh-7")
				r.switchTo(70, 0, "sh-7", "X", "")
			},
			map[string]string{
				"sh-1":   "run 15 fork true-7 run 30 fork sh-7 run 5 exit",
				"true-7": "run 10 exit",
				"sh-7":   "run 20 exit",
			}, Stats{Tasks: 3, Forked: 2, Asleep: 1}},
		{"a fork whose wake-up is missing",
			func(r *recorder) {
				r.switchTo(0, 0, "", "R", "sh-1")
				r.line(10, 0, "sh", 1, "..", "sched_process_fork: comm=sh pid=1 child_comm=sh child_pid=7")
				r.switchTo(20, 1, "", "R", "sh-7")
				r.switchTo(50, 1, "sh-7", "X", "")
				r.line(55, 0, "sh", 1, "..", "sched_process_fork: comm=sh pid=1 child_comm=sh child_pid=8") // too late
				r.switchTo(60, 0, "sh-1", "X", "")
			},
			map[string]string{"sh-1": "run 60 exit", "sh-7": "run 30 exit", "sh-8": "exit"},
			Stats{Tasks: 2}},
		{"switches that were lost",
			func(r *recorder) {
				r.switchTo(0, 0, "", "R", "a-1")
				r.waking(20, 0, "a-1", ".3", "b-2")
				r.waking(30, 0, "c-3", ".3", "b-2") // lost: a -> c
				r.switchTo(40, 1, "", "R", "c-3")   // lost: c left CPU 0
				r.switchTo(60, 1, "c-3", "S", "b-2")
				r.switchTo(70, 1, "b-2", "S", "")
			},
			map[string]string{
				"a-1": "run 20 signal b-2 exit",
				"b-2": "wait wait run 10 exit",
				"c-3": "signal b-2 run 20 exit",
			}, Stats{Tasks: 3, Asleep: 2, Wakeups: 2, FromTasks: 2, Early: 1, Resynced: 2}},
		{"affinity: the first, then a change before the sleep that ends with it",
			func(r *recorder) {
				r.switchTo(0, 0, "", "R", "a-1")
				r.switchTo(5, 1, "b-2", "S", "")
				for at := 100; at <= 300; at += 100 {
					r.waking(at, 0, "a-1", ".3", "b-2")
					r.place(at+1, 0, "a-1", "b-2", 2, map[int]uint64{100: 3, 200: 12, 300: 12}[at])
					r.switchTo(at+10, 1, "", "R", "b-2")
					r.switchTo(at+20, 1, "b-2", "S", "")
				}
				r.place(390, 0, "a-1", "a-1", 4, 15) // exec of the running task
				r.place(392, 0, "a-1", "a-1", 1, 1)
				r.place(394, 0, "a-1", "a-1", 4, 15)
				r.switchTo(400, 0, "a-1", "S", "")
			},
			map[string]string{
				"a-1": "run 100 signal b-2 run 100 signal b-2 run 100 signal b-2 run 92 allow 0 run 2 allow 0-3 run 6 exit",
				"b-2": "run 5 wait run 10 allow 2-3 wait run 10 wait run 10 exit",
			}, Stats{Tasks: 2, Asleep: 2, Wakeups: 3, FromTasks: 3}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var r recorder
			test.write(&r)
			w := r.load(t)
			if diff := cmp.Diff(test.want, script(w, 4)); diff != "" {
				t.Errorf("operations differ (-want +got):\n%s", diff)
			}
			got := w.Stats()
			got.Span, got.Run, got.Busy = 0, 0, nil
			if diff := cmp.Diff(test.stats, got); diff != "" {
				t.Errorf("stats differ (-want +got):\n%s", diff)
			}
			s := newWorld(t, w, 4)
			s.end()
			if s.delivered != w.Wakeups() || s.ran != w.Stats().Run {
				t.Errorf("%d wake-ups delivered of %d, %d ns run of %d", s.delivered, w.Wakeups(), s.ran, w.Stats().Run)
			}
		})
	}
}

// Where tasks start: when, on which CPU, with which affinity and priority.
func TestStarts(t *testing.T) {
	r := recorder{target: 1}
	r.switchTo(100, 0, "early-1", "S", "") // was running
	r.waking(200, 0, "", "h3", "asleep-2") // was asleep
	r.line(300, 3, "<idle>", 0, ".2", "sched_switch: prev_comm=swapper/3 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=late next_pid=3 next_prio=110")
	r.waking(310, 3, "late-3", ".3", "free-6")  // no choice, but RT: see below
	r.waking(330, 3, "late-3", ".3", "bound-8") // fair, woken without a choice
	r.waking(340, 3, "late-3", ".3", "free-9")  // with a choice
	r.place(341, 3, "late-3", "free-9", 4, 15)  // ... among all
	r.waking(350, 3, "late-3", ".3", "some-10") // with a choice
	r.place(351, 3, "late-3", "some-10", 2, 6)  // ... among two
	r.target = 2
	r.waking(380, 3, "late-3", ".3", "kworker/2:1H-7") // per-CPU by name
	r.switchTo(400, 2, "", "R", "kworker/2:1H-7")
	r.switchTo(500, 2, "kworker/2:1H-7", "I", "")
	r.target = 1
	r.waking(510, 3, "late-3", ".3", "kworker/1:1-11") // not where its name says
	r.switchTo(520, 2, "", "R", "kworker/1:1-11")
	r.switchTo(530, 2, "kworker/1:1-11", "R", "moved-12")
	r.line(540, 3, "late", 3, ".3", "sched_migrate_task: comm=moved pid=12 prio=120 orig_cpu=2 dest_cpu=0")
	r.line(600, 3, "late", 3, ".2", "sched_switch: prev_comm=late prev_pid=3 prev_prio=120 prev_state=S ==> next_comm=free next_pid=6 next_prio=49")
	r.line(700, 3, "free", 6, ".2", "sched_switch: prev_comm=free prev_pid=6 prev_prio=49 prev_state=S ==> next_comm=migration/3 next_pid=13 next_prio=0")
	r.line(710, 3, "migration/3", 13, ".2", "sched_switch: prev_comm=migration/3 prev_pid=13 prev_prio=0 prev_state=S ==> next_comm=dl next_pid=14 next_prio=-1")
	w := r.load(t)

	type start struct {
		At, CPU  int64
		Mask     string
		Nice, RT int8
	}
	want := map[string]start{
		"early-1":        {0, 0, "0-3", 0, 0},
		"asleep-2":       {0, 1, "1", 0, 0},
		"late-3":         {200, 3, "0-3", -10, 0},
		"free-6":         {0, 1, "0-3", 0, 50},
		"kworker/2:1H-7": {0, 2, "2", 0, 0},
		"bound-8":        {0, 1, "1", 0, 0},
		"free-9":         {0, 1, "0-3", 0, 0},
		"some-10":        {0, 1, "1-2", 0, 0},
		"kworker/1:1-11": {0, 1, "0-3", 0, 0},
		"moved-12":       {430, 2, "0-3", 0, 0},
		"migration/3-13": {600, 3, "3", 0, 99},
		"dl-14":          {610, 3, "0-3", 0, 99},
	}
	got := map[string]start{}
	s := newWorld(t, w, 4)
	for _, spec := range s.run.specs {
		got[spec.Name] = start{spec.Start / 1000, int64(spec.CPU), spec.Affinity.String(), spec.Nice, spec.RTPrio}
		if !spec.Placed {
			t.Errorf("%s is not placed", spec.Name)
		}
		if kthread := spec.Name == "kworker/2:1H-7" || spec.Name == "migration/3-13"; spec.PerCPUKthread != kthread {
			t.Errorf("%s: a per-CPU kernel thread is %v", spec.Name, spec.PerCPUKthread)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("starts differ (-want +got):\n%s", diff)
	}
	s.end()
}

func TestCPUOfName(t *testing.T) {
	for name, want := range map[string]int32{
		"ksoftirqd/3": 3, "kworker/12:1H": 12, "migration/0": 0, "kworker/u16:3": -1, "sh": -1, "a/b": -1,
		"a/": -1, "x/-1": -1, "x/99999999999": -1, "x/70000": -1, "kworker/0:1-events": 0, "kworker/R-rcu_g": -1,
	} {
		if got := cpuOfName(name); got != want {
			t.Errorf("%s: CPU %d, want %d", name, got, want)
		}
	}
}
