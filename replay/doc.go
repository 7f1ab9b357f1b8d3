// Package replay turns a recording into a workload: the tasks of the recording
// run again, each for the CPU time that it used, and wake each other as they
// did.
//
//	w, err := replay.Load("recording.tgz")
//	...
//	sim.Run(ctx, sim.Config{Workload: w, ...})
//
// # What becomes of the recording
//
// Each task is a sequence of operations:
//
//   - OpRun: the CPU time between two other operations. Time in which the task
//     was preempted is left out, for the simulator decides that anew.
//   - OpSignal: the task woke another one.
//   - OpWait: the task slept, and was woken by a recorded wake-up. Every task
//     has an event of its own, which counts its wake-ups.
//   - OpSleepUntil: the task slept, and came back though no wake-up of it was
//     recorded (tracing begins with one event after another, or events were
//     lost). It sleeps until the recorded time.
//   - OpFork: the task started another one.
//   - OpAffinity: the CPUs that the task may use changed.
//
// A wake-up that a task caused moves with that task. One from outside (timers,
// devices) keeps its own time, and comes as an interrupt on the CPU where it
// was recorded. From outside is what was recorded in interrupt context, in
// softirq context or by an idle CPU, with two exceptions in softirq context:
// that of ksoftirqd is that of the task ksoftirqd, and the network softirqs
// that a task starts itself when it sends (through the loopback device) are
// that task's. The latter are known by their preempt depth on entry: a softirq
// run at the end of an interrupt of user code has none. A recording without
// flags does not tell contexts apart: there, the running task is the waker.
//
// Every sched_waking of the recording becomes one signal or one interrupt, and
// every one of these meets one OpWait: as many wake-ups are delivered as were
// recorded. If a wake-up met a task that was not yet asleep, the wait stands
// where the task was then. A recording without sched_waking is replayed by its
// sched_wakeup.
//
// This cannot deadlock: every operation depends on earlier lines of the
// recording only.
//
// # What a task is
//
// A task begins on the CPU where it is first seen, when it is first seen:
// asleep since the start if a wake-up is the first that is seen of it, running
// since the start if a CPU's first line is its. One that was forked in the
// recording is forked again. After the last of its recorded operations it
// exits. A pid that returns after its task's end is a new task. Idle tasks are
// none. The stopper threads migration/N, with which the recorded kernel moved
// tasks, are replayed, wake-ups and all, though the simulator's own balancing
// needs them not.
//
// Priority is the one at which the task used most CPU time. Affinity comes from
// the probe `place`. A per-CPU kernel thread (by name: ksoftirqd/3) that was
// seen on its CPU alone is pinned there, and so is a fair task that was woken
// or forked without any `place` in a recording that has them: the kernel does
// not choose where there is no choice. A task that had a choice and was pinned
// later is not noticed. All others may use every CPU. On a machine that lacks a
// recorded CPU, another online one takes its part.
//
// # What it cannot tell
//
// Run times are those of the recorded machine under the recorded kernel: with
// interrupts, cache misses and busy sibling threads in them. A task that
// polled, or gave up a time-out, does so again as recorded. Lost events break
// dependencies: see [Workload.Info].
package replay
