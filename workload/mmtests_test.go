package workload

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"schedlab/machine"
	"schedlab/sim"
)

// TestSysbenchCPU: each thread on a CPU of its own does its events back to back,
// and twice as many threads as CPUs do no more than the CPUs can.
func TestSysbenchCPU(t *testing.T) {
	const machineName = "synthetic:sockets=1,cores=8,threads=1"
	for _, version := range []string{"v4.20", "v6.12"} {
		for _, threads := range []int{1, 8, 16} {
			r := run(t, machineName, version, fmt.Sprintf("sysbench-cpu:threads=%d,event=1ms,time=300ms", threads), 1, 1e10)
			want := 1000 * float64(min(threads, 8))
			if got := rate(r); !r.Done || got < want*0.96 || got > want*1.01 {
				t.Errorf("%s: %d threads on 8 CPUs: %.0f events/s, want about %.0f", version, threads, got, want)
			}
		}
	}
}

// TestSysbenchMutex: every thread does all its rounds, whoever contends, and only
// contention makes them sleep.
func TestSysbenchMutex(t *testing.T) {
	for _, version := range []string{"v4.20", "v5.14", "v6.12"} {
		for _, mutexes := range []int{1, 3, 1_000_000} {
			spec := fmt.Sprintf("sysbench-mutex:threads=12,locks=300,loops=1us,hold=1us,mutexes=%d", mutexes)
			r := run(t, "uma-16", version, spec, 1, 1e10)
			if !r.Done || r.Work != 12*300 || r.Records[0].Latency.TotalCount() != 12 {
				t.Errorf("%s %s: done %v, %d locks, %d requests", version, spec, r.Done, r.Work, r.Records[0].Latency.TotalCount())
			}
			// Threads and main wait at the start; a wait for a mutex wakes one.
			const start = 12 + 2
			switch waits := r.Wakeups - start; {
			case mutexes == 1 && waits < 300:
				t.Errorf("%s: %d wake-ups with one mutex", version, waits)
			case mutexes == 1_000_000 && waits > 20:
				t.Errorf("%s: %d wake-ups with a mutex for everyone", version, waits)
			}
			if mutexes == 1 && time.Duration(r.End-r.Begin) < 12*300*900*time.Nanosecond {
				t.Errorf("%s: %v for 3600 rounds of 1 us in one mutex", version, time.Duration(r.End-r.Begin))
			}
		}
	}
}

// TestMutexExcludes: of two threads that want a mutex, one has it and the other waits.
func TestMutexExcludes(t *testing.T) {
	r := sim.NewRand(1, 1)
	run := &mutexRun{w: sysbenchMutex{loops: 10, hold: 5}, mutexes: make([]mutex, 1), request: -1}
	a, b := &mutexThread{r: run, left: 1}, &mutexThread{r: run, left: 1}
	ctx := sim.Ctx{Rand: &r}
	for i, want := range []struct {
		p    *mutexThread
		kind sim.OpKind
		dur  int64
	}{
		{a, sim.OpRun, 10}, {b, sim.OpRun, 10},
		{a, sim.OpRun, 5},  // has it
		{b, sim.OpWait, 0}, // not
	} {
		if op := want.p.Next(&ctx); op.Kind != want.kind || op.Dur != want.dur {
			t.Errorf("step %d: %+v, want kind %d for %d ns", i, op, want.kind, want.dur)
		}
	}
	if m := run.mutexes[0]; !m.held || m.waiters != 1 {
		t.Errorf("%+v", m)
	}
}

