package policy

import (
	"math/bits"

	"schedlab/cpumask"
	"schedlab/domain"
	"schedlab/kernel"
)

// A newly idle CPU that searches a domain whose groups are cores asks for the
// same thing each time: the first core, in the order of the ring, of the highest
// class. With sums of cores at hand that takes no walk over the cores. The
// result is that of findBusiestGroup, case by case (TestBusiestCore holds both
// beside each other on random states).

// coreKind says what the groups of a domain are.
type coreKind uint8

const (
	notCores  coreKind = iota
	smtCores           // whole cores of several threads
	plainCPUs          // cores of one thread
)

// coreWise reports whether findBusiestCore may stand in: a newidle pass of v6.12
// over all CPUs of a domain made of whole cores in ascending order, without RT
// tasks (a core could be full with one fair task) and with no pinned tasks known.
func (s *Sched) coreWise(e *balanceEnv) bool {
	return e.idle == newlyIdle && s.gen >= GenV612 && !e.partial && !s.K.SawRT &&
		s.imbalances == 0 && s.at[e.cpu].ofCores[e.level] != notCores
}

// madeOfCores reports whether a domain's groups are the cores of its span, in
// ascending order round the ring, and of which kind all of them are.
func (s *Sched) madeOfCores(sd *domain.Domain) coreKind {
	n := len(sd.Groups)
	if n <= 2 || sd.Flags&domain.Overlap != 0 {
		return notCores
	}
	kind, descents := s.coreKind(sd.Groups[0]), 0
	for i, g := range sd.Groups {
		if s.coreKind(g) != kind {
			return notCores
		}
		if sd.Groups[(i+1)%n].Span.First() < g.Span.First() {
			descents++
		}
	}
	if descents != 1 {
		return notCores
	}
	return kind
}

// coreKind is what a group is if it is one core.
func (s *Sched) coreKind(g *domain.Group) coreKind {
	smt := g.Flags&domain.ShareCPUCapacity != 0
	switch threads := s.K.Smt[g.Span.First()]; {
	case threads == nil || !g.Span.Equal(threads):
		return notCores
	case smt:
		return smtCores
	case g.Weight == 1 && g.Flags&domain.PreferSibling == 0:
		return plainCPUs
	}
	return notCores
}

// findBusiestCore is findBusiestGroup where coreWise allows it.
func (s *Sched) findBusiestCore(e *balanceEnv) *domain.Group {
	mine := s.K.CoreOf(e.cpu)
	s.chargePass(e)
	overCore, two, twoFull, over := s.K.Cores()
	s.updateRootOverload(e, over.Intersects(e.sd.Span))
	l, b := &s.stats[0], &s.stats[1]
	if !two.Intersects(e.sd.Span) {
		// At best a core that has one fair task is the busiest, and nothing is
		// taken from it.
		return nil
	}
	busiest := s.overloadedCore(e, overCore, mine, b)
	if busiest == nil {
		if s.at[e.cpu].ofCores[e.level] == plainCPUs {
			busiest = s.lastFullCPU(e, mine)
		} else {
			busiest = s.firstCore(e, twoFull, mine)
		}
		if busiest == nil {
			busiest = s.fewestIdleCore(e, two, mine)
		}
		if busiest == nil {
			return nil
		}
		s.fillStats(e, busiest, s.K.CoreSum(int32(busiest.Span.First())), false, b)
	}
	local := e.sd.Groups[e.sd.First]
	s.fillStats(e, local, s.K.CoreSum(mine), true, l)
	return s.settleBusiest(e, local, busiest, l, b)
}

// coreLoad remembers the sums of averages of a core's threads while they last.
type coreLoad struct {
	classed, overload    int64 // when overload was worked out, and what it was
	stamp                int64
	load, util, runnable int64
}

// coreLoad returns the sums over a core's threads of load, utilisation and
// runnable average, which a full core is classified by.
func (s *Sched) coreLoad(core int32) (load, util, runnable int64) {
	c := &s.cores[core]
	if stamp := s.K.CoreStamp(core); c.stamp != stamp {
		c.stamp, c.load, c.util, c.runnable = stamp, 0, 0, 0
		smt := s.K.Smt[core]
		for th := smt.Next(0); th >= 0; th = smt.Next(th + 1) {
			rq := &s.K.RQ[th]
			c.load += rq.Avg.Load
			c.util += s.utilCFS(rq)
			c.runnable += rq.Avg.Run
		}
	}
	return c.load, c.util, c.runnable
}

// chargePass charges for looking at every CPU of the domain.
func (s *Sched) chargePass(e *balanceEnv) {
	llc := s.K.Dom.CPUs[e.cpu].LLC
	s.K.ChargePass(int32(llc), int64(e.sd.Weight), e.cpu)
}

