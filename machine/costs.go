package machine

// costFields are the costs by the names that preset files use, in the order in
// which they are shown.
var costFields = []struct {
	name string
	unit string
	at   func(*Costs) *int64
}{
	{"line_own", "ns", func(c *Costs) *int64 { return &c.LineOwn }},
	{"line_core", "ns", func(c *Costs) *int64 { return &c.LineCore }},
	{"line_llc", "ns", func(c *Costs) *int64 { return &c.LineLLC }},
	{"line_node", "ns", func(c *Costs) *int64 { return &c.LineNode }},
	{"line_remote", "ns", func(c *Costs) *int64 { return &c.LineRemote }},
	{"wakeup", "ns", func(c *Costs) *int64 { return &c.Wakeup }},
	{"enqueue", "ns", func(c *Costs) *int64 { return &c.Enqueue }},
	{"switch", "ns", func(c *Costs) *int64 { return &c.Switch }},
	{"switch_mm", "ns", func(c *Costs) *int64 { return &c.SwitchMM }},
	{"search", "ns", func(c *Costs) *int64 { return &c.Search }},
	{"ipi", "ns", func(c *Costs) *int64 { return &c.IPI }},
	{"ipi_send", "ns", func(c *Costs) *int64 { return &c.IPISend }},
	{"irq", "ns", func(c *Costs) *int64 { return &c.IRQ }},
	{"tick", "ns", func(c *Costs) *int64 { return &c.Tick }},
	{"tick_stop", "ns", func(c *Costs) *int64 { return &c.TickStop }},
	{"tick_start", "ns", func(c *Costs) *int64 { return &c.TickStart }},
	{"cold_core", "ns", func(c *Costs) *int64 { return &c.ColdCore }},
	{"cold_llc", "ns", func(c *Costs) *int64 { return &c.ColdLLC }},
	{"cold_node", "ns", func(c *Costs) *int64 { return &c.ColdNode }},
	{"smt_speed", "of 1000", func(c *Costs) *int64 { return &c.SMTSpeed }},
	{"syscall", "ns", func(c *Costs) *int64 { return &c.Syscall }},
	{"socket_send", "ns", func(c *Costs) *int64 { return &c.SocketSend }},
	{"socket_recv", "ns", func(c *Costs) *int64 { return &c.SocketRecv }},
	{"pipe_write", "ns", func(c *Costs) *int64 { return &c.PipeWrite }},
	{"pipe_read", "ns", func(c *Costs) *int64 { return &c.PipeRead }},
	{"fork", "ns", func(c *Costs) *int64 { return &c.Fork }},
	{"exit", "ns", func(c *Costs) *int64 { return &c.Exit }},
}
