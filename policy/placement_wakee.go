package policy

import "schedlab/kernel"

// wakees are the statistics of a waker: of the CPU's idle task where it is nil.
func (s *Sched) wakees(waker *kernel.Task, cpu int32) *kernel.Wakees {
	if waker == nil {
		return &s.K.RQ[cpu].IdleWakees
	}
	return &waker.Wakees
}

// noteWakee is record_wakee(): the waker remembers whom it woke last and counts
// changes, halved once when a second has passed (reference B.3).
func (s *Sched) noteWakee(waker *kernel.Wakees, t *kernel.Task, now int64) {
	jiffies := s.K.Jiffies(now)
	if jiffies > waker.FlipDecay+s.hz {
		waker.Flips >>= 1
		waker.FlipDecay = jiffies
	}
	if waker.LastWakee != t.ID {
		waker.LastWakee = t.ID
		waker.Flips++
	}
}

// wide is wake_wide(): waker and wakee have more partners than fit one LLC.
func (s *Sched) wide(waker *kernel.Wakees, t *kernel.Task, cpu int32) bool {
	most, least := max(waker.Flips, t.Flips), min(waker.Flips, t.Flips)
	size := uint32(s.at[cpu].llcSize)
	return !(least < size || most < least*size)
}
