package kernel

// Look reads the faces of a list of CPUs on behalf of CPU by, which pays for
// every line and for the search: what a balance pass does to each CPU of a
// domain, and so the innermost loop of the simulator.
func (k *Kernel) Look(cpus []int32, by int32) Faces {
	var sum Faces
	m := &k.Meter
	ns := int64(len(cpus)) * m.costs.Search
	for _, c := range cpus {
		f := &k.Face[c]
		switch {
		case f.Line.writer == by:
			ns += m.costs.LineOwn
		case f.Line.shared:
			ns += m.costs.LineCore
		default:
			ns += m.distance(by, f.Line.writer)
			f.Line.shared = true
		}
		sum.Fair += f.HNrQueued
		sum.Running += f.NrRunning
		if f.NrRunning > 1 {
			sum.Over++
		} else if f.Idle() {
			sum.Idle++
		}
	}
	m.Ns += ns
	return sum
}
