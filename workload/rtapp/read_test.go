package rtapp

import (
	"fmt"
	"strings"
	"testing"
)

func load(source string) (*Workload, error) { return Read("f", strings.NewReader(source)) }

// inTask is a file of one task.
func inTask(body string) string { return `{"tasks":{"t":{` + body + `}}}` }

// TestRefused: what rt-app refuses, or what would end it later, is one line with
// its place and cause.
func TestRefused(t *testing.T) {
	for _, c := range [][2]string{
		{`[]`, `f:1:1: an array, where an object with "tasks" should be`},
		{`{}`, `f:1:1: there is no "tasks"`},
		{`{"tasks":null}`, `f:1:1: there is no "tasks"`},
		{`{"tasks":[]}`, `f:1:10: "tasks" must be an object, not an array`},
		{`{"tasks":{}}`, `f:1:10: no task has an instance: nothing would run`},
		{inTask(`"instance":0,"run":1`), `f:1:10: no task has an instance: nothing would run`},
		{`{"tasks":{"t":7}}`, `f:1:15: task "t" must be an object, not a whole number`},
		{inTask(``), `f:1:15: no events: a task must have some, or it does nothing`},
		{inTask(`"loop":3`), `f:1:15: no events: a task must have some, or it does nothing`},
		{inTask(`"phases":{}`), `f:1:25: there are no phases`},
		{inTask(`"phases":{"p":{}}`), `f:1:30: no events: a task must have some, or it does nothing`},
		{inTask(`"phases":[]`), `f:1:25: "phases" must be an object, not an array`},
		{inTask(`"phases":{"p":1}`), `f:1:30: phase "p" must be an object, not a whole number`},

		{inTask(`"run":"x"`), `f:1:22: event "run" takes a whole number, not a string`},
		{inTask(`"run":null`), `f:1:22: event "run" takes a whole number, not null`},
		{inTask(`"run":1.5`), `f:1:22: event "run" takes a whole number, not a number with a fraction`},
		{inTask(`"run":-1`), `f:1:22: "run": a time of -1 us`},
		{inTask(`"sleep":99999999999`), `f:1:24: "sleep": 99999999999 does not fit into 32 bits (-2147483648 to 2147483647)`},
		{inTask(`"runtime1":` + strings.Repeat("9", 100)), `f:1:27: "runtime1": ` + strings.Repeat("9", 40) + `... does not fit into 32 bits (-2147483648 to 2147483647)`},
		{inTask(`"lock_order":["a"]`), `f:1:29: event "lock_order" takes a string, not an array`},
		{inTask(`"barrier":1`), `f:1:26: event "barrier" takes a string, not a whole number`},
		{inTask(`"resume":1`), `f:1:25: event "resume" takes a string, not a whole number`},
		{inTask(`"wait":{"ref":1}`), `f:1:30: "ref" must be a string, not a whole number`},
		{inTask(`"timer":{"ref":"a","period":"b"}`), `f:1:44: "period" must be a whole number, not a string`},
		{inTask(`"timer":{"period":-5}`), `f:1:34: "period": a time of -5 us`},
		{inTask(`"fork":"other"`), `f:1:23: fork of the unknown task "other"`},
		{inTask(`"mem":-1`), `f:1:22: event "mem": -1 bytes`},
		{inTask(`"memrun":{"type":"chase"}`), `f:1:25: "size" is missing`},
		{inTask(`"memrun":{"type":"swap","size":1,"count":1}`), `f:1:25: event "memrun": unknown type "swap" (there are chase, read, write)`},

		{inTask(`"instance":-1,"run":1`), `f:1:27: -1 instances`},
		{inTask(`"instance":1e9,"run":1`), `f:1:27: "instance" must be a whole number, not a number with a fraction`},
		{inTask(`"instance":1000000000,"run":1`), `f:1:15: more than 200000 threads`},
		{`{"tasks":{"a":{"instance":150000,"run":1},"b":{"instance":150000,"run":1}}}`, `f:1:47: more than 200000 threads`},
		{inTask(`"loop":"x","run":1`), `f:1:23: "loop" must be a whole number, not a string`},
		{inTask(`"delay":-1,"run":1`), `f:1:24: "delay": a time of -1 us`},
		{inTask(`"cpus":3,"run":1`), `f:1:23: "cpus" must be an array, not a whole number`},
		{inTask(`"cpus":[],"run":1`), `f:1:23: "cpus" is empty: the task could run nowhere`},
		{inTask(`"cpus":[-1],"run":1`), `f:1:24: invalid CPU -1`},
		{inTask(`"cpus":["0"],"run":1`), `f:1:24: a CPU must be a whole number, not a string`},
		{inTask(`"nodes_membind":[-1],"run":1`), `f:1:33: invalid node -1`},
		{inTask(`"taskgroup":"tg","run":1`), `f:1:28: taskgroup "tg" has to start with '/'`},
		{inTask(`"taskgroup":"/tg","policy":"SCHED_FIFO","run":1`), `f:1:28: no taskgroup for policy SCHED_FIFO`},
		{inTask(`"util_min":1025,"run":1`), `f:1:27: "util_min": 1025 is not within 0 to 1024`},

		{inTask(`"policy":"SCHED_FAIR","run":1`), `f:1:25: invalid policy "SCHED_FAIR" (there are SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_RR, SCHED_FIFO, SCHED_DEADLINE)`},
		{inTask(`"priority":20,"run":1`), `f:1:15: priority 20: SCHED_OTHER takes nice values, -20 to 19`},
		{inTask(`"policy":"SCHED_RR","priority":0,"run":1`), `f:1:15: priority 0: SCHED_RR takes 1 to 99`},
		{inTask(`"phases":{"p":{"policy":"SCHED_FIFO","priority":100,"run":1}}`), `f:1:30: priority 100: SCHED_FIFO takes 1 to 99`},
		{inTask(`"policy":"SCHED_DEADLINE","run":1`), `f:1:15: SCHED_DEADLINE needs 2 us <= dl-runtime <= dl-deadline <= dl-period, not 0, 0, 0`},
		{inTask(`"policy":"SCHED_DEADLINE","dl-runtime":9,"dl-period":8,"run":1`), `f:1:15: SCHED_DEADLINE needs 2 us <= dl-runtime <= dl-deadline <= dl-period, not 9, 8, 8`},

		{`{"global":7,"tasks":{}}`, `f:1:11: "global" must be an object, not a whole number`},
		{`{"global":{"duration":"x"},"tasks":{}}`, `f:1:23: "duration" must be a whole number, not a string`},
		{`{"global":{"default_policy":"RR"},"tasks":{}}`, `f:1:29: invalid policy "RR" (there are SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_RR, SCHED_FIFO, SCHED_DEADLINE)`},
		{`{"global":{"gnuplot":1},"tasks":{}}`, `f:1:22: "gnuplot" must be a boolean, not a whole number`},
		{`{"global":{"calibration":"fast"},"tasks":{}}`, `f:1:26: invalid calibration "fast": it is a CPU, such as "CPU0", or ns per loop`},
		{`{"global":{"ftrace":"main,run"},"tasks":{}}`, `f:1:21: invalid ftrace category "run" (there are main, task, loop, event, stats, none)`},
		{`{"global":{"mem_buffer_size":0},"tasks":{}}`, `f:1:30: a buffer of 0 bytes`},
		{`{"resources":{"m":{"type":"lock"}},"tasks":{}}`, `f:1:27: invalid type of resource "lock" (there are mutex, wait, signal, broadcast, sync, sleep, run, timer)`},
		{`{"resources":{"m":{}},"tasks":{}}`, `f:1:15: resource "m" has no "type"`},
		{`{"resources":{"m":1},"tasks":{}}`, `f:1:19: resource "m" must be an object, not a whole number`},

		{"{\n\t\"tasks\": {\n\t\t\"t\": {\n\t\t\t\"run\": \"x\"\n", `f:5:1: the document ends where ',' or '}' in an object should be`},
		{"{\n\t\"tasks\": {\n\t\t\"t\": {\n\t\t\t\"run\": \"x\"}}}", `f:4:11: event "run" takes a whole number, not a string`},
	} {
		_, err := load(c[0])
		if err == nil || err.Error() != c[1] {
			t.Errorf("%.80s:\n got %v\nwant %s", c[0], err, c[1])
		}
	}
}

