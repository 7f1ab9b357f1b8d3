package trace

import (
	"bufio"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// newTextReader reads a stream that is known to be ftrace text.
func newTextReader(s *source) *Reader {
	r, err := formatText.reader(s)
	if err != nil {
		panic(err)
	}
	return r
}

// readText reads a text as if it were a file.
func readText(t testing.TB, r io.Reader) ([]Event, Info, error) {
	t.Helper()
	reader := newTextReader(&source{name: "test.txt", r: bufio.NewReader(r)})
	var events []Event
	for {
		var e Event
		if err := reader.Next(&e); err != nil {
			return events, reader.Info(), err
		}
		events = append(events, e)
	}
}

// Every kind of event and every shape of line, with the fields that it gives.
func TestLines(t *testing.T) {
	tests := []struct {
		name, line string
		want       Event
	}{
		{"switch",
			"          <idle>-0       [001] d..2.     8.293914: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=worker next_pid=18 next_prio=98",
			Event{Kind: Switch, Comm: "<idle>", CPU: 1, Time: 8293914000, Depth: 2, PrevComm: "swapper/1", PrevPrio: 120, PrevState: Running, NextComm: "worker", NextPID: 18, NextPrio: 98}},
		{"preempted, irq within softirq, 9 digits",
			"          worker-18      [012] dNH3.     8.000000001: sched_switch: prev_comm=worker prev_pid=18 prev_prio=100 prev_state=R+ ==> next_comm=migration/12 next_pid=19 next_prio=0",
			Event{Kind: Switch, Comm: "worker", PID: 18, CPU: 12, Time: 8000000001, Ctx: CtxHardIRQ, Depth: 3, PrevComm: "worker", PrevPID: 18, PrevPrio: 100, PrevState: Preempted, NextComm: "migration/12", NextPID: 19}},
		{"no flags",
			"          worker-18      [012]     8.5: sched_switch: prev_comm=worker prev_pid=18 prev_prio=120 prev_state=D ==> next_comm=x next_pid=19 next_prio=120",
			Event{Kind: Switch, Comm: "worker", PID: 18, CPU: 12, Time: 8500000000, Ctx: CtxUnknown, Depth: -1, PrevComm: "worker", PrevPID: 18, PrevPrio: 120, PrevState: Blocked, NextComm: "x", NextPID: 19, NextPrio: 120}},
		{"thread group known",
			"          worker-18      (   17) [2047] d..2.     8.500000: sched_process_exit: comm=worker pid=18 prio=120",
			Event{Kind: Exit, Comm: "worker", PID: 18, CPU: 2047, Time: 8500000000, Depth: 2, NextComm: "worker", NextPID: 18, NextPrio: 120}},
		{"thread group unknown",
			"          <idle>-0       (-------) [000] d.s2.     8.500000: softirq_entry: vec=1 [action=TIMER]",
			Event{Kind: SoftIRQ, Comm: "<idle>", Time: 8500000000, Ctx: CtxSoftIRQ, Depth: 2, Set: 1, Args: [8]int64{1}, Text: "TIMER"}},
		{"delay mark behind the flags",
			"          <idle>-0       [000] d..2.!    8.500000: tick_stop: success=0 dependency=PERF_EVENTS",
			Event{Kind: TickStop, Comm: "<idle>", Time: 8500000000, Depth: 2, Set: 1, Text: "PERF_EVENTS"}},
		{"four flags",
			"          <idle>-0       [000] d.h3     8.500000: tick_stop: success=1 dependency=NONE",
			Event{Kind: TickStop, Comm: "<idle>", Time: 8500000000, Ctx: CtxHardIRQ, Depth: 3, Set: 1, Args: [8]int64{1}, Text: "NONE"}},
		{"name with everything in it",
			" a [0]: ==> -1 b-77      [003] d..2.     9.000001: sched_switch: prev_comm=a [0]: ==> -1 b prev_pid=77 prev_prio=120 prev_state=S ==> next_comm=c-d:e ==> f next_pid=78 next_prio=120",
			Event{Kind: Switch, Comm: "a [0]: ==> -1 b", PID: 77, CPU: 3, Time: 9000001000, Depth: 2, PrevComm: "a [0]: ==> -1 b", PrevPID: 77, PrevPrio: 120, PrevState: Sleeping, NextComm: "c-d:e ==> f", NextPID: 78, NextPrio: 120}},
		{"names that look like fields",
			"  x prev_pid=1 y-77      [003] d..2.     9.000001: sched_switch: prev_comm=x prev_pid=1 y prev_pid=77 prev_prio=120 prev_state=S ==> next_comm=a next_pid=3 next_pid=78 next_prio=120",
			Event{Kind: Switch, Comm: "x prev_pid=1 y", PID: 77, CPU: 3, Time: 9000001000, Depth: 2, PrevComm: "x prev_pid=1 y", PrevPID: 77, PrevPrio: 120, PrevState: Sleeping, NextComm: "a next_pid=3", NextPID: 78, NextPrio: 120}},
		{"name that looks like a line",
			" q-1 [9] 1.0: x:-77      [003] d..2.     9.000001: sched_process_exit: comm=q-1 [9] 1.0: x: pid=77 prio=120",
			Event{Kind: Exit, Comm: "q-1 [9] 1.0: x:", PID: 77, CPU: 3, Time: 9000001000, Depth: 2, NextComm: "q-1 [9] 1.0: x:", NextPID: 77, NextPrio: 120}},
		{"empty name",
			"                -77      [003] d..2.     9.000001: sched_process_exit: comm= pid=77 prio=120",
			Event{Kind: Exit, PID: 77, CPU: 3, Time: 9000001000, Depth: 2, NextPID: 77, NextPrio: 120}},
		{"not aligned",
			"\tshort-77 [003]     9.000001: sched_process_exit: comm=short pid=77 prio=120",
			Event{Kind: Exit, Comm: "short", PID: 77, CPU: 3, Time: 9000001000, Ctx: CtxUnknown, Depth: -1, NextComm: "short", NextPID: 77, NextPrio: 120}},
		{"waking",
			"         waker-5 [004] d.s3.     8.325336: sched_waking: comm=w e pid=18 prio=120 target_cpu=001",
			Event{Kind: Waking, Comm: "waker", PID: 5, CPU: 4, Time: 8325336000, Ctx: CtxSoftIRQ, Depth: 3, NextComm: "w e", NextPID: 18, NextPrio: 120, Target: 1}},
		{"wakeup of an old kernel",
			"         waker-5 [004] d..3     8.325336: sched_wakeup: comm=w pid=18 prio=120 success=1 target_cpu=001",
			Event{Kind: Wakeup, Comm: "waker", PID: 5, CPU: 4, Time: 8325336000, Depth: 3, NextComm: "w", NextPID: 18, NextPrio: 120, Target: 1, Set: 1, Args: [8]int64{1}}},
		{"first wake-up",
			"         waker-5 [004] d..3.     8.325336: sched_wakeup_new: comm=w pid=18 prio=120 target_cpu=1024",
			Event{Kind: WakeupNew, Comm: "waker", PID: 5, CPU: 4, Time: 8325336000, Depth: 3, NextComm: "w", NextPID: 18, NextPrio: 120, Target: 1024}},
		{"deadline priority",
			"         waker-5 [004] d..3.     8.325336: sched_wakeup_new: comm=w pid=18 prio=-1 target_cpu=1",
			Event{Kind: WakeupNew, Comm: "waker", PID: 5, CPU: 4, Time: 8325336000, Depth: 3, NextComm: "w", NextPID: 18, NextPrio: -1, Target: 1}},
		{"migrate",
			"          <idle>-0       [000] d.s2.     8.526935: sched_migrate_task: comm=sh pid=152 prio=120 orig_cpu=4 dest_cpu=5",
			Event{Kind: Migrate, Comm: "<idle>", Time: 8526935000, Ctx: CtxSoftIRQ, Depth: 2, NextComm: "sh", NextPID: 152, NextPrio: 120, Orig: 4, Target: 5}},
		{"fork",
			"              sh-152     [005] .....     9.404873: sched_process_fork: comm=sh pid=1 pid=152 child_comm=sh c child_pid=160",
			Event{Kind: Fork, Comm: "sh", PID: 152, CPU: 5, Time: 9404873000, PrevComm: "sh pid=1", PrevPID: 152, NextComm: "sh c", NextPID: 160}},
		{"exec",
			"             cat-160     [013] .....     9.419766: sched_process_exec: filename=/bin/a pid=3 b pid=160 old_pid=161",
			Event{Kind: Exec, Comm: "cat", PID: 160, CPU: 13, Time: 9419766000, NextPID: 160, Set: 1, Args: [8]int64{161}, Text: "/bin/a pid=3 b"}},
		{"exit of a newer kernel",
			"             cat-160     [013] .....     9.427917: sched_process_exit: comm=cat pid=160 prio=120 group_dead=true",
			Event{Kind: Exit, Comm: "cat", PID: 160, CPU: 13, Time: 9427917000, NextComm: "cat", NextPID: 160, NextPrio: 120}},
		{"place",
			"              sh-152     [005] d..2.     9.405662: place: (select_task_rq_fair+0x4/0x1150) pid=160 prev=5 flags=4 recent=6 allowed=70 mask=0xffffffffffffffff flips=9 util=600 load=1024",
			Event{Kind: Place, Comm: "sh", PID: 152, CPU: 5, Time: 9405662000, Depth: 2, NextPID: 160, Set: 0xff, Args: [8]int64{5, 4, 6, 70, -1, 9, 600, 1024}}},
		{"place of a kernel without averages",
			"              sh-152     [005] d..2.     9.405662: place: (x+0x4/0x1150) pid=160 prev=5 flags=8 recent=6 allowed=2 mask=0x3 flips=9",
			Event{Kind: Place, Comm: "sh", PID: 152, CPU: 5, Time: 9405662000, Depth: 2, NextPID: 160, Set: 0x3f, Args: [8]int64{5, 8, 6, 2, 3, 9}}},
		{"placed",
			"              sh-152     [005] d..2.     9.406298: placed: (wake_up_new_task+0x258/0x300 <- select_task_rq_fair) to=13",
			Event{Kind: Placed, Comm: "sh", PID: 152, CPU: 5, Time: 9406298000, Depth: 2, Target: 13, Text: "wake_up_new_task"}},
		{"timer target",
			"              sh-152     [005] d.h3.     9.409304: timer_target: (hrtimer_start_range_ns+0x3ca/0x440 <- get_nohz_timer_target) to=5",
			Event{Kind: TimerTarget, Comm: "sh", PID: 152, CPU: 5, Time: 9409304000, Ctx: CtxHardIRQ, Depth: 3, Target: 5, Text: "hrtimer_start_range_ns"}},
		{"newidle",
			"              sh-152     [005] d..3.     9.409951: newidle: (sched_balance_newidle+0x0/0x500) this=5 avg_idle=1000000 max_cost=500000 overloaded=1",
			Event{Kind: Newidle, Comm: "sh", PID: 152, CPU: 5, Time: 9409951000, Depth: 3, Target: 5, Set: 7, Args: [8]int64{1000000, 500000, 1}}},
		{"newidle done",
			"              sh-152     [005] d..3.     9.409972: newidle_done: (pick_next_task_fair+0x4d/0x220 <- sched_balance_newidle) pulled=-1",
			Event{Kind: NewidleDone, Comm: "sh", PID: 152, CPU: 5, Time: 9409972000, Depth: 3, Set: 1, Args: [8]int64{-1}}},
		{"balance",
			"          <idle>-0       [005] ..s2.     9.410353: balance: (sched_balance_rq+0x0/0xe90) this=5 idle=1 level=2 newidle_cost=33846 failed=4",
			Event{Kind: Balance, Comm: "<idle>", CPU: 5, Time: 9410353000, Ctx: CtxSoftIRQ, Depth: 2, Target: 5, Set: 15, Args: [8]int64{1, 2, 33846, 4}}},
		{"balance done",
			"          <idle>-0       [005] ..s2.     9.410391: balance_done: (sched_balance_domains+0x263/0x380 <- sched_balance_rq) moved=2",
			Event{Kind: BalanceDone, Comm: "<idle>", CPU: 5, Time: 9410391000, Ctx: CtxSoftIRQ, Depth: 2, Set: 1, Args: [8]int64{2}}},
		{"detach",
			"          <idle>-0       [004] d.s2.     9.575898: detach: (detach_task+0x0/0x60) pid=163 src=5 dst=4 idle=2",
			Event{Kind: Detach, Comm: "<idle>", CPU: 4, Time: 9575898000, Ctx: CtxSoftIRQ, Depth: 2, NextPID: 163, Orig: 5, Target: 4, Set: 1, Args: [8]int64{2}}},
		{"leaves idle",
			"          <idle>-0       [003] d..1.     9.311882: cpu_idle: state=4294967295 cpu_id=3",
			Event{Kind: CPUIdle, Comm: "<idle>", CPU: 3, Time: 9311882000, Depth: 1, Target: 3, Set: 1, Args: [8]int64{-1}}},
		{"timer start",
			"              kw-118     [005] d..1.     8.991140: timer_start: timer=000000001f313547 function=delayed_work_timer_fn expires=4294676985 [timeout=950] bucket_expiry=4294676992 cpu=6 idx=136 flags=D|P|I",
			Event{Kind: TimerStart, Comm: "kw", PID: 118, CPU: 5, Time: 8991140000, Depth: 1, Target: 6, Set: 0x3f, Args: [8]int64{0x1f313547, 4294676985, 950, 4294676992, 136, 7}, Text: "delayed_work_timer_fn"}},
		{"timer of a young kernel",
			"              kw-118     [005] d..1.     8.991140: timer_cancel: timer=(____ptrval____)",
			Event{Kind: TimerCancel, Comm: "kw", PID: 118, CPU: 5, Time: 8991140000, Depth: 1}},
		{"timer expires",
			"              kw-118     [005] d.s1.     8.991140: timer_expire_entry: timer=1f function=fn now=4294676035 baseclk=4294676032",
			Event{Kind: TimerExpire, Comm: "kw", PID: 118, CPU: 5, Time: 8991140000, Ctx: CtxSoftIRQ, Depth: 1, Set: 0xc1, Args: [8]int64{0x1f, 0, 0, 0, 0, 0, 4294676035, 4294676032}, Text: "fn"}},
		{"hrtimer start",
			"              kw-118     [005] d.h2.     8.996410: hrtimer_start: hrtimer=06a617e0 function=tick_nohz_handler expires=8997000000 softexpires=8996000000 mode=ABS|PINNED|HARD was_armed=1",
			Event{Kind: HRTimerStart, Comm: "kw", PID: 118, CPU: 5, Time: 8996410000, Ctx: CtxHardIRQ, Depth: 2, Set: 0x1f, Args: [8]int64{0x06a617e0, 8997000000, 8996000000, ModeAbs | ModePinned | ModeHard, 1}, Text: "tick_nohz_handler"}},
		{"hrtimer expires",
			"              kw-118     [005] d.h1.     9.215654: hrtimer_expire_entry: hrtimer=06a617e0 function=tick_nohz_handler now=9215477639",
			Event{Kind: HRTimerExpire, Comm: "kw", PID: 118, CPU: 5, Time: 9215654000, Ctx: CtxHardIRQ, Depth: 1, Set: 0x41, Args: [8]int64{0x06a617e0, 0, 0, 0, 0, 0, 9215477639}, Text: "tick_nohz_handler"}},
		{"without meaning here",
			"              kw-118     [005] d.Z1.     9.215654: irq_handler_entry: irq=9 name=acpi",
			Event{Kind: Other, Comm: "kw", PID: 118, CPU: 5, Time: 9215654000, Ctx: CtxNMI, Depth: 1, Text: "irq_handler_entry"}},
		{"fields of trace-cmd report",
			"           <...>-4321  [002]    17.250001: sched_switch:          prev_comm=writer prev_pid=4321 prev_prio=119 prev_state=2 next_comm=swapper/2 next_pid=0 next_prio=120",
			Event{Kind: Switch, Comm: "<...>", PID: 4321, CPU: 2, Time: 17250001000, Ctx: CtxUnknown, Depth: -1, PrevComm: "writer", PrevPID: 4321, PrevPrio: 119, PrevState: Blocked, NextComm: "swapper/2", NextPrio: 120}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			// A sched event ends the file, so that no file is without one.
			text := test.line + "\n" + exitLine
			events, info, err := readText(t, strings.NewReader(text))
			if err != io.EOF || len(events) != 2 || info.Malformed != 0 {
				t.Fatalf("read %d events, err %v, malformed %d: %s", len(events), err, info.Malformed, info.MalformedCause)
			}
			if diff := cmp.Diff(test.want, events[0]); diff != "" {
				t.Errorf("event differs (-want +got):\n%s", diff)
			}
			if events[1].Seq != 1 {
				t.Errorf("second event has Seq %d", events[1].Seq)
			}
		})
	}
}

