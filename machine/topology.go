package machine

import (
	"fmt"

	"schedlab/cpumask"
)

// readTopology finds threads, clusters, dies and packages. A sibling mask is
// believed before an id, since ids repeat (core_id in each package) or lack.
func (r *reader) readTopology() error {
	if !r.hasTopology() {
		return errNoTopology
	}
	if err := r.readPackages(); err != nil {
		return err
	}
	if err := r.readCores(); err != nil {
		return err
	}
	if err := r.readDies(); err != nil {
		return err
	}
	return r.readClusters()
}

func topologyDir(cpu int) string { return fmt.Sprintf("%s/cpu%d/topology", cpuDir, cpu) }

func (r *reader) hasTopology() bool {
	for cpu := range r.m.Online.All() {
		if isDir(r.FS, topologyDir(cpu)) {
			return true
		}
	}
	return false
}

func (r *reader) readPackages() error {
	ids, err := r.groupByID("physical_package_id", func(int) int { return 0 })
	if err != nil {
		return err
	}
	return r.split("packages", func(c int) (cpumask.Mask, error) {
		return r.topologyMask(c, ids, "package_cpus_list", "core_siblings_list", "package_cpus", "core_siblings")
	}, func(c, first int) { r.m.CPUs[c].Package = first })
}

func (r *reader) readCores() error {
	ids, err := r.groupByID("core_id", func(c int) int { return r.m.CPUs[c].Package })
	if err != nil {
		return err
	}
	return r.split("cores", func(c int) (cpumask.Mask, error) {
		return r.topologyMask(c, ids, "core_cpus_list", "thread_siblings_list", "core_cpus", "thread_siblings")
	}, func(c, first int) { r.m.CPUs[c].Core = first })
}

// readDies falls back to the package, which is one die unless the kernel says
// otherwise.
func (r *reader) readDies() error {
	ids := groupBy(r.m.Online, func(c int) (int, bool) { return r.m.CPUs[c].Package, true })
	return r.split("dies", func(c int) (cpumask.Mask, error) {
		return r.topologyMask(c, ids, "die_cpus_list", "die_cpus")
	}, func(c, first int) { r.m.CPUs[c].Die = first })
}

// readClusters takes a cluster to contain whole cores; kernels without
// clusters show none, or each thread as its own.
func (r *reader) readClusters() error {
	cores := r.cores()
	return r.split("clusters", func(c int) (cpumask.Mask, error) {
		m, err := r.topologyMask(c, groups{}, "cluster_cpus_list", "cluster_cpus")
		return cores.whole(m, c), err
	}, func(c, first int) { r.m.CPUs[c].Cluster = first })
}

// split partitions the online CPUs and warns of contradictions.
func (r *reader) split(what string, share func(int) (cpumask.Mask, error), set func(cpu, first int)) error {
	liar, err := partition(r.m.Online, share, set)
	if err == nil && liar >= 0 {
		r.warnf("%s: what CPU %d says contradicts lower CPUs, which are believed", what, liar)
	}
	return err
}

// topologyMask reads the first of the files that exists, else what ids has.
func (r *reader) topologyMask(cpu int, ids groups, files ...string) (cpumask.Mask, error) {
	m, ok, err := r.mask(topologyDir(cpu), files...)
	if ok || err != nil {
		return m, err
	}
	return ids.mask(cpu), nil
}

// groupByID groups the online CPUs by an id of their topology directory, which
// is unique only within what scope returns.
func (r *reader) groupByID(file string, scope func(cpu int) int) (groups, error) {
	type key struct {
		scope int
		id    int64
	}
	var failed error
	g := groupBy(r.m.Online, func(c int) (key, bool) {
		id, ok, err := r.integer(topologyDir(c)+"/"+file, -1<<31, 1<<32)
		if err != nil {
			failed = err
		}
		return key{scope(c), id}, ok && id >= 0 // -1: the kernel does not know
	})
	return g, failed
}

// cores returns the online threads of each core.
func (r *reader) cores() groups {
	return groupBy(r.m.Online, func(c int) (int, bool) { return r.m.CPUs[c].Core, true })
}