// TestWarnings: what is not done as by rt-app is said, once for each kind.
func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		source string
		want   []string
	}{
		{inTask(`"run":1,"loop":2,"cpus":[0],"delay":3,"priority":-3,"sleep":2,"sleep":3`), nil},
		{`{"global":{"duration":1,"ftrace":true,"gnuplot":false,"logdir":"./","log_size":"file","log_basename":"x","lock_pages":true,"calibration":"CPU3","cumulative_slack":true,"io_device":"/dev/null","mem_buffer_size":1024,"pi_enabled":false},` + inTask(`"run":1`)[1:], nil},
		{`{"global":{"calibration":120,"log_size":2,"ftrace":"main,TASK,,loop"},` + inTask(`"run":1`)[1:], nil},
		{inTask(`"run":1`) + " and more", []string{`f:1:27: what follows the document is ignored, as rt-app does`}},
		{inTask(`"run":1,"slep":5`), []string{`f:1:24: "slep" means nothing in a task and is ignored, as rt-app does`}},
		{`{"task":1,` + inTask(`"run":1`)[1:], []string{`f:1:2: "task" means nothing in the document and is ignored, as rt-app does`}},
		{inTask(`"run":1,"phases":{"p":{"run":1,"instance":2}}`), []string{
			`f:1:16: "run" means nothing in a task with phases and is ignored, as rt-app does`,
			`f:1:47: "instance" means nothing in a phase and is ignored, as rt-app does`,
		}},
		{inTask(`"loop":2,"run":1,"loop":3`), []string{`f:1:33: "loop" is given more than once: the last one counts, as in rt-app (its script workgen keeps the first)`}},
		{inTask(`"policy":"SCHED_RR","run":1`), nil},
		{inTask(`"policy":"SCHED_BATCH","run":1`), nil},
		{inTask(`"policy":"SCHED_DEADLINE","runtime":1000,"period":5000`), []string{`f:1:15: SCHED_DEADLINE is simulated as SCHED_FIFO of priority 99, without its budget`}},
		{inTask(`"phases":{"p":{"run":1},"q":{"run":1,"priority":5},"r":{"policy":"SCHED_FIFO","run":1}}`), nil},
		{inTask(`"taskgroup":"/a","phases":{"p":{"run":1},"q":{"run":1,"taskgroup":"/b"}}`), []string{
			`f:1:82: task groups cannot change between phases: a task keeps that of its first phase`,
		}},
		{inTask(`"dl-runtime":100000,"run":1`), []string{`f:1:15: slices of a task's own are not simulated: "dl-runtime" is ignored but for SCHED_DEADLINE`}},
		{inTask(`"taskgroup":"/a/b","util_max":3,"nodes_membind":[0],"run":1`), []string{
			`f:1:64: memory of NUMA nodes is not simulated: "nodes_membind" is ignored`,
			`f:1:28: task groups have one level: one below another is simulated beside it`,
		}},
		{`{"tasks":{"a":{"suspend":"b"},"b":{"resume":"b","suspend"},"c":{"suspend":"nobody"}}}`, []string{
			`f:1:26: a suspend that names another task waits for that one to be resumed, as before rt-app ignored the name (May 2025)`,
		}},
	} {
		w, err := load(c.source)
		if err != nil {
			t.Errorf("%s: %v", c.source, err)
			continue
		}
		got := fmt.Sprintf("%q", w.Warnings())
		for _, want := range c.want {
			if !strings.Contains(got, fmt.Sprintf("%q", want)) {
				t.Errorf("%s: warnings %s, want %q", c.source, got, want)
			}
		}
		if c.want == nil && len(w.Warnings()) > 0 {
			t.Errorf("%s: warnings %s, want none", c.source, got)
		}
	}
}

