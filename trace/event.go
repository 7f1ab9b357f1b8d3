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

	NumKinds = int(SoftIRQ) + 1
)

// kindNames are the events' names in a recording.
var kindNames = [NumKinds]string{
	Other: "other", Switch: "sched_switch", Waking: "sched_waking", Wakeup: "sched_wakeup",
	WakeupNew: "sched_wakeup_new", Migrate: "sched_migrate_task", Fork: "sched_process_fork",
	Exec: "sched_process_exec", Exit: "sched_process_exit", Place: "place", Placed: "placed",
	TimerTarget: "timer_target", Newidle: "newidle", NewidleDone: "newidle_done", Balance: "balance",
	BalanceDone: "balance_done", Detach: "detach", CPUIdle: "cpu_idle", TickStop: "tick_stop",
	TimerStart: "timer_start", TimerCancel: "timer_cancel", TimerExpire: "timer_expire_entry",
	HRTimerStart: "hrtimer_start", HRTimerCancel: "hrtimer_cancel", HRTimerExpire: "hrtimer_expire_entry",
	SoftIRQ: "softirq_entry",
}

// String is the event's name in a recording; "other" for [Other].
func (k Kind) String() string {
	if int(k) < NumKinds {
		return kindNames[k]
	}
	return "invalid"
}

// Sched reports whether the event is one of the scheduler's own tracepoints,
// without which a recording tells nothing.
func (k Kind) Sched() bool { return k >= Switch && k <= Exit }

// Event is one recorded event, the same type for every file format. Time is in
// ns on the recording's own clock. Which fields are set depends on Kind: see
// the package's documentation.
type Event struct {
	Time  int64
	Seq   uint64 // order in the recording: ties in Time are resolved by it
	CPU   int32
	Kind  Kind
	Ctx   Ctx    // the context that the event was recorded in
	Depth int8   // preempt depth in that context; -1 unknown
	Set   uint8  // bit i: Args[i] was recorded
	PID   int32  // the task that ran on CPU (common pid); 0 is idle
	Comm  string // its name as the line shows it; interned

	// Switch: the task that leaves, its state and priority; and the one that comes.
	// Waking, Wakeup, WakeupNew, Migrate, Exit, Exec, Place, Detach: Next* is the subject.
	// Fork: Prev* the parent, Next* the child.
	PrevPID   int32
	PrevPrio  int32
	PrevState State
	NextPID   int32
	NextPrio  int32
	PrevComm  string
	NextComm  string
	Target    int32 // target_cpu, dest_cpu, or the `to` of a probe
	Orig      int32 // orig_cpu of Migrate, src of Detach

	Args [8]int64 // probe and timer fields; the constants below are its indices
	Text string   // symbolic field: timer function, softirq action, caller of Placed; interned
}

// Indices of Event.Args, by Kind.
const (
	PlacePrev    = 0 // Place: the CPU that it last ran on
	PlaceFlags   = 1 // wake flags: 2 exec, 4 fork, 8 wake-up, 16 sync
	PlaceRecent  = 2 // recent_used_cpu
	PlaceAllowed = 3 // number of CPUs that it may use
	PlaceMask    = 4 // the first 64 of them, bit by bit: uint64(Args[PlaceMask])
	PlaceFlips   = 5 // wakee_flips
	PlaceUtil    = 6 // util_avg
	PlaceLoad    = 7 // load_avg

	WakeSuccess = 0 // Waking, Wakeup, WakeupNew of old kernels
	ExecOldPID  = 0 // Exec

	NewidleAvgIdle    = 0 // Newidle: ns
	NewidleMaxCost    = 1 // ns
	NewidleOverloaded = 2
	NewidlePulled     = 0 // NewidleDone

	BalanceIdle   = 0 // Balance: 0 not idle, 1 idle, 2 newly idle
	BalanceLevel  = 1
	BalanceCost   = 2 // max_newidle_lb_cost, ns
	BalanceFailed = 3
	BalanceMoved  = 0 // BalanceDone
	DetachIdle    = 0 // Detach: as BalanceIdle

	IdleState   = 0 // CPUIdle: -1 when the CPU leaves idle
	TickStopped = 0 // TickStop: 1 when the tick was stopped

	TimerID      = 0 // every timer event: the timer's address or a hash of it
	TimerExpires = 1 // jiffies; ns for hrtimers
	TimerTimeout = 2 // TimerStart: jiffies from now
	TimerBucket  = 3
	TimerIndex   = 4
	TimerFlags   = 5 // bits: see TimerDeferrable
	TimerNow     = 6 // expiry: jiffies; ns for hrtimers
	TimerBase    = 7
	HRTimerSoft  = 2 // HRTimerStart: soft expiry, ns
	HRTimerMode  = 3 // bits: see ModeAbs
	HRTimerArmed = 4

	SoftIRQVec = 0 // SoftIRQ: see VecNetTx
)

// Bits of Args[TimerFlags].
const (
	TimerDeferrable = 1 << iota
	TimerPinned
	TimerIRQSafe
)

// Bits of Args[HRTimerMode].
const (
	ModeAbs = 1 << iota // absolute; relative otherwise
	ModePinned
	ModeSoft
	ModeHard
)

// Softirq vectors that something here asks about.
const (
	VecNetTx = 2
	VecNetRx = 3
)

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
