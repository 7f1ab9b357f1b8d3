package policy

import (
	"schedlab/cpumask"
	"schedlab/domain"
	"schedlab/kernel"
)

// Sched is a policy at work on a kernel's state. It is used by one goroutine.
type Sched struct {
	*Policy
	K     *kernel.Kernel
	Stats Stats
	// NohzKick asks cpu, an idle one, to balance for the idle CPUs whose tick
	// is stopped (kick_ilb). Nil: nobody is asked.
	NohzKick func(cpu, from int32)
	// PushRunning asks the CPU from to move its running task to the CPU to
	// (active balance, by the stopper). It returns false when that CPU has one to
	// push already. Nil: not done.
	PushRunning func(from, to int32) bool

	env   balanceEnv    // of the pass that runs; passes do not nest
	stats [3]groupStats // of it
	// of a pass before v5.14: load is left on idle CPUs that it refreshed
	idleRefreshed bool
	longest       int64  // max_load_balance_interval, jiffies
	rng           uint64 // of NI_RANDOM's draws
	scan          cpumask.Mask
	balanceM      cpumask.Mask
	entitled      cpumask.Mask
	tasks         []kernel.TaskID // detached, on their way
	at            []place         // by CPU
	groupOfCore   []*domain.Group // by the lowest CPU of a core
	coreOfGroup   []int32         // by group id: the lowest CPU of the core that it is; -1
	cores         []coreLoad      // by the lowest CPU of a core
	imbalances    int             // groups whose imbalance flag is set
	members       [][]int32       // CPUs of each group, by its ID
	coreScans     []coreScan
	coreAt        []int32   // by CPU: its core among coreScans
	scans         int64     // searches of an LLC so far
	coresOf       [][]int32 // lowest CPUs of the cores that a group is made of; nil: not of several whole ones
	listed        []int32   // scratch of candidates
}

// Stats counts decisions.
type Stats struct {
	Pulls        int64 // tasks moved by balancing of any kind
	NewidlePulls int64
	Delayed      int64 // wake-ups of tasks that were asleep but still queued
}

// New puts a policy to work on a kernel's state; seed is that of its draws.
func New(p *Policy, k *kernel.Kernel, seed uint64) *Sched {
	n := len(k.RQ)
	s := &Sched{
		Policy: p, K: k, rng: seed ^ 0x9e3779b97f4a7c15,
		scan: cpumask.New(n), balanceM: cpumask.New(n), entitled: cpumask.New(n),
		longest: max(p.hz*int64(k.M.Online.Weight())/10, 1),
		members: make([][]int32, k.Dom.States), coresOf: make([][]int32, k.Dom.States), groupOfCore: make([]*domain.Group, n),
		coreOfGroup: make([]int32, k.Dom.States), cores: make([]coreLoad, n), at: make([]place, n),
	}
	for i := range s.coreOfGroup {
		s.coreOfGroup[i] = -1
	}
	s.listCores()
	for c := range k.Dom.CPUs {
		s.place(c)
	}
	return s
}

// place is where a CPU stands: what the rules ask of it over and over, at hand.
type place struct {
	levels   []*domain.Domain // its domains, bottom up
	ofCores  []coreKind       // by level: madeOfCores
	top      *domain.Domain   // the highest one
	llc      *domain.Domain   // the LLC's; nil: none
	shared   *kernel.LLC
	capacity int64
	llcSize  int32
	root     int32 // its root domain; -1: none
}

// place fills a CPU's place in, and what its domains' groups are made of.
func (s *Sched) place(c int) {
	d, at := &s.K.Dom.CPUs[c], &s.at[c]
	at.levels, at.ofCores = d.Levels, make([]coreKind, len(d.Levels))
	at.shared, at.capacity = &s.K.LLC[d.LLC], d.Capacity
	at.llcSize, at.root = int32(d.LLCSize), int32(d.Root)
	if d.LLCAt >= 0 {
		at.llc = d.Levels[d.LLCAt]
	}
	for i, sd := range d.Levels {
		at.top = sd
		s.listMembers(sd)
		if at.ofCores[i] = s.madeOfCores(sd); at.ofCores[i] != notCores {
			own := sd.Groups[sd.First]
			s.groupOfCore[own.Span.First()] = own
			s.coreOfGroup[own.ID] = int32(own.Span.First())
		}
	}
}

// coreScan is what a search knows of a core: its threads, and the last search
// that looked at it. Those of all cores lie side by side, for searches walk them.
type coreScan struct {
	threads []int32
	last    int64
}

// listCores lists the cores of the online CPUs.
func (s *Sched) listCores() {
	s.coreAt = make([]int32, len(s.K.Smt))
	threads := make([]int32, 0, len(s.K.Smt))
	for c, smt := range s.K.Smt {
		if smt == nil {
			continue
		}
		if first := smt.First(); first < c {
			s.coreAt[c] = s.coreAt[first]
			continue
		}
		from := len(threads)
		for th := range smt.All() {
			threads = append(threads, int32(th))
		}
		s.coreAt[c] = int32(len(s.coreScans))
		s.coreScans = append(s.coreScans, coreScan{threads: threads[from:]})
	}
}

// listMembers lists the CPUs of a domain's groups: walking a list is twice as
// fast as walking a mask, and a balance pass walks every group.
func (s *Sched) listMembers(sd *domain.Domain) {
	for _, g := range sd.Groups {
		if s.members[g.ID] != nil {
			continue
		}
		list := make([]int32, 0, g.Weight)
		for c := range g.Span.All() {
			list = append(list, int32(c))
		}
		s.members[g.ID] = list
		s.coresOf[g.ID] = s.wholeCores(g)
	}
}

// wholeCores lists the cores of several threads that a large group is made of,
// each by its lowest CPU; nil if it is made of anything else.
func (s *Sched) wholeCores(g *domain.Group) []int32 {
	if g.Weight <= kernel.SmallGroup {
		return nil
	}
	var cores []int32
	for c := range g.Span.All() {
		threads := s.K.Smt[c]
		if threads == nil || threads.Weight() < 2 || !threads.Subset(g.Span) {
			return nil
		}
		if threads.First() == c {
			cores = append(cores, int32(c))
		}
	}
	return cores
}

// domains are a CPU's sched domains, bottom up.
func (s *Sched) domains(cpu int32) []*domain.Domain { return s.at[cpu].levels }

// llc is the LLC domain of a CPU, nil where it has none.
func (s *Sched) llc(cpu int32) *domain.Domain { return s.at[cpu].llc }

// shared is the object shared by the CPUs of a CPU's LLC.
func (s *Sched) shared(cpu int32) *kernel.LLC { return s.at[cpu].shared }

// available is the idle test of placement: an idle CPU, or from v5.14 on one
// that runs nothing but SCHED_IDLE tasks (reference B.5). by pays for it.
func (s *Sched) available(c, by int32) bool {
	if s.K.IdleCPU(c, by) {
		return true
	}
	return s.gen >= GenV514 && s.K.SchedIdleCPU(c)
}

// search charges a decision for looking at one more CPU or group.
func (s *Sched) search() { s.K.Meter.Add(s.K.Meter.Costs().Search) }

// draw returns a number in 0..1023.
func (s *Sched) draw() uint32 {
	s.rng ^= s.rng << 13
	s.rng ^= s.rng >> 7
	s.rng ^= s.rng << 17
	return uint32(s.rng>>32) & 1023
}
