package machine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"schedlab/cpumask"
)

const (
	nodeDir = "sys/devices/system/node"

	maxNodes    = 1024 // Linux's MAX_NUMNODES at its largest
	maxDistance = 255  // the firmware's table has bytes

	localDistance  = 10 // what Linux assumes without a table
	remoteDistance = 20
)

// readNodes reads the NUMA nodes; a machine without any has one.
func (r *reader) readNodes() error {
	ids, err := r.numbered(nodeDir, "node")
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		r.oneNode()
		return nil
	}
	if last := ids[len(ids)-1]; last >= maxNodes {
		return fmt.Errorf("%s/node%d: number is beyond the limit of %d nodes", nodeDir, last, maxNodes)
	}
	r.m.Nodes = make([]Node, ids[len(ids)-1]+1)
	for id := range r.m.Nodes {
		r.m.Nodes[id] = Node{ID: id, CPUs: cpumask.New(len(r.m.CPUs)), Distance: make([]int, len(r.m.Nodes))}
	}
	if err := r.readNodeCPUs(ids); err != nil {
		return err
	}
	return r.readDistances(ids)
}

func (r *reader) oneNode() {
	r.m.Nodes = []Node{{Exists: true, CPUs: r.m.Online.Clone(), Distance: []int{localDistance}}}
}

// readNodeCPUs gives every CPU its node. A CPU that several nodes claim stays
// with the lowest, and a node that loses all of its CPUs so is none.
func (r *reader) readNodeCPUs(ids []int) error {
	homeless := r.m.Online.Clone()
	claimed := cpumask.New(len(r.m.CPUs))
	for _, id := range ids {
		m, _, err := r.mask(fmt.Sprintf("%s/node%d", nodeDir, id), "cpulist", "cpumap")
		if err != nil {
			return err
		}
		n := &r.m.Nodes[id]
		n.Exists = true
		for c := range m.All() {
			if c >= len(r.m.CPUs) || claimed.Test(c) {
				continue
			}
			claimed.Set(c)
			homeless.Clear(c)
			r.m.CPUs[c].Node = id
			if r.m.CPUs[c].Online {
				n.CPUs.Set(c)
			}
		}
		if n.CPUs.Empty() && m.Intersects(r.m.Online) {
			n.Exists = false
			r.warnf("node %d: lower nodes have all of its CPUs, so it is left out", id)
		} else if m.WeightAnd(r.m.Online) > n.CPUs.Weight() {
			r.warnf("node %d: lower nodes have some of its CPUs and keep them", id)
		}
	}
	r.house(homeless, ids[0])
	return nil
}

// house puts online CPUs that no node names into the lowest one.
func (r *reader) house(homeless cpumask.Mask, node int) {
	if homeless.Empty() {
		return
	}
	r.warnf("no node has CPUs %s: taken to be in node %d", homeless, node)
	r.m.Nodes[node].CPUs.Or(homeless)
	for c := range homeless.All() {
		r.m.CPUs[c].Node = node
	}
}

// readDistances reads a row for each node; its columns are the online nodes,
// which are those that have a directory.
func (r *reader) readDistances(ids []int) error {
	for _, from := range ids {
		name := fmt.Sprintf("%s/node%d/distance", nodeDir, from)
		row, ok, err := r.distanceRow(name)
		if err != nil {
			return err
		}
		if ok && len(row) != len(ids) {
			r.warnf("%s: %d distances for %d nodes: taken as %d and %d", name, len(row), len(ids), localDistance, remoteDistance)
			ok = false
		}
		for i, to := range ids {
			d := remoteDistance
			switch {
			case ok:
				d = row[i]
			case from == to:
				d = localDistance
			}
			r.m.Nodes[from].Distance[to] = d
		}
	}
	r.forgetAbsent()
	return nil
}

func (r *reader) distanceRow(name string) (row []int, ok bool, err error) {
	s, ok, err := r.text(name)
	if !ok || s == "" {
		return nil, false, err
	}
	for _, field := range strings.Fields(s) {
		d, err := strconv.Atoi(field)
		if err != nil || d < 0 || d > maxDistance {
			return nil, false, fmt.Errorf("%s: %q is not a distance within 0..%d", name, clip(field), maxDistance)
		}
		row = append(row, d)
	}
	if slices.Contains(row, 0) {
		r.warnf("%s: a distance of 0: taken as %d and %d", name, localDistance, remoteDistance)
		return nil, false, nil
	}
	return row, true, nil
}

// forgetAbsent leaves distances to and from nodes that were left out at zero.
func (r *reader) forgetAbsent() {
	for i := range r.m.Nodes {
		for j := range r.m.Nodes {
			if !r.m.Nodes[i].Exists || !r.m.Nodes[j].Exists {
				r.m.Nodes[i].Distance[j] = 0
			}
		}
	}
}
