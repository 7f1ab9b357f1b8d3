// Package rtapp runs workloads that are written for rt-app (github.com,
// scheduler-tools/rt-app), from its JSON files as they are:
//
//	w, err := rtapp.Load("mp3.json")
//	...
//	sim.Run(ctx, sim.Config{Workload: w, ...})
//
// # Files
//
// A file is what json-c takes when it is not strict, which rt-app uses: comments
// of both kinds, a comma behind the last item, single quotes. Errors say
// FILE:LINE:COLUMN. A file has at most 8 MiB, 400000 values and 32 levels.
//
// A key may be in an object more than once. For an event each is an event, in the
// order of the file: rt-app's own examples are written so, and its script workgen
// makes the keys unique before rt-app sees them. (rt-app alone would keep one
// event, at the place of the first with the value of the last.) Tasks of one name
// get another, as by workgen; of phases each counts; of a property the last one
// does, with a warning.
//
// No well-kept library reads this: encoding/json and YAML readers know no
// comments of both kinds or lose duplicates, tailscale/hujson keeps order and
// comments but takes no single quotes, recurses without bound, and needs the
// document standardised before it says where something is. scan.go is what is
// left to write.
//
// # What is taken
//
// Everything of rt-app's tutorial, as rt-app's parser reads it:
//
//   - global: duration, default_policy, mem_buffer_size. What concerns logs,
//     traces, calibration and locked memory is checked and has no effect;
//     pi_enabled and io_device have a warning.
//   - resources: checked; resources exist as soon as an event names them.
//   - tasks, and phases: instance, loop, delay, cpus, policy, priority,
//     taskgroup, phases. nodes_membind, util_min, util_max and slices by
//     dl-runtime are checked and ignored with a warning.
//   - events: run, runtime, sleep, timer, lock, unlock, wait, signal, broad, sync,
//     suspend, resume, barrier, sem_post, sem_wait, fork, yield, mem, memrun,
//     iorun. A key that begins so is an event ("run1", "sleep_b").
//
// Keys that mean nothing to rt-app are ignored as rt-app does, with a warning.
// Files that rt-app refuses are refused, for the same reasons, and so is what
// would end it later: priorities and deadlines that a kernel does not take, CPUs
// that the machine does not have, forks of unknown tasks, and numbers beyond 32
// bits, which rt-app would cut.
//
// # What happens
//
// A first thread creates the others, which wait for each other and start at once;
// the measured time begins there. It ends when the last thread does or when the
// duration is over, counted from the last creation: then the run ends, whatever
// the threads do. A file without end runs until the limit of virtual time, and so
// does one whose threads deadlock. Work is counted in cycles: completed loops of
// phases.
//
//   - run is work that takes as long as it says at full speed, and varies by a
//     jitter (1 %); runtime works in slices of 32 us until the time is over by the
//     clock, on a CPU or not: that is what rt-app does.
//   - A timer ends a period after its last end. One that was missed ends at once,
//     and the next counts from then (relative), or from when it should have ended
//     (absolute). Timers have one state for all threads, but those whose name
//     begins with "unique" have one for each.
//   - Mutexes and condition variables are glibc's: sleepers are woken first come
//     first served, and compete for the mutex with who comes by. No mutex lends
//     priority. Wake-ups of a condition variable that nobody waits for are lost;
//     a semaphore's are kept.
//   - barrier, suspend and resume are made of these as rt-app makes them. suspend
//     waits for a resume of the task's name. (Before May 2025 rt-app waited for
//     the name given to suspend, which its examples need. So that one counts where
//     something in the file resumes it, with a warning.)
//   - fork starts another thread of a task, which does not wait for the start. A
//     task can be forked 1024 times, as in rt-app; one more ends the run as an
//     error of the file.
//
// What is approximated is in docs/model.md.
package rtapp

// Help is what a user should know before writing a file.
const Help = `FILE is the JSON of rt-app (scheduler-tools/rt-app, doc/tutorial.txt), as it is: comments, trailing commas, repeated events.

Tasks with instances, loops, phases, CPUs, policies and priorities; events run, runtime, sleep, timer, lock, unlock, wait, signal, broad, sync, suspend, resume, barrier, sem_post, sem_wait, fork, yield, mem, memrun, iorun. A cycle is a completed loop of a phase.

The run ends at the file's duration, or when all threads have. Without either it ends at --for. Errors and warnings say FILE:LINE:COLUMN.

Approximated: SCHED_DEADLINE as SCHED_FIFO at priority 99; task groups have one level and do not change between phases; memory and devices are CPU time. Ignored with a warning: NUMA memory, utilization clamps, slices, priority inheritance. Run times vary by the jitter.`
