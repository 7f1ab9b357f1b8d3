package workload

import (
	"fmt"
	"strings"
	"testing"

	"schedlab/sim"
)

// rate is units of work per second of the measured time.
func rate(r *sim.Result) float64 { return float64(r.Work) * 1e9 / float64(r.End-r.Begin) }

// us is a percentile of a latency that the workload recorded, in us.
func us(t *testing.T, r *sim.Result, name string, percent float64) float64 {
	t.Helper()
	for _, x := range r.Records {
		if x.Name == name {
			return float64(x.Latency.ValueAtQuantile(percent)) / 1e3
		}
	}
	t.Fatalf("no latency %s is recorded", name)
	return 0
}

// TestMessaging: perf's benchmark is hackbench under other names.
func TestMessaging(t *testing.T) {
	for perf, hack := range map[string]string{
		"messaging:group=2,nr_loops=5":                     "hackbench:groups=2,loops=5",
		"messaging:group=1,nr_loops=5,pipe=on,thread=on":   "hackbench:groups=1,loops=5,ipc=pipe,mode=thread",
		"messaging:group=1,nr_loops=5,thread=on,jitter=0%": "hackbench:groups=1,loops=5,mode=thread,jitter=0%",
	} {
		if a, b := run(t, "uma-16", "v6.12", perf, 1, 1e11), run(t, "uma-16", "v6.12", hack, 1, 1e11); a.Digest != b.Digest {
			t.Errorf("%s and %s differ", perf, hack)
		}
	}
}

// TestTbench: the measured time is the one asked for, every message is received
// or on its way at its begin or end (at most one per client), and each request is
// two messages and two wake-ups.
func TestTbench(t *testing.T) {
	for _, clients := range []int64{1, 5, 40} {
		for _, version := range []string{"v4.20", "v6.12"} {
			spec := fmt.Sprintf("tbench:clients=%d,warmup=20ms,time=50ms", clients)
			res := run(t, "uma-16", version, spec, 1, 1e10)
			if took := res.End - res.Begin; !res.Done || took < 50e6 || took > 51e6 || res.Begin < 20e6 {
				t.Errorf("%s %s: done %v, measured from %d to %d", spec, version, res.Done, res.Begin, res.End)
			}
			if way := res.Sent - res.Received; way < -clients || way > clients {
				t.Errorf("%s %s: %d sent, %d received", spec, version, res.Sent, res.Received)
			}
			// A request that ends in the measured time may have sent both before it.
			if way := res.Sent - 2*res.Work; res.Work == 0 || way < -2*clients || way > 2*clients || res.Records[0].Latency.TotalCount() != res.Work {
				t.Errorf("%s %s: %d requests, %d recorded, %d messages", spec, version, res.Work, res.Records[0].Latency.TotalCount(), res.Sent)
			}
			if perMessage := float64(res.Wakeups) / float64(res.Received); perMessage < 0.7 || perMessage > 1.1 {
				t.Errorf("%s %s: %.2f wake-ups a message, want about 1", spec, version, perMessage)
			}
		}
	}
}

// TestTbenchData: requests carry the data that the key size says, as often as
// the operations of the load do.
func TestTbenchData(t *testing.T) {
	res := run(t, "uma-16", "v6.12", "tbench:clients=16,size=10000,time=200ms", 1, 1e10)
	data := float64(res.Records[1].Count) / float64(res.Work)
	want := 10_000 * float64(214_235+675_557) / float64(tbenchWeights)
	if data < want*0.97 || data > want*1.03 {
		t.Errorf("%.0f bytes of data a request, want %.0f", data, want)
	}
}

// TestTbenchSaturates: on four CPUs throughput grows with up to four clients,
// and stays from there on.
func TestTbenchSaturates(t *testing.T) {
	for _, version := range []string{"v4.20", "v6.12"} {
		got := map[int]float64{}
		for _, clients := range []int{1, 2, 4, 8, 16} {
			spec := fmt.Sprintf("tbench:clients=%d,warmup=50ms,time=100ms", clients)
			got[clients] = rate(run(t, "kvm-4", version, spec, 1, 1e10))
		}
		if got[2] < 1.7*got[1] || got[4] < 1.7*got[2] {
			t.Errorf("%s: no growth to four clients: %v", version, got)
		}
		for _, clients := range []int{8, 16} {
			if got[clients] < 0.9*got[4] || got[clients] > 1.1*got[4] {
				t.Errorf("%s: %d clients on four CPUs: %v", version, clients, got)
			}
		}
	}
}

// TestSchbenchSaturates: as long as every worker has a core of its own, a
// request takes its sleeps and its work; with more workers than CPUs wake-up
// latency reaches the length of slices, and throughput falls: who holds the lock
// of a CPU is preempted there.
func TestSchbenchSaturates(t *testing.T) {
	const machineName = "synthetic:sockets=1,cores=8,threads=1"
	for _, version := range []string{"v4.20", "v6.12"} {
		calm := run(t, machineName, version, "schbench:workers=4", 1, 1e10)
		full := run(t, machineName, version, "schbench:workers=8", 1, 1e10)
		over := run(t, machineName, version, "schbench:workers=16", 1, 1e10)
		free := run(t, machineName, version, "schbench:workers=16,locking=off", 1, 1e10)
		if p50 := us(t, calm, "request", 50); p50 < 17_000 || p50 > 17_500 {
			t.Errorf("%s: a request takes %.0f us, want 200 of sleep and 16 870 of work", version, p50)
		}
		if p99 := us(t, calm, "worker-wakeup", 99); p99 > 300 {
			t.Errorf("%s: wake-up latency on a calm machine is %.0f us", version, p99)
		}
		if p99 := us(t, over, "worker-wakeup", 99); p99 < 2000 || p99 < 5*us(t, calm, "worker-wakeup", 99) {
			t.Errorf("%s: wake-up latency with two workers per CPU is %.0f us", version, p99)
		}
		if rate(full) < 1.8*rate(calm) {
			t.Errorf("%s: %.0f requests/s of 4 workers, %.0f of 8", version, rate(calm), rate(full))
		}
		if rate(over) > 0.9*rate(full) || rate(free) < 1.1*rate(over) {
			t.Errorf("%s: requests/s: 8 workers %.0f, 16 workers %.0f, 16 without locks %.0f", version, rate(full), rate(over), rate(free))
		}
	}
}

