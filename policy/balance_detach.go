package policy

import (
	"slices"

	"schedlab/domain"
	"schedlab/kernel"
)

// findBusiestRQ is find_busiest_queue(): the runqueue of a group to take from;
// ties go to the lowest CPU (reference D.6).
func (s *Sched) findBusiestRQ(e *balanceEnv, g *domain.Group) *kernel.RQ {
	var busiest *kernel.RQ
	most, mostCap := int64(0), int64(1)
	from := e.cpus
	if e.kind != migrateLoad && !e.partial && g.Weight > kernel.SmallGroup {
		// Only a queue with two tasks can be chosen, if there is one.
		if _, _, _, over := s.K.Cores(); !s.K.SawRT && (e.kind == migrateUtil || over.Intersects(g.Span)) {
			from = over
		}
	}
	s.K.Meter.Add(int64(g.Weight) * s.K.Meter.Costs().Search)
	for c := g.Span.NextAnd(from, 0); c >= 0; c = g.Span.NextAnd(from, c+1) {
		rq := &s.K.RQ[c]
		n := int64(rq.HNrQueued)
		if n == 0 {
			continue
		}
		switch e.kind {
		case migrateLoad:
			load, capacity := s.placeLoad(int32(c)), s.capacity(int32(c))
			if s.tasksOf(rq) == 1 && load > e.imbalance {
				continue
			}
			if load*mostCap > most*capacity {
				busiest, most, mostCap = rq, load, capacity
			}
		case migrateUtil:
			if util := s.utilToPull(rq); n > 1 && util > most {
				busiest, most = rq, util
			}
		case migrateTask:
			if n > most {
				busiest, most = rq, n
			}
		}
	}
	return busiest
}

// tasksOf is the number of tasks by which a queue with one of them is told:
// fair ones, before v5.14 those of all classes.
func (s *Sched) tasksOf(rq *kernel.RQ) int32 {
	if s.gen < GenV514 {
		return rq.NrRunning
	}
	return rq.HNrQueued
}

// utilToPull is the utilisation that source queues are compared by: v6.12's is
// boosted by what waits, up to the capacity (cpu_util_cfs_boost).
func (s *Sched) utilToPull(rq *kernel.RQ) int64 {
	if s.gen < GenV612 {
		return s.utilCFS(rq)
	}
	return min(max(s.utilCFS(rq), rq.Avg.Run), s.capacity(rq.CPU))
}

// detachTasks is detach_tasks(): takes tasks off the source queue, from the tail
// of its list, until the imbalance is met. It returns how many (in s.tasks).
func (s *Sched) detachTasks(e *balanceEnv) int {
	src := e.src
	if src.NrRunning <= 1 {
		e.allPinned = false
		return 0
	}
	if e.idle == newlyIdle && s.allHot(e) {
		e.allPinned = false
		return 0
	}
	n := 0
	for src.ListTail() != kernel.None && e.imbalance > 0 {
		if e.idle != notIdle && src.NrRunning <= 1 {
			break
		}
		if !s.oneMore(e) {
			break
		}
		t := s.K.Task(src.ListTail())
		if !s.canMigrate(e, t) || !s.takeFromImbalance(e, t) {
			s.K.ListToHead(src, t)
			continue
		}
		s.K.Dequeue(t, e.now, kernel.DequeueMove)
		s.K.SetTaskCPU(t, e.dst)
		s.tasks = append(s.tasks, t.ID)
		n++
		if e.idle == newlyIdle && (s.preempt == "full" || s.dynamic) {
			break
		}
	}
	return n
}

// detachBurst is how many tasks a pass looks at before it lets go of the source
// queue for a moment (sched_nr_migrate_break).
const detachBurst = 32

// oneMore counts a task that a pass looks at, and reports whether it may: up to
// loopMax of them, in v6.1 on until it found one that affinity allows, once
// through the queue. Each burst costs one that is counted and not looked at.
func (s *Sched) oneMore(e *balanceEnv) bool {
	e.loop++
	switch {
	case e.loop > e.loopMax && !(s.gen == GenV61 && e.allPinned):
		return false
	case e.loop <= e.loopBreak:
		return true
	}
	e.loopBreak += detachBurst
	return (s.gen != GenV61 || e.loop < int64(e.src.NrRunning)) && s.oneMore(e)
}

