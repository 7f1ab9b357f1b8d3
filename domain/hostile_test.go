package domain

import (
	"testing"

	"pgregory.net/rapid"

	"schedlab/cpumask"
	"schedlab/machine"
)

// Machines that make no sense get an error or domains, never a panic.
func TestNonsenseMachines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &machine.Machine{
			Name:  "nonsense",
			X86:   rapid.Bool().Draw(t, "x86"),
			CPUs:  make([]machine.CPU, rapid.IntRange(1, 9).Draw(t, "CPUs")),
			Nodes: make([]machine.Node, rapid.IntRange(1, 4).Draw(t, "nodes")),
		}
		id := rapid.IntRange(-1, rapid.IntRange(0, 9).Draw(t, "ids"))
		for c := range m.CPUs {
			m.CPUs[c] = machine.CPU{
				Core: id.Draw(t, "core"), Cluster: id.Draw(t, "cluster"), LLC: id.Draw(t, "LLC"),
				Package: id.Draw(t, "package"), Capacity: id.Draw(t, "capacity"),
				Node: rapid.IntRange(0, len(m.Nodes)-1).Draw(t, "node"),
			}
		}
		m.Online = cpumask.Of(rapid.SliceOf(rapid.IntRange(0, len(m.CPUs)-1)).Draw(t, "online")...)
		for n := range m.Nodes {
			row := rapid.SliceOfN(rapid.SampledFrom([]int{10, 11, 20, 30, 31, 300}), len(m.Nodes), len(m.Nodes))
			m.Nodes[n] = machine.Node{Exists: rapid.IntRange(0, 9).Draw(t, "exists") > 0, Distance: row.Draw(t, "distances")}
		}
		for _, r := range allRules {
			d, err := Build(m, r)
			if err != nil {
				continue
			}
			for cpu, c := range d.CPUs {
				for _, l := range c.Levels {
					if !l.Groups[l.First].Span.Test(cpu) {
						t.Fatalf("CPU %d is not in its group %s", cpu, l.Groups[l.First].Span)
					}
				}
			}
		}
	})
}
