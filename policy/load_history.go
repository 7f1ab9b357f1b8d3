package policy

import "schedlab/kernel"

// The load history of v4.20 (cpu_load, reference C.7): the load at the last tick,
// and averages of it, each twice as slow as the one before.

// zeroTicks are the ticks without load after which an average is 0, decayTable
// what is left of it, in 128ths, after 1, 2, 4, 8 ... ticks (decay_load_missed).
var (
	zeroTicks  = [5]int64{0, 8, 32, 64, 128}
	decayTable = [5][7]int64{
		{},
		{64, 32, 8},
		{96, 72, 40, 12, 1},
		{112, 98, 75, 43, 15, 1},
		{120, 112, 98, 76, 45, 16, 2},
	}
)

// decayMissed is an average after ticks without load.
func decayMissed(load, ticks int64, index int) int64 {
	switch {
	case ticks <= 0:
		return load
	case ticks >= zeroTicks[index]:
		return 0
	case index == 1:
		return load >> ticks
	}
	for i := 0; ticks > 0; i++ {
		if ticks&1 != 0 {
			load = load * decayTable[index][i] >> 7
		}
		ticks >>= 1
	}
	return load
}

// updateCPULoad is cpu_load_update() at a tick, or for an idle CPU in its stead.
func (s *Sched) updateCPULoad(rq *kernel.RQ, now int64) {
	jiffies := s.K.Jiffies(now)
	missed := jiffies - rq.LoadUpdated - 1
	rq.LoadUpdated = jiffies
	load, tickless := rq.Avg.Run, rq.CPULoad[0]
	rq.CPULoad[0] = load
	for i := 1; i < len(rq.CPULoad); i++ {
		// In the ticks that were missed the load was what it was when they stopped.
		old := decayMissed(rq.CPULoad[i], missed, i) - decayMissed(tickless, missed, i) + tickless
		scale := int64(1) << i
		add := load
		if load > old {
			add += scale - 1
		}
		rq.CPULoad[i] = (old*(scale-1) + add) >> i
	}
}

// TickStopped is what the stop of a CPU's tick brings about, RestartTick what
// its restart does (cpu_load_update_nohz_start, _stop; both before v5.3 only).
func (s *Sched) TickStopped(cpu int32) {
	if s.gen == GenV420 {
		rq := &s.K.RQ[cpu]
		rq.CPULoad[0] = rq.Avg.Run
	}
	s.EnterNohzIdle(cpu)
}

// RestartTick: see TickStopped.
func (s *Sched) RestartTick(cpu int32, now int64) {
	if rq := &s.K.RQ[cpu]; s.gen == GenV420 && rq.LoadUpdated != s.K.Jiffies(now) {
		s.updateCPULoad(rq, now)
	}
}
