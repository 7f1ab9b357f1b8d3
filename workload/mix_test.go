package workload

import (
	"slices"
	"testing"

	"schedlab/sim"
)

// TestSplitMix: parts begin at a '+' outside parentheses.
func TestSplitMix(t *testing.T) {
	for text, want := range map[string][]string{
		"a+b":                       {"a", "b"},
		"a:x=1,y=2+b:3+c":           {"a:x=1,y=2", "b:3", "c"},
		"(a:x=1+2)+b":               {"a:x=1+2", "b"},
		"a+(trace:x+y(1).tgz)":      {"a", "trace:x+y(1).tgz"},
		"trace:x(1).tgz+rtapp:y).j": {"trace:x(1).tgz", "rtapp:y).j"},
		"(a+(b)+c)+d":               {"a+(b)+c", "d"},
		"+":                         {"", ""},
	} {
		if got, err := splitMix(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

// TestMixMeasuresTheFirst: what runs beside the measured workload neither
// counts nor keeps the run, and it takes CPU time.
func TestMixMeasuresTheFirst(t *testing.T) {
	const base = "hackbench:groups=2,loops=30"
	alone := run(t, "uma-16", "v6.12", base, 1, 1e11)
	for _, beside := range []string{
		"hogs:16", "phases:tasks=40", "tbench:clients=4", "oltp:users=20", "schbench:workers=16", "hackbench:groups=2,loops=100000", "hogs+phases+pipe",
	} {
		res := run(t, "uma-16", "v6.12", "mix:"+base+"+"+beside, 1, 1e11)
		if !res.Done || res.Work != alone.Work || len(res.Records) != 0 {
			t.Errorf("beside %s: done %v, %d messages counted of %d, %d records", beside, res.Done, res.Work, alone.Work, len(res.Records))
		}
	}
	alone = run(t, "uma-16", "v6.12", "hogs:16", 1, 1e9)
	half := run(t, "uma-16", "v6.12", "mix:hogs:16+hogs:16", 1, 1e9)
	if got := float64(half.Work) / float64(alone.Work); got < 0.48 || got > 0.52 {
		t.Errorf("16 hogs beside 16 others get %.2f of what they get alone", got)
	}
	if res := run(t, "uma-16", "v6.12", "mix:tbench:time=50ms+hackbench:groups=1,loops=5", 1, 1e10); res.Work == 0 || len(res.Records) != 2 || res.Exits < 41 {
		t.Errorf("%d requests, %d records, %d exits: the workload beside ends, this one does not", res.Work, len(res.Records), res.Exits)
	}
}

// share is the part of CPU 0 that a hog gets beside another one.
func share(t *testing.T, version, measured, beside string) float64 {
	t.Helper()
	spec := "mix:hogs:cpus=0" + measured + "+hogs:cpus=0" + beside
	res := run(t, "uma-16", version, spec, 1, 4e9)
	return float64(res.Work) / 4000 // rounds of 1 ms in 4 s
}

// TestAttributes: tasks get the CPU time that their attributes promise, on the
// CPUs that they are given.
func TestAttributes(t *testing.T) {
	for _, version := range []string{"v4.20", "v6.12"} {
		for _, tt := range []struct {
			measured, beside string
			least, most      float64
		}{
			{"", "", 0.48, 0.52},
			{",nice=0", ",nice=5", 0.73, 0.78}, // 1024 : 335
			{",nice=5", ",nice=0", 0.22, 0.27},
			{"", ",sched=idle", 0.98, 1.01},
			{",sched=idle", "", 0, 0.02},
			{"", ",sched=fifo", 0, 0.001},
			{",sched=fifo,prio=20", ",sched=fifo,prio=10", 0.99, 1.01},
			{",sched=fifo,prio=10", ",sched=fifo,prio=20", 0, 0.001},
			{",sched=rr", ",sched=rr", 0.48, 0.52},
			{",sched=batch", "", 0.48, 0.52},
			{",group=a,weight=300", ",tasks=2", 0.58, 0.62}, // 3 : 1 : 1
			{",tasks=2,group=a", ",group=b", 0.48, 0.52},
			{",tasks=2,group=a", ",group=a", 0.64, 0.69}, // three of one group
			{",tasks=2,group=a,weight=50", "", 0.31, 0.36},
		} {
			if got := share(t, version, tt.measured, tt.beside); got < tt.least || got > tt.most {
				t.Errorf("%s: a hog with %q beside one with %q gets %.3f of the CPU, want %.3f to %.3f", version, tt.measured, tt.beside, got, tt.least, tt.most)
			}
		}
	}
	res := run(t, "uma-16", "v6.12", "phases:tasks=40,cpus=3-4+9-100", 1, 1e9)
	if busy := float64(res.Busy) / 1e9; busy > 9 || busy < 7 {
		t.Errorf("40 tasks that want 8 CPUs and have 9 keep %.1f busy", busy)
	}
	res = run(t, "uma-16", "v6.12", "hackbench:groups=1,loops=20,cpus=2-3", 1, 1e10)
	if busy := float64(res.Busy) / float64(res.End-res.Begin); !res.Done || busy > 2.001 || busy < 1.5 {
		t.Errorf("hackbench, whose children inherit two CPUs, keeps %.1f busy", busy)
	}
}

// TestNoCPU: a list of CPUs that the machine lacks is an error about the key.
func TestNoCPU(t *testing.T) {
	for _, spec := range []string{"hogs:cpus=16", "phases:cpus=500-600", "mix:hogs+hogs:cpus=99"} {
		w, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		m, p := load(t, "uma-16", "v6.12")
		if _, err := sim.Run(t.Context(), sim.Config{Machine: m, Policy: p, Workload: w, Seed: 1, For: 1e9}); err == nil || !oneLine(err.Error()) {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

// TestKernelThreads: kernel threads are bound to CPUs in turn, and stay there
// whatever the others do.
func TestKernelThreads(t *testing.T) {
	for _, version := range []string{"v4.20", "v6.12"} {
		// Four on two CPUs have a half each, though fourteen others idle.
		res := run(t, "uma-16", version, "hogs:4,kthread=on,cpus=3+9", 1, 1e9)
		if busy := float64(res.Busy) / 1e9; busy < 1.99 || busy > 2.01 {
			t.Errorf("%s: kernel threads of two CPUs keep %.2f busy", version, busy)
		}
		moved := res.Migrations
		if moved != [4]int64{} {
			t.Errorf("%s: they moved: %v", version, moved)
		}
		if res := run(t, "uma-16", version, "hogs:16,kthread=on", 1, 1e8); res.Busy < 15.9e8 {
			t.Errorf("%s: one a CPU keeps %.2f busy", version, float64(res.Busy)/1e8)
		}
	}
}
