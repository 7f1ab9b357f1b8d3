package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"schedlab/domain"
	"schedlab/kernel"
	"schedlab/machine"
	"schedlab/policy"
)

// Config is everything that a run depends on.
type Config struct {
	Machine  *machine.Machine
	Domains  *domain.Domains // of Machine under the policy's rules; nil: built here
	Policy   *policy.Policy
	Workload Workload
	Seed     uint64
	For      int64 // virtual ns after which the run ends at the latest; see MaxFor
}

// Sim is one run.
type Sim struct {
	m     *machine.Machine
	k     *kernel.Kernel
	sched *policy.Sched
	costs machine.Costs // zero for recorded workloads
	q     queue
	now   int64
	until int64

	cpus     []cpu
	busy     []int32   // by core id: threads that are not idle
	siblings [][]int32 // by CPU: other threads of its core
	tasks    []task    // by kernel.TaskID
	names    []string  // of them
	initial  []TaskSpec
	order    []int32 // of initial tasks by their start
	started  int     // how many of them have
	channels []channel
	counters []counter
	locks    []spinLock
	groups   []group
	scheds   []Sched // by kernel.TaskID
	records  []Record
	besides  int32 // workloads beside the measured one
	sources  []source
	tickOn   []int32 // scratch of one tick
	acting   int32   // the CPU whose event this is
	live     int     // tasks that the run waits for
	spunAt   int64   // the instant of
	spins    int     // ... the operations counted here

	recorded  bool
	seed      uint64
	setupRand Rand
	ctx       Ctx
	waits     waits
	stats     Stats // counts since the measured time began
	before    books // up to where it began
	marked    Stats // what was measured when it ended
	ended     bool
	stuck     string
	digest    uint64
	failed    error
}

type source struct {
	from InterruptSource
	next Interrupt
}

// task is the simulator's part of a task; its kernel.TaskID is its index.
type task struct {
	prog     Program
	rand     Rand
	op       Op
	left     int64 // CPU time that the running operation still needs
	step     step
	trait    trait
	nextWait int32 // link of the list that it is blocked on
	wokenAt  int64 // when it was woken and did not run since; -1: not
	waiting  bool  // runnable and not running
	granted  bool  // what it waits for was given to it
	daemon   bool
	mm       int32 // address space
	lastCPU  int32 // where it ran last; -1: nowhere yet
}

// step is how far a task is with its operation.
type step uint8

const (
	stepNext  step = iota // ask the program
	stepBegin             // check whether it may go on, then use CPU time
	stepAct               // the CPU time is used: act
)

// maxSpins and spinsPerTask, for each task of the set-up, bound the operations of
// one instant, so that an endless program without time is an error and not a hang.
const (
	maxSpins     = 1 << 20
	spinsPerTask = 64
)

// farFuture is later than any run ends, and far enough from Forever that
// what a CPU owes can be added.
const farFuture = 1 << 62

// Run simulates until the workload is done or the time is over. A cancelled
// context ends it with the context's error, but not while it is set up, which
// takes a minute with 65,536 CPUs. Errors are one line.
func Run(ctx context.Context, cfg Config) (*Result, error) {
	s, err := newSim(cfg)
	if err != nil {
		return nil, err
	}
	if err := s.loop(ctx); err != nil {
		return nil, err
	}
	return s.result(), nil
}

// SetupError says that a workload cannot be set up on the machine: the input is
// at fault, not the run.
type SetupError struct {
	Workload string
	Err      error
}

func (e *SetupError) Error() string { return "workload " + e.Workload + ": " + e.Err.Error() }
func (e *SetupError) Unwrap() error { return e.Err }

