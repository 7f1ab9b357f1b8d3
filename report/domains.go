package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"schedlab/cpumask"
	"schedlab/domain"
	"schedlab/machine"
)

// Domains prints the sched domains of a machine under a kernel's rules. In the
// table CPUs whose domains differ only in their spans are folded.
func (o Out) Domains(m *machine.Machine, d *domain.Domains, r domain.Rules) error {
	return o.print(
		func(w io.Writer) error { return domainsTable(w, m, d, r) },
		func(w io.Writer) error { return writeJSON(w, newDomainsDoc(m, d, r)) },
		func(w io.Writer) error { return domainsCSV(w, d, r) },
		nil,
	)
}

// class is CPUs with domains of the same shape.
type class struct {
	shape string
	cpus  cpumask.Mask
}

// classes folds the possible CPUs by shape, in order of their lowest CPU.
func classes(m *machine.Machine, d *domain.Domains) []class {
	var out []class
	for id := range d.CPUs {
		if !m.CPUs[id].Possible {
			continue
		}
		s := shape(&d.CPUs[id], m.CPUs[id].Online)
		i := slices.IndexFunc(out, func(c class) bool { return c.shape == s })
		if i < 0 {
			i = len(out)
			out = append(out, class{s, cpumask.New(len(d.CPUs))})
		}
		out[i].cpus.Set(id)
	}
	return out
}

// shape is all that the table shows of a CPU but which CPUs its spans hold.
func shape(c *domain.CPU, online bool) string {
	var b strings.Builder
	fmt.Fprint(&b, online, c.LLCSize)
	for _, l := range c.Levels {
		fmt.Fprint(&b, "|", l.Name, l.Level, " ", l.Weight, l.Flags, groupsText(l),
			l.MinInterval, l.MaxInterval, l.BusyFactor, l.ImbalancePct, l.CacheNiceTries, l.ImbNUMA)
	}
	return b.String()
}

func domainsTable(w io.Writer, m *machine.Machine, d *domain.Domains, r domain.Rules) error {
	if err := lines(w, "machine "+clean(m.Name)); err != nil {
		return err
	}
	for _, c := range classes(m, d) {
		if err := classTable(w, c, m, d, r); err != nil {
			return err
		}
	}
	g := spansGrid(d)
	if len(g.rows) == 0 {
		return nil
	}
	return section(w, "spans", g)
}

func classTable(w io.Writer, c class, m *machine.Machine, d *domain.Domains, r domain.Rules) error {
	first := c.cpus.First()
	cpu := &d.CPUs[first]
	title := fmt.Sprintf("CPU %d", first)
	if n := c.cpus.Weight(); n > 1 {
		title = fmt.Sprintf("CPUs %s: %d alike, here CPU %d", short(c.cpus), n, first)
	}
	if len(cpu.Levels) == 0 {
		why := "no domains"
		if !m.CPUs[first].Online {
			why = "offline"
		}
		return lines(w, "", title+": "+why)
	}
	title += fmt.Sprintf("; LLC %d of %d CPUs", cpu.LLC, cpu.LLCSize)
	return section(w, title, levelGrid(cpu, r))
}

// levelGrid has a column per level, bottom up, and a row per attribute.
func levelGrid(c *domain.CPU, r domain.Rules) *grid {
	g := &grid{header: []string{""}, right: len(c.Levels) + 1}
	var all domain.Flags
	for _, l := range c.Levels {
		g.header = append(g.header, l.Name)
		all |= l.Flags
	}
	attribute := func(name string, value func(*domain.Domain) string) {
		cells := []string{name}
		for _, l := range c.Levels {
			cells = append(cells, value(l))
		}
		g.add(cells...)
	}
	num := func(name string, value func(*domain.Domain) int) {
		attribute(name, func(l *domain.Domain) string { return strconv.Itoa(value(l)) })
	}
	num("level", func(l *domain.Domain) int { return l.Level })
	attribute("span", func(l *domain.Domain) string { return short(l.Span) })
	num("CPUs", func(l *domain.Domain) int { return l.Weight })
	attribute("groups", groupsText)
	attribute("interval", func(l *domain.Domain) string { return fmt.Sprintf("%d to %d ms", l.MinInterval, l.MaxInterval) })
	num("busy_factor", func(l *domain.Domain) int { return l.BusyFactor })
	num("imbalance_pct", func(l *domain.Domain) int { return l.ImbalancePct })
	num("cache_nice_tries", func(l *domain.Domain) int { return l.CacheNiceTries })
	num("imb_numa_nr", func(l *domain.Domain) int { return l.ImbNUMA })
	for _, name := range strings.Fields(r.FlagNames(all)) {
		attribute(name, func(l *domain.Domain) string {
			if slices.Contains(strings.Fields(r.FlagNames(l.Flags)), name) {
				return "x"
			}
			return ""
		})
	}
	return g
}

// groupsText counts a domain's groups by size: "22 x 2 CPUs".
func groupsText(l *domain.Domain) string {
	count := map[int]int{}
	for _, g := range l.Groups {
		count[g.Weight]++
	}
	var out []string
	for _, size := range sortedInts(count) {
		unit := "CPUs"
		if size == 1 {
			unit = "CPU"
		}
		out = append(out, fmt.Sprintf("%d x %d %s", count[size], size, unit))
	}
	return strings.Join(out, ", ")
}

func sortedInts[V any](m map[int]V) []int {
	out := make([]int, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// spansGrid lists the different spans of each level, by name and level.
func spansGrid(d *domain.Domains) *grid {
	type key struct {
		level int
		name  string
	}
	var order []key
	spans := map[key][]cpumask.Mask{}
	seen := map[key]map[string]bool{}
	for i := range d.CPUs {
		for _, l := range d.CPUs[i].Levels {
			k := key{l.Level, l.Name}
			if seen[k] == nil {
				order, seen[k] = append(order, k), map[string]bool{}
			}
			if s := l.Span.String(); !seen[k][s] {
				seen[k][s] = true
				spans[k] = append(spans[k], l.Span)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b key) int { return a.level - b.level })
	g := &grid{header: []string{"level", "name", "spans", ""}, right: 4}
	for _, k := range order {
		g.add(strconv.Itoa(k.level), k.name, strconv.Itoa(len(spans[k])), spansText(spans[k]))
	}
	return g
}

// spansText joins spans, as many as a line of a terminal holds.
func spansText(spans []cpumask.Mask) string {
	const width = 80
	var b strings.Builder
	for i, s := range spans {
		text := short(s)
		if i > 0 && b.Len()+len(text) > width {
			fmt.Fprintf(&b, " and %d more", len(spans)-i)
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(text)
	}
	return b.String()
}

// short is a mask in list format, cut where it is long.
func short(m cpumask.Mask) string {
	const width = 32
	s := m.String()
	if len(s) <= width {
		return s
	}
	cut := strings.LastIndexByte(s[:width], ',')
	if cut < 0 {
		return s
	}
	return s[:cut] + ",..."
}
