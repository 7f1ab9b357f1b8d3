package policy

import (
	"schedlab/domain"
	"schedlab/kernel"
)

// Placement is what a choice of CPU came to, for audits and explanations.
type Placement struct {
	CPU    int32
	Affine bool // the affine test was made and took the waker's CPU
	Path   Path
}

// Path names the rule that chose.
type Path uint8

const (
	PathNone    Path = iota // nothing idle was found: the target
	PathPinned              // one CPU allowed
	PathTarget              // the target was idle
	PathPrev                // the previous CPU was
	PathKthread             // per-CPU kthread rule
	PathRecent              // recent_used_cpu was
	PathCore                // an idle core
	PathCPU                 // an idle CPU of the LLC
	PathSMT                 // an idle sibling
	PathIdlest              // the slow path of fork and exec
)

// SelectTaskRQ is select_task_rq_fair(): the CPU for a task that wakes, is new
// or executes (reference B.2). cpu decides, waker is its current task (nil:
// idle), prev where the task ran last.
func (s *Sched) SelectTaskRQ(t, waker *kernel.Task, prev, cpu int32, fl kernel.WakeFlags, now int64) Placement {
	sync := fl&kernel.WakeSync != 0
	target, affine := prev, false
	if fl&kernel.WakeTTWU != 0 {
		w := s.wakees(waker, cpu)
		s.noteWakee(w, t, now)
		affine = s.wakeAffine && !s.wide(w, t, cpu) && s.K.AllowedOn(t, cpu)
	}
	flag := slowFlag(fl)
	var slow *domain.Domain
	pulled := false
	for _, sd := range s.domains(cpu) {
		s.search()
		if s.gen < GenV514 && sd.Flags&domain.LoadBalance == 0 {
			break
		}
		if affine && sd.Flags&domain.WakeAffine != 0 && sd.Span.Test(int(prev)) {
			if cpu != prev {
				target = s.affineTarget(sd, t, waker, cpu, prev, sync, now)
				pulled = target == cpu
			}
			slow = nil
			break
		}
		if sd.Flags&flag != 0 {
			slow = sd
		} else if !affine {
			break
		}
	}
	switch {
	case slow != nil:
		return Placement{CPU: s.findIdlestCPU(slow, t, cpu, prev, flag), Path: PathIdlest}
	case fl&kernel.WakeTTWU != 0:
		c, path := s.idleSibling(t, waker, cpu, prev, target, fl, now)
		if affine && s.recent == RecentWaker && waker != nil {
			waker.RecentUsed = cpu
		}
		return Placement{CPU: c, Affine: pulled, Path: path}
	}
	return Placement{CPU: target, Path: PathNone}
}

// slowFlag is the domain flag that sends a placement down the slow path.
func slowFlag(fl kernel.WakeFlags) domain.Flags {
	switch {
	case fl&kernel.WakeFork != 0:
		return domain.BalanceFork
	case fl&kernel.WakeExec != 0:
		return domain.BalanceExec
	}
	return domain.BalanceWake
}