func newSim(cfg Config) (*Sim, error) {
	if cfg.Machine == nil || cfg.Policy == nil || cfg.Workload == nil {
		return nil, errors.New("sim: machine, policy and workload are all needed")
	}
	if cfg.Machine.Online.Empty() {
		return nil, fmt.Errorf("machine %s has no online CPU", cfg.Machine.Name)
	}
	if cfg.For <= 0 {
		return nil, errors.New("sim: the time to simulate must be positive")
	}
	d := cfg.Domains
	if d == nil {
		var err error
		if d, err = domain.Build(cfg.Machine, cfg.Policy.Rules()); err != nil {
			return nil, err
		}
	}
	s := &Sim{m: cfg.Machine, until: min(cfg.For, MaxFor/int64(cfg.Machine.Online.Weight())), seed: cfg.Seed, setupRand: NewRand(cfg.Seed, 1<<40), costs: cfg.Machine.Costs}
	if r, ok := cfg.Workload.(Replayer); ok && r.Recorded() {
		s.recorded = true
		// Recorded run times contain these already (DESIGN.md, principle 3).
		s.costs = machine.Costs{SMTSpeed: 1000}
	}
	s.k = kernel.New(cfg.Machine, d, cfg.Policy.Config(cfg.Machine.Online.Weight()))
	s.sched = policy.New(cfg.Policy, s.k, cfg.Seed)
	phase := NewRand(cfg.Seed, 1<<41)
	s.sched.Stagger(phase.Below)
	s.waits = newWaits(s.k)
	s.stats.Latency = newLatency()
	s.ctx.sim = s
	s.initCPUs()
	s.hook()
	err := cfg.Workload.Setup(&Builder{sim: s})
	if err == nil {
		err = s.startAll()
	}
	if err != nil {
		return nil, &SetupError{cfg.Workload.Name(), err}
	}
	return s, nil
}

// hook connects what the scheduler announces to what happens then.
func (s *Sim) hook() {
	s.k.Hooks = kernel.Hooks{
		Resched:    s.onResched,
		WakeQueued: s.onWakeQueued,
		Migrate:    s.onMigrate,
		Enqueued:   s.onEnqueued,
	}
	s.sched.NohzKick = s.onNohzKick
	s.sched.PushRunning = s.onPush
}

func (s *Sim) addChannel(c ChannelSpec) int32 {
	s.channels = append(s.channels, channel{ChannelSpec: c, receivers: emptyList(), senders: emptyList()})
	return int32(len(s.channels) - 1)
}

func (s *Sim) addEvent() int32 {
	s.counters = append(s.counters, counter{waiters: emptyList()})
	return int32(len(s.counters) - 1)
}

func (s *Sim) addInitial(t TaskSpec) int32 {
	s.initial = append(s.initial, t)
	return int32(len(s.initial) - 1)
}

func (s *Sim) addSource(src InterruptSource) {
	if next, ok := src.Next(); ok {
		s.sources = append(s.sources, source{src, next})
	}
}

// Slots of the event queue: the tick, the start of initial tasks, one per
// source, and three per CPU.
const (
	slotTick = iota
	slotStart
	slotFirstSource

	slotsPerCPU = 3
)

func (s *Sim) slotSource(i int) int32  { return int32(slotFirstSource + i) }
func (s *Sim) slotRun(c int32) int32   { return int32(slotFirstSource+len(s.sources)) + slotsPerCPU*c }
func (s *Sim) slotKick(c int32) int32  { return s.slotRun(c) + 1 }
func (s *Sim) slotTimer(c int32) int32 { return s.slotRun(c) + 2 }

// startAll creates the initial tasks and prepares their starts.
func (s *Sim) startAll() error {
	s.q.grow(int(s.slotRun(int32(len(s.cpus)))))
	for i := range s.sources {
		s.q.set(s.slotSource(i), max(s.sources[i].next.At, 0))
	}
	for i := range s.initial {
		spec := &s.initial[i]
		cpu, err := s.birthCPU(spec)
		if err != nil {
			return err
		}
		s.order = append(s.order, s.newTask(spec, cpu))
	}
	slices.SortStableFunc(s.order, func(a, b int32) int {
		return cmp.Compare(s.initial[a].Start, s.initial[b].Start)
	})
	if len(s.order) > 0 {
		s.q.set(slotStart, max(s.initial[s.order[0]].Start, 0))
	}
	return nil
}

