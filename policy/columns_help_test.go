package policy

import (
	"testing"

	"schedlab/cpumask"
	"schedlab/domain"
	"schedlab/kernel"
	"schedlab/machine"
)

// columns are a rule's values by version, in the order of the presets: v4.20,
// v5.3, v5.14, v6.1, v6.12, v6.12.117.
type columns[T any] [6]T

// by runs a decision under every version, with settings behind the name, and
// compares what it comes to with the version's column.
func by[T comparable](t *testing.T, what, settings string, want columns[T], decide func(t *testing.T, spec string) T) {
	t.Helper()
	for i, v := range Versions() {
		if got := decide(t, v.Name+settings); got != want[i] {
			t.Errorf("%s, %s: %v, want %v", what, v.Name+settings, got, want[i])
		}
	}
}

// changedBench is newBench on a machine that was changed first.
func changedBench(t *testing.T, machineName, spec string, change func(*machine.Machine)) *bench {
	t.Helper()
	m, err := machine.Load(machineName)
	if err != nil {
		t.Fatal(err)
	}
	change(m)
	p, err := Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	d, err := domain.Build(m, p.Rules())
	if err != nil {
		t.Fatal(err)
	}
	k := kernel.New(m, d, p.Config(m.Online.Weight()))
	return &bench{Sched: New(p, k, 1), t: t, now: 1_000_000_000}
}

// isolate takes CPUs out of the domains.
func isolate(cpus ...int) func(*machine.Machine) {
	return func(m *machine.Machine) { m.Boot.Isolated = cpumask.Of(cpus...) }
}

// run1 lets a new task of a class run on a CPU, which had none, and returns its id.
func (b *bench) run1(cpu int32, class kernel.Class, nice int) kernel.TaskID {
	b.t.Helper()
	id := b.K.NewTask(class, nice, 0, nil, cpu)
	b.StartOn(b.K.Task(id), cpu, b.now)
	if got := b.Schedule(cpu, Preempted, b.now); got != id {
		b.t.Fatalf("CPU %d runs task %d, want %d", cpu, got, id)
	}
	return id
}

// add queues a new task beside what runs on a CPU.
func (b *bench) add(cpu int32, class kernel.Class, nice int) kernel.TaskID {
	id := b.K.NewTask(class, nice, 0, nil, cpu)
	b.StartOn(b.K.Task(id), cpu, b.now)
	return id
}

// occupyBut lets a task run on every CPU but those given.
func (b *bench) occupyBut(cpus ...int) {
	idle := cpumask.Of(cpus...)
	for c := range b.K.RQ {
		if !idle.Test(c) {
			b.occupy(int32(c))
		}
	}
}

// looks is what balancing sees of a runqueue.
type looks struct {
	cpu           int32
	running, fair int32
	load, util    int64
	run           int64 // runnable average; up to v5.3 runnable load
}

// show lets runqueues look as given, whatever is queued there.
func (b *bench) show(ls ...looks) {
	for _, l := range ls {
		rq := &b.K.RQ[l.cpu]
		rq.NrRunning, rq.HNrQueued = l.running, l.fair
		rq.Avg.Load, rq.Avg.Util, rq.Avg.Run = l.load, l.util, l.run
	}
}