// allHot settles a pass whose every candidate is cache-hot: each is looked at
// and put back, so that the list turns once and is as it was.
func (s *Sched) allHot(e *balanceEnv) bool {
	src := e.src
	if src.NrRunning > int32(s.K.NrMigrate) || src.NrRunning != src.HNrQueued || src.HNrIdle != 0 || s.K.Masks() != 1 ||
		int(e.st.NrBalanceFailed) > e.sd.CacheNiceTries ||
		s.gen >= GenV514 && e.sd.Flags&domain.ShareCPUCapacity != 0 {
		return false
	}
	if e.now-src.RanUntil >= s.K.MigrationCost {
		s.K.RenewRanUntil(src)
	}
	return e.now-src.RanUntil < s.K.MigrationCost
}

// takeFromImbalance reports whether a task fits what is to move, and subtracts it.
func (s *Sched) takeFromImbalance(e *balanceEnv, t *kernel.Task) bool {
	failed := uint(min(e.st.NrBalanceFailed, 63))
	switch e.kind {
	case migrateLoad:
		load := t.Avg.Load
		if s.gen >= GenV514 {
			load = max(load, 1)
		}
		if s.K.LBMin && load < 16 && e.st.NrBalanceFailed == 0 {
			return false
		}
		if s.gen >= GenV514 && load>>failed > e.imbalance || s.gen < GenV514 && load/2 > e.imbalance {
			return false
		}
		e.imbalance -= load
	case migrateUtil:
		util := max(t.Avg.Util, int64(t.UtilEst))
		if s.gen < GenV612 {
			failed = 0
		}
		if util>>failed > e.imbalance {
			return false
		}
		e.imbalance -= util
	case migrateTask:
		e.imbalance--
	}
	return true
}

// canMigrate is can_migrate_task() (reference D.7).
func (s *Sched) canMigrate(e *balanceEnv, t *kernel.Task) bool {
	if s.gen >= GenV514 && t.PerCPUKthread {
		return false
	}
	if !s.K.AllowedOn(t, e.dst) {
		s.notePinned(e, t)
		return false
	}
	e.allPinned = false
	if t.OnCPU {
		return false
	}
	return !s.hot(e, t) || int(e.st.NrBalanceFailed) > e.sd.CacheNiceTries
}

// notePinned remembers that affinity kept a task, and which other CPU of the
// destination's group could have it.
func (s *Sched) notePinned(e *balanceEnv, t *kernel.Task) {
	e.somePinned = true
	if e.idle == newlyIdle || e.dstPinned {
		return
	}
	balance := s.dstGroup(e)
	mask := s.K.Mask(t)
	for c := balance.NextAnd(e.cpus, 0); c >= 0; c = balance.NextAnd(e.cpus, c+1) {
		if mask.Test(c) {
			e.dstPinned, e.newDst = true, int32(c)
			return
		}
	}
}

// hot is task_hot(): the task ran so recently that its cache is worth keeping.
func (s *Sched) hot(e *balanceEnv, t *kernel.Task) bool {
	switch {
	case t.Class != kernel.Fair:
		return false
	case s.gen >= GenV514 && e.sd.Flags&domain.ShareCPUCapacity != 0:
		return false
	case s.K.CacheHotBuddy && s.K.RQ[e.dst].NrRunning > 0 && e.src.IsBuddy(t.ID):
		return true
	case s.K.MigrationCost == -1:
		return true
	}
	return e.now-t.ExecStart < s.K.MigrationCost
}

// attachTasks puts the detached tasks on the destination, the last one first.
func (s *Sched) attachTasks(e *balanceEnv) {
	dst := &s.K.RQ[e.dst]
	for _, id := range slices.Backward(s.tasks) {
		t := s.K.Task(id)
		s.K.Meter.Write(&dst.Line, e.cpu)
		s.K.Meter.Add(s.K.Meter.Costs().Enqueue)
		s.K.Enqueue(t, e.now, kernel.EnqueueMoved)
		s.K.CheckPreempt(dst, t, e.now, e.cpu)
	}
	s.tasks = s.tasks[:0]
}
