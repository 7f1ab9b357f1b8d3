package replay

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedlab/cpumask"
	"schedlab/sim"
)

func TestLoadErrors(t *testing.T) {
	idle := "          <idle>-0       [001] d..2.     8.293914: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=swapper/1 next_pid=0 next_prio=120\n"
	busy := strings.ReplaceAll(idle, "next_pid=0", "next_pid=7")
	earlier := func(s int) string {
		return strings.ReplaceAll(busy, "8.293914", fmt.Sprintf("%d.293914", 8-s))
	}
	tests := []struct {
		text   string
		option Option
		want   string // behind the file's name; "" for none
	}{
		{busy, Jitter(0), ""},
		{busy, Jitter(25), ""},
		{busy, Jitter(1000), ""},
		{busy, Jitter(1001), ": a jitter of 1001 thousandths is not within 0 to 1000"},
		{busy, Jitter(-1), ": a jitter of -1 thousandths is not within 0 to 1000"},
		{idle, Jitter(0), ": no task runs in it"},
		{busy + earlier(1) + earlier(2), Jitter(0), ": time runs backwards in it, at 2 of 3 events"},
		{"", Jitter(0), ": empty"},
		{"text\n", Jitter(0), ": no sched event in 1 lines; line 1: not TASK-PID [CPU] FLAGS TIME: EVENT: ..."},
	}
	path := filepath.Join(t.TempDir(), "x.txt")
	for _, test := range tests {
		if err := os.WriteFile(path, []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}
		w, err := Load(path, test.option)
		switch {
		case test.want == "" && err != nil:
			t.Errorf("error %v", err)
		case test.want == "" && (w.Name() != fmt.Sprintf("trace:x.txt,jitter=%v%%", float64(w.jitter)/10) || !w.Recorded()):
			t.Errorf("name %s, recorded %v", w.Name(), w.Recorded())
		case test.want != "" && (err == nil || err.Error() != path+test.want):
			t.Errorf("error %v, want %s", err, test.want)
		}
	}
}

// Run times vary with the seed, by no more than the jitter, and both ways.
func TestJitter(t *testing.T) {
	var r recorder
	for i := range 200 {
		r.switchTo(1000*i, 0, "", "R", "a-1")
		r.switchTo(1000*i+500, 0, "a-1", "S", "")
		r.waking(1000*i+900, 0, "", "h3", "a-1")
	}
	w := r.load(t)
	w.jitter = DefaultJitter
	times := func(seed uint64) (all []int64) {
		run := w.newRun(cpumask.Full(1), func() int32 { return 0 })
		rand := sim.NewRand(seed, 0)
		for p := run.specs[0].Program.(*program); ; {
			op := p.next(&rand)
			if op.Kind == sim.OpExit {
				return all
			}
			if op.Kind == sim.OpRun {
				all = append(all, op.Dur)
			}
		}
	}
	a, b := times(1), times(2)
	if len(a) != 200 || len(b) != 200 {
		t.Fatalf("%d and %d runs", len(a), len(b))
	}
	shorter, longer, equal := 0, 0, 0
	for i, d := range a {
		if d < 495_000 || d > 505_000 {
			t.Errorf("runs for %d ns, recorded 500000", d)
		}
		if d < 500_000 {
			shorter++
		} else {
			longer++
		}
		if d == b[i] {
			equal++
		}
	}
	if shorter < 60 || longer < 60 || equal > 20 {
		t.Errorf("%d shorter, %d longer, %d equal with two seeds", shorter, longer, equal)
	}
}

func TestProgramDoesNotAllocate(t *testing.T) {
	var r recorder
	for i := range 2000 {
		r.waking(100*i, 1, "b-2", ".3", "a-1")
		r.switchTo(100*i+10, 0, "", "R", "a-1")
		r.switchTo(100*i+50, 0, "a-1", "S", "")
	}
	w := r.load(t)
	w.jitter = DefaultJitter
	run := w.newRun(cpumask.Full(2), func() int32 { return 0 })
	p, rand := run.specs[0].Program.(*program), sim.NewRand(1, 1)
	if n := testing.AllocsPerRun(1000, func() { p.next(&rand) }); n > 0 {
		t.Errorf("%v allocations an operation", n)
	}
	if p.at == len(w.specs[0].ops) {
		t.Error("the program ended during the measurement")
	}
}

// Another machine's CPUs take the part of those that it lacks.
func TestPlacement(t *testing.T) {
	p := newPlacement(cpumask.Of(1, 2, 5))
	for recorded, want := range map[int32]int32{1: 1, 2: 2, 5: 5, 0: 1, 3: 1, 4: 2, 8: 5, -1: 1} {
		if got := p.cpu(recorded); got != want {
			t.Errorf("CPU %d: got %d, want %d", recorded, got, want)
		}
	}
	for _, test := range []struct {
		recorded cpumask.Mask
		want     string
	}{{nil, "1-2,5"}, {cpumask.New(64), "1-2,5"}, {cpumask.Of(2), "2"}, {cpumask.Of(0, 2), "1-2"}, {cpumask.Of(70), "2"}} {
		if got := p.mask(test.recorded).String(); got != test.want {
			t.Errorf("CPUs %v: got %s, want %s", test.recorded, got, test.want)
		}
	}
}

// The probe shows 64 CPUs, and how many there are.
func TestMasks(t *testing.T) {
	big := cpumask.Full(80)
	tests := []struct {
		bits    uint64
		allowed int64
		seen    cpumask.Mask
		n       int
		want    string // "" for every CPU
	}{
		{0xffff, 16, cpumask.Full(16), 16, ""},
		{0xff, 8, cpumask.Full(16), 16, "0-7"},
		{0x3fb, 9, cpumask.Of(0, 1, 3, 4), 9, ""},         // a hole that no event came from
		{0xfb, 8, cpumask.Full(8), 8, "0-1,3-7"},          // allowed counts a CPU beyond, but 2 was seen
		{^uint64(0), 80, big, 80, ""},                     //
		{^uint64(0), 70, big, 80, "0-79"},                 // which of the rest is not told
		{0xf0, 4, big, 80, "4-7"},                         //
		{0, 4, big, 80, "64-79"},                          //
		{0, 0, cpumask.Full(4), 4, "nothing, as if none"}, //
	}
	for _, test := range tests {
		m := maskOf{test.bits, test.allowed}.resolve(test.seen, test.n)
		got := m.String()
		if m != nil && m.Empty() {
			got = "nothing, as if none"
		}
		if (m == nil) != (test.want == "") || got != test.want {
			t.Errorf("mask %#x of %d: got %v, want %s", test.bits, test.allowed, m, test.want)
		}
	}
}