const exitLine = "             cat-160     [013] .....     9.427917: sched_process_exit: comm=cat pid=160 prio=120\n"

func TestStates(t *testing.T) {
	tests := map[string]State{
		"R": Running, "R+": Preempted, "S": Sleeping, "S+": Sleeping, "D": Blocked, "D|K": Blocked, "I": Idle,
		"T": Stopped, "t": Stopped, "X": Dead, "Z": Dead, "x": Dead, "P": Parked, "?": StateUnknown, "": StateUnknown,
		"0": Running, "1": Sleeping, "2": Blocked, "130": Blocked, "1026": Blocked, "4": Stopped, "8": Stopped, "16": Dead,
		"32": Dead, "64": Dead, "128": Idle, "256": Preempted, "4096": Preempted,
	}
	for text, want := range tests {
		if got := parseState([]byte(text)); got != want {
			t.Errorf("state %q: got %d, want %d", text, got, want)
		}
	}
}

// The header says which columns the flags have: this one is of a kernel with
// two more.
func TestHeaderNamesColumns(t *testing.T) {
	text := `# tracer: nop
#
# entries-in-buffer/entries-written: 10/25   #P:24
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _----=> need-resched-lazy
#                              || / _---=> hardirq/softirq
#                              ||| / _--=> preempt-depth
#                              |||| / _-=> preempt-lazy-depth
#                              ||||| / _-=> migrate-disable
#                              |||||| /     delay
#           TASK-PID     CPU#  |||||||  TIMESTAMP  FUNCTION
             cat-160     [013] dN.h4..     9.427917: sched_process_exit: comm=cat pid=160 prio=120
##### CPU 2 buffer started ####
             cat-160     [013] dN.....     9.427918: sched_process_exit: comm=cat pid=160 prio=120
`
	events, info, err := readText(t, strings.NewReader(text))
	if err != io.EOF || len(events) != 2 || info.Malformed != 0 {
		t.Fatalf("read %d events, err %v, malformed %d", len(events), err, info.Malformed)
	}
	if e := events[0]; e.Ctx != CtxHardIRQ || e.Depth != 4 {
		t.Errorf("context %d, depth %d", e.Ctx, e.Depth)
	}
	if e := events[1]; e.Ctx != CtxTask || e.Depth != 0 {
		t.Errorf("context %d, depth %d", e.Ctx, e.Depth)
	}
	if info.NumCPUs != 24 || info.Overwritten != 15 || info.CPUs.String() != "13" {
		t.Errorf("%d CPUs, %d overwritten, CPUs seen %v", info.NumCPUs, info.Overwritten, info.CPUs)
	}
}

