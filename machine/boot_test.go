package machine

import (
	"testing"

	"schedlab/cpumask"
)

func TestParseBoot(t *testing.T) {
	for _, c := range []struct{ cmdline, isolated, full, tick, irq string }{
		{"", "", "", "", ""},
		{"quiet root=/dev/sda isolcpus=2-3,6", "2-3,6", "", "", ""},
		{"isolcpus=domain,2-3", "2-3", "", "", ""},
		{"isolcpus=nohz,2-3", "", "", "2-3", ""},
		{"isolcpus=nohz,domain,managed_irq,2-3", "2-3", "", "2-3", "2-3"},
		{"isolcpus=managed_irq,1", "", "", "", "1"},
		{"nohz_full=1-7", "", "1-7", "", ""},
		{"nohz-full=1-7", "", "1-7", "", ""},
		{"nohz_full=1-7 isolcpus=1-3", "1-3", "1-7", "", ""},
		{"nohz_full=all", "", "1-7", "", ""}, // CPU 0 is forced in to do the housekeeping
		{"nohz_full=2-N", "", "2-7", "", ""},
		{"isolcpus=0-7:1/2", "0,2,4,6", "", "", ""},
		{"isolcpus=all:2/4", "0-1,4-5", "", "", ""},
		{"isolcpus=6-99", "6-7", "", "", ""},
		{"isolcpus=2-3 isolcpus=2,3", "2-3", "", "", ""},
		{"nohz_full=2-3 isolcpus=nohz,2-3", "", "2-3", "2-3", ""},
		{`dyndbg="file x isolcpus=1" isolcpus="2"`, "2", "", "", ""},
		{"isolcpus=2 -- isolcpus=3", "2", "", "", ""},
		{"xisolcpus=2 isolcpusx=3", "", "", "", ""},
	} {
		b, err := ParseBoot(c.cmdline, cpumask.Full(8))
		if err != nil {
			t.Errorf("%s: %v", c.cmdline, err)
			continue
		}
		if b.Isolated.String() != c.isolated || b.NohzFull.String() != c.full || b.NohzTick.String() != c.tick || b.ManagedIRQ.String() != c.irq {
			t.Errorf("%s: isolated %s, nohz_full %s, tick %s, irq %s", c.cmdline, b.Isolated, b.NohzFull, b.NohzTick, b.ManagedIRQ)
		}
	}
}

func TestBadBoot(t *testing.T) {
	for _, c := range []struct{ cmdline, want string }{
		{"isolcpus=", "no CPU in the list"},
		{"isolcpus", "no CPU in the list"},
		{"isolcpus=domain", "no CPU in the list"},
		{"isolcpus=domian,2", `unknown flag "domian" (domain, nohz, managed_irq)`},
		{"nohz_full=3-1", "runs backwards"},
		{"nohz_full=1,x", `"x"`},
		{"isolcpus=1 isolcpus=2", "differs from an earlier list"},
		{"nohz_full=1 isolcpus=nohz,2", "differs from an earlier list"},
		{"nohz_full=99999999999", "beyond the limit"},
	} {
		_, err := ParseBoot(c.cmdline, cpumask.Full(8))
		wantError(t, err, "boot parameter ", c.want)
	}
}

func TestBootOfSnapshot(t *testing.T) {
	for _, c := range []struct {
		name                 string
		files                []string
		isolated, full, tick string
		warnings             int
	}{
		{"command line alone", []string{"proc/cmdline", "isolcpus=1 nohz_full=2-3\n"}, "1", "2-3", "", 0},
		{"sysfs stands above it", []string{"proc/cmdline", "isolcpus=1", "cpu/isolated", "2\n", "cpu/nohz_full", "3\n"}, "2", "3", "", 0},
		{"null", []string{"cpu/nohz_full", "  (null)\n", "cpu/isolated", "\n"}, "", "", "", 0},
		{"sysfs mixes both kinds of nohz", []string{"proc/cmdline", "isolcpus=nohz,2-3", "cpu/nohz_full", "2-3\n"}, "", "", "2-3", 0},
		{"unreadable command line", []string{"proc/cmdline", "isolcpus=z"}, "", "", "", 1},
		{"ids beyond the machine", []string{"cpu/isolated", "2-900"}, "2-3", "", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := mustRead(t, smt4(c.files...))
			b := m.Boot
			if b.Isolated.String() != c.isolated || b.NohzFull.String() != c.full || b.NohzTick.String() != c.tick || len(m.Warnings) != c.warnings {
				t.Errorf("isolated %s, nohz_full %s, tick %s, warnings %q", b.Isolated, b.NohzFull, b.NohzTick, m.Warnings)
			}
		})
	}
}

func FuzzParseBoot(f *testing.F) {
	f.Add("isolcpus=nohz,domain,2-3 nohz_full=all:1/2")
	f.Add(`a="b c" isolcpus=N-N,,`)
	f.Fuzz(func(t *testing.T, cmdline string) {
		possible := cpumask.Full(70)
		b, err := ParseBoot(cmdline, possible)
		if err != nil {
			return
		}
		for _, m := range []cpumask.Mask{b.Isolated, b.NohzFull, b.NohzTick, b.ManagedIRQ} {
			if !m.Subset(possible) || possible.Subset(m) {
				t.Errorf("%q: %s of %s", cmdline, m, possible)
			}
		}
	})
}
