package sim

// Finish ends the run with the event that is being handled, as done: no task
// that still exists is waited for. A workload that has an end of its own, a
// duration, calls it; the program must not exit afterwards, but sleep. Beside
// another workload it ends nothing.
func (c *Ctx) Finish() {
	if !c.beside {
		c.sim.live = 0
	}
}

// Fail ends the run with err: the workload did what it may not. A [SetupError]
// says that the user's input is at fault.
func (c *Ctx) Fail(err error) {
	if c.sim.failed == nil {
		c.sim.failed = err
	}
}

// Event adds a counter to wait for, as [Builder.Event] does, for tasks that are
// created while the workload runs.
func (c *Ctx) Event() int32 { return c.sim.addEvent() }
