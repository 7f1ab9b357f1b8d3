package machine

import (
	"errors"
	"fmt"
	"io/fs"

	"schedlab/cpumask"
)

// ReadFS reads the machine that a sysfs snapshot shows. fsys is rooted at the
// snapshot's sys/ and proc/, or holds them in machine/; name is what the
// machine is called, and begins every error. What sysfs does not tell, costs
// above all, comes from a cost family: [Machine.Sources] says which.
func ReadFS(fsys fs.FS, name string) (*Machine, error) {
	s, err := locate(fsys)
	if err != nil {
		return nil, fmt.Errorf("machine %s: %w", name, err)
	}
	return s.read(name)
}

func (s snapshot) read(name string) (*Machine, error) {
	r := &reader{tree: tree{s.root}, beside: tree{s.beside}, m: &Machine{Name: name}}
	if err := r.read(); err != nil {
		return nil, fmt.Errorf("machine %s: %w", name, err)
	}
	if err := r.m.Validate(); err != nil {
		return nil, err
	}
	return r.m, nil
}

// reader fills a Machine from a snapshot, one aspect after another.
type reader struct {
	tree
	beside tree
	m      *Machine
}

func (r *reader) read() error {
	for _, aspect := range []func() error{
		r.readCPUs, r.readVendor, r.readTopology, r.readCaches, r.readNodes,
		r.readCapacity, r.countHardware, r.readCosts, r.readIdle, r.readKernel, r.readBoot,
	} {
		if err := aspect(); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) warnf(format string, args ...any) {
	r.m.Warnings = append(r.m.Warnings, fmt.Sprintf(format, args...))
}

// readCPUs finds which CPU ids are possible and online. Old kernels say it by
// their cpuN directories alone.
func (r *reader) readCPUs() error {
	dirs, err := r.numbered(cpuDir, "cpu")
	if err != nil {
		return err
	}
	seen := cpumask.Of(dirs...)
	possible, err := r.listOr("possible", seen)
	if err != nil {
		return err
	}
	present, err := r.listOr("present", seen)
	if err != nil {
		return err
	}
	online, err := r.readOnline(dirs)
	if err != nil {
		return err
	}
	possible = union(possible, present, online)
	if online.Empty() {
		return fmt.Errorf("%s: no CPU is online", cpuDir)
	}
	r.m.CPUs = make([]CPU, possible.Last()+1)
	for id := range r.m.CPUs {
		r.m.CPUs[id] = CPU{
			ID: id, Possible: possible.Test(id), Online: online.Test(id),
			Core: id, Cluster: id, LLC: id, Package: id, Die: id, Capacity: maxCapacity,
		}
	}
	r.m.Online = online.Grow(len(r.m.CPUs))
	return nil
}

func (r *reader) listOr(file string, otherwise cpumask.Mask) (cpumask.Mask, error) {
	m, ok, err := r.list(cpuDir + "/" + file)
	if err != nil || ok && !m.Empty() {
		return m, err
	}
	return otherwise, nil
}

// readOnline reads the list of online CPUs, else the cpuN/online files, of
// which a CPU that cannot go offline has none.
func (r *reader) readOnline(dirs []int) (cpumask.Mask, error) {
	if m, ok, err := r.list(cpuDir + "/online"); ok || err != nil {
		return m, err
	}
	var online cpumask.Mask
	for _, id := range dirs {
		n, ok, err := r.integer(fmt.Sprintf("%s/cpu%d/online", cpuDir, id), 0, 1)
		if err != nil {
			return nil, err
		}
		if !ok || n == 1 {
			online = online.Grow(id + 1)
			online.Set(id)
		}
	}
	return online, nil
}

// maxCapacity is the capacity of a machine's fastest CPUs.
const maxCapacity = 1024

// readCapacity reads cpu_capacity, which only asymmetric machines need to have.
// Should one lie above the kernel's scale, all are brought down to it.
func (r *reader) readCapacity() error {
	highest := maxCapacity
	for id := range r.m.Online.All() {
		n, ok, err := r.integer(fmt.Sprintf("%s/cpu%d/cpu_capacity", cpuDir, id), 1, 1<<30)
		if err != nil {
			return err
		}
		if ok {
			r.m.CPUs[id].Capacity = int(n)
			highest = max(highest, int(n))
		}
	}
	if highest == maxCapacity {
		return nil
	}
	r.warnf("cpu_capacity of up to %d: scaled to %d", highest, maxCapacity)
	for id := range r.m.Online.All() {
		c := &r.m.CPUs[id]
		c.Capacity = max(1, c.Capacity*maxCapacity/highest)
	}
	return nil
}

var errNoTopology = errors.New("no online CPU has a topology directory: cores and packages are unknown")

func union(masks ...cpumask.Mask) cpumask.Mask {
	var all cpumask.Mask
	for _, m := range masks {
		all = all.Grow(m.Last() + 1)
		all.Or(m)
	}
	return all
}
