package sim

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"schedlab/machine"
)

// loops is a workload of tasks that perform the same operations for ever, each
// its own ones, on channel 0 and event 0.
type loops struct {
	tasks    [][]Op
	recorded bool // nothing costs anything
	deepest  *int // of the stack below Next
}

func (w loops) Name() string   { return "loops" }
func (w loops) Unit() string   { return "operations" }
func (w loops) Recorded() bool { return w.recorded }

func (w loops) Setup(b *Builder) error {
	b.Channel(ChannelSpec{Capacity: 1})
	b.Event()
	for _, ops := range w.tasks {
		b.Task(TaskSpec{Name: "loop", Program: &loop{w: &w, ops: ops}})
	}
	return nil
}

type loop struct {
	w   *loops
	ops []Op
	n   int
}

func (p *loop) Next(c *Ctx) Op {
	c.Work(1)
	if p.n%4096 == 0 && p.w.deepest != nil {
		var frames [256]uintptr
		*p.w.deepest = max(*p.w.deepest, runtime.Callers(0, frames[:]))
	}
	p.n++
	return p.ops[(p.n-1)%len(p.ops)]
}

func smallMachine(t *testing.T, cpus string) *machine.Machine {
	t.Helper()
	m, err := machine.Load("synthetic:sockets=1,threads=1,cores=" + cpus)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestEndlessWithoutTime: programs that never use time, alone or with each other,
// are an error, reached soon and on a small stack.
func TestEndlessWithoutTime(t *testing.T) {
	yield, signal, wait := Op{Kind: OpYield}, Op{Kind: OpSignal, N: 1}, Op{Kind: OpWait, N: 1}
	send, receive := Op{Kind: OpSend, N: 1}, Op{Kind: OpRecv, N: 1}
	many := make([][]Op, 1000)
	for i := range many {
		many[i] = []Op{yield}
	}
	for name, tasks := range map[string][][]Op{
		"run for no time":    {{{Kind: OpRun}}},
		"a time that passed": {{{Kind: OpSleepUntil, Dur: -1}}},
		"signal":             {{signal}},
		"own signal":         {{signal, wait}},
		"yield":              {{yield}},
		"yield in turn":      {{yield}, {yield}},
		"many yield":         many,
		"ping-pong":          {{signal, wait}, {wait, signal}},
		"send and receive":   {{send}, {receive}},
	} {
		_, p := load(t, "uma-16", "v6.12")
		deepest := 0
		_, err := Run(context.Background(), Config{
			Machine: smallMachine(t, "1"), Policy: p, Workload: loops{tasks, true, &deepest}, For: 1e9,
		})
		if err == nil || !strings.Contains(err.Error(), "use no time at 0 ns") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
		if deepest > 50 || deepest == 0 {
			t.Errorf("%s: %d calls deep", name, deepest)
		}
	}
}

// TestYieldTakesTime: a yield and the switch that follows are paid, so tasks that
// do nothing else come to the end of the run, with as many switches as fit.
func TestYieldTakesTime(t *testing.T) {
	for _, spec := range []string{"v4.20", "v6.12"} {
		_, p := load(t, "uma-16", spec)
		m := smallMachine(t, "1")
		yield := []Op{{Kind: OpYield}}
		res, err := Run(context.Background(), Config{Machine: m, Policy: p, Workload: loops{tasks: [][]Op{yield, yield}}, For: 1e6})
		if err != nil {
			t.Fatalf("%s: %v", spec, err)
		}
		if res.Now != 1e6 || res.Switches < 10 || res.Switches > res.Now/m.Costs.Switch+2 {
			t.Errorf("%s: %d switches of %d ns in %d ns", spec, res.Switches, m.Costs.Switch, res.Now)
		}
	}
}

// TestForever: an operation without end lasts to the end of the run.
func TestForever(t *testing.T) {
	_, p := load(t, "uma-16", "v6.12")
	for _, dur := range []int64{Forever, Forever - 1, MaxRun + 1, MaxRun, farFuture} {
		for _, kind := range []OpKind{OpRun, OpRunTime, OpSend, OpRecv, OpFork, OpSleep, OpSleepUntil} {
			for _, end := range []int64{1e7, Forever} {
				uses := traits[kind]&usesCPU != 0
				switch {
				case uses && end == Forever:
					continue // so many ticks take their time
				case !uses && dur < farFuture:
					continue // a sleep that ends
				}
				m := smallMachine(t, "3")
				op := Op{Kind: kind, N: 1, Dur: dur, Task: &TaskSpec{Program: &once{}}}
				w := loops{tasks: [][]Op{{op}}}
				if kind == OpRecv {
					w.tasks[0] = []Op{{Kind: OpSend, N: 1}, op}
				}
				res, err := Run(context.Background(), Config{Machine: m, Policy: p, Workload: w, For: end})
				switch {
				case err != nil:
					t.Errorf("operation %d for %d ns: %v", kind, dur, err)
				case res.Work != int64(len(w.tasks[0])) || res.Done:
					t.Errorf("operation %d for %d ns: %d of them begun, done %v", kind, dur, res.Work, res.Done)
				case res.Now != min(end, MaxFor/3) || res.Busy < 0 || res.Idle < 0 || res.Busy+res.Idle != 3*res.Now:
					t.Errorf("operation %d for %d ns: busy %d, idle %d at %d", kind, dur, res.Busy, res.Idle, res.Now)
				case uses != (res.Busy > end/2):
					t.Errorf("operation %d for %d ns: busy %d of %d", kind, dur, res.Busy, res.Now)
				}
			}
		}
	}
}
