// Package kernel is the scheduler's state and its primitive transitions:
// enqueue, dequeue, set the current task, account its run time, choose the next
// one of a runqueue. It has no clock: every call is told the time (ns on the
// runqueue's task clock, which is virtual time here, since no interrupt or
// steal time is taken from it). It does no I/O, and it knows no policy: which
// CPU a task goes to, what a CPU takes from another, when a tick runs are
// rules of package policy, which calls these primitives.
//
// Two queueing orders exist, chosen by [Config.EEVDF]: CFS as in v4.20
// (reference C.3) and EEVDF with delayed dequeue as in v6.12 (C.4, C.6). Load
// tracking is PELT (C.7), updated at the events at which the kernel updates it,
// so that a rule that reads a stale average reads a stale one here too.
//
// What a decision touches is metered: see [Line] and [Kernel.Take].
//
// Nothing allocates after [New] but the growth of tables for new tasks and
// longer queues.
package kernel
