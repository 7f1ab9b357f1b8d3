package workload

import (
	"schedlab/internal/keyval"
	"schedlab/sim"
)

func init() {
	register(Info{
		Name:    "messaging",
		Summary: "perf bench sched messaging: hackbench under perf's names of its options",
		Unit:    "messages",
		Doc: `perf bench sched messaging is hackbench, ported: its tasks, messages and defaults
are the same, so this is the workload hackbench with perf's options as keys:
group (-g), nr_loops (-l), pipe (-p), thread (-t). What perf fixes is fixed here:
20 senders and 20 receivers a group, messages of 100 bytes.`,
	}, func(s *keyval.Spec) sim.Workload {
		return hackbench{
			groups: s.Int("group", 10, 1, maxTasks/40, "groups of 40 tasks"),
			loops:  s.Int("nr_loops", 100, 1, 10_000_000, "rounds of each sender"),
			fds:    20,
			pipe:   s.Bool("pipe", false, "pipes carry the messages, not sockets"),
			thread: s.Bool("thread", false, "the tasks share an address space"),
			size:   100,
			jitter: s.PerMille("jitter", 200, jitterDoc),

			attributes: normal,
		}
	})
}
