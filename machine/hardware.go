package machine

import (
	"fmt"

	"schedlab/cpumask"
)

// Hardware is what a machine is made of, counted as hwloc counts with its default
// options: of the CPUs that are online, and of these and of the nodes that the
// process which took the snapshot may use (its cpuset). Nodes are those with
// memory, GPUs' memory left aside. Scheduling depends on none of it but by way of
// what [CPU] and [Node] say.
type Hardware struct {
	Packages             int
	Nodes                int
	MemoryOnlyNodes      int // without CPUs
	L1d, L1i, L2, L3, L4 int // caches; data caches and unified ones but for L1i
	Cores                int // physical ones: compute units of two cores count two
	CPUs                 int
}

// levels of caches that are counted.
const (
	cacheL1d = iota
	cacheL1i
	cacheL2
	cacheL3
	cacheL4
	cacheKinds
)

// countHardware counts what a snapshot shows.
func (r *reader) countHardware() error {
	cpus, nodes, err := r.allowed()
	if err != nil {
		return err
	}
	c := &counter{reader: r, cpus: cpus}
	h := &r.m.Hardware
	h.CPUs = cpus.Weight()
	if err := c.countNodes(nodes); err != nil {
		return err
	}
	if h.Packages, err = c.count(r.m.Online, c.inPackage); err != nil {
		return err
	}
	if err := c.countCores(); err != nil {
		return err
	}
	return c.countCaches()
}

// counter counts the parts of a snapshot's machine.
type counter struct {
	*reader
	cpus cpumask.Mask // that count
	// lonely are the CPUs of each node that counts though none of them does. What
	// they are all in counts with the node.
	lonely []cpumask.Mask
}

// count is the number of sets that CPUs say they share something with. A set
// counts by what its lowest CPU says; an empty one is that CPU.
func (c *counter) count(of cpumask.Mask, share func(cpu int) (cpumask.Mask, error)) (int, error) {
	n := 0
	for cpu := range of.All() {
		set, err := share(cpu)
		if err != nil {
			return 0, err
		}
		set = set.Clone().Grow(cpu + 1)
		set.Set(cpu)
		set.And(c.m.Online)
		if set.First() == cpu && c.counts(set) {
			n++
		}
	}
	return n, nil
}

func (c *counter) counts(set cpumask.Mask) bool {
	if set.Intersects(c.cpus) {
		return true
	}
	for _, cpus := range c.lonely {
		if cpus.Subset(set) {
			return true
		}
	}
	return false
}

// inPackage is what shares a CPU's package; its masks are believed before its lists.
func (c *counter) inPackage(cpu int) (cpumask.Mask, error) {
	m, ok, err := c.mask(topologyDir(cpu), "package_cpus", "core_siblings", "package_cpus_list", "core_siblings_list")
	if ok || err != nil {
		return m, err
	}
	return cpumask.Of(c.m.CPUs[cpu].Package), nil // the lowest says it for all
}

// countCores tells threads of a core by their siblings and by its id: the two
// cores of an AMD compute unit are siblings with different ids. A machine that
// says nothing of cores has none.
func (c *counter) countCores() error {
	known, ids := cpumask.New(len(c.m.CPUs)), make([]int64, len(c.m.CPUs))
	for cpu := range c.m.Online.All() {
		id, ok, err := c.integer(topologyDir(cpu)+"/core_id", -1<<31, 1<<32)
		if err != nil {
			return err
		}
		if ids[cpu] = id; ok {
			known.Set(cpu)
		}
	}
	units := 0
	n, err := c.count(known, func(cpu int) (cpumask.Mask, error) {
		m, ok, err := c.mask(topologyDir(cpu), "core_cpus", "thread_siblings", "core_cpus_list", "thread_siblings_list")
		if err != nil {
			return nil, err
		}
		if !ok {
			return cpumask.Of(c.m.CPUs[cpu].Core), nil
		}
		same := cpumask.New(len(c.m.CPUs))
		for o := range m.All() {
			if known.Test(o) && ids[o] == ids[cpu] {
				same.Set(o)
			} else if known.Test(o) {
				units++
			}
		}
		return same, nil
	})
	if units > 0 {
		c.warnf("cores: siblings have different core_ids, as in AMD's compute units: counted as cores, scheduled as threads")
	}
	c.m.Hardware.Cores = n
	return err
}

// countNodes counts the nodes that have memory.
func (c *counter) countNodes(allowed cpumask.Mask) error {
	gpus, err := c.gpuNodes()
	if err != nil {
		return err
	}
	h := &c.m.Hardware
	for id := range c.m.Nodes {
		n := &c.m.Nodes[id]
		if !n.Exists || allowed != nil && !allowed.Test(id) || gpus.Test(id) {
			continue
		}
		if empty, err := c.memoryless(id); err != nil {
			return err
		} else if empty {
			continue
		}
		h.Nodes++
		if n.CPUs.Intersects(c.cpus) {
			continue
		}
		h.MemoryOnlyNodes++
		if !n.CPUs.Empty() {
			c.lonely = append(c.lonely, n.CPUs)
		}
	}
	return nil
}

// countCaches counts the caches of each kind.
func (c *counter) countCaches() error {
	index := make([][cacheKinds]int32, len(c.m.CPUs))
	var has [cacheKinds]cpumask.Mask
	for k := range has {
		has[k] = cpumask.New(len(c.m.CPUs))
	}
	for cpu := range c.m.Online.All() {
		indexes, err := c.numbered(cacheDir(cpu), "index")
		if err != nil {
			return err
		}
		for _, i := range indexes {
			kind, ok, err := c.cacheKind(fmt.Sprintf("%s/index%d", cacheDir(cpu), i))
			if err != nil {
				return err
			}
			if ok {
				index[cpu][kind] = int32(i)
				has[kind].Set(cpu)
			}
		}
	}
	h, cores := &c.m.Hardware, c.cores()
	for k, n := range [cacheKinds]*int{cacheL1d: &h.L1d, cacheL1i: &h.L1i, cacheL2: &h.L2, cacheL3: &h.L3, cacheL4: &h.L4} {
		var err error
		*n, err = c.count(has[k], func(cpu int) (cpumask.Mask, error) {
			m, _, err := c.mask(fmt.Sprintf("%s/index%d", cacheDir(cpu), index[cpu][k]), "shared_cpu_map", "shared_cpu_list")
			if err == nil && m.Empty() { // as ia64 says of a cache that its core alone has
				m = cores.mask(cpu)
			}
			return m, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// cacheKind is which of the counted kinds a cache is of.
func (c *counter) cacheKind(dir string) (kind int, ok bool, err error) {
	what, _, err := c.text(dir + "/type")
	if err != nil {
		return 0, false, err
	}
	level, _, err := c.integer(dir+"/level", 0, maxCacheLevel)
	if err != nil {
		return 0, false, err
	}
	switch {
	case level == 1 && what == "Instruction":
		return cacheL1i, true, nil
	case what == "Instruction" || level < 1 || level > 4:
		return 0, false, nil
	}
	return [...]int{1: cacheL1d, 2: cacheL2, 3: cacheL3, 4: cacheL4}[level], true, nil
}

// countRegular counts a machine that no snapshot tells of: cores with caches of
// their own, and an L3 for each LLC.
func (m *Machine) countRegular() {
	n := m.Summary()
	m.Hardware = Hardware{
		Packages: n.Packages, Nodes: n.Nodes, MemoryOnlyNodes: n.MemoryOnlyNodes,
		L1d: n.Cores, L1i: n.Cores, L2: n.Cores, L3: n.LLCs, Cores: n.Cores, CPUs: n.Online,
	}
}