func TestDamageIsCounted(t *testing.T) {
	text := "version = 6\ncpus=8\n\n" + exitLine +
		"CPU:3 [LOST 17 EVENTS]\nCPU:3 [LOST EVENTS]\nCPU:4 [2 EVENTS DROPPED]\nCPU:4 [EVENTS DROPPED]\n" +
		"             cat-160     [013] .....     9.4x: sched_process_exit: comm=cat pid=160 prio=120\n" + // line 9
		"             cat-160     [013] .....     9.4: sched_process_exit: comm=cat pid=99999999999 prio=120\n" +
		"             cat-160     [013] .....     9.4: sched_switch: prev_comm=cat prev_pid=1 prev_prio=120 prev_st\n" +
		"             cat-160     [70000] .....     9.4: sched_process_exit: comm=cat pid=1 prio=120\n" +
		"             cat-160     [013] .....     9999999999999.4: sched_process_exit: comm=cat pid=1 prio=120\n" +
		"             cat-160     [013] .....     9.4: irq_entry: irq=3\n" +
		"             cat-160     [013] .....     9.3: irq_entry: irq=3\n" +
		strings.Repeat("x", 3*lineBuffer) + "\n" +
		"             cat-160     [013] .....     9.5: sched_process_exit: comm=cat pid=1 prio=120" // without an end
	events, info, err := readText(t, strings.NewReader(text))
	if err != io.EOF || len(events) != 4 {
		t.Fatalf("read %d events, err %v", len(events), err)
	}
	want := Info{
		Name: "test.txt", Format: "ftrace text", Lines: 17,
		Others: []NameCount{{"irq_entry", 2}}, First: 9300000000, Last: 9500000000,
		CPUs: info.CPUs, NumCPUs: 8, Lost: 21, Backward: 2,
		Malformed: 6, MalformedLine: 9, MalformedCause: "not TASK-PID [CPU] FLAGS TIME: EVENT: ...",
	}
	want.Count[Exit], want.Count[Other] = 2, 2
	if diff := cmp.Diff(want, info); diff != "" {
		t.Errorf("info differs (-want +got):\n%s", diff)
	}
}

