package kernel

// statLines is how many cache lines of a runqueue a balance pass reads: the
// counts, the averages, and what runs there lie apart in the kernel's struct rq.
// A search of a large system takes tens of us with it (reference I).
const statLines = 3

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
			ns += statLines * m.costs.LineOwn
		case f.Line.shared:
			ns += statLines * m.costs.LineCore
		default:
			ns += statLines * m.distance(by, f.Line.writer)
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
