package workload

import (
	"errors"
	"fmt"
	"strings"

	"schedlab/cpumask"
	"schedlab/internal/keyval"
	"schedlab/kernel"
	"schedlab/sim"
)

// attributes are the scheduling attributes that a workload gives its tasks.
type attributes struct {
	nice    int8
	sched   string
	prio    int8
	group   string // task group; rootGroup: none
	weight  int64  // of the group
	cpus    string // as a list of ranges joined by '+'; everyCPU: all
	kthread bool   // each is a kernel thread bound to one of them
}

const (
	everyCPU    = "all"
	defaultPrio = 50
	rootGroup   = "root"
)

// normal are the attributes of a task that is given none.
var normal = attributes{sched: "other", prio: defaultPrio, group: rootGroup, weight: kernel.GroupWeight, cpus: everyCPU}

// readAttributes reads the keys nice, sched, prio, cpus, group and weight.
func readAttributes(s *keyval.Spec) attributes {
	a := attributes{
		nice:   int8(s.Int("nice", 0, -20, 19, "nice value of tasks with sched=other or batch")),
		sched:  s.Enum("sched", "other", "scheduling policy of the tasks", "other", "batch", "idle", "fifo", "rr"),
		prio:   int8(s.Int("prio", defaultPrio, 1, 99, "priority of tasks with sched=fifo or rr, 99 before 1")),
		cpus:   s.String("cpus", everyCPU, "list of CPUs such as 0-3+8, or all", "CPUs that the tasks may use"),
		group:  s.String("group", rootGroup, "name of a task group", "task group of the tasks, one for all that name it, in a mix too; root: none"),
		weight: int64(s.Int("weight", kernel.GroupWeight, 1, 10_000, "weight of the group (cgroup cpu.weight), 100 is that of one task of nice 0")),
	}
	switch {
	case a.prio != defaultPrio && !a.rt():
		s.Reject("prio=%d needs sched=fifo or rr", a.prio)
	case a.nice != 0 && a.sched != "other" && a.sched != "batch":
		s.Reject("nice=%d needs sched=other or batch", a.nice)
	case a.group[0] >= '0' && a.group[0] <= '9':
		s.Reject("group=%.60s: a group's name begins with no digit (hackbench's number of groups is the key groups)", a.group)
	case a.weight != kernel.GroupWeight && a.group == rootGroup:
		s.Reject("weight=%d needs a group", a.weight)
	}
	if _, err := a.mask(); err != nil {
		s.Reject("cpus=%.60s: %v", a.cpus, err)
	}
	return a
}

// readTaskAttributes reads these and kthread, for workloads whose tasks are there
// from the start.
func readTaskAttributes(s *keyval.Spec) attributes {
	a := readAttributes(s)
	a.kthread = s.Bool("kthread", false, "each task is a kernel thread bound to one of cpus, in turn")
	return a
}

func (a attributes) rt() bool { return a.sched == "fifo" || a.sched == "rr" }

// spec is a task with the attributes. The error says that it has no CPU here.
func (a attributes) spec(b *sim.Builder) (sim.TaskSpec, error) {
	t := sim.TaskSpec{Sched: sim.Sched{Nice: a.nice, IdlePol: a.sched == "idle", Batch: a.sched == "batch", RR: a.sched == "rr"}}
	if a.rt() {
		t.RTPrio = a.prio
	}
	if a.group != rootGroup {
		var err error
		if t.Group, err = b.Group(a.group, a.weight); err != nil {
			return t, err
		}
	}
	if a.cpus == everyCPU {
		return t, nil
	}
	mask, err := a.mask()
	if err != nil {
		return t, fmt.Errorf("cpus=%s: %w", a.cpus, err)
	}
	t.Affinity = b.Online().Clone()
	t.Affinity.And(mask)
	if t.Affinity.Empty() {
		return t, fmt.Errorf("cpus=%s: none of them is online (%v are)", a.cpus, b.Online())
	}
	return t, nil
}

// task is the i-th task like t. A kernel thread is bound to one CPU, in ascending
// order and over again.
func (a attributes) task(b *sim.Builder, t sim.TaskSpec, i int) sim.TaskSpec {
	if !a.kthread {
		return t
	}
	cpus := t.Affinity
	if cpus == nil {
		cpus = b.Online()
	}
	c := cpus.First()
	for range i % cpus.Weight() {
		c = cpus.Next(c + 1)
	}
	t.Affinity, t.CPU, t.PerCPUKthread = cpumask.Of(c), int32(c), true
	return t
}

// mask is nil where every CPU is allowed.
func (a attributes) mask() (cpumask.Mask, error) {
	if a.cpus == everyCPU {
		return nil, nil
	}
	mask, err := cpumask.ParseList(strings.ReplaceAll(a.cpus, "+", ","))
	if err == nil && mask.Empty() {
		err = errors.New("the list is empty")
	}
	return mask, err
}
