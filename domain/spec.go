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
// (reference A.1, A.2). A policy preset carries them.
type Rules struct {
	Cluster      bool   // a CLS level exists (6.1 and later)
	ClusterFlag  bool   // it carries SD_CLUSTER (6.12)
	TopName      string // "DIE" or "PKG"
	BusyFactor   int    // 32 or 16
	ImbalancePct int    // of every level but SMT and MC: 125 or 117
	LoadBalance  bool   // SD_LOAD_BALANCE exists (up to v5.3)
	ImbNUMA      bool   // imb_numa_nr exists (6.1 and later)
	NodeReclaim  int    // node_reclaim_distance, 30
	NewidleCost  int64
}

// Domains are the sched domains and per-CPU shortcuts of one machine under one
// kernel's rules: a specification without live state. Everything is indexed by
// CPU id; what CPUs have in common is shared.
type Domains struct {
	CPUs  []CPU
	Roots []Root // one per partition
}

// CPU is one CPU's view (reference A.4). A CPU without domains (isolated or
// offline) has none, an LLC of its own and LLCSize 1.
type CPU struct {
	Levels  []*Domain // bottom up
	Root    int       // index into Roots; -1 when isolated or offline
	LLC     int       // sd_llc_id: first CPU of the span of the LLC domain, or the CPU itself
	LLCSize int       // sd_llc_size
	Share   int       // sd_share_id: first CPU of the lowest cluster domain, or LLC
	LLCAt   int       // index in Levels of the LLC domain (sd_llc); -1 when none
	NUMAAt  int       // index in Levels of the lowest NUMA domain; -1 when none
}

// Root is one root domain: a partition of the CPUs (reference A.7).
type Root struct {
	Span cpumask.Mask
}

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
	MinInterval    int      // ms
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
	ID        int          // dense number among all groups of the Domains, for live state
}
