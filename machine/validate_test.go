package machine

import "testing"

// TestValidate breaks a good machine in one place at a time.
func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(m *Machine)
		want   string
	}{
		{"none online", func(m *Machine) { m.Online.Zero() }, "no CPU that is online"},
		{"online beyond the ids", func(m *Machine) { m.Online = m.Online.Grow(500); m.Online.Set(400) }, "online CPU 400"},
		{"id", func(m *Machine) { m.CPUs[3].ID = 4 }, "CPU 3: id 4"},
		{"online but not possible", func(m *Machine) { m.CPUs[3].Possible = false }, "CPU 3"},
		{"core is not the lowest id", func(m *Machine) { m.CPUs[1].Core = 11 }, "core 11 is not the lowest"},
		{"core of another core", func(m *Machine) { m.CPUs[12].Core = 10 }, "core 10 is not the lowest"},
		{"negative LLC", func(m *Machine) { m.CPUs[1].LLC = -1 }, "LLC -1"},
		{"threads in two LLCs", func(m *Machine) { m.CPUs[10].LLC = 10 }, "CPU 10: is not in the LLC"},
		{"capacity", func(m *Machine) { m.CPUs[2].Capacity = 0 }, "CPU 2: capacity 0"},
		{"no such node", func(m *Machine) { m.CPUs[2].Node = 1 }, "CPU 2: node 1"},
		{"node without the CPU", func(m *Machine) { m.Nodes[0].CPUs.Clear(5) }, "CPU 5: node 0"},
		{"node that does not exist", func(m *Machine) { m.Nodes[0].Exists = false }, "node 0"},
		{"distances", func(m *Machine) { m.Nodes[0].Distance = nil }, "node 0: 0 distances for 1 nodes"},
		{"distance", func(m *Machine) { m.Nodes[0].Distance[0] = 0 }, "node 0: distance 0 to node 0"},
		{"no idle state", func(m *Machine) { m.Idle = nil }, "no idle state"},
		{"idle states out of order", func(m *Machine) { m.Idle[1].Latency = 0 }, "idle state 1"},
		{"cost", func(m *Machine) { m.Costs.IPI = -1 }, "cost ipi = -1"},
		{"SMT speed", func(m *Machine) { m.Costs.SMTSpeed = 1001 }, "cost smt_speed = 1001"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Load("e5-2630v4-1s")
			if err != nil {
				t.Fatal(err)
			}
			c.damage(m)
			wantError(t, m.Validate(), "machine e5-2630v4-1s: ", c.want)
		})
	}
}

func TestDistNames(t *testing.T) {
	for d := range Dist(NumDists) {
		if d.String() == "" || d.String() == "invalid" {
			t.Errorf("distance %d has no name", d)
		}
	}
	if s := Dist(NumDists).String(); s != "invalid" {
		t.Errorf("%q", s)
	}
}
