// Package sim runs programs on the CPUs of a machine in virtual time, under a
// policy. Time is in integer ns; events happen in the order of (time, sequence),
// where the sequence is the order of scheduling, so a run is a function of its
// [Config] alone.
//
// A CPU runs the program of its current task: an operation uses CPU time, then
// acts (sends, receives, sleeps, signals, forks). What a decision, a switch, a
// cold cache or an interrupt costs is owed by its CPU (its debt) and folded into
// the time of that CPU's next event. Threads of a core slow each other. An idle
// CPU costs no event: its tick is stopped, and all ticks of an instant are one.
//
//	res, err := sim.Run(ctx, sim.Config{
//		Machine: m, Policy: p, Workload: w, Seed: 1, For: 10e9,
//	})
//
// What is simplified, and what that can distort, is in docs/model.md.
package sim
