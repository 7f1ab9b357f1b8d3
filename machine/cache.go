package machine

import (
	"fmt"

	"schedlab/cpumask"
)

// maxCacheLevel is above any cache that a kernel has shown.
const maxCacheLevel = 9

// cacheIndexes says for one CPU which of its cache directories is the data or
// unified cache of a level: its number plus one; 0 where it has none.
type cacheIndexes [maxCacheLevel + 1]int32

// readCaches finds what shares the last-level cache and, where the kernel has
// no clusters, an x86 machine's L2.
func (r *reader) readCaches() error {
	caches, err := r.findCaches()
	if err != nil {
		return err
	}
	err = r.splitCaches("last-level caches", caches, r.lastLevel(caches), func(c, first int) { r.m.CPUs[c].LLC = first })
	if err != nil || !r.m.X86 || r.saysClusters() {
		return err
	}
	return r.splitCaches("L2 caches", caches, 2, func(c, first int) { r.m.CPUs[c].Cluster = first })
}

// splitCaches partitions the CPUs by the caches of one level; threads of a core
// share it, whatever the masks say.
func (r *reader) splitCaches(what string, caches []cacheIndexes, level int, set func(c, first int)) error {
	cores := r.cores()
	return r.split(what, func(c int) (cpumask.Mask, error) {
		index := caches[c][level]
		if index == 0 {
			return cores.mask(c), nil
		}
		m, _, err := r.mask(fmt.Sprintf("%s/index%d", cacheDir(c), index-1), "shared_cpu_list", "shared_cpu_map")
		return cores.whole(m, c), err
	}, set)
}

// lastLevel returns the level of the caches that make an LLC domain. On x86 that
// is L3, and L2 where no CPU has one (Linux's cpu_llc_id), whatever lies beyond;
// elsewhere it is the highest level.
func (r *reader) lastLevel(caches []cacheIndexes) int {
	highest := 0
	for _, c := range caches {
		for level, index := range c {
			if index != 0 {
				highest = max(highest, level)
			}
		}
	}
	if !r.m.X86 {
		return highest
	}
	for _, c := range caches {
		if c[3] != 0 {
			return 3
		}
	}
	return 2
}

func (r *reader) saysClusters() bool {
	dir := topologyDir(r.m.Online.First())
	_, ok, _ := r.mask(dir, "cluster_cpus_list", "cluster_cpus")
	return ok
}

func cacheDir(cpu int) string { return fmt.Sprintf("%s/cpu%d/cache", cpuDir, cpu) }

// findCaches looks through every online CPU's cache directories.
func (r *reader) findCaches() ([]cacheIndexes, error) {
	all := make([]cacheIndexes, len(r.m.CPUs))
	for cpu := range r.m.Online.All() {
		indexes, err := r.numbered(cacheDir(cpu), "index")
		if err != nil {
			return nil, err
		}
		for _, i := range indexes {
			level, err := r.dataLevel(fmt.Sprintf("%s/index%d", cacheDir(cpu), i))
			if err != nil {
				return nil, err
			}
			if level > 0 {
				all[cpu][level] = int32(i + 1)
			}
		}
	}
	return all, nil
}

// dataLevel returns the level of a data or unified cache; 0 for others.
func (r *reader) dataLevel(dir string) (int, error) {
	kind, _, err := r.text(dir + "/type")
	if err != nil || kind == "Instruction" {
		return 0, err
	}
	level, _, err := r.integer(dir+"/level", 0, maxCacheLevel)
	return int(level), err
}
