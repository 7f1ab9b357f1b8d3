package machine

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"schedlab/cpumask"
)

// presetParts is any machine, as lists of what CPUs share. What is not said of a
// CPU it shares with none: a CPU in no list of cores is a core of its own.
type presetParts struct {
	Possible   string           `yaml:"possible,omitempty"` // CPU list; the online ones if absent
	Online     string           `yaml:"online"`
	Packages   []string         `yaml:"packages,omitempty"` // a CPU list each
	Dies       []string         `yaml:"dies,omitempty"`     // absent: the packages
	LLCs       []string         `yaml:"llcs,omitempty"`
	Clusters   []string         `yaml:"clusters,omitempty"` // absent: the cores
	Cores      []string         `yaml:"cores,omitempty"`
	Nodes      []presetNode     `yaml:"nodes,omitempty"`
	Capacities []presetCapacity `yaml:"capacities,omitempty"` // absent: 1024
	Counts     map[string]int   `yaml:"counts,omitempty"`     // as Hardware has them
	Source     string           `yaml:"source"`
}

type presetNode struct {
	ID        int    `yaml:"id"`
	CPUs      string `yaml:"cpus,omitempty"`
	Distances []int  `yaml:"distances,flow,omitempty"` // to the nodes in their order here
}

type presetCapacity struct {
	Capacity int    `yaml:"capacity"`
	CPUs     string `yaml:"cpus"`
}

// presetKernel is what is known of the kernel of a machine.
type presetKernel struct {
	Release  string           `yaml:"release,omitempty"`
	HZ       int              `yaml:"hz,omitempty"`
	Preempt  string           `yaml:"preempt,omitempty"`
	Dynamic  bool             `yaml:"dynamic,omitempty"`
	Features map[string]bool  `yaml:"features,omitempty"`
	Tunables map[string]int64 `yaml:"tunables,omitempty"`
}

func (k *presetKernel) config() *KernelConfig {
	if k == nil {
		return nil
	}
	c := &KernelConfig{Release: k.Release, HZ: k.HZ, Preempt: k.Preempt, Dynamic: k.Dynamic, Features: map[string]bool{}, Tunables: map[string]int64{}}
	for name, v := range k.Features {
		c.Features[name] = v
	}
	for name, v := range k.Tunables {
		c.Tunables[name] = v
	}
	return c
}

// maxYAML bounds a file in the form of the presets.
const maxYAML = 16 << 20

// readYAML reads a machine in the form of the presets.
func readYAML(r io.Reader, name string) (*Machine, error) {
	data, err := readBounded(r, maxYAML)
	if err != nil {
		return nil, err
	}
	p, err := decodePreset(data)
	if err != nil {
		return nil, fmt.Errorf("YAML: %w", err)
	}
	m, err := p.build(name)
	if err != nil {
		return nil, fmt.Errorf("YAML: %w", err)
	}
	return m, nil
}

// build makes the machine.
func (p *presetParts) build(name string) (*Machine, error) {
	online, err := parseCPUs("online", p.Online)
	if err != nil {
		return nil, err
	}
	possible := online
	if p.Possible != "" {
		if possible, err = parseCPUs("possible", p.Possible); err != nil {
			return nil, err
		}
		possible = union(possible, online)
	}
	cpus := make([]part, possible.Last()+1)
	for c := range possible.All() {
		cpus[c] = unknownPart(c)
		cpus[c].online = online.Test(c)
	}
	if err := p.fill(cpus, possible); err != nil {
		return nil, err
	}
	a := parts{}
	for c := range possible.All() {
		a.cpus = append(a.cpus, cpus[c])
	}
	for _, n := range p.Nodes {
		if len(n.Distances) > 0 && len(n.Distances) != len(p.Nodes) {
			return nil, fmt.Errorf("node %d: %d distances for %d nodes", n.ID, len(n.Distances), len(p.Nodes))
		}
		a.nodes = append(a.nodes, nodePart{n.ID, n.Distances})
	}
	m, err := a.assemble(name)
	if err != nil {
		return nil, err
	}
	m.Sources = append(m.Sources, "parts: "+p.Source)
	m.countRegular()
	return m, m.Hardware.set(p.Counts)
}