// TestSaladfork: as many forks, exits and latencies as asked for; the children of
// a parent that may use one node only are all local, and none is if the child
// cannot run on the parent's node.
func TestSaladfork(t *testing.T) {
	for _, version := range []string{"v4.20", "v6.12"} {
		for _, spec := range []string{"saladfork:200", "saladfork:iterations=200,cpus=0-3"} {
			r := run(t, "x6-2", version, spec, 1, 1e11)
			local, remote := r.Records[0].Latency.TotalCount(), r.Records[1].Latency.TotalCount()
			if !r.Done || r.Work != 200 || r.Forks != 201 || r.Exits != 201 || local+remote != 200 || r.Records[2].Count != local {
				t.Errorf("%s %s: done %v, %d forks, %d exits, work %d, %d local, %d remote", version, spec, r.Done, r.Forks, r.Exits, r.Work, local, remote)
			}
			if strings.Contains(spec, "cpus=") && remote != 0 {
				t.Errorf("%s: %d children on a node that they may not use", version, remote)
			}
		}
	}
}

// TestEasywave: all steps are made whatever the team's size, a team of n is about
// n times as fast while it has CPUs, and who waits spins there and sleeps beyond.
func TestEasywave(t *testing.T) {
	const machineName = "synthetic:sockets=1,cores=8,threads=1"
	for _, version := range []string{"v4.20", "v6.12"} {
		took := map[int]int64{}
		for _, threads := range []int{1, 2, 8, 12} {
			spec := fmt.Sprintf("easywave:threads=%d,steps=40,loop=2ms,serial=0s,imbalance=0%%", threads)
			r := run(t, machineName, version, spec, 1, 1e11)
			if !r.Done || r.Work != 40 || r.Exits != int64(threads) {
				t.Errorf("%s %s: done %v, %d steps, %d exits", version, spec, r.Done, r.Work, r.Exits)
			}
			if sleeps := r.Wakeups > int64(threads); sleeps != (threads > 8) {
				t.Errorf("%s %s: %d wake-ups", version, spec, r.Wakeups)
			}
			took[threads] = r.End - r.Begin
		}
		for threads, most := range map[int]float64{2: 0.55, 8: 0.16, 12: 1} {
			if share := float64(took[threads]) / float64(took[1]); share > most {
				t.Errorf("%s: %d threads take %.2f of the time of one, want %.2f at most", version, threads, share, most)
			}
		}
	}
}

// TestBound: the pairs are those that mmtests' scripts pick.
func TestBound(t *testing.T) {
	for _, tt := range []struct{ machine, bind, want string }{
		{"x6-2", bindOff, ""},
		{"x6-2", bindHT, "0,44"},
		{"x6-2", bindSocket, "0-1"},
		{"x6-2", bindNode, "0,87"},
		{"kvm-4", bindHT, "no"},
		{"kvm-4", bindNode, "no"},
		{"synthetic:sockets=1,cores=1,threads=1", bindSocket, "no"},
		{"synthetic:sockets=1,cores=2,threads=2", bindSocket, "0-1"},
		{"synthetic:sockets=1,cores=2,threads=2", bindHT, "0,2"},
	} {
		m, err := machine.Load(tt.machine)
		if err != nil {
			t.Fatal(err)
		}
		cpus, err := bound(m, tt.bind)
		got := ""
		if cpus != nil {
			got = cpus.String()
		}
		if err != nil {
			got = "no"
		}
		if got != tt.want {
			t.Errorf("%s, %s: CPUs %s, want %s (%v)", tt.machine, tt.bind, got, tt.want, err)
		}
		if Bindable(m, tt.bind) != (err == nil) {
			t.Errorf("%s, %s: Bindable disagrees", tt.machine, tt.bind)
		}
	}
}

// TestPipeBound: bound to two threads of a core, neither task leaves it.
func TestPipeBound(t *testing.T) {
	for _, version := range []string{"v4.20", "v6.12"} {
		r := run(t, "x6-2", version, "pipe:loops=300,bind=cross-ht", 1, 1e10)
		far := r.Migrations[sim.MoveCore] + r.Migrations[sim.MoveLLC] + r.Migrations[sim.MoveNode]
		if !r.Done || r.Work != 300 || far != 0 {
			t.Errorf("%s: done %v, %d loops, %d moves off the core", version, r.Done, r.Work, far)
		}
	}
}
