package workload

import (
	"errors"
	"fmt"
	"strings"

	"schedlab/cpumask"
	"schedlab/internal/keyval"
	"schedlab/sim"
)

// attributes are the scheduling attributes that a workload gives its tasks.
type attributes struct {
	nice  int8
	sched string
	prio  int8
	cpus  string // as a list of ranges joined by '+'; everyCPU: all
}

const (
	everyCPU    = "all"
	defaultPrio = 50
)

// readAttributes reads the keys nice, sched, prio and cpus. SCHED_BATCH and
// SCHED_RR are not among them: the rules here do not tell them from SCHED_OTHER
// and SCHED_FIFO (docs/model.md).
func readAttributes(s *keyval.Spec) attributes {
	a := attributes{
		nice:  int8(s.Int("nice", 0, -20, 19, "nice value of tasks with sched=other")),
		sched: s.Enum("sched", "other", "scheduling policy of the tasks", "other", "idle", "fifo"),
		prio:  int8(s.Int("prio", defaultPrio, 1, 99, "priority of tasks with sched=fifo, 99 before 1")),
		cpus:  s.String("cpus", everyCPU, "list of CPUs such as 0-3+8, or all", "CPUs that the tasks may use"),
	}
	switch {
	case a.prio != defaultPrio && a.sched != "fifo":
		s.Reject("prio=%d needs sched=fifo", a.prio)
	case a.nice != 0 && a.sched != "other":
		s.Reject("nice=%d needs sched=other", a.nice)
	}
	if _, err := a.mask(); err != nil {
		s.Reject("cpus=%.60s: %v", a.cpus, err)
	}
	return a
}

// spec is a task with the attributes. The error says that it has no CPU here.
func (a attributes) spec(b *sim.Builder) (sim.TaskSpec, error) {
	t := sim.TaskSpec{Nice: a.nice, IdlePol: a.sched == "idle"}
	if a.sched == "fifo" {
		t.RTPrio = a.prio
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
