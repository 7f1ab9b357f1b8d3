package sim

import (
	"fmt"

	"schedlab/kernel"
	"schedlab/policy"
)

// Sched is how a task is scheduled. The zero Sched is that of a normal task; a
// child that has it is scheduled like its parent.
type Sched struct {
	Nice    int8  // -20..19, fair tasks
	RTPrio  int8  // 1..99: an RT task of that priority; 0: a fair one
	RR      bool  // with RTPrio: SCHED_RR, else SCHED_FIFO
	IdlePol bool  // SCHED_IDLE
	Batch   bool  // SCHED_BATCH
	Group   int32 // of Builder.Group; 0: none. It cannot be changed
}

// class is the scheduling class.
func (a *Sched) class() kernel.Class {
	switch {
	case a.RTPrio > 0:
		return kernel.RT
	case a.IdlePol:
		return kernel.IdlePolicy
	}
	return kernel.Fair
}

// group is a task group of a workload.
type group struct {
	name   string
	weight int64
	id     int32
}

// Group returns the number of the task group of that name, for [Sched.Group]. It
// has a weight of 1 to 10000 (cgroup cpu.weight; 0: the default, 100), which is
// the same wherever the group is named.
func (b *Builder) Group(name string, weight int64) (int32, error) {
	if weight == 0 {
		weight = kernel.GroupWeight
	}
	if weight < 1 || weight > 10_000 {
		return 0, fmt.Errorf("group %q: weight %d is not one of 1 to 10000", name, weight)
	}
	s := b.sim
	for i := range s.groups {
		if g := &s.groups[i]; g.name == name {
			if g.weight != weight {
				return 0, fmt.Errorf("group %q has weight %d and %d", name, g.weight, weight)
			}
			return g.id, nil
		}
	}
	id := s.k.NewGroup(weight)
	s.groups = append(s.groups, group{name, weight, id})
	return id, nil
}

// setSched changes how the current task of a CPU is scheduled.
func (s *Sim) setSched(c, id int32, a *Sched) {
	group := s.scheds[id].Group
	s.scheds[id] = *a
	s.scheds[id].Group = group
	s.sched.SetAttributes(s.k.Task(id), policy.Attributes{
		Class: a.class(), RR: a.RR, Batch: a.Batch, Nice: int(a.Nice), Prio: a.RTPrio,
	}, c, s.now)
	s.endWait(id) // it was queued anew, and runs on
}
