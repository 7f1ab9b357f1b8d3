// Package domain builds the sched domains and groups of a machine as Linux
// builds them (reference section A).
//
// [Build] takes a machine and the [Rules] of a kernel version and returns
// [Domains]: for every CPU its domains bottom up, their groups, and the
// shortcuts (LLC, cluster, lowest NUMA domain) that the scheduler keeps beside
// them. The result is a specification: it holds no live state, is not changed
// by anybody, and what CPUs have in common (masks, groups, lists of groups) is
// shared between them.
//
// # How it goes
//
//  1. topology.go, numa.go: the levels SMT, CLS, MC, DIE or PKG, NODE and one
//     NUMA level for each distinct distance, each with the CPUs that a CPU sees
//     there, in no partition yet.
//  2. tree.go: for every CPU of a partition a domain per level, cut to the
//     partition, up to the level that spans all of it. attributes.go sets what
//     sd_init() sets, asym.go the flags of unequal CPU capacities.
//  3. ring.go, overlap.go: the groups.
//  4. imbalance.go: the allowed NUMA imbalance.
//  5. attach.go: domains that add nothing are removed. Levels keep the numbers
//     that they were built with, so the numbers that are left have gaps.
//  6. publish.go: what is left becomes the result, with its shortcuts.
//
// # Order of groups
//
// The scheduler walks the groups of a domain as a ring that starts at the CPU's
// own group, so the order decides ties. Below the NUMA levels all CPUs of a
// span share one ring. Linux links it anew for each of them, in ascending
// order, so what stays is the order that the highest CPU sees: its own group,
// then the others by lowest member. A walk from another CPU starts elsewhere in
// that ring: [Domain.Groups] and [Domain.First]. At NUMA levels groups may
// overlap, and each CPU has a list of its own (First is 0); CPUs that see the
// same list share it.
//
// # Live state of groups
//
// Linux keeps the live state of a group (its capacity, the imbalance flag)
// apart from the group, one for all groups of a level with the same balance
// CPU. [Group.ID] numbers these states. At NUMA levels two groups may share an
// ID and differ in Flags: in 6.12 a CPU's first group takes the flags of the
// domain that is really below it after removal, while others keep those of the
// level that they were made from.
//
// # Partitions
//
// [Build] makes one partition of all online CPUs that isolcpus= leaves.
// [BuildPartitions] makes as many as it is given, as cpusets do.
package domain
