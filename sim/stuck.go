package sim

import (
	"fmt"
	"time"
)

// whyStuck says in one line what the tasks that are left wait for when nothing is
// pending any more. A recording's tasks may do so: what would wake them was not
// recorded.
func (s *Sim) whyStuck() string {
	if s.recorded {
		return ""
	}
	for id := range s.tasks {
		if t := &s.tasks[id]; t.prog != nil && !t.daemon {
			return fmt.Sprintf("at %v; tasks that wait for what never comes: %d, the first is %q (task %d), %s",
				time.Duration(s.now), s.live, s.names[id], id, s.waitsFor(t))
		}
	}
	return ""
}

func (s *Sim) waitsFor(t *task) string {
	switch t.op.Kind {
	case OpSend:
		return fmt.Sprintf("to send to channel %d", t.op.Obj)
	case OpRecv:
		return fmt.Sprintf("to receive from channel %d", t.op.Obj)
	case OpWait:
		return fmt.Sprintf("for a count of %d at event %d, which has %d", t.op.N, t.op.Obj, s.counters[t.op.Obj].count)
	}
	return "to run" // a defect of the simulator
}
