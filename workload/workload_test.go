package workload

import (
	"context"
	"strings"
	"testing"

	"schedlab/machine"
	"schedlab/policy"
	"schedlab/sim"
)

func load(tb testing.TB, machineName, policyName string) (*machine.Machine, *policy.Policy) {
	tb.Helper()
	m, err := machine.Load(machineName)
	if err != nil {
		tb.Fatal(err)
	}
	p, err := policy.Parse(policyName)
	if err != nil {
		tb.Fatal(err)
	}
	return m, p
}

func run(tb testing.TB, machineName, policyName, spec string, seed uint64, limit int64) *sim.Result {
	tb.Helper()
	m, p := load(tb, machineName, policyName)
	w, err := Parse(spec)
	if err != nil {
		tb.Fatal(err)
	}
	res, err := sim.Run(context.Background(), sim.Config{Machine: m, Policy: p, Workload: w, Seed: seed, For: limit})
	if err != nil {
		tb.Fatal(err)
	}
	return res
}

// TestHackbench: every message that is sent is received, and there are as many
// as the benchmark's arithmetic says, whatever carries them.
func TestHackbench(t *testing.T) {
	for _, keys := range []string{"", ",ipc=pipe", ",mode=thread", ",fds=3", ",ipc=pipe,mode=thread,fds=7", ",datasize=4096,ipc=pipe"} {
		for _, version := range []string{"v4.20", "v6.12"} {
			spec := "hackbench:groups=2,loops=15" + keys
			res := run(t, "uma-16", version, spec, 1, 1e11)
			fds := int64(20)
			switch {
			case strings.Contains(keys, "fds=3"):
				fds = 3
			case strings.Contains(keys, "fds=7"):
				fds = 7
			}
			messages := 2 * fds * fds * 15
			if !res.Done || res.Sent != messages || res.Received != messages || res.Work != messages {
				t.Errorf("%s %s: done %v, sent %d, received %d, counted %d, want %d", version, spec, res.Done, res.Sent, res.Received, res.Work, messages)
			}
			if res.Forks != 4*fds+1 || res.Exits != res.Forks {
				t.Errorf("%s %s: %d forks, %d exits, want %d", version, spec, res.Forks, res.Exits, 4*fds+1)
			}
			if res.Begin <= 0 || res.End <= res.Begin || res.End > res.Now {
				t.Errorf("%s %s: measured from %d to %d of %d", version, spec, res.Begin, res.End, res.Now)
			}
		}
	}
}

// TestThreadsSwitchFaster: threads share an address space, whose switch is
// saved. With one CPU, every hand-over is such a switch.
func TestThreadsSwitchFaster(t *testing.T) {
	const machineName = "synthetic:sockets=1,cores=1,threads=1"
	for _, spec := range []string{"pipe:loops=200,jitter=0%", "hackbench:groups=1,loops=2,jitter=0%"} {
		process := run(t, machineName, "v4.20", spec, 1, 1e11)
		thread := run(t, machineName, "v4.20", spec+",mode=thread", 1, 1e11)
		if thread.End-thread.Begin >= process.End-process.Begin {
			t.Errorf("%s: threads take %d ns, processes %d", spec, thread.End-thread.Begin, process.End-process.Begin)
		}
	}
}

// TestPipe: the two tasks take turns, and each loop is two messages.
func TestPipe(t *testing.T) {
	res := run(t, "uma-16", "v6.12", "pipe:loops=500", 1, 1e11)
	if !res.Done || res.Work != 500 || res.Sent != 1000 || res.Received != 1000 {
		t.Errorf("done %v, %d loops, %d sent, %d received", res.Done, res.Work, res.Sent, res.Received)
	}
	if res.Wakeups < 900 || res.Wakeups > 1100 {
		t.Errorf("%d wake-ups for 500 lock-step loops, want about 1000", res.Wakeups)
	}
}

// TestPhases: a machine with room for all of it gives each task its cycles.
func TestPhases(t *testing.T) {
	res := run(t, "uma-16", "v6.12", "phases:tasks=8,run=1ms,sleep=9ms", 1, 1e9)
	if res.Done || res.Now != 1e9 {
		t.Errorf("an endless workload ended at %d ns, done %v", res.Now, res.Done)
	}
	if res.Work < 8*96 || res.Work > 8*100 {
		t.Errorf("%d cycles in 1 s, want just under 800", res.Work)
	}
	if busy := res.Busy * 100 / (res.CPUs * res.Now); busy < 4 || busy > 7 {
		t.Errorf("%d %% busy, want 5", busy)
	}
}

// TestSeeds: the same seed gives the same run, another one another run.
func TestSeeds(t *testing.T) {
	for _, spec := range []string{
		"hackbench:groups=1,loops=10", "phases:tasks=20", "pipe:loops=100", "hogs:20", "messaging:group=1,nr_loops=10", "tbench:clients=3",
		"schbench:workers=20", "schbench:rps=1000", "schbench:pipe=4096", "oltp:users=30", "oltp:logging=off", "mix:pipe:loops=100+hogs:20",
		"saladfork:50", "easywave:16", "easywave:24,steps=20", "mix:sysbench-cpu:20+phases:tasks=3", "sysbench-mutex:20,locks=500,mutexes=10", "pipe:loops=100,bind=cross-socket",
	} {
		a := run(t, "uma-16", "v6.12.117", spec, 1, 2e8)
		b := run(t, "uma-16", "v6.12.117", spec, 1, 2e8)
		c := run(t, "uma-16", "v6.12.117", spec, 2, 2e8)
		if a.Digest != b.Digest || a.Digest == c.Digest {
			t.Errorf("%s: digests %x, %x with seed 1, %x with seed 2", spec, a.Digest, b.Digest, c.Digest)
		}
	}
}

// TestNoAllocation: what a run allocates does not grow with its length.
func TestNoAllocation(t *testing.T) {
	for _, spec := range []string{
		"phases:tasks=64", "hackbench:groups=1,loops=100000", "pipe:loops=1000000", "hogs:32", "tbench:clients=20", "schbench:workers=40",
		"oltp:users=64", "mix:pipe:loops=1000000+hogs:32", "easywave:24,steps=1000000", "sysbench-cpu:40", "sysbench-mutex:20,locks=1000000,mutexes=100",
	} {
		for _, version := range []string{"v4.20", "v6.12"} {
			short := testing.AllocsPerRun(1, func() { run(t, "uma-16", version, spec, 1, 2e8) })
			long := testing.AllocsPerRun(1, func() { run(t, "uma-16", version, spec, 1, 6e8) })
			// Queues may still grow to a new maximum now and then.
			if long > short+60 {
				t.Errorf("%s under %s: %.0f allocations in 0.2 s, %.0f in 0.6 s", spec, version, short, long)
			}
		}
	}
}

func BenchmarkHackbench(b *testing.B) {
	for _, version := range []string{"v4.20", "v6.12"} {
		b.Run(version, func(b *testing.B) {
			b.ReportAllocs()
			var messages int64
			for b.Loop() {
				messages += run(b, "x6-2", version, "hackbench:groups=4,loops=50", 1, 1e11).Received
			}
			b.ReportMetric(float64(messages)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}
