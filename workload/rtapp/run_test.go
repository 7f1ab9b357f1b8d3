package rtapp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"schedlab/machine"
	"schedlab/policy"
	"schedlab/sim"
)

// on runs a file, without jitter, for a virtual time.
func on(tb testing.TB, machineName, source string, limit int64) (*sim.Result, error) {
	tb.Helper()
	m, err := machine.Load(machineName)
	if err != nil {
		tb.Fatal(err)
	}
	p, err := policy.Parse("v6.12")
	if err != nil {
		tb.Fatal(err)
	}
	w, err := Read("f", strings.NewReader(source), Jitter(0))
	if err != nil {
		tb.Fatal(err)
	}
	return sim.Run(context.Background(), sim.Config{Machine: m, Policy: p, Workload: w, Seed: 1, For: limit})
}

func run16(tb testing.TB, source string) *sim.Result {
	tb.Helper()
	res, err := on(tb, "uma-16", source, 20e9)
	if err != nil {
		tb.Fatal(err)
	}
	return res
}

// takes checks that a file is done after so many ms, to within slack of them, and
// did so many cycles.
func takes(t *testing.T, what, source string, ms, slack float64, cycles int64) {
	t.Helper()
	res := run16(t, source)
	got := float64(res.End-res.Begin) / 1e6
	if !res.Done || got < ms-slack || got > ms+slack || res.Work != cycles {
		t.Errorf("%s: done %v after %.3f ms with %d cycles, want %.3f +- %.3f ms and %d", what, res.Done, got, res.Work, ms, slack, cycles)
	}
}

func tasks(body string) string { return `{"tasks":{` + body + `}}` }

