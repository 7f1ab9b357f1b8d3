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
	core       []Faces // by the core's lowest CPU
	seen       []Faces // by CPU: what the sums hold of it
	isDirty    []bool
	dirty      []int32

	groupsOf [][]int32
	coreOf   []int32
	// by the lowest CPU of a core: counts changes of what its threads' averages
	// and estimates are
	stamp []int64

	// by CPU: more than one task
	over cpumask.Mask
	// by the lowest CPU of a core: more than one fair task; that and no idle
	// thread; more tasks than threads
	two, twoFull, overCore cpumask.Mask
	threads                []int32 // by the lowest CPU of a core
}

func (k *Kernel) initSums() {
	n := len(k.RQ)
	s := &k.sums
	*s = sums{
		group: make([]Faces, k.Dom.States), changed: make([]int32, k.Dom.States),
		llcChanged: make([]int32, n), core: make([]Faces, n), seen: make([]Faces, n), isDirty: make([]bool, n),
		groupsOf: make([][]int32, n), coreOf: make([]int32, n), stamp: make([]int64, n), threads: make([]int32, n),
		over: cpumask.New(n), two: cpumask.New(n), twoFull: cpumask.New(n), overCore: cpumask.New(n),
	}
	known := make([]bool, k.Dom.States)
	for c := range k.Dom.CPUs {
		s.coreOf[c] = int32(c)
		if k.Smt[c] != nil {
			s.coreOf[c] = int32(k.Smt[c].First())
			s.threads[c] = int32(k.Smt[c].Weight())
		}
		for _, sd := range k.Dom.CPUs[c].Levels {
			for _, g := range sd.Groups {
				if known[g.ID] || g.Weight <= SmallGroup {
					continue // a small group is read, not summed
				}
				known[g.ID] = true
				for m := range g.Span.All() {
					s.groupsOf[m] = append(s.groupsOf[m], int32(g.ID))
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
	s.stamp[s.coreOf[c]]++
	if !s.isDirty[c] {
		s.isDirty[c] = true
		s.dirty = append(s.dirty, c)
	}
}

// flush brings the sums up to date.
func (k *Kernel) flush() {
	s := &k.sums
	for _, c := range s.dirty {
		s.isDirty[c] = false
		f := &k.Face[c]
		now := Faces{Fair: f.HNrQueued, Running: f.NrRunning}
		if f.NrRunning > 1 {
			now.Over = 1
			s.over.Set(int(c))
		} else {
			s.over.Clear(int(c))
			if f.Idle() && k.Active.Test(int(c)) {
				now.Idle = 1
			}
		}
		was := s.seen[c]
		s.seen[c] = now
		diff := Faces{now.Fair - was.Fair, now.Running - was.Running, now.Idle - was.Idle, now.Over - was.Over}
		for _, id := range s.groupsOf[c] {
			s.group[id].add(diff)
			s.changed[id]++
		}
		s.llcChanged[k.Dom.CPUs[c].LLC]++
		s.updateCore(s.coreOf[c], diff)
	}
	s.dirty = s.dirty[:0]
}

func (s *sums) updateCore(core int32, diff Faces) {
	sum := &s.core[core]
	sum.add(diff)
	setTo(s.two, core, sum.Fair > 1)
	setTo(s.twoFull, core, sum.Fair > 1 && sum.Idle == 0)
	setTo(s.overCore, core, sum.Running > s.threads[core])
}

func setTo(m cpumask.Mask, bit int32, on bool) {
	if on {
		m.Set(int(bit))
	} else {
		m.Clear(int(bit))
	}
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
func (k *Kernel) CoreStamp(core int32) int64 { return k.sums.stamp[core] }

// CoreOf is the lowest CPU of a CPU's core; CoreSum what its threads show.
func (k *Kernel) CoreOf(c int32) int32     { return k.sums.coreOf[c] }
func (k *Kernel) CoreSum(core int32) Faces { return k.sums.core[core] }

// ChargePass charges CPU by for a pass over all CPUs of an LLC's domain.
func (k *Kernel) ChargePass(llc int32, weight int64, by int32) {
	k.flush()
	m := &k.Meter
	fresh := min(int64(k.sums.llcChanged[llc]), weight)
	k.sums.llcChanged[llc] = 0
	m.Ns += weight*m.costs.Search + statLines*(fresh*m.costs.LineLLC+(weight-fresh)*m.costs.LineCore)
}
