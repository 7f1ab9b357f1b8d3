package report

import (
	"strconv"

	"schedlab/machine"
)

// cost is one of a machine's costs, under the name that preset files use.
type cost struct {
	name  string
	doc   string
	value int64
	parts bool // in parts of 1000, not ns
}

func (c cost) text() string {
	if c.parts {
		return strconv.FormatInt(c.value, 10) + "/1000"
	}
	return strconv.FormatInt(c.value, 10) + " ns"
}

func costs(c *machine.Costs) []cost {
	return []cost{
		{"line_own", "touch a cache line that this CPU wrote last or shares", c.LineOwn, false},
		{"line_core", "... that another thread of the core wrote last", c.LineCore, false},
		{"line_llc", "... another core of the LLC", c.LineLLC, false},
		{"line_node", "... another LLC of the node", c.LineNode, false},
		{"line_remote", "... another node", c.LineRemote, false},
		{"wakeup", "fixed part of a wake-up, on the waker", c.Wakeup, false},
		{"enqueue", "put a task on a runqueue", c.Enqueue, false},
		{"switch", "switch between tasks", c.Switch, false},
		{"switch_mm", "... of different address spaces, on top", c.SwitchMM, false},
		{"search", "look at one CPU or group in a search, beside its cache line", c.Search, false},
		{"ipi", "from sending an interrupt to its handler's first instruction", c.IPI, false},
		{"ipi_send", "what sending costs the sender", c.IPISend, false},
		{"irq", "entry, handler and exit of an interrupt", c.IRQ, false},
		{"tick", "one tick", c.Tick, false},
		{"tick_stop", "stop the tick on idle entry", c.TickStop, false},
		{"tick_start", "restart it on idle exit", c.TickStart, false},
		{"cold_core", "refill caches after a move to another core of the LLC", c.ColdCore, false},
		{"cold_llc", "... to another LLC of the node", c.ColdLLC, false},
		{"cold_node", "... to another node", c.ColdNode, false},
		{"smt_speed", "speed of a thread while its siblings are busy", c.SMTSpeed, true},
		{"syscall", "entry and exit of a system call", c.Syscall, false},
		{"socket_send", "one small send on a stream socket", c.SocketSend, false},
		{"socket_recv", "one small receive", c.SocketRecv, false},
		{"pipe_write", "one small write to a pipe", c.PipeWrite, false},
		{"pipe_read", "one small read", c.PipeRead, false},
		{"fork", "start a task", c.Fork, false},
		{"exit", "end a task", c.Exit, false},
	}
}
