package domain

import "schedlab/cpumask"

// Flags are a domain's behaviour flags under their kernel names, in the
// kernel's order of declaration (reference A.9).
type Flags uint32

const (
	BalanceNewidle Flags = 1 << iota
	BalanceExec
	BalanceFork
	BalanceWake
	WakeAffine
	AsymCPUCapacity
	AsymCPUCapacityFull
	ShareCPUCapacity
	Cluster
	ShareLLC // SD_SHARE_PKG_RESOURCES before 6.10
	Serialize
	AsymPacking
	PreferSibling
	Overlap
	NUMA
	LoadBalance // up to v5.3 only; not shown by later kernels
)

// Rules are what differs between kernel versions in how domains are built
// (reference A.1, A.2, A.3). A policy preset carries them.
type Rules struct {
	Cluster      bool   // a CLS level exists (6.1 and later)
	ClusterFlag  bool   // it carries SD_CLUSTER (6.12)
	TopName      string // "DIE" or "PKG"
	BusyFactor   int    // 32 or 16
	ImbalancePct int    // of every level but SMT and MC: 125 or 117
	LoadBalance  bool   // SD_LOAD_BALANCE exists (up to v5.3)
	ImbNUMA      bool   // imb_numa_nr exists (6.1 and later)
	NodeReclaim  int    // node_reclaim_distance, 30
	NewidleCost  int64  // max_newidle_lb_cost at the start, ns: 0 in all versions
	PkgResources bool   // ShareLLC is called SD_SHARE_PKG_RESOURCES (before 6.10)
	LoadIndex    bool   // domains have load indices (before 5.3)
	SMTGain      int    // capacity of a core of several threads (smt_gain, before 5.3); 0: each is worth its own

	// NeedGroups are the flags that count for nothing in a domain of one
	// group, ParentNeedGroups those that do not keep such a domain above
	// another one of the same span.
	NeedGroups, ParentNeedGroups Flags
	// FirstGroup: when a domain is removed, the first group of the domain
	// above takes the flags of the one below (6.12).
	FirstGroup bool

	Asym Asym
	// NodeZeroRow: only distances from node 0 make NUMA levels (up to v5.3).
	NodeZeroRow bool
	// MemoryNodes: distances of nodes without CPUs make NUMA levels too (up to v5.14).
	MemoryNodes bool
	// Descend: a group that would reach out of its domain is made from a lower
	// domain (v5.14 and later: the fix for machines of three and more hops).
	Descend bool
}

// Asym says how unequal CPU capacities show in the flags.
type Asym uint8

const (
	AsymNone  Asym = iota // they do not
	AsymLevel             // at the one level from which every CPU sees the greatest capacity that it can (v5.3)
	AsymSpan              // in every domain with unequal CPUs (v5.14 and later)
)

// Domains are the sched domains and per-CPU shortcuts of one machine under one
// kernel's rules: a specification without live state, not to be changed.
// Everything is indexed by CPU id; what CPUs have in common is shared.
type Domains struct {
	CPUs   []CPU
	Roots  []Root // one per partition, in the order given
	States int    // number of group IDs: they are 0 to States-1
	Reach  []Reach
	Shape  NUMAShape
}

// CPU is one CPU's view (reference A.4). A CPU without domains (isolated or
// offline) has none, an LLC of its own and LLCSize 1.
type CPU struct {
	Levels []*Domain // bottom up
	// Capacity is the CPU's for the balancer (cpu_capacity): that of the machine,
	// or before 5.3 the thread's part of what its core has (smt_gain).
	Capacity int64
	Root     int // index into Roots; -1 when isolated or offline
	LLC      int // sd_llc_id: first CPU of the span of the LLC domain, or the CPU itself
	LLCSize  int // sd_llc_size
	Share    int // sd_share_id: first CPU of the lowest cluster domain, or LLC
	LLCAt    int // index in Levels of the LLC domain (sd_llc); -1 when none
	NUMAAt   int // index in Levels of the lowest NUMA domain; -1 when none
}

// Root is one root domain: a partition of the CPUs (reference A.7).
type Root struct {
	Span cpumask.Mask
}

// Reach is one NUMA distance and what lies within it, the nearest first
// (reference A.1): in no partition, isolated CPUs included.
type Reach struct {
	Distance int
	CPUs     []cpumask.Mask // by node id; nil for a node without online CPUs
}

// NUMAShape is how nodes are connected (reference A.1).
type NUMAShape uint8

const (
	Direct       NUMAShape = iota // no node is further than one hop
	GluelessMesh                  // far nodes have others between them
	Backplane                     // they have none
)

// Domain is one CPU's domain at one level. CPUs with equal domains share
// Groups and Span but own the Domain, since First and Child differ.
type Domain struct {
	Name           string // SMT, CLS, MC, DIE or PKG, NODE, NUMA
	Level          int    // as numbered at build time (reference A.1): gaps are usual
	Span           cpumask.Mask
	Weight         int // CPUs in Span
	Flags          Flags
	Groups         []*Group // the circular list; this CPU's walk starts at First
	First          int      // index in Groups of the group that contains this CPU
	MinInterval    int      // ms; CPUs of the level whatever the partition, so also the first nr_busy_cpus
	MaxInterval    int      // ms
	BusyFactor     int
	ImbalancePct   int
	CacheNiceTries int
	ImbNUMA        int // imb_numa_nr
	// Load indices of v4.19 (reference A.2); zero elsewhere.
	BusyIdx, IdleIdx, NewidleIdx int
}

// Group is one group of a domain (reference A.5). Groups of NUMA levels may overlap.
type Group struct {
	Span      cpumask.Mask
	Balance   cpumask.Mask // balance mask: the CPUs that may balance for the group
	BalanceAt int          // the lowest of them
	Weight    int          // CPUs in Span
	Cores     int          // physical cores in Span
	Capacity  int64        // sum of CPU capacities
	Flags     Flags        // of the child domain that the group was made from; 0 at the bottom
	ID        int          // number of its live state: dense, see the package comment
}