// fill puts the numbers of lists into the CPUs that they name.
func (p *presetParts) fill(cpus []part, possible cpumask.Mask) error {
	number := func(what string, lists []string, set func(c *part, n int)) error {
		for n, list := range lists {
			m, err := parseCPUs(what, list)
			if err != nil {
				return err
			}
			for c := range m.All() {
				if possible.Test(c) {
					set(&cpus[c], n)
				}
			}
		}
		return nil
	}
	for _, x := range []struct {
		what  string
		lists []string
		set   func(c *part, n int)
	}{
		{"packages", p.Packages, func(c *part, n int) { c.pkg = n }},
		{"dies", p.Dies, func(c *part, n int) { c.die = n }},
		{"llcs", p.LLCs, func(c *part, n int) { c.llc = n }},
		{"clusters", p.Clusters, func(c *part, n int) { c.cluster = n }},
		{"cores", p.Cores, func(c *part, n int) { c.core = n }},
	} {
		if err := number(x.what, x.lists, x.set); err != nil {
			return err
		}
	}
	for _, x := range p.Nodes {
		if x.CPUs == "" {
			continue
		}
		if err := number(fmt.Sprintf("node %d", x.ID), []string{x.CPUs}, func(c *part, _ int) { c.node = x.ID }); err != nil {
			return err
		}
	}
	for _, x := range p.Capacities {
		if x.Capacity < 1 || x.Capacity > maxCapacity {
			return fmt.Errorf("capacity %d is not within 1..%d", x.Capacity, maxCapacity)
		}
		if err := number("capacities", []string{x.CPUs}, func(c *part, _ int) { c.capacity = x.Capacity }); err != nil {
			return err
		}
	}
	return nil
}

