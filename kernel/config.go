package kernel

// Features are the sched features that rules here and in policy ask for, under
// their kernel names (reference C.4).
type Features struct {
	// CFS
	GentleFairSleepers bool
	StartDebit         bool
	LastBuddy          bool
	NextBuddy          bool
	AltPeriod          bool
	FloorSlice         bool // BASE_SLICE: a slice is at least min_granularity
	LBBias             bool
	SISProp            bool
	SISAvgCPU          bool
	// EEVDF
	PlaceLag             bool
	PlaceDeadlineInitial bool
	PlaceRelDeadline     bool
	RunToParity          bool
	PreemptShort         bool
	DelayDequeue         bool
	DelayZero            bool
	SISUtil              bool
	NIRandom             bool
	// both
	CacheHotBuddy    bool
	WakeupPreemption bool
	TTWUQueue        bool
	WAIdle           bool
	WAWeight         bool
	WABias           bool
	UtilEst          bool
	AttachAgeLoad    bool
	LBMin            bool
}

// Tunables are the scheduler's numbers, in ns where not said otherwise, after
// scaling by the number of CPUs (reference C.2).
type Tunables struct {
	Latency           int64 // sched_latency_ns, CFS
	MinGranularity    int64 // sched_min_granularity_ns, CFS
	WakeupGranularity int64 // sched_wakeup_granularity_ns, CFS
	IdleGranularity   int64 // sched_idle_min_granularity_ns, v6.1
	BaseSlice         int64 // base_slice_ns, EEVDF
	MigrationCost     int64 // migration_cost_ns; -1: always cache-hot
	NrMigrate         int64 // nr_migrate: tasks that one balance pass may look at
	Tick              int64 // length of a tick: 1e9 / HZ
}

// Config is what the transitions of this package depend on.
type Config struct {
	EEVDF bool // else CFS
	// RunnableLoad: the second average of a queue tracks the load of runnable
	// tasks (v4.20) and not their number (v5.7 and later).
	RunnableLoad bool
	// IdleEntities: a SCHED_IDLE task has a bonus and a least slice of its own (v6.1).
	IdleEntities bool
	// NewUtilScaled: a new task's first utilisation is worked out with its weight
	// scaled up by 1024, so that it nearly always gets the limit (before v6.10).
	NewUtilScaled bool
	// Fixes612: the fixes of the stable series up to 6.12.117 (reference L):
	// delayed tasks count neither in the runnable average nor in the sync test of
	// wake_affine; a SCHED_IDLE task that gives way loses its slice protection;
	// a yield forfeits the request only of an eligible task that is not alone.
	Fixes612 bool
	// WakeAvgShift: avg_idle is averaged with an arithmetic shift (v4.20) and
	// not by a division toward zero (reference B.1).
	WakeAvgShift bool
	Features
	Tunables
}

// Jiffies is the count of whole ticks at time now.
func (c *Config) Jiffies(now int64) int64 { return now / c.Tick }

// NrLatency is sched_nr_latency: the number of tasks up to which the latency
// is shared rather than stretched.
func (t *Tunables) NrLatency() int64 {
	if t.MinGranularity <= 0 {
		return 1
	}
	return (t.Latency + t.MinGranularity - 1) / t.MinGranularity
}
