package kernel

import "schedlab/cpumask"

// Sums of faces, kept as they change. A balance pass of a kernel reads every
// runqueue of a domain; here it reads the sums of the domain's groups, which
// costs the simulator the same at 16 CPUs and at 4096. What the pass costs the
// simulated CPU is charged from how many of the faces changed since the last
// pass over the group (see LookGroup).

// Faces adds up what the faces of some CPUs show.
type Faces struct {
	Fair, Running int32 // fair tasks; tasks of all classes
	Idle, Over    int32 // idle CPUs; CPUs with more than one task
}

func (s *Faces) add(d Faces) {
	s.Fair += d.Fair
	s.Running += d.Running
	s.Idle += d.Idle
	s.Over += d.Over
}

// SmallGroup is the size up to which reading the faces of a group is as fast as
// keeping their sums.
const SmallGroup = 4

// sums holds the sums and what they are kept from.
type sums struct {
	group      []Faces // by group id
	changed    []int32 // by group id: faces that changed since the last pass
	llcChanged []int32 // by LLC id, likewise
	cpu        []cpuSums
	core       []coreSums // by the core's lowest CPU
	dirty      []int32    // CPUs whose face the sums do not hold

	// by CPU: more than one task
	over cpumask.Mask
	// by the lowest CPU of a core: more than one fair task; that and no idle
	// thread; more tasks than threads
	two, twoFull, overCore cpumask.Mask
}

// cpuSums is a CPU's part: where it counts, and what the sums hold of it.
type cpuSums struct {
	core, llc int32
	seen      Faces
	groups    []int32
	dirty     bool
}

// coreSums is a core's part. Its stamp counts changes of what its threads'
// averages and estimates are.
type coreSums struct {
	Faces
	threads int32
	stamp   int64
}

func (k *Kernel) initSums() {
	n := len(k.RQ)
	s := &k.sums
	*s = sums{
		group: make([]Faces, k.Dom.States), changed: make([]int32, k.Dom.States), llcChanged: make([]int32, n),
		cpu: make([]cpuSums, n), core: make([]coreSums, n),
		over: cpumask.New(n), two: cpumask.New(n), twoFull: cpumask.New(n), overCore: cpumask.New(n),
	}
	known := make([]bool, k.Dom.States)
	for c := range k.Dom.CPUs {
		s.cpu[c].core, s.cpu[c].llc = int32(c), int32(k.Dom.CPUs[c].LLC)
		if k.Smt[c] != nil {
			s.cpu[c].core = int32(k.Smt[c].First())
			s.core[c].threads = int32(k.Smt[c].Weight())
		}
		for _, sd := range k.Dom.CPUs[c].Levels {
			for _, g := range sd.Groups {
				if known[g.ID] || g.Weight <= SmallGroup {
					continue // a small group is read, not summed
				}
				known[g.ID] = true
				for m := range g.Span.All() {
					s.cpu[m].groups = append(s.cpu[m].groups, int32(g.ID))
				}
			}
		}
	}
	for c := range n {
		k.touch(int32(c))
	}
	k.flush()
}

// touch notes that a CPU's face changed.
func (k *Kernel) touch(c int32) {
	s := &k.sums
	p := &s.cpu[c]
	s.core[p.core].stamp++
	if !p.dirty {
		p.dirty = true
		s.dirty = append(s.dirty, c)
	}
}

// touchAvg notes that a CPU's averages changed.
func (k *Kernel) touchAvg(c int32) { k.sums.core[k.sums.cpu[c].core].stamp++ }

// flush brings the sums up to date.
func (k *Kernel) flush() {
	s := &k.sums
	for _, c := range s.dirty {
		p, f := &s.cpu[c], &k.Face[c]
		p.dirty = false
		over := f.NrRunning > 1
		now := Faces{f.HNrQueued, f.NrRunning, one(f.Idle()) & one(k.RQ[c].Active), one(over)}
		diff := Faces{now.Fair - p.seen.Fair, now.Running - p.seen.Running, now.Idle - p.seen.Idle, now.Over - p.seen.Over}
		p.seen = now
		for _, id := range p.groups {
			s.group[id].add(diff)
			s.changed[id]++
		}
		s.llcChanged[p.llc]++
		setTo(s.over, c, over)
		s.updateCore(p.core, diff)
	}
	s.dirty = s.dirty[:0]
}

func (s *sums) updateCore(core int32, diff Faces) {
	sum := &s.core[core]
	sum.add(diff)
	two := sum.Fair > 1
	setTo(s.two, core, two)
	setTo(s.twoFull, core, two && sum.Idle == 0)
	setTo(s.overCore, core, sum.Running > sum.threads)
}

// one is 1 for true and 0 for false.
func one(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// setTo sets or clears a bit, without a branch.
func setTo(m cpumask.Mask, bit int32, on bool) {
	w, b := &m[uint(bit)/64], uint64(1)<<(uint(bit)%64)
	set := uint64(0)
	if on {
		set = b
	}
	*w = *w&^b | set
}

// LookGroup returns the sums of a group of weight CPUs, of which member is one,
// and charges CPU by for the pass: a search step and a line for each CPU, from
// the member's distance where the face changed since the last pass, as shared
// otherwise.
func (k *Kernel) LookGroup(id int, weight int64, member, by int32) Faces {
	k.flush()
	m := &k.Meter
	fresh := min(int64(k.sums.changed[id]), weight)
	k.sums.changed[id] = 0
	m.Ns += weight*m.costs.Search + statLines*(fresh*m.distance(by, member)+(weight-fresh)*m.costs.LineCore)
	return k.sums.group[id]
}

// Cores are the cores of the machine by what their threads do, each by its
// lowest CPU: with more tasks than threads, with more than one fair task, and
// with that and no idle thread. Over are the CPUs with more than one task.
// They are up to date until the next transition, and must not be changed.
func (k *Kernel) Cores() (overCore, two, twoFull, over cpumask.Mask) {
	k.flush()
	return k.sums.overCore, k.sums.two, k.sums.twoFull, k.sums.over
}

// CoreStamp changes whenever an average or estimate of a core's threads may have.
func (k *Kernel) CoreStamp(core int32) int64 { return k.sums.core[core].stamp }

// CoreOf is the lowest CPU of a CPU's core; CoreSum what its threads show.
func (k *Kernel) CoreOf(c int32) int32     { return k.sums.cpu[c].core }
func (k *Kernel) CoreSum(core int32) Faces { return k.sums.core[core].Faces }

// ChargePass charges CPU by for a pass over all CPUs of an LLC's domain.
func (k *Kernel) ChargePass(llc int32, weight int64, by int32) {
	k.flush()
	m := &k.Meter
	fresh := min(int64(k.sums.llcChanged[llc]), weight)
	k.sums.llcChanged[llc] = 0
	m.Ns += weight*m.costs.Search + statLines*(fresh*m.costs.LineLLC+(weight-fresh)*m.costs.LineCore)
}
