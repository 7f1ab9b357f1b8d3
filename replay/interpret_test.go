package replay

import (
	"container/heap"
	"fmt"
	"testing"

	"schedlab/cpumask"
	"schedlab/sim"
)

// world carries a workload out on as many CPUs as there are tasks, at once: the
// least that any machine needs. It proves that a workload ends, and by when.
type world struct {
	t       *testing.T
	run     *run
	source  source
	pending sim.Interrupt
	more    bool

	queue   agenda
	seq     int
	tasks   map[*sim.TaskSpec]*actor
	counts  map[int32]int64
	waiting map[int32]*actor

	now       int64
	delivered int64
	exited    int
	ran       int64
	started   int
	log       func(a *actor, op sim.Op) // may be nil
}

type actor struct {
	spec *sim.TaskSpec
	rand sim.Rand
	wait bool // in the middle of a wait
}

func newWorld(t *testing.T, w *Workload, cpus int) *world {
	events := int32(0)
	r := w.newRun(cpumask.Full(cpus), func() int32 { events++; return events - 1 })
	s := &world{t: t, run: r, source: source{r: r}, tasks: map[*sim.TaskSpec]*actor{}, counts: map[int32]int64{}, waiting: map[int32]*actor{}}
	s.pending, s.more = s.source.Next()
	for i := range r.specs {
		if !w.specs[i].child && !w.specs[i].absent {
			s.start(&r.specs[i], r.specs[i].Start)
		}
	}
	return s
}

func (s *world) start(spec *sim.TaskSpec, at int64) {
	if s.tasks[spec] != nil {
		s.t.Fatalf("task %s starts twice", spec.Name)
	}
	a := &actor{spec: spec, rand: sim.NewRand(1, uint64(s.started))}
	s.tasks[spec] = a
	s.started++
	s.at(at, a)
}

func (s *world) at(t int64, a *actor) {
	heap.Push(&s.queue, entry{t, s.seq, a})
	s.seq++
}

// end runs to the end, and checks that all has been done.
func (s *world) end() {
	for {
		if s.more && (len(s.queue) == 0 || s.pending.At < s.queue[0].at) {
			if s.pending.At < s.now {
				s.t.Fatalf("interrupt at %d after %d", s.pending.At, s.now)
			}
			s.now = s.pending.At
			s.signal(s.pending.Event, int64(s.pending.N))
			s.pending, s.more = s.source.Next()
			continue
		}
		if len(s.queue) == 0 {
			break
		}
		e := heap.Pop(&s.queue).(entry)
		s.now = max(s.now, e.at)
		s.act(e.a)
	}
	for i := range s.run.specs {
		if s.tasks[&s.run.specs[i]] == nil && !s.run.w.specs[i].absent {
			s.t.Errorf("task %s never started", s.run.specs[i].Name)
		}
	}
	if tasks := int(s.run.w.stats.Tasks); s.exited != tasks {
		s.t.Errorf("%d of %d tasks ended", s.exited, tasks)
	}
	for event, n := range s.counts {
		if n != 0 {
			s.t.Errorf("event %d ends with a count of %d", event, n)
		}
	}
}

func (s *world) signal(event int32, n int64) {
	s.delivered += n
	s.counts[event] += n
	if a := s.waiting[event]; a != nil {
		delete(s.waiting, event)
		s.at(s.now, a)
	}
}

// act carries out a task's operations until one takes time.
func (s *world) act(a *actor) {
	p := a.spec.Program.(*program)
	for {
		var op sim.Op
		if a.wait {
			a.wait = false
			op = sim.Op{Kind: sim.OpWait, Obj: s.run.events[p.task], N: 1}
		} else {
			op = p.next(&a.rand)
			if s.log != nil {
				s.log(a, op)
			}
		}
		switch op.Kind {
		case sim.OpRun:
			if op.Dur <= 0 {
				s.t.Fatalf("task %s runs for %d", a.spec.Name, op.Dur)
			}
			s.ran += op.Dur
			s.at(s.now+op.Dur, a)
			return
		case sim.OpSleepUntil:
			if op.Dur > s.now {
				s.at(op.Dur, a)
				return
			}
		case sim.OpWait:
			if s.counts[op.Obj] < int64(op.N) {
				a.wait = true
				s.waiting[op.Obj] = a
				return
			}
			s.counts[op.Obj] -= int64(op.N)
		case sim.OpSignal:
			s.signal(op.Obj, int64(op.N))
		case sim.OpFork:
			s.start(op.Task, s.now)
		case sim.OpAffinity:
			if op.Task.Affinity.Empty() {
				s.t.Fatalf("task %s may run nowhere", a.spec.Name)
			}
		case sim.OpExit:
			s.exited++
			return
		default:
			s.t.Fatalf("operation of kind %d", op.Kind)
		}
	}
}

type entry struct {
	at  int64
	seq int
	a   *actor
}

type agenda []entry

func (q agenda) Len() int { return len(q) }
func (q agenda) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].seq < q[j].seq
}
func (q agenda) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *agenda) Push(x any)   { *q = append(*q, x.(entry)) }
func (q *agenda) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

// script writes a task's operations in short: "run 5 wait signal:b-2 ...", times
// in us, as the workload gives them.
func script(w *Workload, cpus int) map[string]string {
	events := int32(0)
	r := w.newRun(cpumask.Full(cpus), func() int32 { events++; return events - 1 })
	byEvent := map[int32]string{}
	for i := range w.specs {
		if w.specs[i].serves {
			byEvent[r.events[i]] = w.specs[i].name
		}
	}
	out := map[string]string{}
	for i := range r.specs {
		text, p, rand := "", r.specs[i].Program.(*program), sim.NewRand(1, 1)
		for more := true; more; {
			op := p.next(&rand)
			switch op.Kind {
			case sim.OpRun:
				text += fmt.Sprintf("run %d ", op.Dur/1000)
			case sim.OpWait:
				text += "wait "
				if byEvent[op.Obj] != w.specs[i].name {
					text += "for " + byEvent[op.Obj] + " "
				}
			case sim.OpSignal:
				text += "signal " + byEvent[op.Obj] + " "
			case sim.OpSleepUntil:
				text += fmt.Sprintf("until %d ", op.Dur/1000)
			case sim.OpFork:
				text += "fork " + op.Task.Name + " "
			case sim.OpAffinity:
				text += "allow " + op.Task.Affinity.String() + " "
			case sim.OpExit:
				text += "exit"
				more = false
			}
		}
		name := w.specs[i].name
		for out[name] != "" {
			name += "'"
		}
		out[name] = text
	}
	return out
}
