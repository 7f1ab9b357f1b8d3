package machine

import (
	"fmt"
	"strings"
)

// defaultFamily holds the costs of machines that nothing else is known of.
const defaultFamily = "cascadelake"

// applyFamily sets costs and idle states from a cost family.
func (m *Machine) applyFamily(name string) error {
	x86 := m.X86
	c, err := (&preset{Extends: name}).family(m.Name)
	if err != nil {
		return err
	}
	m.Sources = append(m.Sources, fmt.Sprintf("costs: family %s, a default: nothing of this machine itself was measured", name))
	err = c.apply(m)
	m.X86 = x86
	return err
}

// readVendor finds out whether x86 rules apply. Only x86 and s390 name a vendor_id
// in /proc/cpuinfo.
func (r *reader) readVendor() error {
	data, err := r.head("proc/cpuinfo", 64<<10)
	if err != nil {
		return err
	}
	if data == nil {
		r.m.X86 = true
		r.warnf("no proc/cpuinfo: taken to be an x86 machine")
		return nil
	}
	for line := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(line, ":")
		if strings.TrimSpace(key) == "vendor_id" {
			r.m.X86 = !strings.HasPrefix(strings.TrimSpace(value), "IBM/")
			return nil
		}
	}
	return nil
}

func (r *reader) readCosts() error { return r.m.applyFamily(defaultFamily) }
