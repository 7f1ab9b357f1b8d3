package sim

import "schedlab/kernel"

// waits follows how long runnable tasks wait, and how much of that while a CPU
// that may run them is idle with nothing on its way to it. Tasks are grouped by
// affinity mask, of which a workload has few.
type waits struct {
	k       *kernel.Kernel
	groups  []waitGroup
	free    []bool // by CPU: idle, nothing queued, nothing on its way
	waiting int64
	last    int64
	total   int64
}

type waitGroup struct {
	waiting, free int64
	last          int64
	idle          int64 // accumulated waiting time while free > 0
}

func newWaits(k *kernel.Kernel) waits {
	w := waits{k: k, free: make([]bool, len(k.RQ))}
	for c := range w.free {
		w.free[c] = k.M.Online.Test(c)
	}
	return w
}

// group returns the group of a mask, counting its free CPUs when it is new.
func (w *waits) group(mask int32, now int64) *waitGroup {
	for int(mask) >= len(w.groups) {
		m := w.k.MaskAt(len(w.groups))
		g := waitGroup{last: now}
		for c := m.Next(0); c >= 0; c = m.Next(c + 1) {
			if c < len(w.free) && w.free[c] {
				g.free++
			}
		}
		w.groups = append(w.groups, g)
	}
	g := &w.groups[mask]
	g.upTo(now)
	return g
}

// upTo counts the time since the last change.
func (g *waitGroup) upTo(now int64) {
	if g.free > 0 {
		g.idle += g.waiting * (now - g.last)
	}
	g.last = now
}

// add notes that a task with that mask begins (by 1) or ends (by -1) to wait.
func (w *waits) add(mask int32, by, now int64) {
	w.total += w.waiting * (now - w.last)
	w.last = now
	w.waiting += by
	w.group(mask, now).waiting += by
}

// setFree notes that a CPU became free, or is no longer.
func (w *waits) setFree(cpu int32, free bool, now int64) {
	if w.free[cpu] == free {
		return
	}
	by := int64(-1)
	if free {
		by = 1
	}
	for i := range w.groups {
		if i == 0 || w.k.MaskAt(i).Test(int(cpu)) { // mask 0 is every CPU
			g := &w.groups[i]
			g.upTo(now)
			g.free += by
		}
	}
	w.free[cpu] = free
}

// upTo returns all waiting time up to now, and the part of it with a free CPU.
func (w *waits) upTo(now int64) (total, withFree int64) {
	w.total += w.waiting * (now - w.last)
	w.last = now
	for i := range w.groups {
		withFree += w.group(int32(i), now).idle
	}
	return w.total, withFree
}
