package kernel

import (
	"schedlab/cpumask"
	"schedlab/domain"
	"schedlab/machine"
)

// TaskID numbers the tasks of a kernel densely in order of creation.
type TaskID = int32

// None is no task: the idle task where a CPU's current task is meant.
const None TaskID = -1

// TaskState is where a task stands between two events.
type TaskState uint8

const (
	TaskNew      TaskState = iota // created, never enqueued
	TaskSleeping                  // blocked, on no queue (or delayed: still queued, see Task.Delayed)
	TaskWaking                    // placed by a wake-up, on its way to the queue of its CPU
	TaskQueued                    // on a runqueue, not running
	TaskRunning                   // the current task of its CPU
	TaskDead
)

// Class is a scheduling class.
type Class uint8

const (
	Fair       Class = iota
	IdlePolicy       // SCHED_IDLE: fair with the least weight
	RT               // SCHED_FIFO, SCHED_RR; runs before every fair task
)

// Task is what the scheduler keeps of a task.
type Task struct {
	// Fields are ordered so that a task fills three cache lines.
	ID            TaskID
	CPU           int32 // where it is queued or last ran
	Class         Class
	State         TaskState
	OnRQ          bool // enqueued, running or delayed
	Delayed       bool // asleep but still queued (EEVDF, delayed dequeue)
	OnCPU         bool // being run, or its switch-out is not complete
	PerCPUKthread bool
	WokenMoved    bool  // the wake-up on its way moved it to another CPU
	rel           bool  // deadline is relative to vruntime (PLACE_REL_DEADLINE)
	utilKept      bool  // Avg.Util is in UtilEst already (UTIL_AVG_UNCHANGED)
	RR            bool  // an RT task that gives way to its equals after a slice
	Batch         bool  // a fair task that preempts none when it wakes (SCHED_BATCH)
	prio          int8  // RT priority, 1..99
	Allowed       int32 // number of CPUs in the mask

	Weight   int64
	VRuntime int64
	Deadline int64 // EEVDF
	Slice    int64 // ns; EEVDF: of the request; RT: what is left of the turn
	lag      int64 // vlag: lag while off the queue, the slice-protection marker while running

	ExecStart   int64 // last accounting of run time; 0 right after a move: cache-cold
	SumExec     int64
	prevSumExec int64
	Avg         Avg
	UtilEst     int32
	RecentUsed  int32 // recent_used_cpu (reference B.6)
	Wakees

	mask       int32  // index into Kernel.masks
	next, prev TaskID // the fair-task list of its runqueue, most recently used first
	nextWake   TaskID // the wake list of the CPU that it is placed on
}

// Wakees are the wake-up statistics of a task (reference B.3).
type Wakees struct {
	Flips     uint32
	LastWakee TaskID
	FlipDecay int64 // jiffies
}

// WakeFlags are the flags of a wake-up.
type WakeFlags uint8

const (
	WakeTTWU WakeFlags = 1 << iota
	WakeFork
	WakeExec
	WakeSync
	WakeIRQ // it comes from an interrupt, not from the current task
)

// Face is what other CPUs look at of a runqueue: one metered cache line. Faces
// of all CPUs lie side by side, since searches walk them.
type Face struct {
	Line      Line
	NrRunning int32  // tasks of all classes, delayed ones included
	HNrQueued int32  // fair tasks, delayed ones included (h_nr_running before 6.12.y)
	Curr      TaskID // None: idle
	pending   bool   // a wake-up is on its way (ttwu_pending)
	// NeedResched is set by whoever makes the CPU reschedule, and read by it at the
	// end of every event.
	NeedResched bool
	// RanUntil is no later than the last run (exec_start) of any waiting fair
	// task: until it is migration_cost ago, all of them are cache-hot.
	RanUntil int64
}

// Idle is idle_cpu(): nothing runs, nothing is queued and no wake-up is on its
// way (reference 0.1).
func (f *Face) Idle() bool { return f.Curr == None && f.NrRunning == 0 && !f.pending }