func parseCPUs(what, list string) (cpumask.Mask, error) {
	m, err := cpumask.ParseList(list)
	if err == nil && m.Empty() {
		err = errors.New("the list is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return m, nil
}

// fields are the counts by the names that files and JSON use.
func (h *Hardware) fields() map[string]*int {
	return map[string]*int{
		"packages": &h.Packages, "nodes": &h.Nodes, "memory_only_nodes": &h.MemoryOnlyNodes,
		"l1d": &h.L1d, "l1i": &h.L1i, "l2": &h.L2, "l3": &h.L3, "l4": &h.L4, "cores": &h.Cores, "cpus": &h.CPUs,
	}
}

func (h *Hardware) set(counts map[string]int) error {
	fields := h.fields()
	for name, n := range counts {
		f := fields[name]
		if f == nil || n < 0 {
			return fmt.Errorf("counts: %s: %d", clip(name), n)
		}
		*f = n
	}
	return nil
}

// WriteYAML writes a machine in the form of the presets: [Load] makes the same
// machine of it.
func (m *Machine) WriteYAML(w io.Writer) error {
	p := preset{
		Summary: m.Summary().String(), X86: &m.X86, Parts: m.parts(),
		Boot: m.Boot.String(), Kernel: newPresetKernel(m.Kernel), Costs: m.constants(),
	}
	for _, s := range m.Idle {
		p.Idle = append(p.Idle, presetIdle{s.Name, time.Duration(s.Latency), time.Duration(s.Residency), s.Polling, s.Halt, m.sourceOf("idle "+s.Name, "as "+m.Name+" has it")})
	}
	data, err := yaml.Marshal(p)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

func newPresetKernel(k *KernelConfig) *presetKernel {
	if k == nil {
		return nil
	}
	return &presetKernel{k.Release, k.HZ, k.Preempt, k.Dynamic, k.Features, k.Tunables}
}

// parts are the machine's lists.
func (m *Machine) parts() *presetParts {
	p := &presetParts{
		Online: m.Online.String(), Source: m.sourceOf("parts", "schedlab machine convert "+m.Name),
		Packages: m.lists(func(c *CPU) int { return c.Package }), LLCs: m.lists(func(c *CPU) int { return c.LLC }), Cores: m.lists(func(c *CPU) int { return c.Core }),
		Counts: map[string]int{},
	}
	if possible := m.possible(); possible.Weight() > m.Online.Weight() {
		p.Possible = possible.String()
	}
	if dies := m.lists(func(c *CPU) int { return c.Die }); !slices.Equal(dies, p.Packages) {
		p.Dies = dies
	}
	if clusters := m.lists(func(c *CPU) int { return c.Cluster }); !slices.Equal(clusters, p.Cores) {
		p.Clusters = clusters
	}
	for id := range m.Nodes {
		if m.Nodes[id].Exists {
			p.Nodes = append(p.Nodes, m.presetNode(id))
		}
	}
	p.Capacities = m.presetCapacities()
	for name, n := range m.Hardware.fields() {
		p.Counts[name] = *n
	}
	return p
}

// lists are the online CPUs by what they share, in order of the lowest.
func (m *Machine) lists(of func(*CPU) int) []string {
	g := groupBy(m.Online, func(c int) (int, bool) { return of(&m.CPUs[c]), true })
	out := make([]string, len(g.members))
	for i, cpus := range g.members {
		out[i] = cpumask.Of(cpus...).String()
	}
	return out
}

// presetNode has offline CPUs too: where they would be is known.
func (m *Machine) presetNode(id int) presetNode {
	n := presetNode{ID: id}
	cpus := cpumask.New(len(m.CPUs))
	for c := range m.possible().All() {
		if m.CPUs[c].Node == id {
			cpus.Set(c)
		}
	}
	if !cpus.Empty() {
		n.CPUs = cpus.String()
	}
	for to := range m.Nodes {
		if m.Nodes[to].Exists {
			n.Distances = append(n.Distances, m.Nodes[id].Distance[to])
		}
	}
	return n
}

func (m *Machine) presetCapacities() []presetCapacity {
	g := groupBy(m.possible(), func(c int) (int, bool) { return m.CPUs[c].Capacity, m.CPUs[c].Capacity != maxCapacity })
	var out []presetCapacity
	for _, cpus := range g.members {
		out = append(out, presetCapacity{m.CPUs[cpus[0]].Capacity, cpumask.Of(cpus...).String()})
	}
	return out
}

// constants are the costs with the kinds and sources that the machine's lines name.
func (m *Machine) constants() map[string]constant {
	out := map[string]constant{}
	for _, f := range costFields {
		c := constant{Value: *f.at(&m.Costs), Kind: "M", Source: "as " + m.Name + " has it"}
		prefix := fmt.Sprintf("%s = %d %s: [", f.name, c.Value, f.unit)
		for _, line := range m.Sources {
			if rest, ok := strings.CutPrefix(line, prefix); ok && len(rest) > 3 && rest[1:3] == "] " {
				c.Kind, c.Source = rest[:1], rest[3:]
			}
		}
		out[f.name] = c
	}
	return out
}

// sourceOf is what stands behind the first colon of the line that begins so.
func (m *Machine) sourceOf(what, otherwise string) string {
	for _, line := range m.Sources {
		if strings.HasPrefix(line, what+" ") || strings.HasPrefix(line, what+":") {
			if _, source, ok := strings.Cut(line, ": "); ok && source != "" {
				return source
			}
		}
	}
	return otherwise
}

// String is the boot parameters as a kernel command line; ParseBoot reads it.
func (b Boot) String() string {
	var out []string
	add := func(key string, m cpumask.Mask) {
		if !m.Empty() {
			out = append(out, key+m.String())
		}
	}
	add("isolcpus=domain,", b.Isolated)
	add("nohz_full=", b.NohzFull)
	add("isolcpus=nohz,", b.NohzTick)
	add("isolcpus=managed_irq,", b.ManagedIRQ)
	return strings.Join(out, " ")
}
