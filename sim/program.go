package sim

import (
	"math"

	"schedlab/cpumask"
	"schedlab/machine"
)

// Program is what a task does: a state machine that is asked for one [Op] after
// another. Next is called when the previous Op is complete (a Recv has its
// bytes, a Sleep is over), with the task running on a CPU. It must not keep c.
type Program interface {
	Next(c *Ctx) Op
}

// OpKind says what an [Op] does.
type OpKind uint8

const (
	OpExit       OpKind = iota // the task ends; the zero Op
	OpRun                      // do work that takes Dur ns at full speed, more while a sibling thread is busy
	OpRunTime                  // use Dur ns of CPU time, at whatever speed
	OpSend                     // use Dur ns of CPU time, then send N bytes to channel Obj; block while it is full
	OpRecv                     // use Dur ns of CPU time, then receive N bytes from channel Obj; block while it has fewer
	OpSleep                    // block for Dur ns
	OpSleepUntil               // block until the virtual time Dur; no effect when it has passed
	OpWait                     // block until event Obj has a count of N, then take N from it
	OpSignal                   // add N to event Obj and wake the waiters that it satisfies
	OpFork                     // use Dur ns of CPU time, then start Task
	OpYield                    // give way to another task of the queue
	OpAffinity                 // allow the task the CPUs of Task.Affinity only, and move it if it must
	OpSched                    // schedule the task as Task.Sched says from now on
)

// Op is one operation of a task.
type Op struct {
	Kind OpKind
	N    int32
	Obj  int32
	Dur  int64
	// Task is what an operation needs that few have, behind one pointer: an Op is
	// copied for every step of every task.
	Task *TaskSpec
}

// Ctx is what a program may know and change.
type Ctx struct {
	Now  int64 // virtual time, ns
	Task int32 // the task's own number, in order of creation
	Rand *Rand // the task's own generator, seeded by (seed, task number)
	sim  *Sim

	beside bool // the program's workload is not the measured one
}

// Begin begins the measured time of the workload, which all of [Stats] and
// [Result.Records] are about. The last call counts; without one it begins with the run.
func (c *Ctx) Begin() {
	if !c.beside {
		c.sim.begin()
	}
}

// End ends the measured time. The last call counts, if none of Begin follows;
// without one it ends with the run.
func (c *Ctx) End() {
	if !c.beside {
		c.sim.end()
	}
}

// Work counts n units of work as done now, for the throughput.
func (c *Ctx) Work(n int64) {
	if !c.beside {
		c.sim.stats.Work += n
	}
}

// TaskSpec is a task before it starts.
type TaskSpec struct {
	Name    string
	Program Program
	Sched
	Affinity      cpumask.Mask // nil: every CPU
	Start         int64        // when a task given to the Builder starts, ns
	CPU           int32        // where a task given to the Builder starts from; the CPU that forks it otherwise
	MM            int32        // address space shared with tasks of the same number; 0: one of its own
	Daemon        bool         // the run does not wait for its exit
	Placed        bool         // start on CPU itself, without fork placement
	PerCPUKthread bool         // a kernel thread bound to its CPU
}

// ChannelSpec is a pipe or a stream socket: a queue of bounded bytes.
// Receivers wait while it is empty, senders while it is full.
type ChannelSpec struct {
	Capacity  int32 // bytes, overhead included
	Overhead  int32 // bytes of accounting that each send adds (an skb's truesize beyond its data)
	LowWater  int32 // a full channel wakes its senders when at most this is used; Capacity-1 wakes at once
	OneReader bool  // wake one waiting receiver, not all (exclusive wait)
	OneWriter bool  // likewise for senders
	Sync      bool  // wake-ups are WF_SYNC: the waker says that it is about to sleep
}

// Interrupt is a wake-up from outside: at time At, an interrupt on CPU adds N
// to event Event.
type Interrupt struct {
	At    int64
	CPU   int32
	Event int32
	N     int32
}

