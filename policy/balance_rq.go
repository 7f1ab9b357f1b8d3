package policy

import (
	"schedlab/cpumask"
	"schedlab/domain"
)

// balanceRQ is load_balance() (sched_balance_rq): cpu searches one of its
// domains for tasks to take (reference D.2). It returns how many it moved and
// whether the caller may climb on.
func (s *Sched) balanceRQ(cpu int32, level int, why idleType, now int64) (moved int, goOn bool) {
	rq := &s.K.RQ[cpu]
	sd := s.domains(cpu)[level]
	if why == newlyIdle && s.nothingBeside(sd, cpu) {
		rq.SD[level].NrBalanceFailed = 0
		return 0, true
	}
	// The pass's own state is kept between passes: clearing all of it each time
	// would cost as much as a short pass.
	e := &s.env
	e.sd, e.st, e.level, e.cpu, e.idle, e.now = sd, &rq.SD[level], level, cpu, why, now
	e.cpus, e.partial = sd.Span, false
	e.allPinned, e.somePinned, e.dstPinned = false, false, false
	for {
		e.dst, e.loop, e.loopBreak = cpu, 0, detachBurst
		if !s.shouldBalance(e) {
			s.balanced(e)
			return 0, false
		}
		g := s.findBusiestGroup(e)
		if g == nil {
			s.balanced(e)
			return 0, true
		}
		if e.src = s.findBusiestRQ(e, g); e.src == nil || e.src == rq {
			s.balanced(e)
			return 0, true
		}
		again := false
		moved, again = s.pull(e)
		if !again {
			break
		}
	}
	if e.allPinned {
		e.st.NrBalanceFailed = 0
		s.backOff(e)
		return 0, true
	}
	s.endPass(e, moved)
	return moved, true
}

// pull moves tasks from the busiest queue. again: everything there was pinned,
// search for another queue.
func (s *Sched) pull(e *balanceEnv) (moved int, again bool) {
	e.allPinned = true
	if e.src.NrRunning <= 1 {
		e.allPinned = false
		return 0, false
	}
	s.K.Meter.Write(&e.src.Line, e.cpu)
	e.loopMax = min(s.K.NrMigrate, int64(e.src.NrRunning))
	for {
		n := s.detachTasks(e)
		s.attachTasks(e)
		moved += n
		if !e.dstPinned || e.imbalance <= 0 {
			break
		}
		// Tasks that may not come here may go to another CPU of the group.
		s.giveUpOn(e, e.dst)
		e.dst, e.dstPinned, e.loop, e.loopBreak = e.newDst, false, 0, detachBurst
	}
	s.Stats.Pulls += int64(moved)
	if e.idle == newlyIdle {
		s.Stats.NewidlePulls += int64(moved)
	}
	if e.level+1 < len(s.domains(e.cpu)) && e.somePinned && e.imbalance > 0 {
		s.setImbalance(e, true)
	}
	if !e.allPinned {
		return moved, false
	}
	s.giveUpOn(e, e.src.CPU)
	return moved, !e.cpus.Subset(s.dstGroup(e))
}

// dstGroup is the group whose CPUs a pass may balance for beside its own: its
// span before v6.12, where groups overlap more than those that balance for it.
func (s *Sched) dstGroup(e *balanceEnv) cpumask.Mask {
	g := e.sd.Groups[e.sd.First]
	if s.gen < GenV612 {
		return g.Span
	}
	return g.Balance
}

// giveUpOn takes a CPU out of those that the pass considers: all of the span,
// whose CPUs are active by construction, until then.
func (s *Sched) giveUpOn(e *balanceEnv, cpu int32) {
	if !e.partial {
		s.balanceM.CopyFrom(e.cpus)
		e.cpus, e.partial = s.balanceM, true
	}
	e.cpus.Clear(int(cpu))
}

// nothingBeside settles the commonest pass at once: a newly idle thread of
// v6.12 looks at its one sibling, which has no second fair task. Its group may
// be the busiest then, but nothing is taken from a group with a single task;
// the pass ends balanced, and would clear only what is clear.
func (s *Sched) nothingBeside(sd *domain.Domain, cpu int32) bool {
	if sd.Weight != 2 || s.gen < GenV612 || s.K.SawRT || s.imbalances != 0 || len(sd.Groups) != 2 {
		return false
	}
	sibling := int32(sd.Span.First())
	if sibling == cpu {
		sibling = int32(sd.Span.Last())
	}
	f := &s.K.Face[sibling]
	if f.HNrQueued > 1 || sd == s.at[cpu].top {
		return false
	}
	s.search()
	s.search()
	s.K.Meter.Read(&s.K.Face[cpu].Line, cpu)
	s.K.Meter.Read(&f.Line, cpu)
	return true
}

// mayTakeRunning reports whether what the source CPU runs may run here; the idle
// task stays where it is.
func (s *Sched) mayTakeRunning(e *balanceEnv) bool {
	curr := e.src.Curr
	return curr >= 0 && s.K.AllowedOn(s.K.Task(curr), e.cpu)
}

