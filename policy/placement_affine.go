package policy

import (
	"schedlab/domain"
	"schedlab/kernel"
)

// affineTarget is wake_affine(): the waker's CPU or the wakee's previous one
// (reference B.4). sd is the lowest domain of the waker's CPU that holds prev.
func (s *Sched) affineTarget(sd *domain.Domain, t, waker *kernel.Task, cpu, prev int32, sync bool, now int64) int32 {
	target := int32(-1)
	if s.K.WAIdle {
		target = s.affineIdle(cpu, prev, sync)
	}
	if target < 0 && s.K.WAWeight {
		target = s.affineWeight(sd, t, waker, cpu, prev, sync, now)
	}
	if target != cpu {
		return prev
	}
	return cpu
}

// affineIdle is wake_affine_idle(): -1 when undecided.
func (s *Sched) affineIdle(cpu, prev int32, sync bool) int32 {
	if s.K.SharesCache(cpu, prev) && s.K.IdleCPU(cpu, cpu) {
		if s.K.IdleCPU(prev, cpu) {
			return prev
		}
		return cpu
	}
	if sync && s.aloneOn(&s.K.RQ[cpu]) {
		return cpu
	}
	if s.gen >= GenV514 && s.K.IdleCPU(prev, cpu) {
		return prev
	}
	return -1
}

// aloneOn reports whether a queue holds the waker only, who is about to sleep.
func (s *Sched) aloneOn(rq *kernel.RQ) bool {
	n := rq.NrRunning
	if s.K.Fixes612 {
		n -= rq.HNrDelayed
	}
	return n == 1
}

// affineWeight is wake_affine_weight(): cpu when its load with the wakee stays
// below prev's without it, -1 otherwise.
func (s *Sched) affineWeight(sd *domain.Domain, t, waker *kernel.Task, cpu, prev int32, sync bool, now int64) int32 {
	s.K.Meter.Read(&s.K.RQ[prev].Line, cpu)
	here, there := s.placeLoad(cpu), s.placeLoad(prev)
	var bonus int64
	if sync {
		current := int64(0)
		if waker != nil {
			current = waker.Avg.Load
		}
		if current > here {
			return cpu
		}
		here -= current
		bonus = 1
	}
	load := t.Avg.Load
	here += load
	there -= load
	if s.K.WABias {
		here *= 100
		there *= 100 + (int64(sd.ImbalancePct)-100)/2
	}
	// Capacities are equal on symmetric machines; they are multiplied crosswise.
	here *= s.capacity(prev)
	there = there*s.capacity(cpu) + bonus
	if here < there {
		return cpu
	}
	return -1
}

// placeLoad is the load of a queue that placement and the choice of a source
// queue compare: of runnable tasks under v4.20 (source_load, target_load with
// index 0), blocked ones included later.
func (s *Sched) placeLoad(cpu int32) int64 {
	if s.K.RunnableLoad {
		return s.K.RQ[cpu].Avg.Run
	}
	return s.K.RQ[cpu].Avg.Load
}

// capacity is capacity_of() a CPU.
func (s *Sched) capacity(cpu int32) int64 { return s.at[cpu].capacity }
