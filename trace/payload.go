package trace

import "bytes"

// payload reads the fields of an event by its name, or returns why it cannot.
// The fields that give an event its meaning must be there; others that a
// kernel or a probe lacks are left out of Event.Set.
func (d *textDecoder) payload(name, text []byte, e *Event) (bad string) {
	c := cursor{rest: text}
	switch string(name) {
	case "sched_switch":
		bad = d.readSwitch(&c, e)
	case "sched_waking":
		bad = d.readWake(Waking, &c, e)
	case "sched_wakeup":
		bad = d.readWake(Wakeup, &c, e)
	case "sched_wakeup_new":
		bad = d.readWake(WakeupNew, &c, e)
	case "sched_migrate_task":
		bad = d.readMigrate(&c, e)
	case "sched_process_fork":
		bad = d.readFork(&c, e)
	case "sched_process_exec":
		bad = d.readExec(&c, e)
	case "sched_process_exit":
		bad = d.readExit(&c, e)
	case "place":
		bad = readPlace(&c, e)
	case "placed":
		bad = d.readTarget(Placed, &c, e)
	case "timer_target":
		bad = d.readTarget(TimerTarget, &c, e)
	case "newidle":
		bad = readNewidle(&c, e)
	case "newidle_done":
		bad = readOne(NewidleDone, NewidlePulled, "pulled", &c, e)
	case "balance":
		bad = readBalance(&c, e)
	case "balance_done":
		bad = readOne(BalanceDone, BalanceMoved, "moved", &c, e)
	case "detach":
		bad = readDetach(&c, e)
	case "cpu_idle":
		bad = readCPUIdle(&c, e)
	case "tick_stop":
		bad = d.readTickStop(&c, e)
	case "timer_start":
		bad = d.readTimer(TimerStart, &c, e)
	case "timer_cancel":
		bad = d.readTimer(TimerCancel, &c, e)
	case "timer_expire_entry":
		bad = d.readTimer(TimerExpire, &c, e)
	case "hrtimer_start":
		bad = d.readHRTimer(HRTimerStart, &c, e)
	case "hrtimer_cancel":
		bad = d.readHRTimer(HRTimerCancel, &c, e)
	case "hrtimer_expire_entry":
		bad = d.readHRTimer(HRTimerExpire, &c, e)
	case "softirq_entry":
		bad = d.readSoftIRQ(&c, e)
	default:
		e.Kind, e.Text = Other, d.names.get(name)
	}
	if bad == "" && c.bad != "" {
		bad = c.bad + " is not a number that fits"
	}
	return bad
}

// need notes which fields of an event were there.
type need uint8

// missing names the first of the keys that is not.
func (n need) missing(keys ...string) string {
	for i, key := range keys {
		if n>>i&1 == 0 {
			return "no " + key
		}
	}
	return ""
}

func (d *textDecoder) readSwitch(c *cursor, e *Event) string {
	e.Kind = Switch
	prev, ok := c.comm("prev_comm=", " prev_pid=")
	if !ok {
		return "no prev_comm"
	}
	e.PrevComm = d.names.get(prev)
	var have need
	for {
		c.rest = bytes.TrimPrefix(c.rest, []byte("==> "))
		if next, ok := c.comm("next_comm=", " next_pid="); ok {
			e.NextComm = d.names.get(next)
			have |= 4
		}
		key, value := c.next()
		switch string(key) {
		case "prev_pid":
			c.number(&e.PrevPID, key, value)
			have |= 1
		case "prev_prio":
			c.number(&e.PrevPrio, key, value)
		case "prev_state":
			e.PrevState = parseState(value)
			have |= 2
		case "next_pid":
			c.number(&e.NextPID, key, value)
			have |= 8
		case "next_prio":
			c.number(&e.NextPrio, key, value)
		case "":
			if have == 15 {
				return ""
			}
			return have.missing("prev_pid", "prev_state", "next_comm", "next_pid")
		}
	}
}

