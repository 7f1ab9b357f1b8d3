package policy

import (
	"testing"

	"schedlab/cpumask"
	"schedlab/kernel"
)

// hog adds a task that never sleeps, of a group (0: none), pinned to a CPU.
func (b *bench) hog(group int32, nice int, cpu int32) kernel.TaskID {
	id := b.K.NewTask(kernel.Fair, nice, 0, cpumask.Of(int(cpu)), cpu)
	if group != 0 {
		b.K.JoinGroup(b.K.Task(id), group)
	}
	b.StartOn(b.K.Task(id), cpu, b.now)
	b.settle()
	return id
}

// runAll lets every CPU go on for n ticks of 1 ms, and verifies now and then.
func (b *bench) runAll(n int) {
	b.t.Helper()
	for i := range n {
		b.now += ms
		for c := range b.K.RQ {
			b.Tick(int32(c), b.now)
		}
		b.settle()
		if i%100 == 0 {
			if err := b.K.Verify(); err != nil {
				b.t.Fatal(err)
			}
		}
	}
}

// TestGroupShares: CPU time goes to groups by weight and within them by nice,
// over all CPUs that a group has load on.
func TestGroupShares(t *testing.T) {
	type task struct {
		group int32 // 0, or one of the groups, from 1
		nice  int
		cpu   int32
		want  float64 // of its CPU
	}
	for _, tc := range []struct {
		what   string
		groups []int64
		tasks  []task
	}{
		{"a group of two is worth one task", []int64{100}, []task{{1, 0, 0, .25}, {1, 0, 0, .25}, {0, 0, 0, .5}}},
		{"of 300, three", []int64{300}, []task{{1, 0, 0, .375}, {1, 0, 0, .375}, {0, 0, 0, .25}}},
		{"two groups", []int64{100, 200}, []task{{1, 0, 0, 1. / 3}, {2, 0, 0, 1. / 3}, {2, 0, 0, 1. / 3}}},
		{"nice within a group", []int64{100}, []task{{1, 0, 0, .5 * 1024 / 1359}, {1, 5, 0, .5 * 335 / 1359}, {0, 0, 0, .5}}},
		{"spread over two CPUs, half is worth less on each", []int64{100}, []task{{1, 0, 0, 1. / 3}, {0, 0, 0, 2. / 3}, {1, 0, 1, 1. / 3}, {0, 0, 1, 2. / 3}}},
		{"three to one over two CPUs", []int64{100}, []task{{1, 0, 0, .142}, {1, 0, 0, .142}, {1, 0, 0, .142}, {0, 0, 0, .572}, {1, 0, 1, .2}, {0, 0, 1, .8}}},
		{"alone", []int64{10}, []task{{1, 0, 0, .5}, {1, 0, 0, .5}, {0, 0, 1, 1}}},
	} {
		for _, v := range Versions() {
			b := newBench(t, "synthetic:sockets=1,cores=2,threads=1", v.Name+",hz=1000")
			for _, w := range tc.groups {
				b.K.NewGroup(w)
			}
			var ids []kernel.TaskID
			for _, h := range tc.tasks {
				ids = append(ids, b.hog(h.group, h.nice, h.cpu))
			}
			b.runAll(500) // loads settle
			var before []int64
			for _, id := range ids {
				before = append(before, b.K.Task(id).SumExec)
			}
			b.runAll(8000)
			for i, id := range ids {
				got := float64(b.K.Task(id).SumExec-before[i]) / (8000 * ms)
				if got < tc.tasks[i].want-.02 || got > tc.tasks[i].want+.02 {
					t.Errorf("%s, %s: task %d gets %.3f of CPU %d, want %.3f", v.Name, tc.what, i, got, tc.tasks[i].cpu, tc.tasks[i].want)
				}
			}
		}
	}
}

// TestGroupComesAndGoes: tasks of a group that sleep, wake, move and end keep
// the sums that weights are made from.
func TestGroupComesAndGoes(t *testing.T) {
	for _, v := range Versions() {
		b := newBench(t, "synthetic:sockets=1,cores=2,threads=1", v.Name+",hz=1000")
		g := b.K.NewGroup(50)
		var ids []kernel.TaskID
		for i := range 6 {
			id := b.K.NewTask(kernel.Fair, i, 0, nil, 0)
			if i%2 == 0 {
				b.K.JoinGroup(b.K.Task(id), g)
			}
			b.StartOn(b.K.Task(id), 0, b.now)
			ids = append(ids, id)
		}
		b.settle()
		for step := range 3000 {
			b.runAll(1)
			c := int32(step % 2)
			if curr := b.K.RQ[c].Curr; curr != kernel.None && step%3 == 0 {
				b.Schedule(c, Blocks, b.now)
			}
			if task := b.K.Task(ids[step%6]); task.State == kernel.TaskSleeping && step%4 != 0 {
				b.TryToWakeUp(task, c, kernel.WakeIRQ, b.now)
			}
			b.settle()
			if task := b.K.Task(ids[step*7%6]); step%5 == 0 {
				b.K.SetNice(task, step%40-20, b.now)
			}
			if err := b.K.Verify(); err != nil {
				t.Fatalf("%s, step %d: %v", v.Name, step, err)
			}
		}
	}
}

// TestSetNice: a new nice value counts at once, in or out of a group, whatever
// the task does.
func TestSetNice(t *testing.T) {
	for _, v := range Versions() {
		for _, grouped := range []bool{false, true} {
			b := newBench(t, "synthetic:sockets=1,cores=1,threads=1", v.Name+",hz=1000")
			group := int32(0)
			if grouped {
				group = b.K.NewGroup(100)
			}
			x := b.hog(group, 0, 0)
			b.hog(group, 0, 0)
			b.runAll(100)
			b.K.SetNice(b.K.Task(x), 5, b.now)
			from := b.K.Task(x).SumExec
			b.runAll(10_000)
			got := float64(b.K.Task(x).SumExec-from) / (10_000 * ms)
			if want := 335. / (1024 + 335); got < want-.02 || got > want+.02 {
				t.Errorf("%s, grouped %v: nice 5 gets %.3f beside nice 0, want %.3f", v.Name, grouped, got, want)
			}
		}
	}
}