// What is wrong with a line is said in its own words.
func TestMalformedCauses(t *testing.T) {
	before := "             cat-160     [013] .....     9.4: "
	tests := map[string]string{
		"garbage":                               "not TASK-PID [CPU] FLAGS TIME: EVENT: ...",
		before + "no event here":                "not TASK-PID [CPU] FLAGS TIME: EVENT: ...",
		before + "sched_switch: prev=3":         "sched_switch: no prev_comm",
		before + "sched_waking: comm=x pid=3":   "sched_waking: no target_cpu",
		before + "sched_process_exit: pid=3":    "sched_process_exit: no comm",
		before + "detach: (x) pid=3 src=x":      "detach: no dst",
		before + "detach: pid=3 src=x dst=4":    "detach: src is not a number that fits",
		before + "softirq_entry: action=SCHED]": "softirq_entry: no vec",
		before + "balance_done: moved=":         "balance_done: moved is not a number that fits",
		before + "place: pid=1 mask=0xg":        "place: mask is not a number that fits",
		strings.Repeat("y", maxLine+1):          "the line is longer than 65536 bytes",
	}
	for line, want := range tests {
		_, info, err := readText(t, strings.NewReader(exitLine+line+"\n"+exitLine))
		if err != io.EOF || info.Malformed != 1 || info.MalformedLine != 2 || info.MalformedCause != want || info.Count[Exit] != 2 {
			t.Errorf("%.60q: err %v, %d malformed, line %d: %q; want %q", line, err, info.Malformed, info.MalformedLine, info.MalformedCause, want)
		}
	}
}

