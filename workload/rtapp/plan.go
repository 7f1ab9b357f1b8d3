package rtapp

// plan is what a file asks for: tasks, and how many of each resource they share.
// Resources are numbers from 0, each kind for itself. A plan does not change.
type plan struct {
	duration int64 // ns from the start of the last thread; 0: no end of its own
	tasks    []task
	threads  int // that exist from the start

	mutexes  int32
	conds    int32
	sems     int32
	barriers []int32 // by barrier: threads that it waits for
	timers   []timerMode
}

// timerMode says what a timer that was missed counts from.
type timerMode struct {
	absolute bool // from when it should have ended, not from now
}

// task is a thread object of the file, of which any number of threads exist.
type task struct {
	name      string
	instances int
	delay     int64 // ns
	loop      int   // rounds over all phases; negative: without end
	phases    []phase
	cpus      *cpus       // nil: those that the thread was created with
	attr      attr        // of the first phase, with which the thread begins
	group     string      // task group; "": none
	timers    []timerMode // of which every thread has its own
}

type phase struct {
	loop   int   // 0 and less: without end
	cpus   *cpus // nil: the task's
	attr   attr
	events []event
}

// cpus is a list of CPUs, which only a machine can check, and its place.
type cpus struct {
	ids   []int32
	where string
}

// attr are the scheduling attributes that the simulator has.
type attr struct {
	nice   int8
	rtPrio int8 // 0: not real-time
	rr     bool // SCHED_RR
	idle   bool // SCHED_IDLE
	batch  bool // SCHED_BATCH
}

// event is one step of a phase. Events of the file that are made of others
// (sync, suspend, resume) are several of these.
type event struct {
	kind  eventKind
	obj   int32 // the resource or, of a fork, the task
	mutex int32 // of a condition variable
	dur   int64 // ns
}

type eventKind uint8

const (
	eventRun     eventKind = iota // work of dur ns at full speed
	eventRuntime                  // work until dur ns have passed
	eventSleep
	eventTimer    // until the timer's next end
	eventOwnTimer // the same, of a timer of the thread's own
	eventLock
	eventUnlock
	eventWait
	eventSignal
	eventBroad
	eventBarrier
	eventPost    // semaphore, up
	eventSemWait // semaphore, down
	eventYield
	eventFork
)
