package rtapp

import (
	"fmt"
	"slices"

	"schedlab/cpumask"
	"schedlab/sim"
)

// Workload is a file, ready to run: a [sim.Workload]. It does not change, and may
// be used for several runs at once.
type Workload struct {
	name     string
	plan     *plan
	warnings []string
	jitter   int64 // thousandths
}

// Name is "rtapp:" and the file's name.
func (w *Workload) Name() string { return w.name }

// Unit says that work is counted in completed loops of phases, which are the
// lines of rt-app's logs.
func (w *Workload) Unit() string { return "cycles" }

// Span is the duration that the file asks for, in ns. If it asks for none, it is
// how long all threads together are busy or asleep by themselves; 0 if one of
// them has no end. It is a day at most.
func (w *Workload) Span() int64 {
	if w.plan.duration > 0 {
		return min(w.plan.duration, maxSpan)
	}
	span := 0.0
	for i := range w.plan.tasks {
		t := &w.plan.tasks[i]
		ns, ends := t.span()
		if !ends {
			return 0
		}
		span += ns * float64(t.instances)
	}
	return int64(min(span, maxSpan))
}

// Warnings say, a line each, what of the file is not done as rt-app does it.
func (w *Workload) Warnings() []string { return slices.Clone(w.warnings) }

// Setup adds rt-app's first thread to a run, which creates the others. CPUs that
// the machine does not have are an error, as they are for rt-app.
func (w *Workload) Setup(b *sim.Builder) error {
	r := &run{
		w: w, plan: w.plan,
		mutexes: make([]mutex, w.plan.mutexes), conds: make([]queue, w.plan.conds), sems: make([]semaphore, w.plan.sems),
		barriers: make([]barrier, len(w.plan.barriers)), timers: make([]timer, len(w.plan.timers)),
		forks: make([]int, len(w.plan.tasks)), absent: w.plan.threads, syscall: b.Costs().Syscall, create: b.Costs().Fork / threadShare,
	}
	for i, users := range w.plan.barriers {
		r.barriers[i].missing = users - 1
	}
	if err := r.resolveMasks(b); err != nil {
		return err
	}
	if err := r.resolveGroups(b); err != nil {
		return err
	}
	b.Task(sim.TaskSpec{Name: "rt-app", MM: threadsMM, Program: &launcher{r: r, first: r.firstThreads(b.Event)}})
	return nil
}

// threadsMM is the address space that all threads share.
const threadsMM = 1

// run is one run of the workload on one machine: what its threads share.
type run struct {
	w    *Workload
	plan *plan

	mutexes  []mutex
	conds    []queue
	sems     []semaphore
	barriers []barrier
	timers   []timer
	forks    []int // by task: how often it was forked

	masks     []cpumask.Mask // every mask that a thread may ask for, once
	taskMask  []int32        // by task: index of its mask
	phaseMask [][]int32      // by task and phase
	groups    []int32        // by task: its task group, 0 is none

	absent  int   // threads that the start still waits for
	gate    queue // threads that wait for the start
	threads int   // created so far
	alive   int
	zero    int64 // when the first thread began: from here on timers count
	over    bool  // the duration is over

	syscall int64 // ns
	create  int64 // ns of a pthread_create
}

// inherited is the mask of a thread that asks for none.
const inherited = 0

// resolveMasks makes a mask of every list of CPUs, the same for equal ones.
func (r *run) resolveMasks(b *sim.Builder) error {
	r.masks = []cpumask.Mask{b.Inherited()}
	for i := range r.plan.tasks {
		t := &r.plan.tasks[i]
		own, err := r.mask(b, t.cpus, inherited)
		if err != nil {
			return err
		}
		r.taskMask = append(r.taskMask, own)
		var phases []int32
		for j := range t.phases {
			m, err := r.mask(b, t.phases[j].cpus, own)
			if err != nil {
				return err
			}
			phases = append(phases, m)
		}
		r.phaseMask = append(r.phaseMask, phases)
	}
	return nil
}

// resolveGroups makes the task groups that the file names, of the default weight.
func (r *run) resolveGroups(b *sim.Builder) error {
	r.groups = make([]int32, len(r.plan.tasks))
	for i := range r.plan.tasks {
		if name := r.plan.tasks[i].group; name != "" {
			var err error
			if r.groups[i], err = b.Group(name, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// mask is the index of the mask of a list, def if there is none.
func (r *run) mask(b *sim.Builder, c *cpus, def int32) (int32, error) {
	if c == nil {
		return def, nil
	}
	m := cpumask.New(b.CPUs())
	for _, id := range c.ids {
		if int(id) >= b.CPUs() {
			return 0, fmt.Errorf("%s: invalid CPU %d: the machine has %d", c.where, id, b.CPUs())
		}
		m.Set(int(id))
	}
	if !m.Intersects(b.Online()) {
		return 0, fmt.Errorf("%s: none of the CPUs %v is online", c.where, m)
	}
	for i, x := range r.masks {
		if i != inherited && x.Equal(m) {
			return int32(i), nil
		}
	}
	r.masks = append(r.masks, m)
	return int32(len(r.masks) - 1), nil
}
