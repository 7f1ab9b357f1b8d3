package machine

import (
	"embed"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml"

	"schedlab/cpumask"
)

// presetFiles holds a file for each preset, and in costs/ one for each family
// of machines that cost alike.
//
//go:embed presets/*.yaml presets/costs/*.yaml
var presetFiles embed.FS

// PresetInfo describes a machine preset.
type PresetInfo struct {
	Name    string
	Summary string
}

// List returns the presets, by name.
func List() []PresetInfo {
	var all []PresetInfo
	for _, name := range presetNames() {
		p, err := readPreset("presets/" + name + ".yaml")
		if err != nil {
			panic(err) // embedded, and tested
		}
		all = append(all, PresetInfo{name, p.Summary})
	}
	return all
}

var presetNames = sync.OnceValue(func() []string {
	entries, err := presetFiles.ReadDir("presets")
	if err != nil {
		panic(err) // embedded
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".yaml"); ok {
			names = append(names, name)
		}
	}
	return names
})

// preset is the form of a preset's or a cost family's file.
type preset struct {
	Summary string              `yaml:"summary"`
	Extends string              `yaml:"extends,omitempty"` // cost family that fills in what is not said here
	X86     *bool               `yaml:"x86,omitempty"`
	Layout  *layout             `yaml:"layout,omitempty"` // absent in a family
	Parts   *presetParts        `yaml:"parts,omitempty"`  // in place of layout: any machine
	Boot    string              `yaml:"boot,omitempty"`   // kernel command line of the machine
	Kernel  *presetKernel       `yaml:"kernel,omitempty"`
	Idle    []presetIdle        `yaml:"idle,omitempty"` // replaces the family's
	Costs   map[string]constant `yaml:"costs,omitempty"`
}

type presetIdle struct {
	Name      string        `yaml:"name"`
	Latency   time.Duration `yaml:"latency"`
	Residency time.Duration `yaml:"residency"`
	Polling   bool          `yaml:"polling,omitempty"`
	Halt      bool          `yaml:"halt,omitempty"`
	Source    string        `yaml:"source"`
}

// constant is one cost with its source. Kind is the letter of reference
// section I: P published, T kernel table, D derived, M from memory or assumed;
// or F, fitted to the baseline rows that the source names.
type constant struct {
	Value  int64  `yaml:"value"`
	Kind   string `yaml:"kind"`
	Source string `yaml:"source"`
}

// readPreset decodes a file and checks what it says by itself.
func readPreset(file string) (*preset, error) {
	data, err := presetFiles.ReadFile(file)
	if err != nil {
		return nil, err
	}
	p, err := decodePreset(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}

func decodePreset(data []byte) (*preset, error) {
	var p preset
	if err := yaml.UnmarshalWithOptions(data, &p, yaml.Strict()); err != nil {
		return nil, errors.New(firstLine(yaml.FormatError(err, false, false)))
	}
	known := map[string]bool{}
	for _, f := range costFields {
		known[f.name] = true
		c, ok := p.Costs[f.name]
		if !ok {
			continue
		}
		if c.Source == "" || len(c.Kind) != 1 || !strings.Contains("PTDMF", c.Kind) {
			return nil, fmt.Errorf("costs: %s: needs a kind (P, T, D, M or F) and a source", f.name)
		}
	}
	if len(p.Costs) > 0 {
		for name := range p.Costs {
			if !known[name] {
				return nil, fmt.Errorf("costs: unknown cost %q", name)
			}
		}
	}
	for _, s := range p.Idle {
		if s.Name == "" || s.Source == "" {
			return nil, fmt.Errorf("idle: state %q: needs a name and a source", s.Name)
		}
	}
	return &p, nil
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

// loadPreset builds the machine of an embedded preset.
func loadPreset(name string) (*Machine, error) {
	p, err := readPreset("presets/" + name + ".yaml")
	if err != nil {
		return nil, err
	}
	m, err := p.build(name)
	if err != nil {
		return nil, fmt.Errorf("presets/%s.yaml: %w", name, err)
	}
	return m, nil
}

// build makes the machine that the file describes.
func (p *preset) build(name string) (m *Machine, err error) {
	switch {
	case p.Layout != nil && p.Parts != nil:
		return nil, errors.New("both layout and parts")
	case p.Layout != nil:
		m, err = p.Layout.build(name)
	case p.Parts != nil:
		m, err = p.Parts.build(name)
	default:
		return nil, errors.New("neither layout nor parts")
	}
	if err != nil {
		return nil, err
	}
	if p.Layout != nil {
		m.Sources = append(m.Sources, "layout: "+p.Layout.Source)
	}
	if m.Boot, err = ParseBoot(p.Boot, m.possible()); err != nil {
		return nil, fmt.Errorf("boot: %w", err)
	}
	chain, err := p.family(name)
	if err != nil {
		return nil, err
	}
	if err := chain.apply(m); err != nil {
		return nil, err
	}
	m.Kernel = p.Kernel.config()
	return m, m.Validate()
}

// possible are the CPUs that the machine may have.
func (m *Machine) possible() cpumask.Mask {
	p := cpumask.New(len(m.CPUs))
	for id := range m.CPUs {
		if m.CPUs[id].Possible {
			p.Set(id)
		}
	}
	return p
}

// family returns p and the cost families below it, the most basic one last.
type chain []*preset

func (p *preset) family(name string) (chain, error) {
	c := chain{p}
	for p.Extends != "" {
		if len(c) > 8 {
			return nil, fmt.Errorf("preset %s: families extend each other without end", name)
		}
		next, err := readPreset(path.Join("presets/costs", p.Extends+".yaml"))
		if err != nil {
			return nil, fmt.Errorf("preset %s: cost family %q: %w", name, p.Extends, err)
		}
		c, p = append(c, next), next
	}
	return c, nil
}

// apply sets the machine's costs and idle states, each from the first file of
// the chain that has it, and notes the sources.
func (c chain) apply(m *Machine) error {
	for _, f := range costFields {
		k, ok := c.cost(f.name)
		if !ok {
			return fmt.Errorf("machine %s: no cost family sets %s", m.Name, f.name)
		}
		*f.at(&m.Costs) = k.Value
		m.Sources = append(m.Sources, fmt.Sprintf("%s = %d %s: [%s] %s", f.name, k.Value, f.unit, k.Kind, k.Source))
	}
	for _, p := range c {
		if p.X86 != nil {
			m.X86 = *p.X86
			break
		}
	}
	for _, p := range c {
		if len(p.Idle) > 0 {
			m.addIdle(p.Idle)
			return nil
		}
	}
	return fmt.Errorf("machine %s: no cost family has idle states", m.Name)
}

func (c chain) cost(name string) (constant, bool) {
	for _, p := range c {
		if k, ok := p.Costs[name]; ok {
			return k, true
		}
	}
	return constant{}, false
}

func (m *Machine) addIdle(states []presetIdle) {
	for _, s := range states {
		m.Idle = append(m.Idle, IdleState{Name: s.Name, Latency: s.Latency.Nanoseconds(), Residency: s.Residency.Nanoseconds(), Polling: s.Polling, Halt: s.Halt})
		m.Sources = append(m.Sources, fmt.Sprintf("idle %s = %v, residency %v: %s", s.Name, s.Latency, s.Residency, s.Source))
	}
}