// WakePending reports whether a wake-up is on its way to the CPU.
func (f *Face) WakePending() bool { return f.pending }

// RQ is one CPU's runqueue.
type RQ struct {
	*Face
	CPU int32

	HNrDelayed int32
	HNrIdle    int32 // SCHED_IDLE tasks among the fair ones

	Active   bool
	wakeHead TaskID // wake list: placed here by other CPUs, not yet enqueued
	wakeTail TaskID

	// fair
	LoadWeight           int64
	line                 timeline
	fairCurr             TaskID // the current task if it is fair (still set while it is being put)
	MinVRuntime          int64  // CFS
	ref, sumWV, sumW     int64  // EEVDF: sums over the waiting tasks of weight*(vruntime-ref) and of weight
	nextBuddy, lastBuddy TaskID // CFS
	head, tail           TaskID // fair-task list
	Avg                  Avg
	removed              removed
	UtilEst              int64

	rt []TaskID // waiting RT tasks: by priority, then in order

	// idle and balance
	IdleStamp          int64 // when the idle period began; 0: not known, or a wake-up ended it
	AvgIdle            int64
	MaxIdleBalanceCost int64
	WakeStamp          int64 // jiffies
	WakeAvgIdle        int64
	IdleWakees         Wakees   // of the idle task, as which interrupts wake
	NextBalance        int64    // jiffies
	IdleLatency        int64    // exit latency of the idle state entered; 0: none
	CPULoad            [5]int64 // v4.20's load history
	LoadUpdated        int64    // jiffies
	SD                 []SDState
	TickStopped        bool
	NohzIdle           bool  // in the mask of idle CPUs with a stopped tick
	NohzKick           uint8 // what it was kicked to do for the others in the mask (nohz_flags)
	HasBlocked         bool  // it may have blocked load
	BlockedAt          int64 // jiffies: when that was last refreshed
}

// SDState is the live part of one CPU's domain.
type SDState struct {
	BalanceInterval int64 // ms
	LastBalance     int64 // jiffies
	NrBalanceFailed int32
	MaxNewidleCost  int64 // ns
	CostDecay       int64 // jiffies of the last decay
	// newidle statistics of 6.12.117 (reference L)
	NewidleCalls, NewidleSuccess, NewidleRatio uint32
}

// LLC is the object that the CPUs of a last-level cache share.
type LLC struct {
	HasIdleCores bool
	NrBusy       int32
	NrIdleScan   int32 // SIS_UTIL
	Line         Line
}

// Root is a root domain's live part.
type Root struct {
	Overload bool
}

// Nohz is what the CPUs with a stopped tick share.
type Nohz struct {
	NextBalance int64 // jiffies
	NextBlocked int64 // jiffies: when their blocked load is to be refreshed
	HasBlocked  bool  // one of them may have blocked load
	NeedsUpdate bool  // one joined them since NextBalance was worked out (v6.1)
}

// GroupState is a sched group's live part.
type GroupState struct {
	Imbalance bool // a child level could not move pinned tasks
}

// Kernel is the state of the scheduler of one machine.
type Kernel struct {
	Config
	M        *machine.Machine
	Dom      *domain.Domains
	Meter    Meter
	Face     []Face // by CPU; RQ[c].Face points here
	RQ       []RQ
	Tasks    []Task
	LLC      []LLC // by the LLC's id, which is its lowest CPU
	Roots    []Root
	Group    []GroupState
	ScanCost []int64        // avg_scan_cost of each CPU's LLC domain
	Smt      []cpumask.Mask // threads of each CPU's core, shared between them
	HasSMT   bool
	SawRT    bool // an RT task was created
	SawIdle  bool // a SCHED_IDLE one was

	Active cpumask.Mask

	// IdleMask holds the CPUs whose tick is stopped in idle (nohz.idle_cpus_mask).
	IdleMask cpumask.Mask
	Nohz     Nohz

	sums   sums
	groups *groups        // nil: there are none
	masks  []cpumask.Mask // interned affinity masks; 0 is every possible CPU

	Hooks Hooks
}