// endPass keeps the failure count and the interval after a pass that found a
// busiest queue, and pushes what runs there when too many such passes failed
// (reference D.2, 6 and 7).
func (s *Sched) endPass(e *balanceEnv, moved int) {
	active := false
	switch {
	case moved > 0:
		e.st.NrBalanceFailed = 0
	case s.countFailure(e) && !s.mayTakeRunning(e):
		e.allPinned = s.gen < GenV514 || e.src.NrRunning <= 1
		s.backOff(e)
		return
	case s.needActiveBalance(e):
		active = s.activeBalance(e)
	}
	switch {
	case !active || s.gen >= GenV514 && s.needActiveBalance(e):
		e.st.BalanceInterval = int64(e.sd.MinInterval)
	case s.gen < GenV514 && e.st.BalanceInterval < int64(e.sd.MaxInterval):
		e.st.BalanceInterval *= 2
	}
}

// countFailure counts a pass that took nothing, and reports whether that was
// one too many. Newidle passes are too frequent to count.
func (s *Sched) countFailure(e *balanceEnv) bool {
	if e.idle != newlyIdle {
		e.st.NrBalanceFailed++
	}
	return s.needActiveBalance(e)
}

// needActiveBalance is need_active_balance() on a symmetric machine: the pass
// failed too often.
func (s *Sched) needActiveBalance(e *balanceEnv) bool {
	return (s.gen < GenV514 || e.kind == migrateTask) &&
		int(e.st.NrBalanceFailed) > e.sd.CacheNiceTries+2
}

// activeBalance asks the busiest CPU's stopper to push the running task here. It
// reports whether it does: it may be busy with another push.
func (s *Sched) activeBalance(e *balanceEnv) bool {
	took := s.PushRunning != nil && s.PushRunning(e.src.CPU, e.cpu)
	if s.gen < GenV514 {
		e.st.NrBalanceFailed = int32(e.sd.CacheNiceTries) + 1
	}
	return took
}

// balanced is the end of a pass that found nothing to do.
func (s *Sched) balanced(e *balanceEnv) {
	if e.level+1 < len(s.domains(e.cpu)) && (!e.allPinned || s.gen == GenV53) {
		s.setImbalance(e, false)
	}
	e.st.NrBalanceFailed = 0
	s.backOff(e)
}

// backOff doubles the interval of a balanced domain.
func (s *Sched) backOff(e *balanceEnv) {
	if e.idle == newlyIdle && s.gen >= GenV53 {
		return
	}
	const maxPinnedInterval = 512 // ms
	if e.allPinned && e.st.BalanceInterval < maxPinnedInterval || e.st.BalanceInterval < int64(e.sd.MaxInterval) {
		e.st.BalanceInterval *= 2
	}
}

// parentGroup is the first group of the next higher domain, whose imbalance flag
// tells that level about pinned tasks.
func (s *Sched) parentGroup(e *balanceEnv) *groupState {
	p := s.domains(e.cpu)[e.level+1]
	return &s.K.Group[p.Groups[p.First].ID]
}

// setImbalance sets that flag.
func (s *Sched) setImbalance(e *balanceEnv, on bool) {
	g := s.parentGroup(e)
	if g.Imbalance == on {
		return
	}
	g.Imbalance = on
	if on {
		s.imbalances++
	} else {
		s.imbalances--
	}
}

// shouldBalance is should_we_balance(): one CPU of a group balances for it
// (reference D.2, 2).
func (s *Sched) shouldBalance(e *balanceEnv) bool {
	if !e.cpus.Test(int(e.dst)) {
		return false
	}
	if e.idle == newlyIdle {
		rq := &s.K.RQ[e.dst]
		return s.gen < GenV61 || rq.NrRunning == 0 && !rq.WakePending()
	}
	g := e.sd.Groups[e.sd.First]
	m := s.entitled
	m.SetAnd(g.Balance, e.cpus)
	idleThread := int32(-1)
	for c := m.Next(0); c >= 0; c = m.Next(c + 1) {
		s.search()
		if !s.K.IdleCPU(int32(c), e.cpu) {
			continue
		}
		if s.gen >= GenV612 && e.sd.Flags&domain.ShareCPUCapacity == 0 && !s.coreIdle(int32(c)) {
			if idleThread < 0 {
				idleThread = int32(c)
			}
			m.AndNot(s.K.Smt[c])
			continue
		}
		return int32(c) == e.dst
	}
	if idleThread >= 0 {
		return idleThread == e.dst
	}
	return int32(g.BalanceAt) == e.dst
}

// coreIdle is is_core_idle(): no other thread of the core is busy.
func (s *Sched) coreIdle(cpu int32) bool {
	smt := s.K.Smt[cpu]
	for c := smt.Next(0); c >= 0; c = smt.Next(c + 1) {
		if int32(c) != cpu && !s.K.IsIdle(int32(c)) {
			return false
		}
	}
	return true
}
