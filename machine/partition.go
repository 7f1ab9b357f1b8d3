package machine

import "schedlab/cpumask"

// partition splits cpus into groups that share something, from what each CPU
// says of it (nil: it says nothing), and calls set with every CPU and the
// lowest id of its group. Lower CPUs are believed first: a CPU that an earlier
// one claimed belongs to that one's group. It returns the first CPU whose own
// word contradicts its group, or -1.
func partition(cpus cpumask.Mask, share func(cpu int) (cpumask.Mask, error), set func(cpu, first int)) (liar int, err error) {
	var (
		n      = cpus.Last() + 1
		done   = cpumask.New(n)
		group  = cpumask.New(n)
		leader = make([]int, n)
		digest = map[int]uint64{} // of each leader's group; masks would be large
	)
	liar = -1
	for cpu := range cpus.All() {
		said, err := share(cpu)
		if err != nil {
			return -1, err
		}
		if said == nil {
			if !done.Test(cpu) {
				done.Set(cpu)
				set(cpu, cpu)
			}
			continue
		}
		group.SetAnd(said, cpus)
		group.Set(cpu)
		if done.Test(cpu) {
			if liar < 0 && digestOf(group) != digest[leader[cpu]] {
				liar = cpu
			}
			continue
		}
		if liar < 0 && group.Intersects(done) {
			liar = cpu
		}
		group.AndNot(done)
		done.Or(group)
		digest[cpu] = digestOf(group)
		for c := range group.All() {
			leader[c] = cpu
			set(c, cpu)
		}
	}
	return liar, nil
}

// digestOf returns a hash of the members (FNV-1a by word), good enough to tell
// honest masks apart.
func digestOf(m cpumask.Mask) uint64 {
	h := uint64(14695981039346656037)
	for i, w := range m {
		if w != 0 {
			h = (h ^ uint64(i)) * 1099511628211
			h = (h ^ w) * 1099511628211
		}
	}
	return h
}

// groups are disjoint groups of CPUs, kept as lists since most are small.
type groups struct {
	of      []int // by CPU id: index of its group, or -1
	members [][]int
}

// groupBy puts the CPUs for which key returns equal keys together.
func groupBy[K comparable](cpus cpumask.Mask, key func(cpu int) (k K, ok bool)) groups {
	g := groups{of: make([]int, cpus.Last()+1)}
	for c := range g.of {
		g.of[c] = -1
	}
	index := map[K]int{}
	for c := range cpus.All() {
		k, ok := key(c)
		if !ok {
			continue
		}
		i, found := index[k]
		if !found {
			i = len(g.members)
			index[k] = i
			g.members = append(g.members, nil)
		}
		g.of[c] = i
		g.members[i] = append(g.members[i], c)
	}
	return g
}

// with returns the members of cpu's group.
func (g groups) with(cpu int) []int {
	if cpu >= len(g.of) || g.of[cpu] < 0 {
		return nil
	}
	return g.members[g.of[cpu]]
}

// mask returns cpu's group as a mask; nil when it is alone.
func (g groups) mask(cpu int) cpumask.Mask {
	list := g.with(cpu)
	if len(list) < 2 {
		return nil
	}
	m := cpumask.New(len(g.of))
	for _, c := range list {
		m.Set(c)
	}
	return m
}

// whole returns m and cpu with all members of the groups that they touch; nil
// when that is cpu alone. CPUs in no group are left out.
func (g groups) whole(m cpumask.Mask, cpu int) cpumask.Mask {
	if m == nil {
		return g.mask(cpu)
	}
	all := cpumask.New(len(g.of))
	for _, c := range g.with(cpu) {
		all.Set(c)
	}
	for c := range m.All() {
		if all.Test(c) {
			continue
		}
		for _, t := range g.with(c) {
			all.Set(t)
		}
	}
	return all
}
