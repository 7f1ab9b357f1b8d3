package sim

// All CPUs tick at the same instants, the multiples of the tick's length, as
// they do without skew_tick: one event serves those whose tick runs.

// startTick starts a CPU's tick when it leaves idle, in its old phase.
func (s *Sim) startTick(c int32) {
	cp := &s.cpus[c]
	if cp.tickOn {
		return
	}
	cp.tickOn = true
	cp.debt += s.costs.TickStart
	s.k.RQ[c].TickStopped = false
	s.sched.RestartTick(c, s.now)
	if !s.q.pending(slotTick) {
		s.q.set(slotTick, (s.now/s.k.Config.Tick+1)*s.k.Config.Tick)
	}
}

// stopTick stops it on idle entry, unless a machine with idle states expects to
// be idle for less than a tick (reference F.4: the governor retains the tick).
func (s *Sim) stopTick(c int32, expected int64) {
	if len(s.m.Idle) > 0 && !s.recorded && expected < s.k.Config.Tick {
		return
	}
	s.dropTick(c)
}

func (s *Sim) dropTick(c int32) {
	cp := &s.cpus[c]
	if !cp.tickOn {
		return
	}
	cp.tickOn = false
	cp.debt += s.costs.TickStop
	s.k.RQ[c].TickStopped = true
	s.sched.TickStopped(c)
}

// tick is the tick of every CPU whose tick runs, in order of their ids.
func (s *Sim) tick() {
	s.tickOn = s.tickOn[:0]
	for c := range s.cpus {
		if s.cpus[c].tickOn {
			s.tickOn = append(s.tickOn, int32(c))
		}
	}
	if len(s.tickOn) == 0 {
		return
	}
	s.q.set(slotTick, s.now+s.k.Config.Tick)
	for _, c := range s.tickOn {
		if s.cpus[c].tickOn {
			s.tickOne(c)
		}
	}
}

func (s *Sim) tickOne(c int32) {
	cp := &s.cpus[c]
	s.acting = c
	s.stats.Ticks++
	s.k.Meter.Add(s.costs.Tick)
	s.sched.Tick(c, s.now)
	s.chargeDecision(c)
	if cp.idle && !s.k.Face[c].NeedResched {
		// A tick that met an idle CPU: the governor learns that it idles long,
		// and stops it.
		s.dropTick(c)
	}
	s.settle(c)
}
