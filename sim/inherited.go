package sim

import "schedlab/cpumask"

// Inherited are the CPUs that a task may use which was given no affinity: those
// of init, which are online and not isolated, or every online one if all are.
func (b *Builder) Inherited() cpumask.Mask { return b.sim.inherited() }

func (s *Sim) inherited() cpumask.Mask {
	m := s.m.Online.Clone()
	m.AndNot(s.m.Boot.Isolated)
	if m.Empty() {
		return s.m.Online.Clone()
	}
	return m
}