// Hooks are what the owner of a kernel is told. Nil hooks are not called.
type Hooks struct {
	// Resched: rq's CPU got need_resched set by the CPU from, which may be itself.
	Resched func(cpu, from int32)
	// WakeQueued: a task was put on cpu's wake list by the CPU from.
	WakeQueued func(cpu, from int32)
	// Migrate: the task's CPU changes.
	Migrate func(t *Task, from, to int32)
	// Enqueued: the task was put on the queue of its CPU, or taken out of delay there.
	Enqueued func(t *Task)
}

// New returns the state of an idle machine at time 0.
func New(m *machine.Machine, d *domain.Domains, cfg Config) *Kernel {
	n := len(m.CPUs)
	k := &Kernel{
		Config: cfg, M: m, Dom: d, Meter: newMeter(m),
		Face: make([]Face, n), RQ: make([]RQ, n), LLC: make([]LLC, n), ScanCost: make([]int64, n),
		Roots: make([]Root, len(d.Roots)), Smt: make([]cpumask.Mask, n),
		Active: m.Online.Clone(), IdleMask: cpumask.New(n),
		masks: []cpumask.Mask{cpumask.Full(n)},
	}
	k.initThreads()
	for cpu := range d.CPUs {
		k.initRQ(int32(cpu))
	}
	k.Group = make([]GroupState, d.States)
	k.initSums()
	return k
}

func (k *Kernel) initThreads() {
	byCore := map[int]cpumask.Mask{}
	for i := range k.M.CPUs {
		c := &k.M.CPUs[i]
		if !c.Online {
			continue
		}
		if byCore[c.Core] == nil {
			byCore[c.Core] = cpumask.New(len(k.M.CPUs))
		}
		byCore[c.Core].Set(i)
		k.Smt[i] = byCore[c.Core]
		if byCore[c.Core].Weight() > 1 {
			k.HasSMT = true
		}
	}
}

func (k *Kernel) initRQ(cpu int32) {
	rq := &k.RQ[cpu]
	k.Face[cpu] = Face{Curr: None, Line: Line{writer: cpu}}
	*rq = RQ{
		Face: &k.Face[cpu], CPU: cpu, Active: k.M.Online.Test(int(cpu)),
		wakeHead: None, wakeTail: None, fairCurr: None, head: None, tail: None,
		nextBuddy: None, lastBuddy: None, IdleWakees: Wakees{LastWakee: None},
		// Every CPU went idle after it had booted: at the beginning of time.
		IdleStamp: 1, AvgIdle: 2 * max(k.MigrationCost, 0), MaxIdleBalanceCost: max(k.MigrationCost, 0),
		WakeAvgIdle: max(k.MigrationCost, 0),
	}
	dc := &k.Dom.CPUs[cpu]
	k.LLC[cpu].Line.writer = cpu
	if dc.LLC == int(cpu) && dc.LLCAt >= 0 {
		// nr_busy_cpus starts at the level's weight (reference A.4).
		k.LLC[cpu].NrBusy = int32(dc.Levels[dc.LLCAt].MinInterval)
	}
	rq.SD = make([]SDState, len(dc.Levels))
	for i, sd := range dc.Levels {
		rq.SD[i] = SDState{
			BalanceInterval: int64(sd.MinInterval),
			NewidleCalls:    512, NewidleSuccess: 256, NewidleRatio: 512,
		}
	}
}