func TestTimes(t *testing.T) {
	for _, c := range []struct {
		what, source string
		ms, slack    float64
		cycles       int64
	}{
		{"loops of a task", tasks(`"a":{"loop":5,"run":2000}`), 10, 0.1, 5},
		{"an event is there again", tasks(`"a":{"loop":5,"run":1000,"run":1000,"run":2000}`), 20, 0.1, 5},
		{"sleep", tasks(`"a":{"loop":5,"run":1000,"sleep":3000}`), 20, 0.8, 5},
		{"delay", tasks(`"a":{"loop":1,"delay":7000,"run":1000}`), 8, 0.2, 1},
		{"phases", tasks(`"a":{"loop":2,"phases":{"x":{"loop":3,"run":1000},"y":{"sleep":2000},"y":{"sleep":4000}}}`), 18, 0.8, 10},
		{"no loop of a task", tasks(`"a":{"loop":0,"phases":{"x":{"run":9000}}},"b":{"loop":1,"run":1000}`), 1, 0.1, 1},
		{"instances", tasks(`"a":{"instance":4,"loop":2,"run":3000}`), 6, 0.5, 8},
		{"a task forked only", tasks(`"a":{"instance":0,"loop":1,"run":5000},"b":{"loop":2,"run":1000,"fork":"a"}`), 7, 0.3, 4},
		{"mem, iorun and memrun", tasks(`"a":{"loop":1,"mem":10000000,"iorun":8388608,"memrun":{"type":"read","size":1,"count":2000000}}`), 2, 0.1, 1},

		// The third of five runs misses a timer of 20 ms by 10 ms.
		{"a relative timer", tasks(`"a":{"loop":1,"phases":{` + timerPhases("relative") + `}}`), 110, 0.8, 5},
		{"an absolute timer", tasks(`"a":{"loop":1,"phases":{` + timerPhases("absolute") + `}}`), 100, 0.8, 5},
		// Two threads use up the periods of a timer that they share.
		{"a shared timer", tasks(`"a":{"instance":2,"loop":5,"timer":{"ref":"tick","period":10000}}`), 100, 0.3, 10},
		{"a unique timer", tasks(`"a":{"instance":2,"loop":5,"timer":{"ref":"unique","period":10000}}`), 50, 0.3, 10},
		{"two unique timers", tasks(`"a":{"loop":5,"timer":{"ref":"unique1","period":10000},"timer":{"ref":"unique2","period":4000}}`), 50, 0.3, 5},

		// On one CPU, run is shared time, and runtime is time by the clock.
		{"run of two on a CPU", tasks(`"a":{"instance":2,"cpus":[3],"loop":1,"run":20000}`), 40, 0.5, 2},
		{"runtime of two on a CPU", tasks(`"a":{"instance":2,"cpus":[3],"loop":1,"runtime":20000}`), 20, 4.5, 2},
		// uma-16 gives two threads of a core 0.62 of its speed each.
		{"run of siblings", tasks(`"a":{"cpus":[0],"loop":1,"run":31000},"b":{"cpus":[8],"loop":1,"run":31000}`), 50, 0.5, 2},
		{"runtime of siblings", tasks(`"a":{"cpus":[0],"loop":1,"runtime":31000},"b":{"cpus":[8],"loop":1,"runtime":31000}`), 31, 0.5, 2},
		{"CPUs of phases", tasks(`"a":{"loop":1,"cpus":[1],"phases":{"x":{"cpus":[2],"run":10000},"y":{"run":10000}}},"b":{"cpus":[1],"loop":1,"run":20000}`), 30, 1, 3},

		// Without contention a mutex costs two events, and no system call.
		{"a free mutex", tasks(`"a":{"loop":1,` + strings.Repeat(`"lock":"m","unlock":"m",`, 1000) + `}`), 0.102, 0.01, 1},
		{"no mutex", tasks(`"a":{"instance":4,"loop":2,"run":2000}`), 4, 0.5, 8},
		{"a mutex", tasks(`"a":{"instance":4,"loop":2,"lock":"m","run":2000,"unlock":"m"}`), 16, 0.5, 8},
		{"two mutexes", tasks(`"a":{"instance":2,"loop":2,"lock":"m","run":2000,"unlock":"m"},"b":{"instance":2,"loop":2,"lock":"n","run":2000,"unlock":"n"}`), 8, 0.5, 8},
		{"a signal wakes one", tasks(`"a":{"instance":3,"loop":1,"lock":"m","wait":{"ref":"c","mutex":"m"},"unlock":"m"},
			"b":{"loop":3,"sleep":5000,"signal":"c"}`), 15, 0.8, 6},
		{"a broadcast wakes all", tasks(`"a":{"instance":3,"loop":1,"lock":"m","wait":{"ref":"c","mutex":"m"},"unlock":"m"},
			"b":{"loop":1,"sleep":5000,"broad":"c"}`), 5, 0.5, 4},
		{"a wait gives the mutex back", tasks(`"a":{"loop":1,"lock":"m","wait":{"ref":"c","mutex":"m"},"run":1000,"unlock":"m"},
			"b":{"loop":1,"sleep":1000,"lock":"m","signal":"c","run":4000,"unlock":"m","lock":"m","run":1000,"unlock":"m"}`), 7, 0.5, 2},
		{"sync", tasks(`"a":{"loop":3,"lock":"m","run":1000,"sync":{"ref":"c","mutex":"m"},"unlock":"m"},
			"b":{"loop":3,"sleep":2000,"lock":"m","signal":"c","unlock":"m"}`), 6, 0.8, 6},
		{"a barrier", tasks(`"a":{"loop":3,"run":1000,"barrier":"x"},"b":{"loop":3,"run":5000,"barrier":"x"}`), 15, 0.5, 6},
		{"a barrier of instances", tasks(`"a":{"instance":3,"loop":1,"run":1000,"barrier":"x","run":1000},"b":{"loop":1,"sleep":8000,"barrier":"x"}`), 9, 0.5, 4},
		{"a semaphore remembers", tasks(`"a":{"loop":1,"sem_post":"s","sem_post":"s"},"b":{"loop":1,"sleep":2000,"sem_wait":"s","sem_wait":"s"}`), 2, 0.3, 2},
		{"a semaphore waits", tasks(`"a":{"loop":3,"run":2000,"sem_post":"s"},"b":{"loop":3,"sem_wait":"s","run":500}`), 6.5, 0.3, 6},
		{"suspend and resume", tasks(`"a":{"loop":3,"suspend","run":1000},"b":{"loop":3,"sleep":4000,"resume":"a"}`), 13, 0.8, 6},
		{"resume wakes all instances", tasks(`"a":{"instance":3,"loop":1,"suspend":"a","run":1000},"b":{"loop":1,"sleep":4000,"resume":"a"}`), 5, 0.5, 4},
		{"suspend by another name", tasks(`"a":{"loop":1,"suspend":"x","run":1000},"b":{"loop":1,"sleep":4000,"resume":"x"}`), 5, 0.5, 2},
		{"suspend ignores what nobody resumes", tasks(`"a":{"loop":1,"suspend":"x","run":1000},"b":{"loop":1,"sleep":4000,"resume":"a"}`), 5, 0.5, 2},

		{"FIFO before fair", tasks(`"a":{"cpus":[1],"loop":1,"policy":"SCHED_FIFO","run":10000,"sem_post":"s"},
			"b":{"cpus":[1],"loop":1,"run":10000,"sem_wait":"s"}`), 20, 0.5, 2},
		{"the duration ends all", `{"global":{"duration":1},` + tasks(`"a":{"run":10000,"sleep":80000},"b":{"suspend"}`)[1:], 1000, 1, 11},
		{"all end before the duration", `{"global":{"duration":1},` + tasks(`"a":{"loop":1,"run":10000}`)[1:], 10, 0.1, 1},
	} {
		takes(t, c.what, c.source, c.ms, c.slack, c.cycles)
	}
}