// TestWarningsAreBounded: a file of nonsense has a page of warnings, not a book.
func TestWarningsAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, `"x%d":1,`, i)
	}
	w, err := load(inTask(b.String() + `"run":1`))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(w.Warnings()); n != maxNotes+1 {
		t.Errorf("%d warnings, want %d", n, maxNotes+1)
	}
}

// TestTooLarge: nothing is read beyond the bound.
func TestTooLarge(t *testing.T) {
	_, err := load(inTask(`"run":1`) + strings.Repeat(" ", maxBytes))
	if err == nil || err.Error() != "f: more than 8 MiB" {
		t.Errorf("error %v", err)
	}
}

// TestSpan: a file without duration says how long its threads are busy, if they
// have an end.
func TestSpan(t *testing.T) {
	for source, want := range map[string]int64{
		`{"global":{"duration":7},` + inTask(`"run":1`)[1:]: 7e9,
		inTask(`"run":1000`):                                                   0,
		inTask(`"loop":3,"run":1000`):                                          3 * (1e6 + loopTime + eventTime),
		inTask(`"instance":4,"delay":500,"loop":1,"sleep":1000`):               4 * (1e6 + 5e5 + loopTime + eventTime),
		inTask(`"loop":2,"phases":{"p":{"loop":5,"run":10},"q":{"sleep":40}}`): 2 * (5*(1e4+loopTime+eventTime) + 4e4 + loopTime + eventTime),
		inTask(`"loop":2,"phases":{"p":{"loop":-1,"run":10}}`):                 0,
		inTask(`"loop":2147483647,"run":2147483647`):                           24 * 3600e9,
		`{"global":{"duration":2147483647},` + inTask(`"run":1`)[1:]:           24 * 3600e9,
	} {
		w, err := load(source)
		if err != nil {
			t.Fatal(err)
		}
		if w.Span() != want {
			t.Errorf("%s: %d ns, want %d", source, w.Span(), want)
		}
	}
}

// TestUniqueNames: tasks of one name get those that workgen gives.
func TestUniqueNames(t *testing.T) {
	w, err := load(`{"tasks":{"a":{"run":1},"a":{"run":1},"b":{"run":1},"a1":{"run":1},"a":{"run":1},"b":{"run":1}}}`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, task := range w.plan.tasks {
		got = append(got, task.name)
	}
	if want := "[a a1 b a11 a2 b2]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}
