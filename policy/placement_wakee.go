package policy

import "schedlab/kernel"

// noteWakee is record_wakee(): the waker remembers whom it woke last and counts
// changes, halved once when a second has passed (reference B.3).
func (s *Sched) noteWakee(waker, t *kernel.Task, now int64) {
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
func (s *Sched) wide(waker, t *kernel.Task, cpu int32) bool {
	var a uint32
	if waker != nil {
		a = waker.Flips
	}
	most, least := max(a, t.Flips), min(a, t.Flips)
	size := uint32(s.K.Dom.CPUs[cpu].LLCSize)
	return !(least < size || most < least*size)
}