// parseState reads the state of a task that leaves: letters, of which the
// first counts ("R+" apart), or the kernel's number.
func parseState(b []byte) State {
	if n, ok := parseInt(b); ok {
		return stateOfBits(n)
	}
	if len(b) == 0 {
		return StateUnknown
	}
	switch b[0] {
	case 'R':
		if len(b) > 1 && b[1] == '+' {
			return Preempted
		}
		return Running
	case 'S':
		return Sleeping
	case 'D', 'K', 'W', 'w', 'N':
		return Blocked
	case 'I':
		return Idle
	case 'T', 't':
		return Stopped
	case 'X', 'Z', 'x':
		return Dead
	case 'P':
		return Parked
	}
	return StateUnknown
}

// stateOfBits reads the number that trace-cmd prints raw. Bits that all kernels
// agree on decide; one above them alone marks a preempted task, whose bit moved
// between kernels (256 to 4096 in what is recorded).
func stateOfBits(n int64) State {
	switch {
	case n == 0:
		return Running
	case n&1 != 0:
		return Sleeping
	case n&2 != 0:
		return Blocked
	case n&(4|8) != 0:
		return Stopped
	case n&(16|32) != 0:
		return Dead
	case n&64 != 0:
		// Dead, or parked in newer kernels: both leave for good or for long.
		return Dead
	case n&128 != 0:
		return Idle
	}
	return Preempted
}

func (d *textDecoder) readWake(k Kind, c *cursor, e *Event) string {
	e.Kind = k
	have, bad := d.subject(c, e)
	if bad != "" {
		return bad
	}
	return have.missing("pid", "target_cpu")
}

func (d *textDecoder) readMigrate(c *cursor, e *Event) string {
	e.Kind = Migrate
	have, bad := d.subject(c, e)
	if bad != "" {
		return bad
	}
	return have.missing("pid", "dest_cpu", "orig_cpu")
}

func (d *textDecoder) readExit(c *cursor, e *Event) string {
	e.Kind = Exit
	have, bad := d.subject(c, e)
	if bad != "" {
		return bad
	}
	return have.missing("pid")
}

// subject reads "comm=NAME pid=N prio=N" and the CPUs that follow. The fields
// that were there are pid, target or destination, origin.
func (d *textDecoder) subject(c *cursor, e *Event) (have need, bad string) {
	comm, ok := c.comm("comm=", " pid=")
	if !ok {
		return 0, "no comm"
	}
	e.NextComm = d.names.get(comm)
	for {
		key, value := c.next()
		switch string(key) {
		case "":
			return have, ""
		case "pid":
			c.number(&e.NextPID, key, value)
			have |= 1
		case "prio":
			c.number(&e.NextPrio, key, value)
		case "target_cpu", "dest_cpu":
			c.number(&e.Target, key, value)
			have |= 2
		case "orig_cpu":
			c.number(&e.Orig, key, value)
			have |= 4
		case "success":
			c.arg(e, WakeSuccess, key, value)
		}
	}
}

func (d *textDecoder) readFork(c *cursor, e *Event) string {
	e.Kind = Fork
	parent, ok := c.comm("comm=", " pid=")
	if !ok {
		return "no comm"
	}
	e.PrevComm = d.names.get(parent)
	var have need
	for {
		if child, ok := c.comm("child_comm=", " child_pid="); ok {
			e.NextComm = d.names.get(child)
		}
		key, value := c.next()
		switch string(key) {
		case "pid":
			c.number(&e.PrevPID, key, value)
			have |= 1
		case "child_pid":
			c.number(&e.NextPID, key, value)
			have |= 2
		case "":
			return have.missing("pid", "child_pid")
		}
	}
}

// readExec reads from the end: a file's name may hold anything.
func (d *textDecoder) readExec(c *cursor, e *Event) string {
	e.Kind = Exec
	file, ok := bytes.CutPrefix(c.rest, []byte("filename="))
	if !ok {
		return "no filename"
	}
	at := bytes.LastIndex(file, []byte(" old_pid="))
	if at < 0 {
		return "no old_pid"
	}
	c.arg(e, ExecOldPID, []byte("old_pid"), file[at+len(" old_pid="):])
	file = file[:at]
	if at = bytes.LastIndex(file, []byte(" pid=")); at < 0 {
		return "no pid"
	}
	c.number(&e.NextPID, []byte("pid"), file[at+len(" pid="):])
	e.Text = d.names.get(file[:at])
	return ""
}