// NewTask adds a task, not yet enqueued, and returns its id. mask is its
// affinity (nil: every CPU), cpu where it counts as having run.
func (k *Kernel) NewTask(class Class, nice int, rtPrio int8, mask cpumask.Mask, cpu int32) TaskID {
	id := TaskID(len(k.Tasks))
	t := Task{
		ID: id, CPU: cpu, Class: class, prio: rtPrio, Weight: classWeight(class, nice),
		Slice: k.BaseSlice, Wakees: Wakees{LastWakee: None}, RecentUsed: cpu, next: None, prev: None, nextWake: None,
	}
	k.noteClass(class)
	if class == RT {
		t.Slice = rrSlice
	}
	initTaskAvg(&t)
	k.Tasks = append(k.Tasks, t)
	k.SetMask(&k.Tasks[id], mask)
	return id
}

// noteClass notes that there is a task of the class: rules that only such tasks
// meet are left out until then.
func (k *Kernel) noteClass(class Class) {
	k.SawRT = k.SawRT || class == RT
	k.SawIdle = k.SawIdle || class == IdlePolicy
}

// SetMask sets a task's affinity; nil allows every CPU.
func (k *Kernel) SetMask(t *Task, mask cpumask.Mask) {
	t.mask = 0
	if mask != nil {
		t.mask = k.internMask(mask)
	}
	t.Allowed = int32(k.masks[t.mask].WeightAnd(k.M.Online))
	if t.mask == 0 {
		t.Allowed = int32(k.M.Online.Weight())
	}
}

func (k *Kernel) internMask(mask cpumask.Mask) int32 {
	for i, m := range k.masks {
		if m.Equal(mask) {
			return int32(i)
		}
	}
	k.masks = append(k.masks, mask.Clone())
	return int32(len(k.masks) - 1)
}

// Mask is the set of CPUs that a task may run on. It must not be changed.
func (k *Kernel) Mask(t *Task) cpumask.Mask { return k.masks[t.mask] }

// MaskIndex numbers the distinct masks of tasks; Masks counts them.
func (k *Kernel) MaskIndex(t *Task) int32 { return t.mask }

// Masks is the number of distinct affinity masks so far, MaskAt one of them.
func (k *Kernel) Masks() int                      { return len(k.masks) }
func (k *Kernel) MaskAt(i int) cpumask.Mask       { return k.masks[i] }
func (k *Kernel) Task(id TaskID) *Task            { return &k.Tasks[id] }
func (k *Kernel) AllowedOn(t *Task, c int32) bool { return t.mask == 0 || k.masks[t.mask].Test(int(c)) }

// IdleCPU is idle_cpu(), paid for by the CPU that looks.
func (k *Kernel) IdleCPU(c, by int32) bool {
	f := &k.Face[c]
	k.Meter.Read(&f.Line, by)
	return f.Idle()
}

// IsIdle is IdleCPU for free: for statistics, and where a pass has paid already.
func (k *Kernel) IsIdle(c int32) bool { return k.Face[c].Idle() }

// SchedIdleCPU is sched_idle_cpu(): something is queued, all of it SCHED_IDLE.
func (k *Kernel) SchedIdleCPU(c int32) bool {
	if !k.SawIdle {
		return false
	}
	rq := &k.RQ[c]
	return rq.NrRunning > 0 && rq.NrRunning == rq.HNrIdle
}

// SharesCache is cpus_share_cache().
func (k *Kernel) SharesCache(a, b int32) bool {
	return a == b || k.Dom.CPUs[a].LLC == k.Dom.CPUs[b].LLC
}

// SharesResources is cpus_share_resources(): cluster, else LLC (v6.12).
func (k *Kernel) SharesResources(a, b int32) bool {
	return a == b || k.Dom.CPUs[a].Share == k.Dom.CPUs[b].Share
}

// Resched sets need_resched of a CPU on behalf of the CPU from.
func (k *Kernel) Resched(rq *RQ, from int32) {
	if rq.NeedResched {
		return
	}
	rq.NeedResched = true
	if k.Hooks.Resched != nil {
		k.Hooks.Resched(rq.CPU, from)
	}
}
