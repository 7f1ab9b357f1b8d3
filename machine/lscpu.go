package machine

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// lscpuTable is what lscpu says of each CPU, by the names of its columns in
// lower case: "cpu", "core", "socket", "node", "l2", "online", "maxmhz".
type lscpuTable struct {
	columns map[string]bool
	rows    []lscpuRow
}

type lscpuRow struct {
	line   int
	values map[string]string
}

// maxLscpuColumns bounds the columns of a table.
const maxLscpuColumns = 64

// row adds a line whose values stand in the order of the columns. One such as
// "l1d:l1i:l2:l3" is four, whose values are joined likewise, or "-" for all.
func (t *lscpuTable) row(line int, columns, values []string) error {
	if len(values) > len(columns) {
		return fmt.Errorf("line %d: %d values for %d columns", line, len(values), len(columns))
	}
	r := lscpuRow{line, map[string]string{}}
	for i, value := range values {
		names := strings.Split(columns[i], ":")
		if len(names) == 1 {
			r.values[names[0]] = value
			continue
		}
		parts := strings.Split(value, ":")
		if len(parts) != 1 && len(parts) != len(names) {
			return fmt.Errorf("line %d: %q is not a value of %s", line, clip(value), columns[i])
		}
		for j, name := range names {
			r.values[name] = parts[min(j, len(parts)-1)]
		}
	}
	t.rows = append(t.rows, r)
	return nil
}

// number is the value of a column; -1 where there is none: lscpu prints "-" or
// nothing for what it does not know.
func (r *lscpuRow) number(column string) (int, error) {
	s := r.values[column]
	if s == "" || s == "-" {
		return -1, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < -1 || n > 1<<30 {
		return 0, fmt.Errorf("line %d: %s %q is not a number", r.line, column, clip(s))
	}
	return n, nil
}

// online is what the row says of itself; a CPU is online unless it says no.
func (r *lscpuRow) online() bool {
	switch strings.ToLower(r.values["online"]) {
	case "n", "no", "false", "0":
		return false
	}
	return true
}

// machine makes the machine of a table.
func (t *lscpuTable) machine(name, arch string) (*Machine, error) {
	if !t.columns["cpu"] {
		return nil, errors.New("lscpu: no column CPU")
	}
	p := parts{arch: arch}
	nodes := map[int]bool{}
	for i := range t.rows {
		c, err := t.rows[i].part()
		if err != nil {
			return nil, fmt.Errorf("lscpu: %w", err)
		}
		p.cpus = append(p.cpus, c)
		if c.node >= 0 && !nodes[c.node] {
			nodes[c.node] = true
			p.nodes = append(p.nodes, nodePart{id: c.node})
		}
	}
	if !t.columns["core"] {
		return nil, errors.New("lscpu: no column CORE: cores are unknown")
	}
	t.caches(&p)
	m, err := p.assemble(name)
	if err != nil {
		return nil, fmt.Errorf("lscpu: %w", err)
	}
	t.count(m, &p)
	t.warnOfCores(m, &p)
	m.Sources = append(m.Sources, "topology: a table of lscpu")
	m.warnf("lscpu tells neither distances nor idle states nor boot parameters: %d and %d are taken, and no CPU as isolated", localDistance, remoteDistance)
	if len(nodes) == 0 {
		m.warnf("lscpu names no node: one is taken")
	}
	return m.finish()
}

// warnOfCores says where threads of what lscpu calls one core have L1 caches of
// their own, which makes them cores.
func (t *lscpuTable) warnOfCores(m *Machine, p *parts) {
	type key struct{ pkg, core int }
	first := map[key]*part{}
	for i := range p.cpus {
		c := &p.cpus[i]
		k := key{m.CPUs[c.id].Package, c.core}
		switch f := first[k]; {
		case c.core < 0 || !c.online:
		case f == nil:
			first[k] = c
		case f.private != c.private:
			m.warnf("CPUs %d and %d have equal ids of cores and L1 caches of their own: taken as two cores", f.id, c.id)
			return
		}
	}
}

func (r *lscpuRow) part() (part, error) {
	id, err := r.number("cpu")
	if err != nil {
		return part{}, err
	}
	if id < 0 {
		return part{}, fmt.Errorf("line %d: no CPU number", r.line)
	}
	p := unknownPart(id)
	p.online = r.online()
	for column, to := range map[string]*int{
		"core": &p.core, "cluster": &p.cluster, "socket": &p.pkg, "node": &p.node, "l1d": &p.private, "l2": &p.die, "l3": &p.llc,
	} {
		if *to, err = r.number(column); err != nil {
			return part{}, err
		}
	}
	return p, nil
}

// caches tells the LLC, and on x86 what shares an L2, from the ids of caches.
func (t *lscpuTable) caches(p *parts) {
	hasL3 := false
	for i := range p.cpus {
		hasL3 = hasL3 || p.cpus[i].llc >= 0
	}
	x86 := p.arch == "" || isX86(p.arch)
	for i := range p.cpus {
		c := &p.cpus[i]
		l2 := c.die // read there for the time being: lscpu has no dies
		c.die = -1
		if !hasL3 {
			c.llc = l2
		}
		if x86 && !t.columns["cluster"] {
			c.cluster = l2
		}
	}
}

// count counts the caches by their ids and the rest by what was assembled.
func (t *lscpuTable) count(m *Machine, p *parts) {
	n := m.Summary()
	m.Hardware = Hardware{Packages: n.Packages, Nodes: n.Nodes, Cores: n.Cores, CPUs: n.Online}
	h := &m.Hardware
	for column, counter := range map[string]*int{"l1d": &h.L1d, "l1i": &h.L1i, "l2": &h.L2, "l3": &h.L3, "l4": &h.L4} {
		seen := map[string]bool{}
		for _, r := range t.rows {
			if v := r.values[column]; v != "" && v != "-" && r.online() {
				seen[v] = true
			}
		}
		*counter = len(seen)
	}
}
