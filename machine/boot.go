package machine

import (
	"fmt"
	"strconv"
	"strings"

	"schedlab/cpumask"
)

// ParseBoot reads the boot parameters isolcpus= and nohz_full= of a kernel
// command line as reference A.10 gives them; others are passed over. A CPU list
// may say "all" and, for the highest CPU, "N". Of two lists for one purpose the
// kernel rejects the second unless both agree; so does this. CPUs that are not
// possible are dropped. Should a parameter leave no CPU to do the housekeeping,
// the lowest possible one (the boot CPU) does it.
func ParseBoot(cmdline string, possible cpumask.Mask) (Boot, error) {
	var b Boot
	p := bootParser{possible: possible, boot: &b, seen: map[string]cpumask.Mask{}}
	for _, param := range splitCmdline(cmdline) {
		key, value, _ := strings.Cut(param, "=")
		var err error
		switch strings.ReplaceAll(key, "-", "_") {
		case "isolcpus":
			err = p.isolcpus(value)
		case "nohz_full":
			err = p.set(&b.NohzFull, "nohz", value)
		}
		if err != nil {
			return Boot{}, fmt.Errorf("boot parameter %s: %w", clip(param), err)
		}
	}
	return b, nil
}

// splitCmdline cuts at blanks outside double quotes, and stops at "--", after
// which words are for init.
func splitCmdline(s string) []string {
	quoted := false
	words := strings.FieldsFunc(s, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return !quoted && (r == ' ' || r == '\t' || r == '\n' || r == 0)
	})
	for i, w := range words {
		if w == "--" {
			return words[:i]
		}
		words[i] = strings.ReplaceAll(w, `"`, "")
	}
	return words
}

type bootParser struct {
	possible cpumask.Mask
	boot     *Boot
	seen     map[string]cpumask.Mask
}

// isolcpus takes flags before the list; without one it isolates from domains.
func (p *bootParser) isolcpus(value string) error {
	flags := map[string]*cpumask.Mask{
		"domain": &p.boot.Isolated, "nohz": &p.boot.NohzTick, "managed_irq": &p.boot.ManagedIRQ,
	}
	names, list := cutFlags(value)
	if names == nil {
		names = []string{"domain"}
	}
	for _, name := range names {
		target := flags[name]
		if target == nil {
			return fmt.Errorf("unknown flag %q (domain, nohz, managed_irq)", clip(name))
		}
		if err := p.set(target, name, list); err != nil {
			return err
		}
	}
	return nil
}

// cutFlags separates the leading words that begin with a letter from a CPU list.
func cutFlags(value string) (flags []string, list string) {
	for {
		word, rest, more := strings.Cut(value, ",")
		if word == "" || word[0] < 'a' || word[0] > 'z' || word == "all" || strings.HasPrefix(word, "all:") {
			return flags, value
		}
		flags = append(flags, word)
		if value = rest; !more {
			return flags, ""
		}
	}
}

// set gives target the list, unless another was given for the same purpose:
// nohz_full=, like isolcpus=nohz, says where the tick may stop.
func (p *bootParser) set(target *cpumask.Mask, purpose, list string) error {
	m, err := p.parse(list)
	if err != nil {
		return err
	}
	if first, ok := p.seen[purpose]; ok && !first.Equal(m) {
		return fmt.Errorf("differs from an earlier list for the same purpose, %s", first)
	}
	p.seen[purpose] = m.Clone()
	if p.possible.Subset(m) {
		m.Clear(p.possible.First())
	}
	*target = m
	return nil
}

func (p *bootParser) parse(list string) (cpumask.Mask, error) {
	last := strconv.Itoa(p.possible.Last())
	items := strings.Split(list, ",")
	for i, item := range items {
		if base, stride, _ := strings.Cut(item, ":"); strings.TrimSpace(base) == "all" {
			items[i] = "0-" + last
			if stride != "" {
				items[i] += ":" + stride
			}
		}
		items[i] = strings.ReplaceAll(items[i], "N", last)
	}
	m, err := cpumask.ParseList(strings.Join(items, ","))
	if err != nil {
		return nil, err
	}
	if m.Empty() {
		return nil, fmt.Errorf("no CPU in the list %q", clip(list))
	}
	m.And(p.possible)
	return m, nil
}

// readBoot reads the boot parameters. What the kernel made of them, which sysfs
// shows, stands above the command line.
func (r *reader) readBoot() error {
	cmdline, _, err := r.text("proc/cmdline")
	if err != nil {
		return err
	}
	possible := r.m.possible()
	boot, err := ParseBoot(cmdline, possible)
	if err != nil {
		r.warnf("proc/cmdline: %v: ignored", err)
	}
	r.m.Boot = boot
	tickOnly := boot.NohzTick.Clone() // the kernel's mask of nohz_full has these too
	tickOnly.AndNot(boot.NohzFull)
	if err := r.inForce("isolated", possible, nil, &r.m.Boot.Isolated); err != nil {
		return err
	}
	return r.inForce("nohz_full", possible, tickOnly, &r.m.Boot.NohzFull)
}

// inForce reads a mask of sysfs, if the kernel has it, without some CPUs.
func (r *reader) inForce(file string, possible, without cpumask.Mask, target *cpumask.Mask) error {
	m, ok, err := r.list(cpuDir + "/" + file)
	if err != nil || !ok {
		return err
	}
	m.And(possible)
	m.AndNot(without)
	*target = m
	return nil
}
