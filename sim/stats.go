package sim

import (
	"schedlab/machine"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Stats is what was counted in the measured time of a run: between the last
// [Ctx.Begin] and the last [Ctx.End] behind it. Without a Begin it begins with the
// run; without an End, or where the limit of time comes before it, it ends with the
// run. Only Now, Done, Forks and Exits are about the whole run. Times are virtual
// ns. Every number is exact; quantiles come from Latency, which keeps three digits.
type Stats struct {
	Begin, End int64 // the measured time
	Now        int64 // when the run ended
	Done       bool  // every task that the run waits for has exited
	Work       int64 // units of work done

	Busy, Idle   int64 // summed over online CPUs: Busy + Idle = CPUs x (End - Begin)
	CPUs         int64
	IdleEntries  int64 // switches to the idle task
	Switches     int64 // switches between different tasks, idle included
	Preemptions  int64 // switches away from a task that could go on
	Wakeups      int64 // wake-ups delivered, those of tasks not yet asleep included
	EarlyWakeups int64 // ... that found the task not yet asleep
	DelayedWakes int64 // ... that found it asleep but still queued (delayed dequeue)
	Forks, Exits int64 // tasks of the whole run that began and ended

	Migrations [4]int64 // moves of tasks to another CPU, by distance: see MoveCore
	Pulls      int64    // tasks that balancing took, of any kind
	Newidle    int64    // ... by a newly idle CPU
	Ticks      int64
	IPIs       int64

	// WaitedIdle is the time that runnable tasks waited while a CPU that may
	// run them was idle, summed over the waiting tasks.
	WaitedIdle int64
	Waited     int64                   // all time that runnable tasks waited
	Latency    *hdrhistogram.Histogram // wake-up to first instruction, ns; counted at the switch to the task

	Sent, Received int64 // messages
}

// Distances of a migration, the indices of Stats.Migrations: those of
// machine.Distance from DistCore on.
const (
	MoveThread = 0                                     // to another thread of the core: machine.DistCore
	MoveCore   = machine.DistLLC - machine.DistCore    // to another core of the LLC
	MoveLLC    = machine.DistNode - machine.DistCore   // to another LLC of the node
	MoveNode   = machine.DistRemote - machine.DistCore // to another node
)

// Result is a finished run.
type Result struct {
	Stats
	Records []Record // what the workload measured itself, in the order of its Setup
	// Stuck says, in one line, when it was that nothing could happen any more, and
	// what the tasks that are left wait for; "" for a run that was not stuck. Time
	// passes to its limit then. Tasks that a recording leaves asleep do not count.
	Stuck  string
	Digest uint64 // folds every switch and migration of the run: equal runs, equal digests
}
