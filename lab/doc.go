// Package lab runs experiments: one policy once ([Run]), or several policies
// against each other over many seeds ([Compare]).
//
// The unit of work is a replica: one run of the simulator, a function of
// (machine, policy, workload, seed) and nothing else. Replicas of a comparison
// share no state, so they run on all cores and the result is the same at any
// GOMAXPROCS. Every policy gets the same seeds, in the same order.
//
// What a replica yields is a list of [Metric], the same names in the same order
// whatever ran ([Metrics]). A comparison summarises each metric of each policy
// by the median over its replicas, with the interval of [Summary], and tests
// the policy's replicas against the base's by the Mann-Whitney U test. No
// distribution is assumed: scheduler metrics are skewed and have outliers.
package lab