// birthCPU is where a task starts from: the one asked for, or the lowest that
// is online, not isolated and allowed.
func (s *Sim) birthCPU(spec *TaskSpec) (int32, error) {
	if spec.Affinity != nil && !spec.Affinity.Intersects(s.m.Online) {
		return 0, fmt.Errorf("task %q may run on CPUs %v only, none of which is online", spec.Name, spec.Affinity)
	}
	if c := spec.CPU; s.m.Online.Test(int(c)) && (spec.Affinity == nil || spec.Affinity.Test(int(c))) {
		return c, nil
	}
	first := int32(-1)
	for c := s.m.Online.Next(0); c >= 0; c = s.m.Online.Next(c + 1) {
		if spec.Affinity != nil && !spec.Affinity.Test(c) {
			continue
		}
		if first < 0 {
			first = int32(c)
		}
		if !s.m.Boot.Isolated.Test(c) {
			return int32(c), nil
		}
	}
	return first, nil
}

// newTask adds a task to kernel and simulator.
func (s *Sim) newTask(spec *TaskSpec, cpu int32) int32 {
	mask := spec.Affinity
	if mask == nil && !s.m.Boot.Isolated.Empty() {
		mask = s.inherited()
	}
	id := s.k.NewTask(spec.class(), int(spec.Nice), spec.RTPrio, mask, cpu)
	t := s.k.Task(id)
	t.PerCPUKthread, t.RR, t.Batch = spec.PerCPUKthread, spec.RR, spec.Batch
	if spec.Group != 0 {
		s.k.JoinGroup(t, spec.Group)
	}
	s.scheds = append(s.scheds, spec.Sched)
	s.tasks = append(s.tasks, task{
		prog: spec.Program, rand: NewRand(s.seed, uint64(id)), daemon: spec.Daemon,
		nextWait: nobody, wokenAt: -1, lastCPU: -1, mm: spec.MM,
	})
	s.names = append(s.names, spec.Name)
	if spec.MM == 0 {
		s.tasks[id].mm = ^id // its own, which no spec can name
	}
	if !spec.Daemon {
		s.live++
	}
	return id
}

// loop takes events in order until the end.
func (s *Sim) loop(ctx context.Context) error {
	const checkEvery = 1 << 14
	for n := 0; s.live > 0 && s.failed == nil; n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if at := s.q.next(); at > s.until {
			if at == Forever {
				break
			}
			s.now = s.until
			return nil
		}
		slot, at := s.q.pop()
		s.now = at
		s.dispatch(slot)
	}
	if s.failed == nil && s.live > 0 {
		// Nothing will ever happen again: time passes to the end.
		s.stuck = s.whyStuck()
		s.now = s.until
	}
	return s.failed
}

func (s *Sim) dispatch(slot int32) {
	switch slot {
	case slotTick:
		s.tick()
		return
	case slotStart:
		s.startDue()
		return
	}
	slot -= slotFirstSource
	if slot < int32(len(s.sources)) {
		s.interrupt(slot)
		return
	}
	slot -= int32(len(s.sources))
	switch c := slot / slotsPerCPU; slot % slotsPerCPU {
	case 0:
		s.operationDone(c)
	case 1:
		s.kicked(c)
	default:
		s.timerFired(c)
	}
}

func (s *Sim) fail(format string, args ...any) {
	if s.failed == nil {
		s.failed = fmt.Errorf(format, args...)
	}
}

// note folds a decision into the digest: one number after the other, so that no
// bit of one covers a bit of the other.
func (s *Sim) note(a, b uint64) {
	const odd = 0x9e3779b97f4a7c15
	x := (s.digest ^ uint64(s.now)) * odd
	x = (x ^ x>>29 ^ a) * odd
	x = (x ^ x>>29 ^ b) * odd
	s.digest = x ^ x>>29
}