func timerPhases(mode string) string {
	var b strings.Builder
	for i, run := range []int{10, 10, 30, 10, 10} {
		fmt.Fprintf(&b, `"p%d":{"run":%d000,"timer":{"ref":"unique","period":20000,"mode":%q}},`, i, run, mode)
	}
	return b.String()
}

// TestLostWakeUp: a resume that comes too early is lost, as in rt-app, and what
// waits for ever does not keep the run from ending.
func TestLostWakeUp(t *testing.T) {
	for what, source := range map[string]string{
		"an early resume": tasks(`"a":{"loop":1,"sleep":5000,"suspend"},"b":{"loop":1,"resume":"a"}`),
		"a deadlock": tasks(`"a":{"loop":1,"lock":"m","sleep":5000,"lock":"n","unlock":"n","unlock":"m"},
			"b":{"loop":1,"lock":"n","sleep":5000,"lock":"m","unlock":"m","unlock":"n"}`),
		"a mutex locked twice":        tasks(`"a":{"loop":1,"lock":"m","lock":"m"}`),
		"a barrier of nobody":         tasks(`"a":{"instance":0,"barrier":"x","run":1},"b":{"loop":1,"fork":"a"}`),
		"a semaphore that nobody has": tasks(`"a":{"loop":1,"sem_wait":"s"}`),
	} {
		res, err := on(t, "uma-16", source, 1e9)
		if err != nil || res.Done || res.Now != 1e9 {
			t.Errorf("%s: %v, done %v at %d ns, want the limit of 1 s", what, err, res.Done, res.Now)
		}
		with := `{"global":{"duration":1},` + source[1:]
		if res, err = on(t, "uma-16", with, 20e9); err != nil || !res.Done || res.End-res.Begin < 999e6 || res.Now > 1002e6 {
			t.Errorf("%s, for 1 s: %v, done %v after %d ns", what, err, res.Done, res.End-res.Begin)
		}
	}
}

// TestUselessPrograms: programs that do nothing end at the limit, and soon.
func TestUselessPrograms(t *testing.T) {
	many := strings.Repeat(`"resume":"x",`, 20_000)
	for _, body := range []string{
		`"run":0`, `"sleep":0`, `"yield":""`, `"lock":"m","unlock":"m"`, `"resume":"x"`, `"signal":"c"`, `"sem_post":"s"`,
		`"timer":{"ref":"a","period":0}`, `"mem":0`, `"iorun":0`, `"runtime":0`, `"barrier":"b"`, many,
		`"phases":{"p":{"loop":-5,"run":0}}`, `"loop":-2147483648,"run":0`,
	} {
		res, err := on(t, "kvm-2", tasks(`"a":{"instance":3,`+body+`}`), 2e7)
		if err != nil || res.Done || res.Now != 2e7 {
			t.Errorf("%.40s: %v, %+v", body, err, res)
		}
	}
}

