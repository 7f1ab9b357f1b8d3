package policy

import (
	"testing"

	"schedlab/kernel"
)

// TestSetAttributes takes a task through every class while it runs, waits and
// sleeps: it counts as what it is, on every queue.
func TestSetAttributes(t *testing.T) {
	classes := []Attributes{
		{Class: kernel.Fair, Nice: 5},
		{Class: kernel.RT, Prio: 10},
		{Class: kernel.IdlePolicy},
		{Class: kernel.RT, Prio: 10, RR: true},
		{Class: kernel.RT, Prio: 20},
		{Class: kernel.Fair, Batch: true},
		{Class: kernel.IdlePolicy},
		{Class: kernel.Fair, Nice: -5},
	}
	for _, v := range Versions() {
		for _, grouped := range []bool{false, true} {
			for _, doing := range []string{"runs", "waits", "sleeps"} {
				b := newBench(t, "synthetic:sockets=1,cores=1,threads=1", v.Name+",hz=1000")
				id := b.K.NewTask(kernel.Fair, 0, 0, nil, 0)
				if grouped {
					b.K.JoinGroup(b.K.Task(id), b.K.NewGroup(100))
				}
				b.StartOn(b.K.Task(id), 0, b.now)
				b.settle()
				if doing != "sleeps" {
					b.hog(0, 0, 0)
				}
				switch doing {
				case "sleeps":
					b.Schedule(0, Blocks, b.now)
				case "waits":
					for b.K.RQ[0].Curr == id {
						b.runAll(1)
					}
				}
				for _, a := range classes {
					b.SetAttributes(b.K.Task(id), a, 0, b.now)
					if err := b.K.Verify(); err != nil {
						t.Fatalf("%s, grouped %v, %s: %+v: %v", v.Name, grouped, doing, a, err)
					}
					b.settle()
					if got := b.K.RQ[0].Curr == id; doing != "sleeps" && a.Class == kernel.RT && !got {
						t.Errorf("%s, grouped %v, %s: %+v does not run", v.Name, grouped, doing, a)
					}
					b.runAll(7)
				}
				if doing == "sleeps" {
					b.TryToWakeUp(b.K.Task(id), 0, kernel.WakeIRQ, b.now)
					b.settle()
				}
				// Nice -5 beside nice 0 from here on, once vruntimes have met again:
				// a SCHED_IDLE task's runs far ahead.
				b.runAll(4000)
				from := b.K.Task(id).SumExec
				b.runAll(5000)
				got := float64(b.K.Task(id).SumExec-from) / (5000 * ms)
				want := 3121. / (3121 + 1024)
				if doing == "sleeps" {
					want = 1
				} else if grouped {
					want = .5
				}
				if got < want-.02 || got > want+.02 {
					t.Errorf("%s, grouped %v, %s: gets %.3f in the end, want %.3f", v.Name, grouped, doing, got, want)
				}
			}
		}
	}
}
