package policy

import (
	"schedlab/cpumask"
	"schedlab/domain"
	"schedlab/kernel"
)

// groupClass orders groups by how much they have to give (reference D.3).
type groupClass uint8

const (
	classHasSpare groupClass = iota
	classFullyBusy
	classMisfit
	classSMTBalance
	classAsymPacking
	classImbalanced
	classOverloaded
)

// idleType is why a CPU balances.
type idleType uint8

const (
	notIdle idleType = iota
	idle
	newlyIdle
)

// groupStats is what a balance pass or a slow placement learns of a group.
type groupStats struct {
	load, runnable, util int64
	fair                 int64 // fair tasks, delayed ones included
	running              int64 // tasks of all classes
	idle                 int64 // idle CPUs
	weight               int64 // CPUs
	capacity             int64
	avgLoad              int64
	smtBalance           bool
	summed               bool // load, util and runnable are filled in
	class                groupClass
}

// classify is group_classify(), for a symmetric machine.
func (st *groupStats) classify(sd *domain.Domain, imbalanced bool) {
	pct := int64(sd.ImbalancePct)
	switch {
	case st.overloaded(pct):
		st.class = classOverloaded
	case imbalanced:
		st.class = classImbalanced
	case st.smtBalance:
		st.class = classSMTBalance
	case !st.hasCapacity(pct):
		st.class = classFullyBusy
	default:
		st.class = classHasSpare
	}
}

func (st *groupStats) overloaded(pct int64) bool {
	return st.running > st.weight &&
		(st.capacity*100 < st.util*pct || st.capacity*pct < st.runnable*100)
}

func (st *groupStats) hasCapacity(pct int64) bool {
	return st.running < st.weight ||
		!(st.capacity*pct < st.runnable*100) && st.capacity*100 > st.util*pct
}

// utilCFS is cpu_util_cfs(): the larger of the average and the estimate.
func (s *Sched) utilCFS(rq *kernel.RQ) int64 {
	util := rq.Avg.Util
	if s.K.UtilEst {
		util = max(util, rq.UtilEst)
	}
	return min(util, s.capacity(rq.CPU))
}

// balanceEnv is one balance pass (lb_env).
type balanceEnv struct {
	sd    *domain.Domain
	st    *kernel.SDState
	level int
	cpu   int32 // who searches, and pays
	dst   int32 // who gets; the same but for pinned tasks
	idle  idleType
	cpus  cpumask.Mask // candidates
	// partial: cpus lacks CPUs of the span, which were given up on.
	partial bool
	now     int64

	src       *kernel.RQ
	imbalance int64
	kind      migrationType

	loop, loopMax, loopBreak int64 // tasks looked at; how many may be; the end of the burst

	allPinned  bool
	somePinned bool
	dstPinned  bool
	newDst     int32
}

// migrationType is what a pass moves: an amount of load or utilisation, or a
// number of tasks.
type migrationType uint8

const (
	migrateLoad migrationType = iota
	migrateUtil
	migrateTask
)

// look reads the faces of a group's CPUs: those of a large one from its sums.
func (s *Sched) look(e *balanceEnv, g *domain.Group) kernel.Faces {
	cpus := s.members[g.ID]
	switch {
	case e.partial:
		return s.K.Look(s.candidates(e, cpus), e.cpu)
	case len(cpus) <= kernel.SmallGroup:
		return s.K.Look(cpus, e.cpu)
	}
	return s.K.LookGroup(g.ID, int64(len(cpus)), cpus[0], e.cpu)
}

// fillStats completes update_sg_lb_stats() of v6.12 from what the faces show.
// Averages are summed only where the class depends on them: with fewer tasks
// than CPUs it does not.
func (s *Sched) fillStats(e *balanceEnv, g *domain.Group, f kernel.Faces, local bool, st *groupStats) {
	st.fair, st.running, st.idle = int64(f.Fair), int64(f.Running), int64(f.Idle)
	st.capacity, st.weight = g.Capacity, int64(g.Weight)
	st.avgLoad, st.summed = 0, false
	if st.running >= st.weight {
		s.sumAverages(e, g, st)
	}
	st.smtBalance = s.gen >= GenV612 && !local && e.idle != notIdle && g.Flags&domain.ShareCPUCapacity != 0 && st.fair > 1
	st.classify(e.sd, s.K.Group[g.ID].Imbalance)
	if st.class == classOverloaded {
		st.avgLoad = st.load * 1024 / st.capacity
	}
}

// candidates are those of a list of CPUs that the pass still considers.
func (s *Sched) candidates(e *balanceEnv, cpus []int32) []int32 {
	s.listed = s.listed[:0]
	for _, c := range cpus {
		if e.cpus.Test(int(c)) {
			s.listed = append(s.listed, c)
		}
	}
	return s.listed
}

// sumAverages adds up the loads, utilisations and runnable averages of a group.
func (s *Sched) sumAverages(e *balanceEnv, g *domain.Group, st *groupStats) {
	st.load, st.util, st.runnable, st.summed = 0, 0, 0, true
	if core := s.coreOfGroup[g.ID]; core >= 0 && !e.partial {
		st.load, st.util, st.runnable = s.coreLoad(core)
		return
	}
	if cores := s.coresOf[g.ID]; cores != nil && !e.partial {
		for _, core := range cores {
			load, util, runnable := s.coreLoad(core)
			st.load += load
			st.util += util
			st.runnable += runnable
		}
		return
	}
	for _, c := range s.members[g.ID] {
		if e.partial && !e.cpus.Test(int(c)) {
			continue
		}
		rq := &s.K.RQ[c]
		st.load += rq.Avg.Load
		st.util += s.utilCFS(rq)
		st.runnable += rq.Avg.Run
	}
}

// domainLoad is the average load of a domain's groups, as the pass sees them:
// groups that overlap count more than once.
func (s *Sched) domainLoad(e *balanceEnv) int64 {
	var load, capacity int64
	for _, g := range e.sd.Groups {
		var st groupStats
		s.sumAverages(e, g, &st)
		load += st.load
		capacity += g.Capacity
	}
	if capacity == 0 {
		return 0
	}
	return load * 1024 / capacity
}

// updateRootOverload is done by every pass at a CPU's top level (reference A.7).
func (s *Sched) updateRootOverload(e *balanceEnv, overloaded bool) {
	if e.level == len(s.domains(e.cpu))-1 {
		if r := s.at[e.cpu].root; r >= 0 {
			s.K.Roots[r].Overload = overloaded
		}
	}
}

// updateIdleScan is update_idle_cpu_scan(): how many CPUs SIS_UTIL lets a
// wake-up look at, renewed by periodic passes at the LLC's level (reference B.7).
func (s *Sched) updateIdleScan(e *balanceEnv) {
	size := int64(s.K.Dom.CPUs[e.dst].LLCSize)
	if e.idle == newlyIdle || int64(e.sd.Weight) != size || s.llc(e.dst) == nil {
		return
	}
	sum := int64(0)
	for _, g := range e.sd.Groups {
		var st groupStats
		s.sumAverages(e, g, &st)
		sum += st.util
	}
	x := sum / size
	pct := int64(e.sd.ImbalancePct)
	t := min(x*x*pct*pct/(10000*1024), 1024)
	s.shared(e.dst).NrIdleScan = int32((1024 - t) * size / 1024)
}