func TestNoSchedEvent(t *testing.T) {
	tests := map[string]string{
		"hello\n": "test.txt: no sched event in 1 lines; line 1: not TASK-PID [CPU] FLAGS TIME: EVENT: ...",
		"             cat-160     [013] .....     9.4: irq_entry: irq=3\n": "test.txt: no sched event in 1 lines",
		"# tracer: nop\n#\n": "test.txt: no sched event in 2 lines",
	}
	for text, want := range tests {
		_, _, err := readText(t, strings.NewReader(text))
		if err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

func TestTimes(t *testing.T) {
	tests := []struct {
		text string
		want int64
		ok   bool
	}{
		{"0.000001", 1000, true}, {"12.123456789", 12123456789, true}, {"9223372035.999999999", 9223372035999999999, true},
		{"9223372036.0", 0, false}, {"1", 0, false}, {"1.", 0, false}, {".5", 0, false}, {"1.0000000001", 0, false},
		{"1.5s", 0, false}, {"-1.5", 0, false}, {"", 0, false},
	}
	for _, test := range tests {
		if got, ok := parseTime([]byte(test.text)); ok != test.ok || ok && got != test.want {
			t.Errorf("time %q: got %d, %v", test.text, got, ok)
		}
	}
}

func TestNumbers(t *testing.T) {
	tests := []struct {
		text string
		want int64
		ok   bool
	}{
		{"0", 0, true}, {"-5", -5, true}, {"0x10", 16, true}, {"0xFFFFFFFFFFFFFFFF", -1, true},
		{"18446744073709551615", -1, true}, {"18446744073709551616", 0, false}, {"-9223372036854775808", 0, false},
		{"", 0, false}, {"-", 0, false}, {"0x", 0, false}, {"0x1ffffffffffffffff", 0, false}, {"1a", 0, false}, {"--1", 0, false},
	}
	for _, test := range tests {
		if got, ok := parseValue([]byte(test.text)); ok != test.ok || ok && got != test.want {
			t.Errorf("value %q: got %d, %v", test.text, got, ok)
		}
	}
}

// A hostile file of ever new names must not keep them all.
func TestNamesAreBounded(t *testing.T) {
	n := newInterner()
	name := make([]byte, 4096)
	for i := range 3 * maxInterned / len(name) {
		name[0], name[1] = byte(i), byte(i>>8)
		if got := n.get(name); got != string(name) {
			t.Fatal("a name changed")
		}
	}
	if n.bytes > maxInterned || len(n.names) > maxInterned/len(name) {
		t.Errorf("kept %d bytes in %d names", n.bytes, len(n.names))
	}
	counts := nameCounts{}
	for i := range 2 * maxNames {
		counts.add(string(rune('0' + i)))
	}
	if len(counts) != maxNames+1 || *counts[beyondNames] != maxNames {
		t.Errorf("%d names counted apart, %d together", len(counts)-1, *counts[beyondNames])
	}
}