// overloadedCore is the overloaded core with the highest average load, with its
// statistics in b.
func (s *Sched) overloadedCore(e *balanceEnv, cores cpumask.Mask, mine int32, b *groupStats) *domain.Group {
	best, bestLoad := s.mostOverloaded(e, cores, int(mine)+1, len(cores)*64, -1, -1)
	best, _ = s.mostOverloaded(e, cores, 0, int(mine), best, bestLoad)
	if best < 0 {
		return nil
	}
	g := s.groupOfCore[best]
	s.fillStats(e, g, s.K.CoreSum(int32(best)), false, b)
	return g
}

// mostOverloaded is the overloaded core with the highest average load among those
// from lo on and below hi, the first of equals, if it has more than the best so far.
func (s *Sched) mostOverloaded(e *balanceEnv, cores cpumask.Mask, lo, hi, best int, bestLoad int64) (int, int64) {
	span := e.sd.Span
	for w := lo / 64; w*64 < hi; w++ {
		left := cores[w] & span[w]
		if w*64 < lo {
			left &= ^uint64(0) << (lo % 64)
		}
		for ; left != 0; left &= left - 1 {
			c := w*64 + bits.TrailingZeros64(left)
			if c >= hi {
				break
			}
			if load := s.overload(e, int32(c)); load > bestLoad {
				best, bestLoad = c, load
			}
		}
	}
	return best, bestLoad
}

// overload is the average load of a core with more tasks than threads if that
// makes it overloaded, -1 if not. It is remembered until the core changes.
func (s *Sched) overload(e *balanceEnv, core int32) int64 {
	c := &s.cores[core]
	if stamp := s.K.CoreStamp(core); c.classed != stamp {
		c.classed, c.overload = stamp, -1
		st := &s.stats[2]
		s.fillStats(e, s.groupOfCore[core], s.K.CoreSum(core), false, st)
		if st.class == classOverloaded {
			c.overload = st.avgLoad
		}
	}
	return c.overload
}

// lastFullCPU is the last CPU in the order of the ring that has a fair task and
// no capacity left: of fully busy groups of one CPU each the last one found
// counts as the busiest, whether it has a task to give or not.
func (s *Sched) lastFullCPU(e *balanceEnv, mine int32) *domain.Group {
	span, pct := e.sd.Span, int64(e.sd.ImbalancePct)
	n := int32(len(s.K.RQ))
	for c := mine - 1; c != mine; c-- {
		if c < 0 {
			if c = n - 1; c == mine {
				break
			}
		}
		rq := &s.K.RQ[c]
		if rq.HNrQueued == 0 || !span.Test(int(c)) {
			continue
		}
		st := groupStats{running: 1, weight: 1, capacity: s.groupOfCore[c].Capacity, util: s.utilCFS(rq), runnable: rq.Avg.Run}
		if !st.hasCapacity(pct) {
			return s.groupOfCore[c]
		}
	}
	return nil
}

// firstCore is the first core of a set in the order of the ring from mine on.
func (s *Sched) firstCore(e *balanceEnv, cores cpumask.Mask, mine int32) *domain.Group {
	if c := nextCore(cores, e.sd.Span, mine, -1); c >= 0 {
		return s.groupOfCore[c]
	}
	return nil
}

// fewestIdleCore is the core of a set with the fewest idle threads, then the
// most tasks, then the first.
func (s *Sched) fewestIdleCore(e *balanceEnv, cores cpumask.Mask, mine int32) *domain.Group {
	var busiest *domain.Group
	var best kernel.Faces
	for c := nextCore(cores, e.sd.Span, mine, -1); c >= 0; c = nextCore(cores, e.sd.Span, mine, c) {
		f := s.K.CoreSum(int32(c))
		if busiest == nil || f.Idle < best.Idle || f.Idle == best.Idle && f.Running > best.Running {
			busiest, best = s.groupOfCore[c], f
		}
	}
	return busiest
}

// nextCore continues a walk over the cores of a set within a span, wrapped from
// behind mine, which is left out; prev is -1 at the start, and the end is -1.
func nextCore(cores, span cpumask.Mask, mine int32, prev int) int {
	if prev < 0 || prev > int(mine) {
		from := prev + 1
		if prev < 0 {
			from = int(mine) + 1
		}
		if c := cores.NextAnd(span, from); c >= 0 {
			return c
		}
		prev = -1
	}
	if c := cores.NextAnd(span, prev+1); c >= 0 && c < int(mine) {
		return c
	}
	return -1
}
