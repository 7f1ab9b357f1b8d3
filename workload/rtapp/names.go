package rtapp

// names number the resources of a file by kind and name, in order of their first
// use. What has one name and two kinds is two resources.
type names struct {
	mutexes, conds, sems, barriers, timers map[string]int32
	own                                    map[string]int32 // timers of the task that is being read
}

func newNames() names {
	return names{
		mutexes: map[string]int32{}, conds: map[string]int32{}, sems: map[string]int32{},
		barriers: map[string]int32{}, timers: map[string]int32{}, own: map[string]int32{},
	}
}

// number is the number of a name, a new one if it is new.
func number(m map[string]int32, name string) int32 {
	n, ok := m[name]
	if !ok {
		n = int32(len(m))
		m[name] = n
	}
	return n
}

func (r *reader) mutex(name string) int32 {
	n := number(r.names.mutexes, name)
	r.plan.mutexes = int32(len(r.names.mutexes))
	return n
}

func (r *reader) cond(name string) int32 {
	n := number(r.names.conds, name)
	r.plan.conds = int32(len(r.names.conds))
	return n
}

func (r *reader) sem(name string) int32 {
	n := number(r.names.sems, name)
	r.plan.sems = int32(len(r.names.sems))
	return n
}

// barrier counts a use by so many threads.
func (r *reader) barrier(name string, threads int) int32 {
	n := number(r.names.barriers, name)
	if int(n) == len(r.plan.barriers) {
		r.plan.barriers = append(r.plan.barriers, 0)
	}
	r.plan.barriers[n] += int32(threads)
	return n
}

// timer is a timer of everybody's, or of the current task's threads.
func (r *reader) timer(name string, own, absolute bool) int32 {
	m, modes := r.names.timers, &r.plan.timers
	if own {
		m, modes = r.names.own, &r.current.timers
	}
	n := number(m, name)
	if int(n) == len(*modes) {
		*modes = append(*modes, timerMode{})
	}
	(*modes)[n].absolute = (*modes)[n].absolute || absolute
	return n
}