// InterruptSource gives the interrupts from outside in order of time.
type InterruptSource interface {
	Next() (Interrupt, bool)
}

// Workload builds its tasks into a run. A value may be used for many runs, one
// after another or at once: Setup must not change it.
type Workload interface {
	// Name is the workload as it was asked for.
	Name() string
	// Unit is what Ctx.Work counts: "messages", "cycles".
	Unit() string
	// Setup adds tasks, channels and interrupts. Errors name the workload's key.
	Setup(b *Builder) error
}

// Replayer is a workload recorded elsewhere: its run times contain the costs
// of decisions and switches already, so these are not charged again.
type Replayer interface {
	Recorded() bool
}

// Builder takes what a workload is made of.
type Builder struct {
	sim    *Sim
	beside bool  // see Beside
	mm     int32 // ... added to the numbers of address spaces
}

// CPUs is the number of CPU ids of the machine; Online the CPUs that run.
func (b *Builder) CPUs() int            { return len(b.sim.m.CPUs) }
func (b *Builder) Online() cpumask.Mask { return b.sim.m.Online }

// Machine is what the workload runs on. It must not be changed.
func (b *Builder) Machine() *machine.Machine { return b.sim.m }

// Costs are the machine's costs, from which a workload takes the CPU time of
// its system calls.
func (b *Builder) Costs() machine.Costs { return b.sim.m.Costs }

// Rand is the workload's own generator, seeded by the run's seed.
func (b *Builder) Rand() *Rand { return &b.sim.setupRand }

// Channel adds a pipe or socket and returns its number.
func (b *Builder) Channel(c ChannelSpec) int32 { return b.sim.addChannel(c) }

// Event adds a counter to wait for, at zero, and returns its number.
func (b *Builder) Event() int32 { return b.sim.addEvent() }

// Task adds a task that starts at t.Start and returns its number.
func (b *Builder) Task(t TaskSpec) int32 {
	if b.beside {
		t = besideTask(t, b.mm)
	}
	return b.sim.addInitial(t)
}

// Interrupts adds a source of wake-ups from outside.
func (b *Builder) Interrupts(s InterruptSource) { b.sim.addSource(s) }

// Forever is the end of an operation that nothing bounds.
const Forever = math.MaxInt64

// MaxRun is the most CPU time that one operation uses, in ns: 52 days. MaxFor is
// the most virtual time of a run, summed over its CPUs: 73 years. What is longer
// counts as that.
const (
	MaxRun = 1 << 52
	MaxFor = 1 << 61
)

// Rand is a small deterministic generator (PCG-XSH-RR over 64 bits of state).
// It uses integers only, so a run gives the same bits on every machine.
type Rand struct{ state, inc uint64 }

// NewRand returns a generator for a stream: equal arguments, equal numbers.
func NewRand(seed, stream uint64) Rand {
	r := Rand{inc: mix(stream)<<1 | 1}
	r.state = mix(seed) + r.inc
	r.Uint32()
	return r
}

// Uint32 returns the next 32 bits.
func (r *Rand) Uint32() uint32 {
	old := r.state
	r.state = old*6364136223846793005 + r.inc
	x := uint32((old>>18 ^ old) >> 27)
	rot := uint(old >> 59)
	return x>>rot | x<<(-rot&31)
}

// Below returns a number in 0..n-1; 0 when n <= 1.
func (r *Rand) Below(n int64) int64 {
	if n <= 1 {
		return 0
	}
	hi := uint64(r.Uint32())
	return int64((hi<<32 | uint64(r.Uint32())) % uint64(n))
}

// Jitter returns d changed by up to perMille thousandths either way, uniformly.
func (r *Rand) Jitter(d, perMille int64) int64 {
	span := d * perMille / 1000
	if span <= 0 {
		return d
	}
	return d - span + r.Below(2*span+1)
}

// mix is splitmix64's finaliser.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
