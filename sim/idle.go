package sim

// kernelTimer is how far the next timer of an idle CPU is at most: kernels have
// timers of their own (statistics, watchdogs, delayed work), which no workload
// here arms. Without one the governor's corrected time to the next timer would
// mean nothing. Assumed; docs/model.md.
const kernelTimer = 100_000_000 // ns

// enterIdle makes a CPU idle once it has paid what it owes.
func (s *Sim) enterIdle(c int32) {
	cp := &s.cpus[c]
	s.stats.IdleEntries++
	sleep := max(min(cp.timers.next()-s.now, kernelTimer), 0)
	expected := cp.guess.expect(sleep)
	s.stopTick(c, expected)
	cp.idle = true
	s.chooseState(cp, expected, sleep)
	s.k.RQ[c].IdleLatency = cp.latency
	cp.idleFrom = s.now + cp.debt
	cp.debt = 0
	cp.busyNs += cp.idleFrom - cp.busyFrom
	s.setBusy(c, -1)
	if s.k.IsIdle(c) {
		s.waits.setFree(c, true, s.now)
	}
}

// exitIdle makes it busy again.
func (s *Sim) exitIdle(c int32) {
	cp := &s.cpus[c]
	cp.idle = false
	from := min(cp.idleFrom, s.now)
	cp.busyNs -= cp.idleFrom - from // cut short: owed still, and paid by what comes now
	cp.debt += cp.idleFrom - from
	cp.idleNs += s.now - from
	cp.busyFrom = s.now
	if cp.pushTo < 0 && !cp.nohz {
		s.q.cancel(s.slotKick(c)) // of what it was to tell, nothing is left
	}
	cp.guess.learn(s.now-from, cp.latency)
	s.k.RQ[c].IdleLatency = 0
	s.setBusy(c, 1)
	s.waits.setFree(c, false, s.now)
	s.startTick(c)
}

// books are the CPU's busy and idle time up to now; together they are now.
func (cp *cpu) books(now int64) (busy, idle int64) {
	if cp.idle {
		from := min(cp.idleFrom, now)
		return cp.busyNs - (cp.idleFrom - from), cp.idleNs + now - from
	}
	return cp.busyNs + now - cp.busyFrom, cp.idleNs
}

// chooseState puts a CPU into the deepest idle state that is worth entering for
// that long; none on machines without idle states. A recording's interrupts are
// stamped when the idle state has been left, so it gets none.
// A CPU polls, which costs nothing to leave, only if its next timer, sleep away,
// comes before the first state is worth entering (reference F.4).
func (s *Sim) chooseState(cp *cpu, expected, sleep int64) {
	cp.latency, cp.halted = 0, s.recorded || len(s.m.Idle) == 0
	if cp.halted {
		return
	}
	if first := s.m.Idle[0].Residency; first <= sleep {
		expected = max(expected, first)
	}
	for i := range s.m.Idle {
		if st := &s.m.Idle[i]; st.Residency <= expected {
			cp.latency, cp.halted = st.Latency, st.Halt
		}
	}
}
