package kernel

// Task groups of one level, flattened: a group's tasks stand on the queues
// beside all others, with weights that share what the group is worth on their
// CPU. What a group is worth there follows update_cfs_group: its shares, by how
// much of its load the CPU has. Only the group's own queue events and ticks on a
// CPU bring that CPU's weights up to date, as in the kernel.

// GroupWeight is the weight of a group that is given none (cgroup cpu.weight).
const GroupWeight = 100

const (
	minShares        = 2 // of a group on a CPU
	groupUpdateEvery = 1_000_000
)

// groups are the task groups of a kernel.
type groups struct {
	of   []int32 // by task: its group, 0 is none
	base []int64 // by task: the weight of its nice value
	list []taskGroup
}

// taskGroup is a group: in the kernel's terms its shares, the sum of its load
// averages, and its queue of each CPU.
type taskGroup struct {
	shares, load int64
	q            []groupQueue
}

// groupQueue is a group's part on one CPU.
type groupQueue struct {
	weight    int64 // of its queued tasks
	avg       Avg
	contrib   int64 // what of avg.Load is in the group's load
	contribAt int64
}

// NewGroup adds a task group with a weight (cgroup cpu.weight, 100 is that of
// one task of nice 0) and returns its number, 1 or more.
func (k *Kernel) NewGroup(weight int64) int32 {
	if k.groups == nil {
		k.groups = &groups{list: make([]taskGroup, 1)}
	}
	g := k.groups
	g.list = append(g.list, taskGroup{shares: max(weight*nice0/GroupWeight, minShares), q: make([]groupQueue, len(k.RQ))})
	return int32(len(g.list) - 1)
}

// JoinGroup puts a new task into a group.
func (k *Kernel) JoinGroup(t *Task, group int32) {
	g := k.groups
	for len(g.of) <= int(t.ID) {
		g.of = append(g.of, 0)
		g.base = append(g.base, 0)
	}
	g.of[t.ID], g.base[t.ID] = group, t.Weight
}

// GroupOf is the number of a task's group; 0: none.
func (k *Kernel) GroupOf(t *Task) int32 {
	if k.groups == nil || int(t.ID) >= len(k.groups.of) {
		return 0
	}
	return k.groups.of[t.ID]
}

// groupEnqueue weighs a task that is about to join a queue, and its group anew.
func (k *Kernel) groupEnqueue(rq *RQ, t *Task, now int64) {
	id := k.GroupOf(t)
	if id == 0 {
		return
	}
	q := k.updateGroup(id, rq.CPU, now)
	q.weight += k.groups.base[t.ID]
	k.reweigh(rq, t, k.groupPart(id, rq.CPU, t))
	k.reweighGroup(rq, id)
}

// groupDequeue weighs the group of a task that has left a queue anew.
func (k *Kernel) groupDequeue(rq *RQ, t *Task, now int64) {
	if id := k.GroupOf(t); id != 0 {
		k.updateGroup(id, rq.CPU, now).weight -= k.groups.base[t.ID]
		k.reweighGroup(rq, id)
	}
}

// groupTick does so at a tick that meets one of its tasks running.
func (k *Kernel) groupTick(rq *RQ, t *Task, now int64) {
	if id := k.GroupOf(t); id != 0 {
		k.updateGroup(id, rq.CPU, now)
		k.reweighGroup(rq, id)
	}
}

// updateGroup brings a group's load on a CPU up to date, and its sum at most
// once a ms (update_tg_load_avg).
func (k *Kernel) updateGroup(id, cpu int32, now int64) *groupQueue {
	g := &k.groups.list[id]
	q := &g.q[cpu]
	if q.avg.accumulate(now, uint64(q.weight), 0, 0) {
		q.avg.average(1)
	}
	if delta := q.avg.Load - q.contrib; now-q.contribAt >= groupUpdateEvery && max(delta, -delta) > q.contrib/64 {
		g.load += delta
		q.contrib, q.contribAt = q.avg.Load, now
	}
	return q
}

// groupShares is what a group is worth on a CPU (calc_group_shares).
func (k *Kernel) groupShares(id, cpu int32) int64 {
	g := &k.groups.list[id]
	q := &g.q[cpu]
	load := max(q.weight, q.avg.Load)
	total := g.load - q.contrib + load
	if total <= 0 {
		return g.shares
	}
	return min(max(g.shares*load/total, minShares), g.shares)
}

// groupPart is a queued task's part of that, at least 1, rounded.
func (k *Kernel) groupPart(id, cpu int32, t *Task) int64 {
	all := k.groups.list[id].q[cpu].weight
	return max((k.groupShares(id, cpu)*k.groups.base[t.ID]+all/2)/all, 1)
}

// reweighGroup gives every task of a group on a queue its part.
func (k *Kernel) reweighGroup(rq *RQ, id int32) {
	for t := rq.head; t != None; t = k.Tasks[t].next {
		if task := &k.Tasks[t]; k.GroupOf(task) == id {
			k.reweigh(rq, task, k.groupPart(id, rq.CPU, task))
		}
	}
}

// reweigh changes a task's weight (reweight_entity); rq is that of its CPU.
func (k *Kernel) reweigh(rq *RQ, t *Task, weight int64) {
	was := t.Weight
	if was == weight {
		return
	}
	var v int64
	if t.OnRQ {
		rq.LoadWeight += weight - was
		if k.EEVDF {
			v = k.avgVRuntime(rq)
		}
	}
	waits := t.OnRQ && rq.fairCurr != t.ID
	if waits {
		k.treeRemove(rq, t)
	}
	k.reweighAvg(rq, t, weight)
	t.Weight = weight
	if k.EEVDF {
		k.reweighEEVDF(t, v, was, weight)
	}
	if waits {
		k.treeInsert(rq, t)
	}
	k.touchAvg(rq.CPU)
}

// reweighEEVDF keeps a task's lag and what is left of its request in real time;
// v is the queue's average.
func (k *Kernel) reweighEEVDF(t *Task, v, was, weight int64) {
	if !t.OnRQ {
		t.lag = t.lag * was / weight
		return
	}
	protected := k.protected(t)
	t.VRuntime = v - (v-t.VRuntime)*was/weight
	t.Deadline = v + (t.Deadline-v)*was/weight
	if protected {
		t.lag = t.Deadline
	}
}

// reweighAvg scales a task's load average, and its part of the queue's.
func (k *Kernel) reweighAvg(rq *RQ, t *Task, weight int64) {
	q, a, was := &rq.Avg, &t.Avg, t.Weight
	load := a.Load * weight / was
	if a.Last != 0 {
		load = int64(uint64(weight) * a.LoadSum / a.divider())
		takeOut(&q.Load, &q.LoadSum, a.Load, uint64(was)*a.LoadSum)
		q.Load += load
		q.LoadSum += uint64(weight) * a.LoadSum
		if k.RunnableLoad && t.OnRQ {
			q.dropRunnable(a.Load, uint64(was)*a.LoadSum)
			q.addRunnable(load, uint64(weight)*a.LoadSum)
		}
	}
	a.Load = load
}
