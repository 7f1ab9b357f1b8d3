package policy

// TimerTarget is get_nohz_timer_target(): the CPU that takes an unpinned timer
// armed on cpu: itself when it is a busy housekeeper, else the nearest busy
// housekeeper (reference G.1). Before v5.4 every CPU of a domain is tested on the
// way, from then on housekeepers only.
func (s *Sched) TimerTarget(cpu int32) int32 {
	own := s.housekeeper(cpu)
	if own && !s.K.IdleCPU(cpu, cpu) {
		return cpu
	}
	for _, sd := range s.domains(cpu) {
		for c := sd.Span.Next(0); c >= 0; c = sd.Span.Next(c + 1) {
			if int32(c) == cpu || s.gen >= GenV514 && !s.housekeeper(int32(c)) {
				continue
			}
			s.search()
			if !s.K.IdleCPU(int32(c), cpu) && s.housekeeper(int32(c)) {
				return int32(c)
			}
		}
	}
	if own {
		return cpu
	}
	return s.anyHousekeeper(cpu)
}

// housekeeper reports whether timers may go to a CPU.
func (s *Sched) housekeeper(cpu int32) bool { return !s.K.M.Boot.NohzFull.Test(int(cpu)) }

// anyHousekeeper is housekeeping_any_cpu(): the nearest one by node distance
// (reference G.2), the lowest of equals; before v5.4 the lowest of all.
func (s *Sched) anyHousekeeper(cpu int32) int32 {
	best, bestDist := cpu, -1
	for c := s.K.M.Online.Next(0); c >= 0; c = s.K.M.Online.Next(c + 1) {
		if !s.housekeeper(int32(c)) {
			continue
		}
		if s.gen < GenV514 {
			return int32(c)
		}
		d := s.nodeDistance(cpu, int32(c))
		if bestDist < 0 || d < bestDist {
			best, bestDist = int32(c), d
		}
	}
	return best
}

func (s *Sched) nodeDistance(a, b int32) int {
	m := s.K.M
	from, to := m.CPUs[a].Node, m.CPUs[b].Node
	if from < len(m.Nodes) && to < len(m.Nodes[from].Distance) {
		return m.Nodes[from].Distance[to]
	}
	return 0
}
