package machine

import (
	"strings"
	"testing"
)

// TestWithBoot: parameters take the place of the machine's own, and those that
// limit CPUs leave the highest ones offline, whose siblings then stand alone.
func TestWithBoot(t *testing.T) {
	for _, c := range []struct{ machine, cmdline, online, isolated, nohz string }{
		{"x6-2", "", "0-87", "", ""},
		{"x6-2", "isolcpus=2-3,N nohz_full=4-7", "0-87", "2-3,87", "4-7"},
		{"x6-2", "isolcpus=domain,managed_irq,1", "0-87", "1", ""},
		{"x6-2", "maxcpus=46", "0-45", "", ""},
		{"x6-2", "nr_cpus=4 isolcpus=1-100", "0-3", "1-87", ""},
		{"x6-2", "nosmt", "0-43", "", ""},
		{"x6-2", "nosmt=force maxcpus=3", "0-2", "", ""},
		{"x6-2", "maxcpus=0", "0", "", ""},
		{"x6-2", "nosmp quiet -- maxcpus=5", "0", "", ""},
	} {
		m, err := Load(c.machine)
		if err != nil {
			t.Fatal(err)
		}
		before := m.Online.String()
		got, err := m.WithBoot(c.cmdline)
		if err != nil {
			t.Errorf("%q: %v", c.cmdline, err)
			continue
		}
		if got.Online.String() != c.online || got.Boot.Isolated.String() != c.isolated || got.Boot.NohzFull.String() != c.nohz {
			t.Errorf("%q: online %s, isolated %s, nohz_full %s; want %s, %s, %s", c.cmdline, got.Online, got.Boot.Isolated, got.Boot.NohzFull, c.online, c.isolated, c.nohz)
		}
		n := got.Summary()
		if h := got.Hardware; h.CPUs != n.Online || h.Cores != n.Cores || h.L1d != n.Cores || h.L3 != n.LLCs || h.Packages != n.Packages {
			t.Errorf("%q: %+v of %s", c.cmdline, h, n)
		}
		if m.Online.String() != before {
			t.Fatalf("%q changed the machine it was asked of", c.cmdline)
		}
	}
	m, _ := Load("x6-2")
	for cmdline, want := range map[string]string{
		"maxcpus=x": "maxcpus=x", "nosmt=off": "nosmt", "isolcpus=5-3": "isolcpus", "isolcpus=nohz,1 nohz_full=2": "differs",
	} {
		if _, err := m.WithBoot(cmdline); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", cmdline, err, want)
		}
	}
}