// TestForkBomb: a task can be forked 1024 times. Then the file is at fault.
func TestForkBomb(t *testing.T) {
	for _, source := range []string{
		tasks(`"a":{"loop":-1,"fork":"a"}`),
		tasks(`"a":{"loop":1025,"fork":"b","sleep":100},"b":{"instance":0,"loop":1,"run":10}`),
		tasks(`"a":{"loop":-1,"instance":4,"fork":"b","run":10},"b":{"fork":"c","fork":"a"},"c":{"instance":0,"loop":1,"run":1}`),
	} {
		_, err := on(t, "uma-16", source, 20e9)
		var setup *sim.SetupError
		if !errors.As(err, &setup) || !strings.Contains(err.Error(), "limit of 1024 forks") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", source, err)
		}
	}
	takes(t, "1024 forks", tasks(`"a":{"loop":1024,"fork":"b","sleep":100},"b":{"instance":0,"loop":1,"run":10}`), 130, 10, 2048)
}

// TestCPUsOfTheMachine: a list names CPUs that the machine has.
func TestCPUsOfTheMachine(t *testing.T) {
	for source, want := range map[string]string{
		tasks(`"a":{"cpus":[0,2],"run":1}`):                  `workload rtapp:f: f:1:23: invalid CPU 2: the machine has 2`,
		tasks(`"a":{"phases":{"p":{"cpus":[1,7],"run":1}}}`): `workload rtapp:f: f:1:38: invalid CPU 7: the machine has 2`,
		tasks(`"a":{"cpus":[2147483647],"run":1}`):           `workload rtapp:f: f:1:23: invalid CPU 2147483647: the machine has 2`,
	} {
		if _, err := on(t, "kvm-2", source, 1e9); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", source, err, want)
		}
	}
}

// TestForkInheritsCPUs: a forked thread may use its parent's CPUs if it names none.
func TestForkInheritsCPUs(t *testing.T) {
	takes(t, "inherited", tasks(`"a":{"cpus":[5],"loop":1,"fork":"b","run":10000},"b":{"instance":0,"loop":1,"run":10000}`), 20, 0.5, 2)
	// It needs a turn on its parent's CPU before it can leave.
	takes(t, "its own", tasks(`"a":{"cpus":[5],"loop":1,"fork":"b","run":10000},"b":{"instance":0,"cpus":[6],"loop":1,"run":10000}`), 14, 1, 2)
	takes(t, "back to what it inherited", tasks(`"a":{"cpus":[5],"loop":1,"fork":"b","run":15000},
		"b":{"instance":0,"loop":1,"phases":{"p":{"cpus":[6],"run":1000},"q":{"run":10000}}}`), 25, 1, 3)
	takes(t, "back to the first", tasks(`"a":{"loop":1,"phases":{"p":{"cpus":[5],"run":1000},"q":{"sleep":1000,"run":10000}}},"b":{"cpus":[5],"loop":1,"run":11000}`), 15, 1.5, 3)
}

// TestMutexesAreGlibcs: who unlocks and locks again at once has the mutex again,
// for the one that it woke is not on a CPU yet.
func TestMutexesAreGlibcs(t *testing.T) {
	// Were the mutex handed over, b would have it after the first loop of a, and c
	// would end after 22 ms.
	res := run16(t, tasks(`"a":{"loop":5,"lock":"m","run":2000,"unlock":"m"},"b":{"loop":1,"delay":500,"lock":"m","sem_post":"s","unlock":"m"},"c":{"loop":1,"sem_wait":"s","run":20000}`))
	if !res.Done || res.Work != 7 {
		t.Fatalf("done %v, %d cycles", res.Done, res.Work)
	}
	if got := res.End - res.Begin; got < 30e6 || got > 31e6 {
		t.Errorf("%d ns, want 20 ms after five loops", got)
	}
}

// TestOver: when the duration is over, no thread does anything any more, even
// where the run goes on.
func TestOver(t *testing.T) {
	p := &thread{r: &run{over: true}, stage: ends}
	if op := p.Next(nil); op.Kind != sim.OpSleepUntil || op.Dur != sim.Forever {
		t.Errorf("operation %+v, want a sleep without end", op)
	}
}
