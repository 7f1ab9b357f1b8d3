// Package workload holds the programs that tasks run, by name:
//
//	hackbench:groups=4,loops=200            senders and receivers over sockets or pipes
//	pipe:loops=100000                       two tasks that hand one message back and forth
//	phases:tasks=64,run=400us,sleep=1600us  tasks that run and sleep in turn
//	hogs:4                                  tasks that never sleep
//	tbench:clients=8                        clients and servers in lock-step over TCP
//	schbench:workers=20                     workers whose requests punish preemption
//	oltp:users=40,logging=on                database processes and a log writer
//	messaging:group=4                       hackbench under perf's names
//	sysbench-cpu:8, sysbench-mutex:8        threads that compute, or take mutexes too
//	saladfork:1000                          a process that forks one which exits, over and over
//	easywave:16                             parallel loops between OpenMP's barriers
//	mix:pipe:loops=1000+hogs:4              several at once, the first measured
//
// [Parse] reads such a spec, [List] describes what exists, [Register] adds a
// kind (package lab plugs recordings in as trace:FILE, and files of rt-app as
// rtapp:FILE). A workload is a value: it may be set up for many runs, one after
// another or at once.
//
// What the programs do are facts of the benchmarks' sources (the reference's
// workloads.md); what is assumed has a key whose text says so, and nothing is
// fitted to a result (docs/model.md). What their system calls cost is the
// machine's ([machine.Costs]). That cost varies from one call to the next by a
// jitter, uniformly and from each task's own generator: real system calls do vary,
// with what the caches and the locks happen to be, and in a workload without it
// nothing would differ between two seeds.
//
// What a pipe or socket holds, and when it wakes whom, is in channel.go.
package workload
