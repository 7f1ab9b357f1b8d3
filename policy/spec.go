package policy

import (
	"fmt"
	"slices"
	"strings"

	"schedlab/machine"
)

// Parse reads VERSION[,key=value...]. A feature may also be given as the kernel
// writes it (NI_RANDOM, NO_NI_RANDOM), a tunable with the prefix that older
// kernels had (sched_migration_cost_ns). Errors are one line and list what exists.
func Parse(spec string) (*Policy, error) {
	name, rest, _ := strings.Cut(spec, ",")
	i := slices.IndexFunc(versions, func(v version) bool { return v.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("policy %q: unknown version %q (there are %s)", spec, name, strings.Join(versionList(), ", "))
	}
	p := versions[i].make()
	p.version, p.typed, p.scaled = &versions[i], map[string]bool{}, map[string]bool{}
	canonical := []string{name}
	for item := range strings.SplitSeq(rest, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		k, value, err := p.lookup(item)
		if err == nil && p.typed[k.Name] {
			err = fmt.Errorf("key %q is given twice", k.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("policy %q: %w", spec, err)
		}
		if err := k.set(&p, value); err != nil {
			return nil, fmt.Errorf("policy %q: %s=%s: %w", spec, k.Name, value, err)
		}
		p.typed[k.Name] = true
		canonical = append(canonical, k.Name+"="+value)
	}
	for _, name := range []string{"SIS_PROP", "SIS_UTIL"} {
		if p.typed["sis"] && p.typed[name] {
			return nil, fmt.Errorf("policy %q: sis sets %s too: give one of both", spec, name)
		}
	}
	p.spec = strings.Join(canonical, ",")
	return &p, nil
}

func versionList() []string {
	var out []string
	for _, v := range versions {
		out = append(out, v.Name)
	}
	return out
}

// lookup finds the key that an item of a policy string sets, and its value.
func (p *Policy) lookup(item string) (*key, string, error) {
	name, value, ok := strings.Cut(item, "=")
	if !ok {
		value = "on"
		if bare, negated := strings.CutPrefix(name, "NO_"); negated {
			name, value = bare, "off"
		}
	}
	name = strings.TrimPrefix(name, "sched_")
	i := slices.IndexFunc(keys, func(k key) bool { return k.Name == name })
	switch {
	case slices.Contains(unmodelled, name):
		return nil, "", fmt.Errorf("the kernel's feature %s is not modelled (docs/model.md says what is)", name)
	case i < 0:
		return nil, "", fmt.Errorf("unknown key %q (%s has %s)", name, p.version.Name, strings.Join(p.keyNames(), ", "))
	case !keys[i].has(p.version.Name):
		return nil, "", fmt.Errorf("%s has no key %q (it is in %s; %s has %s)", p.version.Name, name,
			strings.Join(keys[i].In, ", "), p.version.Name, strings.Join(p.keyNames(), ", "))
	case !ok && keys[i].Values != "on|off":
		return nil, "", fmt.Errorf("key %q needs a value: %s", name, keys[i].Values)
	}
	return &keys[i], value, nil
}

func (p *Policy) keyNames() []string {
	var out []string
	for i := range keys {
		if keys[i].has(p.version.Name) {
			out = append(out, keys[i].Name)
		}
	}
	return out
}

// Setting is one key of a policy with its value.
type Setting struct{ Name, Value, Values, Doc, Ref string }

// Settings lists every key that the policy's version has.
func (p *Policy) Settings() []Setting {
	var out []Setting
	for i := range keys {
		if k := &keys[i]; k.has(p.version.Name) {
			out = append(out, Setting{k.Name, k.get(p), k.Values, k.Doc, k.Ref})
		}
	}
	return out
}

// WithKernel returns the policy with what a machine's own kernel was set to:
// its features, tunables, HZ and preemption replace the preset's, but not what
// the user typed. Names that the version does not have are passed over.
func (p *Policy) WithKernel(kc *machine.KernelConfig) *Policy {
	if kc == nil {
		return p
	}
	q := p.clone()
	q.dynamic = kc.Dynamic && !q.typed["preempt"]
	for i := range keys {
		k := &keys[i]
		if q.typed[k.Name] || !k.has(q.version.Name) {
			continue
		}
		if value := kernelValue(kc, k.Name); value != "" && !(q.typed["sis"] && strings.HasPrefix(k.Name, "SIS_")) {
			// A value that the key refuses cannot come from such a kernel: keep the preset's.
			_ = k.set(q, value)
		}
	}
	return q
}

func kernelValue(kc *machine.KernelConfig, name string) string {
	if on, ok := kc.Features[name]; ok {
		return showOnOff(on)
	}
	if v, ok := kc.Tunables[name]; ok {
		return fmt.Sprint(v)
	}
	switch {
	case name == "hz" && kc.HZ > 0:
		return fmt.Sprint(kc.HZ)
	case name == "preempt":
		return kc.Preempt
	}
	return ""
}

// Difference is a key in which two policies differ; a value is empty where the
// version does not have the key.
type Difference struct{ Name, First, Second, Doc, Ref string }

// Diff lists the keys in which two policies differ.
func Diff(a, b *Policy) []Difference {
	var out []Difference
	for i := range keys {
		k := &keys[i]
		var va, vb string
		if k.has(a.version.Name) {
			va = k.get(a)
		}
		if k.has(b.version.Name) {
			vb = k.get(b)
		}
		if va != vb {
			out = append(out, Difference{k.Name, va, vb, k.Doc, k.Ref})
		}
	}
	return out
}
