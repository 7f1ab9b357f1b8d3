package report

import (
	"encoding/json"
	"io"
	"strconv"

	"schedlab/machine"
)

type machineDoc struct {
	Machine string            `json:"machine"`
	Summary string            `json:"summary"`
	Counts  countsDoc         `json:"counts"`
	CPUs    []cpuDoc          `json:"cpus"`
	Nodes   []nodeDoc         `json:"nodes"`
	Idle    []idleDoc         `json:"idle"`
	Costs   costsDoc          `json:"costs"`
	Boot    map[string]string `json:"boot"`   // CPU lists by parameter
	Kernel  *kernelDoc        `json:"kernel"` // null when unknown
	Sources []string          `json:"sources"`
}

type cpuDoc struct {
	CPU      int  `json:"cpu"`
	Online   bool `json:"online"`
	Core     int  `json:"core"`
	Cluster  int  `json:"cluster"`
	LLC      int  `json:"llc"`
	Package  int  `json:"package"`
	Die      int  `json:"die"`
	Node     int  `json:"node"`
	Capacity int  `json:"capacity"`
}

type nodeDoc struct {
	Node     int    `json:"node"`
	CPUs     string `json:"cpus"`
	Distance []int  `json:"distance"`
}

type idleDoc struct {
	Name      string `json:"name"`
	Latency   int64  `json:"latency_ns"`
	Residency int64  `json:"residency_ns"`
	Polling   bool   `json:"polling"`
	Halt      bool   `json:"halt"`
}

type kernelDoc struct {
	Release  string           `json:"release"`
	HZ       int              `json:"hz"`
	Preempt  string           `json:"preempt"`
	Features map[string]bool  `json:"features"`
	Tunables map[string]int64 `json:"tunables"`
}

// costsDoc is an object in the order of the list.
type costsDoc []cost

func (c costsDoc) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, x := range c {
		if i > 0 {
			out = append(out, ',')
		}
		key, err := json.Marshal(x.name)
		if err != nil {
			return nil, err
		}
		out = strconv.AppendInt(append(append(out, key...), ':'), x.value, 10)
	}
	return append(out, '}'), nil
}

func newMachineDoc(m *machine.Machine) machineDoc {
	d := machineDoc{
		Machine: m.Name, Summary: m.Summary().String(), Counts: newCountsDoc(m),
		CPUs: []cpuDoc{}, Nodes: []nodeDoc{}, Idle: []idleDoc{}, Costs: costs(&m.Costs),
		Boot:    map[string]string{},
		Sources: append([]string{}, m.Sources...),
	}
	for _, b := range bootMasks(&m.Boot) {
		d.Boot[b.name] = b.cpus.String()
	}
	for _, c := range m.CPUs {
		if c.Possible {
			d.CPUs = append(d.CPUs, cpuDoc{c.ID, c.Online, c.Core, c.Cluster, c.LLC, c.Package, c.Die, c.Node, c.Capacity})
		}
	}
	for _, n := range m.Nodes {
		if n.Exists {
			d.Nodes = append(d.Nodes, nodeDoc{n.ID, n.CPUs.String(), append([]int{}, n.Distance...)})
		}
	}
	for _, s := range m.Idle {
		d.Idle = append(d.Idle, idleDoc{s.Name, s.Latency, s.Residency, s.Polling, s.Halt})
	}
	if k := m.Kernel; k != nil {
		d.Kernel = &kernelDoc{k.Release, k.HZ, k.Preempt, k.Features, k.Tunables}
	}
	return d
}

// machineCSV has a row per possible CPU.
func machineCSV(w io.Writer, m *machine.Machine) error {
	header := []string{"machine", "cpu", "online", "core", "cluster", "llc", "package", "die", "node", "capacity"}
	var rows [][]string
	for _, c := range newMachineDoc(m).CPUs {
		row := []string{m.Name, strconv.Itoa(c.CPU), strconv.FormatBool(c.Online)}
		for _, n := range []int{c.Core, c.Cluster, c.LLC, c.Package, c.Die, c.Node, c.Capacity} {
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, row)
	}
	return writeCSV(w, header, rows)
}

// countsDoc is what a machine is made of, offline CPUs left aside
// ([machine.Hardware]); llcs are those that scheduling knows.
type countsDoc struct {
	Packages        int `json:"packages"`
	Nodes           int `json:"nodes"`
	MemoryOnlyNodes int `json:"memory_only_nodes"`
	L1d             int `json:"l1d"`
	L1i             int `json:"l1i"`
	L2              int `json:"l2"`
	L3              int `json:"l3"`
	L4              int `json:"l4"`
	LLCs            int `json:"llcs"`
	Cores           int `json:"cores"`
	CPUs            int `json:"cpus"`
}

func newCountsDoc(m *machine.Machine) countsDoc {
	h := &m.Hardware
	return countsDoc{h.Packages, h.Nodes, h.MemoryOnlyNodes, h.L1d, h.L1i, h.L2, h.L3, h.L4, m.Summary().LLCs, h.Cores, h.CPUs}
}
