package lab

import (
	"fmt"
	"slices"

	"schedlab/machine"
	"schedlab/workload"
)

// mmtests is mmtests' scheduler configurations with their ranges
// (configs/config-scheduler-* and config-network-tbench, bin/generate-stride-range).
// hackbench-long is hackbench with more loops, schbench's other configurations are
// single points of its range, and perfpipe's with cpufreq bring the governor
// performance, which no machine here lacks.
var mmtests = Suite{
	Name:    "mmtests-scheduler",
	Summary: "hackbench over groups, perf pipe free and bound, schbench over workers, saladfork, easywave and sysbench over threads, tbench over clients",
	points:  mmtestsPoints,
	scaled:  mmtestsScaled,
}

// What a policy's replica may take, so that a comparison on a computer with two
// CPUs ends in minutes: messages of all points of one hackbench, and virtual CPU
// time of one tbench or sysbench point.
const (
	hackbenchBudget = 8_000_000
	tbenchBudget    = 2_000  // ms
	sysbenchBudget  = 20_000 // ms
)

// mmtests' own settings, and what is left of them here.
const (
	mmtestsGroups = 296 // the most, whatever the machine
	mmtestsLoops  = 100
	perfpipeLoops = 500_000

	ttwuMessengers = 4

	saladforkIterations = 100_000
	mutexLocks          = 50_000
)

func mmtestsPoints(m *machine.Machine) []Point {
	var out []Point
	for _, benchmark := range []func(*machine.Machine) []Point{
		mmtestsHackbench, mmtestsPerfpipe, mmtestsSchbench, mmtestsSaladfork, mmtestsEasywave, mmtestsSysbench, mmtestsTbench,
	} {
		out = append(out, benchmark(m)...)
	}
	return out
}

func mmtestsHackbench(m *machine.Machine) (out []Point) {
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
	return out
}

func mmtestsPerfpipe(m *machine.Machine) (out []Point) {
	for _, bind := range []string{"off", "cross-ht", "cross-socket"} {
		p := Point{Benchmark: "perfpipe", Parameter: bind, Workload: fmt.Sprintf("pipe:loops=%d,bind=%s", perfpipeLoops/100, bind), Metrics: []string{"time"}}
		switch {
		case bind == "off":
			p.Parameter, p.Workload = "", fmt.Sprintf("pipe:loops=%d", perfpipeLoops/100)
		case !workload.Bindable(m, bind):
			continue
		}
		out = append(out, p)
	}
	return out
}

func mmtestsSchbench(m *machine.Machine) (out []Point) {
	cpus := m.Online.Weight()
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
	return out
}

func mmtestsSaladfork(*machine.Machine) []Point {
	return []Point{{
		Benchmark: "saladfork", Workload: fmt.Sprintf("saladfork:iterations=%d", saladforkIterations/100),
		Metrics: []string{"fork-local-p50", "fork-remote-p50", "local"},
	}}
}

// mmtestsEasywave goes from half a node's CPUs to twice all.
func mmtestsEasywave(m *machine.Machine) (out []Point) {
	cpus, nodes := m.Online.Weight(), 0
	for i := range m.Nodes {
		nodes += one(m.Nodes[i].Exists && !m.Nodes[i].CPUs.Empty())
	}
	most := 2 * cpus
	least := cpus / max(nodes, 1) / 2
	if least == 0 {
		least = most
	}
	threads := slices.DeleteFunc(append(mmtestsRange(m, most), least), func(n int) bool { return n < least })
	slices.Sort(threads)
	for _, n := range slices.Compact(threads) {
		out = append(out, Point{
			Benchmark: "easywave", Parameter: fmt.Sprintf("threads=%d", n),
			Workload: fmt.Sprintf("easywave:threads=%d", n),
			Metrics:  []string{"time"},
		})
	}
	return out
}

func mmtestsSysbench(m *machine.Machine) (out []Point) {
	threads := mmtestsLargeStride(2 * m.Online.Weight())
	for _, n := range threads {
		out = append(out, Point{
			Benchmark: "sysbench-cpu", Parameter: fmt.Sprintf("threads=%d", n),
			Workload: fmt.Sprintf("sysbench-cpu:threads=%d,time=%dms", n, sysbenchTime(m)),
			Metrics:  []string{"throughput"},
		})
	}
	for _, n := range threads {
		out = append(out, Point{
			Benchmark: "sysbench-mutex", Parameter: fmt.Sprintf("threads=%d", n),
			Workload: fmt.Sprintf("sysbench-mutex:threads=%d,locks=%d", n, mutexLocks/10),
			Metrics:  []string{"request-p90"},
		})
	}
	return out
}

func mmtestsTbench(m *machine.Machine) (out []Point) {
	for _, n := range mmtestsRange(m, 2*m.Online.Weight()) {
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
		fmt.Sprintf("perfpipe: %d loops (mmtests: %d); the bound ones may use all idle states (mmtests: C1 only)", perfpipeLoops/100, perfpipeLoops),
		"schbench: 2 s after 0.5 s of warm-up (mmtests: 374 s); ttwustress 50 ms after 10 ms (mmtests: 1200 s)",
		fmt.Sprintf("saladfork: %d forks (mmtests: %d)", saladforkIterations/100, saladforkIterations),
		"easywave: 100 time steps (mmtests: 1200 minutes of model time, some thousands)",
		fmt.Sprintf("sysbench cpu: %d ms (mmtests: 10 s); mutex: %d locks a thread (mmtests: %d), and the 90th percentile (mmtests: the 95th)", sysbenchTime(m), mutexLocks/10, mutexLocks),
		fmt.Sprintf("tbench: %d ms after %d ms of warm-up (mmtests: 120 s)", tbenchTime(m), tbenchTime(m)/5),
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

// sysbenchTime is the measured time of sysbench cpu in ms.
func sysbenchTime(m *machine.Machine) int {
	return min(max(sysbenchBudget/m.Online.Weight(), 20), 1000)
}

// mmtestsLargeStride are the values from 1 to most that mmtests takes for
// sysbench: few and far between, whatever the topology.
func mmtestsLargeStride(most int) []int {
	var out []int
	add := func(from, stride, to int) {
		for n := from; n <= to; n += stride {
			out = append(out, n)
		}
	}
	switch {
	case most > 32:
		add(1, 3, 8)
		add(12, 9, 32)
		add(48, 31, most)
	case most > 8:
		add(1, 2, 8)
		add(12, 6, most)
	default:
		add(1, 2, most)
	}
	out = append(out, 1, most)
	slices.Sort(out)
	return slices.Compact(out)
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
