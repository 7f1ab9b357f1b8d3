package machine

import (
	"fmt"
	"strconv"
	"strings"

	"schedlab/cpumask"
)

// WithBoot is the machine as it would be with another kernel command line in place
// of its own: isolcpus= and nohz_full= as [ParseBoot] reads them, nr_cpus=N, maxcpus=N
// (0 and nosmp: one CPU) and nosmt, which leave CPUs offline that are online now.
// Errors are one line.
func (m *Machine) WithBoot(cmdline string) (*Machine, error) {
	out := *m
	out.CPUs = append([]CPU{}, m.CPUs...)
	out.Nodes = append([]Node{}, m.Nodes...)
	out.Sources = append(append([]string{}, m.Sources...), "boot parameters: as given, "+strconv.Quote(cmdline))
	gone, err := m.leftOffline(cmdline)
	if err != nil {
		return nil, fmt.Errorf("machine %s: %w", m.Name, err)
	}
	out.takeOffline(gone)
	if out.Boot, err = ParseBoot(cmdline, out.possible()); err != nil {
		return nil, fmt.Errorf("machine %s: %w", m.Name, err)
	}
	return &out, out.Validate()
}

// leftOffline are the online CPUs that parameters leave offline. The boot CPU, the
// lowest one, always stays.
func (m *Machine) leftOffline(cmdline string) (cpumask.Mask, error) {
	gone := cpumask.New(len(m.CPUs))
	most := m.Online.Weight()
	for _, param := range splitCmdline(cmdline) {
		key, value, given := strings.Cut(param, "=")
		switch strings.ReplaceAll(key, "-", "_") {
		case "maxcpus", "nr_cpus":
			n, err := strconv.Atoi(value)
			if err != nil || n < 0 {
				return nil, fmt.Errorf("boot parameter %s: not a number", clip(param))
			}
			most = min(most, max(n, 1))
		case "nosmp":
			most = 1
		case "nosmt":
			if given && value != "force" {
				return nil, fmt.Errorf(`boot parameter %s: only "nosmt" and "nosmt=force" exist`, clip(param))
			}
			for c := range m.Online.All() {
				if m.CPUs[c].Core != c {
					gone.Set(c)
				}
			}
		}
	}
	left := 0
	for c := range m.Online.All() {
		if gone.Test(c) {
			continue
		}
		if left++; left > most {
			gone.Set(c)
		}
	}
	return gone, nil
}

// takeOffline takes CPUs offline: they share nothing any more, and the lowest of
// those that stay names what they share. Caches that every core had, or every LLC
// was, are counted by these; of others nothing is known, and the count stays.
func (m *Machine) takeOffline(gone cpumask.Mask) {
	if gone.Empty() {
		return
	}
	before := m.Summary()
	m.Online = m.Online.Clone()
	m.Online.AndNot(gone)
	for _, part := range []func(*CPU) *int{
		func(c *CPU) *int { return &c.Core }, func(c *CPU) *int { return &c.Cluster }, func(c *CPU) *int { return &c.LLC },
		func(c *CPU) *int { return &c.Package }, func(c *CPU) *int { return &c.Die },
	} {
		g := groupBy(m.Online, func(c int) (int, bool) { return *part(&m.CPUs[c]), true })
		for _, cpus := range g.members {
			for _, c := range cpus {
				*part(&m.CPUs[c]) = cpus[0]
			}
		}
		for c := range gone.All() {
			*part(&m.CPUs[c]) = c
		}
	}
	for c := range gone.All() {
		m.CPUs[c].Online = false
	}
	for i := range m.Nodes {
		m.Nodes[i].CPUs = m.Nodes[i].CPUs.Clone()
		m.Nodes[i].CPUs.AndNot(gone)
	}
	m.recount(before)
}

// recount brings the counts up to date after CPUs went offline.
func (m *Machine) recount(before Counts) {
	n, h := m.Summary(), &m.Hardware
	for _, cache := range []*int{&h.L1d, &h.L1i, &h.L2, &h.L3, &h.L4} {
		switch *cache {
		case before.Cores:
			*cache = n.Cores
		case before.LLCs:
			*cache = n.LLCs
		}
	}
	h.Packages, h.Cores, h.CPUs = n.Packages, n.Cores, n.Online
	h.Nodes, h.MemoryOnlyNodes = n.Nodes, n.MemoryOnlyNodes
}
