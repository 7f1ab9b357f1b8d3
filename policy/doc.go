// Package policy holds the decision rules of the Linux scheduler, one file a
// rule, under the names that kernel people use, and the three composites that
// call them: [Sched.TryToWakeUp], [Sched.Schedule] and [Sched.Tick].
//
// A [Policy] is a specification: a kernel version with keys changed, resolved
// once from a string such as
//
//	v4.20
//	v6.12,sis=full
//	v6.12.117,recent-used=waker,NI_RANDOM=off,migration_cost_ns=250000
//
// into a flat struct of enums, features and tunables. A [Sched] is a policy at
// work on a kernel's state. It has no clock and does no I/O: the simulator and
// the audit of a recording call the same composites with their own times.
//
// Where a rule is found:
//
//	wakeup.go              try_to_wake_up, wake_up_new_task, the wake list
//	placement_select.go    select_task_rq_fair
//	placement_wakee.go     record_wakee, wake_wide
//	placement_affine.go    wake_affine
//	placement_sis.go       select_idle_sibling: target, prev, kthread, recent
//	placement_scan.go      the search of an LLC from v5.14 on
//	placement_scan419.go   ... of v4.20: core, CPU, SMT
//	placement_idlest.go    find_idlest_cpu: fork and exec
//	schedule.go            __schedule: block, pick, newidle, idle
//	tick.go                scheduler_tick
//	balance_newidle.go     newidle_balance
//	balance_rq.go          load_balance
//	balance_stats.go       statistics and classes of groups
//	balance_group.go       the busiest group and the imbalance, v6.12
//	balance_group419.go    ... of v4.20
//	balance_detach.go      can_migrate_task, task_hot, detach_tasks
//	balance_periodic.go    rebalance_domains
//	balance_nohz.go        nohz idle balancing
//	timer_target.go        get_nohz_timer_target
package policy
