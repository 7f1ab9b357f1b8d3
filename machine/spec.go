package machine

import "schedlab/cpumask"

// Machine is the hardware that a simulation runs on, as data: it holds no
// state. CPU ids may have holes; everything is indexed by CPU id.
type Machine struct {
	Name    string // preset name, or what the snapshot was read from
	CPUs    []CPU  // indexed by CPU id, up to the highest possible one
	Nodes   []Node // indexed by NUMA node id; one node when the source names none
	Online  cpumask.Mask
	X86     bool          // x86 rules apply (reference A.1: no PKG level under sub-NUMA nodes)
	Idle    []IdleState   // shallow to deep; the first real one is a halt or C1
	Costs   Costs         // what operations cost
	Boot    Boot          // boot parameters that change scheduling
	Kernel  *KernelConfig // what the machine's own kernel was set to; nil when unknown
	Sources []string      // where the constants come from, a line each

	Hardware Hardware // its parts, counted

	// Warnings say, a line each, where a snapshot contradicts itself or lacks
	// something, and which reading was taken.
	Warnings []string
}

// CPU is one hardware thread. Core, Cluster, LLC and Package are machine-wide
// ids (never repeated across packages): the lowest CPU id that shares the thing.
// So is Die. An offline CPU shares nothing: its own id stands in each. Threads of
// a core always share its Cluster and LLC.
type CPU struct {
	ID       int
	Possible bool // false: a hole in the numbering
	Online   bool
	Core     int // hardware threads of one core share it
	Cluster  int // CPUs that share an L2 (x86) or a cluster tag; equal to Core where there is none
	LLC      int // CPUs that share the last-level cache; the own id where no cache is shared
	Package  int
	Die      int
	Node     int
	Capacity int // 0..1024, 1024 on symmetric machines
}

// Node is one NUMA node.
type Node struct {
	ID       int
	Exists   bool
	CPUs     cpumask.Mask // online ones; none in a node of memory alone
	Distance []int        // to every node id, as the firmware's table says; 10 is local, 0 to a node that does not exist
}

// IdleState is one idle state of a CPU.
type IdleState struct {
	Name      string
	Latency   int64 // ns from wake-up to the first instruction
	Residency int64 // ns that make the state worth entering
	Polling   bool
	Halt      bool // entered by a halt instruction: waking it takes an interrupt (mwait needs none)
}

// Costs are what operations of this machine take, in ns (speeds in parts of
// 1000). Each has a source in the preset that sets it.
type Costs struct {
	LineOwn    int64 // touch a cache line that this CPU wrote last or shares
	LineCore   int64 // ... that another thread of the core wrote last
	LineLLC    int64 // ... another core of the LLC
	LineNode   int64 // ... another LLC of the node
	LineRemote int64 // ... another node
	Wakeup     int64 // fixed part of try_to_wake_up, on the waker
	Enqueue    int64 // activate a task on a runqueue
	Switch     int64 // switch between tasks
	SwitchMM   int64 // ... of different address spaces, on top
	Search     int64 // look at one CPU or group in a search, beside its cache line
	IPI        int64 // from sending an interrupt to its handler's first instruction
	IPISend    int64 // what sending costs the sender
	IRQ        int64 // entry, handler and exit of a timer or reschedule interrupt
	Tick       int64 // one tick interrupt
	TickStop   int64 // stop the tick on idle entry
	TickStart  int64 // restart it on idle exit
	ColdCore   int64 // refill after a move to another core of the LLC
	ColdLLC    int64 // ... to another LLC of the node
	ColdNode   int64 // ... to another node
	SMTSpeed   int64 // speed of one thread while its siblings are busy, of 1000
	Syscall    int64 // entry and exit of a system call
	SocketSend int64 // CPU time of one small send on a stream socket, syscall included
	SocketRecv int64
	PipeWrite  int64 // ... of one small write to a pipe
	PipeRead   int64
	Fork       int64
	Exit       int64
}

// Boot holds the boot parameters that change scheduling (reference A.10).
type Boot struct {
	Isolated   cpumask.Mask // isolcpus=domain
	NohzFull   cpumask.Mask // nohz_full=
	NohzTick   cpumask.Mask // isolcpus=nohz: the tick alone, no other housekeeping
	ManagedIRQ cpumask.Mask // isolcpus=managed_irq
}

// KernelConfig is what a snapshot says of the kernel that ran there. It
// overrides a policy preset where it has a value (DESIGN.md).
type KernelConfig struct {
	Release  string           // uname -r, as /proc/version has it
	HZ       int              // 0 when unknown
	Preempt  string           // none, voluntary, full, lazy; "" when unknown
	Dynamic  bool             // PREEMPT_DYNAMIC: built preemptible (CONFIG_PREEMPTION), whatever model is in force
	Features map[string]bool  // sched features by kernel name: NI_RANDOM -> true
	Tunables map[string]int64 // by debugfs file name: migration_cost_ns, base_slice_ns, nr_migrate
}
