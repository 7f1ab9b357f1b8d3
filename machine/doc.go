// Package machine describes the hardware that a simulation runs on: CPUs,
// caches, NUMA nodes, idle states, and what operations cost.
//
// A [Machine] is data without state. [Load] gets one by name:
//
//	x6-2                                    a preset; List names them
//	synthetic:sockets=2,cores=8,threads=2   a regular machine of any size
//	host                                    the machine that the program runs on
//	snapshot.tgz, snapshot/                 a sysfs snapshot
//
// # CPUs
//
// Everything is indexed by CPU id; ids may have holes, and CPUs may be offline.
// What CPUs share is named by the lowest CPU id that shares it, so "same LLC" is
// one comparison, and [Machine.Distance] needs no table. Online CPUs alone count
// as sharing something, as in Linux's own masks.
//
// # Snapshots
//
// A snapshot is a copy of files of /sys and /proc: a directory or an archive
// (.tgz, .tar.bz2, .tar) that holds them at its root, in machine/ (as the
// lab's recordings do) or below its only directory. Read are
//
//	sys/devices/system/cpu    possible, present, online, isolated, nohz_full,
//	                          cpuN/topology, cpuN/cache, cpuN/cpu_capacity, cpuidle
//	sys/devices/system/node   cpulist or cpumap, distance
//	sys/kernel/debug/sched    features, preempt, tunables, debug (for HZ)
//	proc                      cpuinfo, cmdline, version, sys/kernel/sched_*
//	config, cpuidle           beside machine/: kernel configuration, idle driver
//
// and of those only the CPU lists and one topology directory must be there.
// Kernels of all ages are read: lists stand above masks, masks above ids. A
// snapshot that contradicts itself is read in Linux's order (lower ids first), and
// [Machine.Warnings] says so. Malformed values are errors of one line, which name
// machine, file and value. Archives are bounded in memory whatever they claim.
//
// The last-level cache is Linux's: on x86 the L3, else the L2; elsewhere the
// highest level. Threads of a core share it in any case.
//
// # Costs
//
// [Costs] and idle states come from preset files (presets/*.yaml) and the cost
// families that these extend (presets/costs/*.yaml). Each constant has a source
// there and a line in [Machine.Sources]: kind P (published), T (kernel table),
// D (derived), M (from memory or assumed) as in reference section I, or F (fitted
// to baseline rows, which it names). Sysfs tells no costs, so snapshots get the
// family cascadelake, and their first source line says that; idle states are the
// snapshot's own where it has cpuidle.
//
// A new preset is a file of a few lines:
//
//	summary: 2 x Xeon E5-2690 v4, 14 cores x 2 threads = 56 CPUs
//	extends: broadwell-ep
//	layout: {sockets: 2, cores: 14, threads: 2, source: "P, reference E.8 T6"}
//
// which may override any cost, set x86: false, idle states, LLCs and nodes within
// a socket (llc, nodes) and the table of node distances.
package machine
