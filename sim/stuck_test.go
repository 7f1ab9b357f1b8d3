package sim

import (
	"context"
	"strings"
	"testing"
)

// TestStuck: a run whose tasks all wait for what never comes says so, and on what;
// time passes to its limit. One that the limit cuts is none, and neither is a
// recording, whose tasks may sleep beyond its end.
func TestStuck(t *testing.T) {
	m, p := load(t, "uma-16", "v6.12")
	run, send, receive := Op{Kind: OpRun, Dur: 1000}, Op{Kind: OpSend, N: 1}, Op{Kind: OpRecv, N: 1}
	for name, tc := range map[string]struct {
		w    loops
		want string // "": not stuck
	}{
		"nobody sends":     {loops{tasks: [][]Op{{run, receive}}}, `tasks that wait for what never comes: 1, the first is "loop" (task 0), to receive from channel 0`},
		"nobody receives":  {loops{tasks: [][]Op{{{}}, {send}}}, `the first is "loop" (task 1), to send to channel 0`},
		"nobody signals":   {loops{tasks: [][]Op{{{Kind: OpSignal, N: 2}, {}}, {{Kind: OpWait, N: 5}}}}, "tasks that wait for what never comes: 1, the first is \"loop\" (task 1), for a count of 5 at event 0, which has 2"},
		"both receive":     {loops{tasks: [][]Op{{receive}, {receive}}}, "never comes: 2, the first"},
		"all exit":         {loops{tasks: [][]Op{{run, {}}}}, ""},
		"one sleeps":       {loops{tasks: [][]Op{{receive}, {{Kind: OpSleep, Dur: Forever}}}}, ""},
		"one runs":         {loops{tasks: [][]Op{{receive}, {{Kind: OpRun, Dur: Forever}}}}, ""},
		"recorded":         {loops{tasks: [][]Op{{run, receive}}, recorded: true}, ""},
		"a child, by name": {loops{tasks: [][]Op{{{Kind: OpFork, Task: &TaskSpec{Name: "child", Program: &repeat{receive, 1}}}, {}}}}, `"child" (task 1), to receive`},
	} {
		res, err := Run(context.Background(), Config{Machine: m, Policy: p, Workload: tc.w, For: 1e8})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if (res.Stuck != "") != (tc.want != "") || !strings.Contains(res.Stuck, tc.want) || strings.Contains(res.Stuck, "\n") {
			t.Errorf("%s: stuck %q, want %q", name, res.Stuck, tc.want)
		}
		if done := name == "all exit"; res.Done != done || !done && res.Now != 1e8 {
			t.Errorf("%s: ends at %d ns, done %v", name, res.Now, res.Done)
		}
	}
}
