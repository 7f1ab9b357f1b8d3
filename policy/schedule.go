package policy

import "schedlab/kernel"

// Why says why a CPU calls Schedule.
type Why uint8

const (
	Preempted Why = iota // its task can go on, or it is idle
	Blocks               // its task goes to sleep
	Exits                // its task ends
)

// Schedule is __schedule(), the second composite: the CPU's current task blocks
// or gives way, the next one is chosen, a CPU that finds none searches others
// (newidle) or goes idle. It returns the new current task, kernel.None for idle.
func (s *Sched) Schedule(cpu int32, why Why, now int64) kernel.TaskID {
	k := s.K
	rq := &k.RQ[cpu]
	rq.NeedResched = false
	k.Meter.Write(&rq.Line, cpu)
	if prev := rq.Curr; prev != kernel.None {
		switch why {
		case Blocks:
			k.Dequeue(k.Task(prev), now, kernel.DequeueSleep)
		case Exits:
			k.Dequeue(k.Task(prev), now, kernel.DequeueDead)
		}
		if k.SawRT {
			s.pullRT(rq, k.Task(prev).Prio(), now)
		}
	}
	next := k.PickNext(rq, now)
	// What was pulled may all be asleep (delayed): then the search goes on.
	for next == kernel.None && s.newidleBalance(rq, now) {
		next = k.PickNext(rq, now)
	}
	if next == rq.Curr {
		switch {
		case next == kernel.None:
			s.updateIdleCore(cpu)
		case s.gen < GenV612 && k.Task(next).Class != kernel.RT:
			k.ListToHead(rq, k.Task(next)) // picked again all the same
		}
		rq.NeedResched = false
		return next
	}
	k.PutPrev(rq, now)
	if next != kernel.None {
		k.SetNext(rq, k.Task(next), now)
		if k.Task(next).Class == kernel.RT {
			s.pushRT(rq, now)
		}
	} else {
		s.updateIdleCore(cpu)
	}
	rq.NeedResched = false
	return next
}
