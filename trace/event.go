package trace

// Kind says what an [Event] is.
type Kind uint8

const (
	Other Kind = iota // known to the format, without meaning to schedlab
	Switch
	Waking
	Wakeup
	WakeupNew
	Migrate
	Fork
	Exec
	Exit
	Place       // probe: the kernel starts to choose a CPU
	Placed      // probe: its choice
	TimerTarget // probe: get_nohz_timer_target() returned
	Newidle
	NewidleDone
	Balance
	BalanceDone
	Detach
	CPUIdle
	TickStop
	TimerStart
	TimerCancel
	TimerExpire
	HRTimerStart
	HRTimerCancel
	HRTimerExpire
	SoftIRQ
)

// Event is one recorded event, the same type for every file format. Time is in
// ns on the recording's own clock. Which fields are set depends on Kind; the
// numeric probe fields stand in Args by the names of Kind's fields (see Arg).
type Event struct {
	Time int64
	Seq  uint64 // order in the recording: ties in Time are resolved by it
	CPU  int32
	Kind Kind
	Ctx  Ctx    // the context that the event was recorded in
	PID  int32  // the task that ran on CPU (common pid); 0 is idle, -1 unknown
	Comm string // its name as the line shows it; interned

	// Switch: the task that leaves, its state and priority; and the one that comes.
	// Waking, Wakeup, WakeupNew, Migrate, Exit, Exec: Next* is the subject.
	// Fork: Prev* the parent, Next* the child.
	PrevPID   int32
	PrevPrio  int32
	PrevState State
	NextPID   int32
	NextPrio  int32
	PrevComm  string
	NextComm  string
	Target    int32 // target_cpu, dest_cpu, or the `to` of a probe
	Orig      int32 // orig_cpu of Migrate

	Args [8]int64 // probe and timer fields; meaning by Kind, see doc.go
	Text string   // symbolic field: timer function, softirq action, caller of Placed; interned
}

// Ctx is the context in which an event was recorded, from the flags column.
type Ctx uint8

const (
	CtxTask Ctx = iota
	CtxSoftIRQ
	CtxHardIRQ
	CtxNMI
	CtxUnknown // the format has no flags
)

// State is the state of a task that is switched out.
type State uint8

const (
	StateUnknown State = iota
	Running            // R: still runnable
	Preempted          // R+
	Sleeping           // S
	Blocked            // D and other uninterruptible kinds
	Idle               // I
	Stopped            // T, t
	Dead               // X, Z
	Parked             // P
)

// Runnable reports whether a task switched out in this state stays on its queue.
func (s State) Runnable() bool { return s == Running || s == Preempted }
