package lab

import (
	"fmt"
	"slices"

	"schedlab/machine"
)

// mmtests is the part of mmtests' scheduler configurations whose benchmarks
// exist here, with their ranges (configs/config-scheduler-* and
// config-network-tbench, bin/generate-stride-range).
var mmtests = Suite{
	Name:    "mmtests-scheduler",
	Summary: "hackbench over groups, perf pipe, schbench over workers, tbench over clients",
	points:  mmtestsPoints,
	scaled:  mmtestsScaled,
}

// What a policy's replica may take, so that a comparison on a computer with two
// CPUs ends in minutes: messages of all points of one hackbench, and virtual CPU
// time of one tbench point.
const (
	hackbenchBudget = 8_000_000
	tbenchBudget    = 2_000 // ms
)

// mmtests' own settings.
const (
	mmtestsGroups = 296 // the most, whatever the machine
	mmtestsLoops  = 100
	perfpipeLoops = 500_000

	ttwuMessengers = 4
)

func mmtestsPoints(m *machine.Machine) []Point {
	cpus := m.Online.Weight()
	var out []Point
	for _, mode := range []string{"process", "thread"} {
		for _, ipc := range []string{"pipe", "socket"} {
			for _, n := range mmtestsHackbenchGroups(m) {
				out = append(out, Point{
					Benchmark: fmt.Sprintf("hackbench-%s-%ss", mode, ipc),
					Parameter: fmt.Sprintf("groups=%d", n),
					Workload:  fmt.Sprintf("hackbench:groups=%d,loops=%d,mode=%s,ipc=%s", n, hackbenchLoops(m), mode, ipc),
					Metrics:   []string{"time"},
				})
			}
		}
	}
	out = append(out, Point{
		Benchmark: "perfpipe", Workload: fmt.Sprintf("pipe:loops=%d", perfpipeLoops/100), Metrics: []string{"time"},
	})
	for _, n := range mmtestsRange(m, cpus) {
		out = append(out, Point{
			Benchmark: "schbench", Parameter: fmt.Sprintf("workers=%d", n),
			Workload: fmt.Sprintf("schbench:workers=%d", n),
			Metrics:  []string{"worker-wakeup-p99", "request-p99", "throughput"},
		})
	}
	if cpus > ttwuMessengers {
		workers := 2 * cpus / ttwuMessengers
		out = append(out, Point{
			Benchmark: "schbench-ttwustress", Parameter: fmt.Sprintf("workers=%dx%d", ttwuMessengers, workers),
			Workload: fmt.Sprintf("schbench:messengers=%d,workers=%d,pin=on,locking=off,operations=0,sleeps=0,warmup=10ms,time=50ms", ttwuMessengers, workers),
			Metrics:  []string{"worker-wakeup-p99", "throughput"},
		})
	}
	for _, n := range mmtestsRange(m, 2*cpus) {
		out = append(out, Point{
			Benchmark: "tbench", Parameter: fmt.Sprintf("clients=%d", n),
			Workload: fmt.Sprintf("tbench:clients=%d,warmup=%dms,time=%dms", n, tbenchTime(m)/5, tbenchTime(m)),
			Metrics:  []string{"transfer"},
		})
	}
	return out
}

func mmtestsScaled(m *machine.Machine) []string {
	var out []string
	if n := hackbenchLoops(m); n < mmtestsLoops {
		out = append(out, fmt.Sprintf("hackbench: %d loops (mmtests: %d)", n, mmtestsLoops))
	}
	return append(out,
		fmt.Sprintf("perfpipe: %d loops (mmtests: %d)", perfpipeLoops/100, perfpipeLoops),
		"schbench: 2 s after 0.5 s of warm-up (mmtests: 374 s); ttwustress 50 ms after 10 ms (mmtests: 1200 s)",
		fmt.Sprintf("tbench: %d ms after %d ms of warm-up (mmtests: 120 s)", tbenchTime(m), tbenchTime(m)/5),
		"not modelled: sysbench cpu and mutex, saladfork, easywave; perfpipe bound to threads of a core or to sockets",
	)
}

func mmtestsHackbenchGroups(m *machine.Machine) []int {
	return mmtestsRange(m, min(2*m.Online.Weight(), mmtestsGroups))
}

// hackbenchLoops are mmtests' own where the budget allows it.
func hackbenchLoops(m *machine.Machine) int {
	sum := 0
	for _, n := range mmtestsHackbenchGroups(m) {
		sum += n
	}
	const perLoop = 20 * 20 // messages of a group
	return min(max(hackbenchBudget/(sum*perLoop), 1), mmtestsLoops)
}

// tbenchTime is the measured time in ms.
func tbenchTime(m *machine.Machine) int {
	return min(max(tbenchBudget/m.Online.Weight(), 5), 200)
}

// mmtestsRange are the values from 1 to most that mmtests takes: some steps
// from each level of the topology to the next, and beyond the machine.
func mmtestsRange(m *machine.Machine, most int) []int {
	cpus := m.Online.Weight()
	smt, llc, node := levelWeights(m)
	nodeSteps := 3
	if node/llc > 3 {
		nodeSteps = 6
	}
	out := []int{1, most}
	for _, level := range []struct{ from, to, steps int }{
		{1, smt, 4}, {smt, llc, 4}, {llc, node, nodeSteps}, {node, cpus, 2}, {cpus, 2 * cpus, 3}, {cpus, 4 * cpus, 2}, {4 * cpus, most, 1},
	} {
		// bc -l with scale=1: the stride has one decimal.
		stride := 10 * (level.to - level.from) / level.steps
		if stride <= 0 {
			continue
		}
		for tenths := 10 * level.from; tenths <= 10*level.to; tenths += stride {
			out = append(out, tenths/10)
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return slices.DeleteFunc(out, func(n int) bool { return n < 1 || n > most })
}

// levelWeights are how many CPUs share the core, the LLC and the node of the
// first online CPU.
func levelWeights(m *machine.Machine) (smt, llc, node int) {
	first := &m.CPUs[m.Online.First()]
	for c := range m.Online.All() {
		cpu := &m.CPUs[c]
		smt += one(cpu.Core == first.Core)
		llc += one(cpu.LLC == first.LLC)
		node += one(cpu.Node == first.Node)
	}
	return smt, max(llc, smt), node
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
