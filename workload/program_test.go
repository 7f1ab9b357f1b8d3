package workload

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"schedlab/machine"
	"schedlab/policy"
	"schedlab/sim"
)

// ops asks a program for its operations, n at most. They are taken without a
// simulator, so the program must not count work.
func ops(p sim.Program, n int) []string {
	r := sim.NewRand(1, 1)
	ctx := sim.Ctx{Rand: &r}
	var out []string
	for range n {
		op := p.Next(&ctx)
		out = append(out, fmt.Sprintf("%s %d %d", map[sim.OpKind]string{
			sim.OpExit: "exit", sim.OpSend: "send", sim.OpRecv: "receive", sim.OpWait: "wait", sim.OpSignal: "signal",
			sim.OpRunTime: "run", sim.OpSleep: "sleep",
		}[op.Kind], op.Obj, op.N))
		if op.Kind == sim.OpExit {
			break
		}
	}
	return out
}

// TestSenderOrder: a sender writes one message to each receiver of its group, in
// order, and again.
func TestSenderOrder(t *testing.T) {
	w := hackbench{groups: 1, loops: 2, fds: 3, size: 100}
	m := &together{ready: 0, start: 1, done: 2}
	s := &hackbenchWorker{w: &w, m: m, op: sim.OpSend, time: 1000, first: 10, channels: 3, left: 6}
	want := []string{
		"signal 0 1", "wait 1 1",
		"send 10 100", "send 11 100", "send 12 100", "send 10 100", "send 11 100", "send 12 100",
		"signal 2 1", "exit 0 0",
	}
	if got := ops(s, 100); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestJitter: the CPU time of operations lies in the band that the key gives,
// on both sides, and all of it is used.
func TestJitter(t *testing.T) {
	for perMille, band := range map[int64][2]int64{0: {1000, 1000}, 200: {800, 1200}, 1000: {0, 2000}} {
		w := hackbench{loops: 1, fds: 1, size: 100, jitter: perMille}
		s := &hackbenchWorker{w: &w, m: &together{}, op: sim.OpSend, time: 1000, channels: 1, left: 20_000, step: workerBegins}
		r := sim.NewRand(1, 1)
		ctx := sim.Ctx{Rand: &r}
		least, most := int64(1<<62), int64(-1)
		for range 20_000 {
			d := s.Next(&ctx).Dur
			least, most = min(least, d), max(most, d)
		}
		if least != band[0] || most != band[1] {
			t.Errorf("jitter of %d per mille: 1000 ns take %d to %d, want %d to %d", perMille, least, most, band[0], band[1])
		}
	}
}

// TestPhaseOrder: run first, sleep next.
func TestPhaseOrder(t *testing.T) {
	p := &phase{w: phases{tasks: 1, run: 5, sleep: 7}}
	if got, want := ops(p, 2), []string{"run 0 0", "sleep 0 0"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestOneValueManyRuns: a workload is not changed by a run, so that runs of one
// value side by side are what each is alone.
func TestOneValueManyRuns(t *testing.T) {
	for _, spec := range []string{
		"hackbench:groups=1,loops=5", "phases:tasks=20", "pipe:loops=50", "hogs:20", "messaging:group=1,nr_loops=5", "tbench:clients=3",
		"schbench:workers=20", "oltp:users=30", "mix:pipe:loops=50+hogs:3+phases",
	} {
		w, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		alone := run(t, "uma-16", "v6.12", spec, 1, 5e7).Digest
		digests := make([]uint64, 4)
		var wg sync.WaitGroup
		for i := range digests {
			m, err := machine.Load("uma-16")
			if err != nil {
				t.Fatal(err)
			}
			p, err := policy.Parse("v6.12")
			if err != nil {
				t.Fatal(err)
			}
			wg.Go(func() {
				res, err := sim.Run(t.Context(), sim.Config{Machine: m, Policy: p, Workload: w, Seed: 1, For: 5e7})
				if err != nil {
					t.Error(err)
					return
				}
				digests[i] = res.Digest
			})
		}
		wg.Wait()
		for i, d := range digests {
			if d != alone {
				t.Errorf("%s: run %d side by side has digest %x, alone %x", spec, i, d, alone)
			}
		}
	}
}
