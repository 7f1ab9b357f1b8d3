// Package workload holds the programs that tasks run, by name:
//
//	hackbench:groups=4,loops=200      senders and receivers over sockets or pipes
//	pipe:loops=100000                 two tasks that hand one message back and forth
//	phases:tasks=64,run=400us,sleep=1600us
//
// [Parse] reads such a spec, [List] describes what exists, [Register] adds a
// kind (package lab plugs recordings in as trace:FILE). A workload is a value:
// it may be set up for many runs, one after another or at once.
//
// What the programs do are facts of the benchmarks' sources (the reference's
// workloads.md); what their system calls cost is the machine's.
package workload
