package replay

import (
	"cmp"
	"slices"

	"schedlab/cpumask"
	"schedlab/sim"
	"schedlab/trace"
)

// Workload is a recording, ready to run: a [sim.Workload] and [sim.Replayer].
// It does not change, and may be used for several runs at once.
type Workload struct {
	name    string
	jitter  int64 // thousandths
	specs   []spec
	masks   []cpumask.Mask // nil: every CPU
	outside []outside      // by time
	stats   Stats
	info    trace.Info
}

// Stats is what a recording was turned into.
type Stats struct {
	Tasks     int64 // tasks, of which
	Forked    int64 // ... were forked by another one of them
	Asleep    int64 // ... sleep when the recording ends
	Wakeups   int64 // wake-ups that are delivered:
	FromTasks int64 // ... by tasks
	Outside   int64 // ... from outside, at their recorded time
	Early     int64 // of them, those that met a task that was not yet asleep

	Unrecorded int64 // sleeps that end at a recorded time, for lack of a wake-up
	Resynced   int64 // contradictions: switches, forks or exits that were not recorded

	Span int64   // ns from the first to the last event
	Run  int64   // ns of CPU time of all tasks
	Busy []int64 // ... by recorded CPU
}

func newWorkload(name string, b *builder) *Workload {
	w := &Workload{name: name, jitter: DefaultJitter, specs: b.specs(), outside: b.outside, stats: b.stats, info: b.info}
	seen, n := cpusOf(&b.info)
	for _, m := range b.masks.all {
		w.masks = append(w.masks, m.resolve(seen, n))
	}
	slices.SortStableFunc(w.outside, func(x, y outside) int { return cmp.Compare(x.at, y.at) })
	return w
}

// Name is "trace:" and the file's name, and the jitter if it is not the default.
func (w *Workload) Name() string { return w.name }

// Unit says that work is counted in sleeps that a wake-up ended.
func (w *Workload) Unit() string { return "wake-ups" }

// Recorded is true: run times have the recorded kernel's own costs in them.
func (w *Workload) Recorded() bool { return true }

// Wakeups is the number of wake-ups that a run delivers: one for every
// sched_waking of the recording (sched_wakeup, if it has none).
func (w *Workload) Wakeups() int64 { return w.stats.Wakeups }

// Span is the length of the recording, ns.
func (w *Workload) Span() int64 { return w.stats.Span }

// Stats is what the recording was turned into.
func (w *Workload) Stats() Stats {
	s := w.stats
	s.Busy = slices.Clone(s.Busy)
	return s
}

// Info is what the recording held, with what was lost or could not be read.
func (w *Workload) Info() trace.Info { return w.info }

// Setup adds the recorded tasks and the wake-ups from outside to a run.
func (w *Workload) Setup(b *sim.Builder) error {
	r := w.newRun(b.Online(), b.Event)
	for i := range r.specs {
		if s := &w.specs[i]; !s.child && !s.absent {
			b.Task(r.specs[i])
		}
	}
	b.Interrupts(&source{r: r})
	return nil
}

// run is one run of the workload on one machine.
type run struct {
	w      *Workload
	place  placement
	events []int32        // by task
	specs  []sim.TaskSpec // by task
	masks  []sim.TaskSpec // with w.masks, on this machine
}

func (w *Workload) newRun(online cpumask.Mask, newEvent func() int32) *run {
	r := &run{
		w: w, place: newPlacement(online),
		events: make([]int32, len(w.specs)),
		specs:  make([]sim.TaskSpec, len(w.specs)),
		masks:  make([]sim.TaskSpec, len(w.masks)),
	}
	for i, m := range w.masks {
		r.masks[i].Affinity = r.place.mask(m)
	}
	programs := make([]program, len(w.specs))
	for i := range w.specs {
		s := &w.specs[i]
		if s.serves {
			r.events[i] = newEvent()
		}
		programs[i] = program{r: r, task: int32(i)}
		r.specs[i] = sim.TaskSpec{
			Name: s.name, Program: &programs[i], Sched: sim.Sched{Nice: s.nice, RTPrio: s.rt},
			Affinity: r.affinity(s), Start: s.start, CPU: r.place.cpu(s.cpu), Placed: !s.child,
			PerCPUKthread: s.kthread,
		}
	}
	return r
}

// affinity is a task's first set of CPUs. It is never nil: a child without one
// would inherit its parent's.
func (r *run) affinity(s *spec) cpumask.Mask {
	switch {
	case s.pin >= 0:
		return cpumask.Of(int(r.place.cpu(s.pin)))
	case s.mask != everyCPU:
		return r.masks[s.mask].Affinity
	}
	return r.place.online
}

// program is a task at work: a place in its operations.
type program struct {
	r     *run
	task  int32
	at    int
	slept bool // the operation before was a wait
}

// Next implements [sim.Program].
func (p *program) Next(c *sim.Ctx) sim.Op {
	if p.slept {
		c.Work(1)
	}
	return p.next(c.Rand)
}

func (p *program) next(rand *sim.Rand) sim.Op {
	p.slept = false
	ops := p.r.w.specs[p.task].ops
	if p.at == len(ops) {
		return sim.Op{Kind: sim.OpExit}
	}
	o := &ops[p.at]
	p.at++
	switch o.kind {
	case opRun:
		return sim.Op{Kind: sim.OpRun, Dur: rand.Jitter(o.dur, p.r.w.jitter)}
	case opWait:
		p.slept = true
		return sim.Op{Kind: sim.OpWait, Obj: p.r.events[p.task], N: 1}
	case opSignal:
		return sim.Op{Kind: sim.OpSignal, Obj: p.r.events[o.obj], N: 1}
	case opSleep:
		return sim.Op{Kind: sim.OpSleepUntil, Dur: o.dur}
	case opFork:
		return sim.Op{Kind: sim.OpFork, Task: &p.r.specs[o.obj]}
	case opAffinity:
		return sim.Op{Kind: sim.OpAffinity, Task: &p.r.masks[o.obj]}
	}
	panic("replay: operation of unknown kind")
}

// source gives a run the wake-ups from outside.
type source struct {
	r  *run
	at int
}

// Next implements [sim.InterruptSource].
func (s *source) Next() (sim.Interrupt, bool) {
	all := s.r.w.outside
	if s.at == len(all) {
		return sim.Interrupt{}, false
	}
	o := &all[s.at]
	s.at++
	return sim.Interrupt{At: o.at, CPU: s.r.place.cpu(o.cpu), Event: s.r.events[o.task], N: 1}, true
}
