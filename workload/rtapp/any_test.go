package rtapp

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"schedlab/machine"
	"schedlab/policy"
	"schedlab/sim"
)

// everything has each construct at least once.
const everything = `{
	/* all of it */
	"global" : { "duration" : 1, "default_policy" : "SCHED_OTHER", 'ftrace' : "main,task", "mem_buffer_size" : 4096, },
	"resources" : { "m" : { "type" : "mutex" } },
	"tasks" : {
		"worker" : { "instance" : 3, "cpus" : [0, 1], "priority" : -5, "phases" : {
			"one" : { "loop" : 3, "run" : 500, "timer" : { "ref" : "unique", "period" : 2000, "mode" : "absolute" } },
			"two" : { "cpus" : [2], "runtime" : 300, "sleep" : 100, "lock" : "m", "run" : 50, "unlock" : "m" }, // and
			"two" : { "mem" : 1000, "iorun" : 10000, "memrun" : { "type" : "chase", "size" : 4096, "count" : 10 }, "yield" : "" },
		} },
		"waiter" : { "lock" : "m", "wait" : { "ref" : "c", "mutex" : "m" }, "unlock" : "m", "run" : 10 },
		"syncer" : { "policy" : "SCHED_FIFO", "lock" : "m", "sync" : { "ref" : "c", "mutex" : "m" }, "unlock" : "m", "run" : 10 },
		"caller" : { "policy" : "SCHED_RR", "sleep" : 700, "signal" : "c", "sleep" : 300, "broad" : "c", "resume" : "sleeper", "sem_post" : "s" },
		"sleeper" : { "instance" : 2, "policy" : "SCHED_IDLE", "suspend", "run" : 20 },
		"taker" : { "sem_wait" : "s", "run" : 30, "barrier" : "b" },
		"giver" : { "delay" : 1000, "run" : 30, "barrier" : "b", "timer" : { "ref" : "t", "period" : 900 } },
		"parent" : { "loop" : 20, "fork" : "child", "sleep" : 500 },
		"child" : { "instance" : 0, "policy" : "SCHED_BATCH", "loop" : 2, "run" : 100 },
	},
}`

func config(tb testing.TB, machineName string, w sim.Workload, seed uint64, limit int64) sim.Config {
	tb.Helper()
	m, err := machine.Load(machineName)
	if err != nil {
		tb.Fatal(err)
	}
	p, err := policy.Parse("v6.12")
	if err != nil {
		tb.Fatal(err)
	}
	return sim.Config{Machine: m, Policy: p, Workload: w, Seed: seed, For: limit}
}

// TestDeterministic: runs of one value, side by side or not, depend on the seed
// alone.
func TestDeterministic(t *testing.T) {
	w, err := load(everything)
	if err != nil {
		t.Fatal(err)
	}
	digests := make([]uint64, 6)
	var wg sync.WaitGroup
	for i := range digests {
		cfg := config(t, "uma-16", w, uint64(1+i/4), 5e9)
		wg.Go(func() {
			res, err := sim.Run(t.Context(), cfg)
			if err != nil || !res.Done || res.Work < 100 {
				t.Errorf("%v: %+v", err, res)
				return
			}
			digests[i] = res.Digest
		})
	}
	wg.Wait()
	for i, d := range digests {
		if same := digests[i/4*4]; d != same {
			t.Errorf("run %d with seed %d has digest %x, another one %x", i, 1+i/4, d, same)
		}
	}
	if digests[0] == digests[4] {
		t.Error("two seeds, one run")
	}
}

// TestNoAllocation: what a run allocates does not grow with its length.
func TestNoAllocation(t *testing.T) {
	source := strings.Replace(everything, `"fork" : "child", `, "", 1)
	allocs := func(seconds int) float64 {
		w, err := load(strings.Replace(source, `"duration" : 1`, fmt.Sprintf(`"duration" : %d`, seconds), 1))
		if err != nil {
			t.Fatal(err)
		}
		cfg := config(t, "uma-16", w, 1, 1e11)
		return testing.AllocsPerRun(1, func() {
			if _, err := sim.Run(context.Background(), cfg); err != nil {
				t.Fatal(err)
			}
		})
	}
	if short, long := allocs(1), allocs(4); long > short+60 {
		t.Errorf("%.0f allocations in 1 s, %.0f in 4 s", short, long)
	}
}

// checkAny: whatever a file holds, it is refused in one line with its place, or
// runs to its end.
func checkAny(t *testing.T, source string) {
	w, err := load(source)
	if err == nil && w.plan.threads <= 200 {
		_, err = sim.Run(context.Background(), config(t, "kvm-2", w, 1, 2e6))
		var setup *sim.SetupError
		if err != nil && !errors.As(err, &setup) {
			t.Fatalf("%q: the run failed: %v", source, err)
		}
	}
	if err == nil {
		return
	}
	if s := err.Error(); strings.Contains(s, "\n") || len(s) > 500 {
		t.Fatalf("%q: error %q", source, s)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(everything)
	f.Add(tasks(`"a":{"loop":-1,"fork":"a"},"b":{"cpus":[9],"run":1}`))
	f.Fuzz(checkAny)
}

// TestAnyFile cuts, drops, doubles and exchanges pieces of a good file.
func TestAnyFile(t *testing.T) {
	for i := range everything {
		if i%7 == 0 {
			checkAny(t, everything[:i])
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.SplitAfter(everything, " ")
	for range 1500 {
		mutant := append([]string(nil), words...)
		for range 1 + r.IntN(4) {
			i, j := r.IntN(len(mutant)), r.IntN(len(mutant))
			switch r.IntN(3) {
			case 0:
				mutant[i] = ""
			case 1:
				mutant[i] += mutant[j]
			default:
				mutant[i], mutant[j] = mutant[j], mutant[i]
			}
		}
		checkAny(t, strings.Join(mutant, ""))
	}
}