// TestSchbenchRate: message threads issue the requests that they are told to,
// and no worker is left without its wake-up.
func TestSchbenchRate(t *testing.T) {
	for _, messengers := range []int{1, 3} {
		spec := fmt.Sprintf("schbench:messengers=%d,workers=9,rps=300,warmup=1s,time=3s", messengers)
		res := run(t, "synthetic:sockets=1,cores=32,threads=1", "v6.12", spec, 1, 1e10)
		if got := rate(res); got < 297 || got > 303 {
			t.Errorf("%s: %.1f requests/s", spec, got)
		}
	}
}

// TestSchbenchPipe: in pipe mode a round is a post and a wake-up either way.
func TestSchbenchPipe(t *testing.T) {
	res := run(t, "uma-16", "v6.12", "schbench:pipe=65536,workers=4,warmup=10ms,time=100ms", 1, 1e10)
	if n := res.Records[0].Latency.TotalCount(); len(res.Records) != 1 || n != res.Work || n < 1000 {
		t.Errorf("%d records, %d wake-ups, %d rounds", len(res.Records), n, res.Work)
	}
}

// TestOLTPKnee: users add throughput until their bursts fill the CPUs, which is
// at about CPUs x (burst + turn) / burst users; from there on only their
// transactions get longer.
func TestOLTPKnee(t *testing.T) {
	const machineName = "synthetic:sockets=1,cores=8,threads=1"
	const full = 8 / (20 * 200e-6) // transactions/s of 8 CPUs that do nothing else
	for _, logging := range []string{"on", "off"} {
		got, p50 := map[int]float64{}, map[int]float64{}
		for _, users := range []int{4, 8, 12, 24, 48} {
			res := run(t, machineName, "v6.12", fmt.Sprintf("oltp:users=%d,logging=%s", users, logging), 1, 1e10)
			got[users], p50[users] = rate(res), us(t, res, "transaction", 50)
		}
		if got[8] < 1.8*got[4] || got[12] < 1.2*got[8] {
			t.Errorf("logging=%s: throughput below the knee: %v", logging, got)
		}
		if got[24] < 0.9*full || got[24] > full || got[48] > 1.05*got[24] || got[48] < 0.95*got[24] {
			t.Errorf("logging=%s: throughput above the knee: %v, want just under %.0f", logging, got, full)
		}
		if p50[48] < 1.8*p50[24] {
			t.Errorf("logging=%s: transactions take %v us", logging, p50)
		}
	}
}

// TestOLTPGroupsCommits: the log writer writes many commits at once when they
// come faster than it writes, and none is lost: every user goes on.
func TestOLTPGroupsCommits(t *testing.T) {
	spec := "oltp:users=64,statements=1,burst=10us,turn=10us,write=1ms,jitter=0%,warmup=10ms,time=1s"
	res := run(t, "uma-16", "v6.12", spec, 1, 1e10)
	// A commit waits for the write under way and for its own.
	if p50 := us(t, res, "transaction", 50); p50 < 1000 || p50 > 3000 {
		t.Errorf("a transaction takes %.0f us with writes of 1000", p50)
	}
	if writes := 1000.0; rate(res) < 20*writes {
		t.Errorf("%.0f commits/s at 1000 writes/s at most: they are not grouped", rate(res))
	}
	none := run(t, "uma-16", "v6.12", spec+",logging=off", 1, 1e10)
	if rate(none) < 5*rate(res) {
		t.Errorf("%.0f transactions/s with logging, %.0f without", rate(res), rate(none))
	}
}

// TestSchbenchPinned: pinned message threads keep their CPUs for themselves, so
// that workers without end leave wake-ups undisturbed; and need CPUs for workers.
func TestSchbenchPinned(t *testing.T) {
	const keys = "schbench:messengers=2,workers=3,locking=off,operations=0,sleeps=0,warmup=10ms,time=50ms,pin="
	machineName := "synthetic:sockets=1,cores=8,threads=1"
	on, off := run(t, machineName, "v6.12", keys+"on", 1, 1e10), run(t, machineName, "v6.12", keys+"off", 1, 1e10)
	if on.Work == 0 || off.Work == 0 || on.Digest == off.Digest {
		t.Errorf("%d requests pinned, %d not", on.Work, off.Work)
	}
	hogs := run(t, machineName, "v6.12", "mix:"+keys+"on+hogs:12,cpus=2-7", 1, 1e10)
	if hogs.Work < 100 || hogs.Work > on.Work {
		t.Errorf("%d requests beside hogs on the workers' CPUs, %d without", hogs.Work, on.Work)
	}
	m, p := load(t, machineName, "v6.12")
	w, err := Parse("schbench:messengers=8,pin=on")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sim.Run(t.Context(), sim.Config{Machine: m, Policy: p, Workload: w, Seed: 1, For: 1e9}); err == nil || !strings.Contains(err.Error(), "pin=on: 8 message threads leave none of 8 CPUs") {
		t.Errorf("%v", err)
	}
}
