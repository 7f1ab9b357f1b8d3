package machine

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"schedlab/cpumask"
)

// lscpuSummary is what lscpu prints without a table: how many of each kind there
// are, and which CPUs each node has. Which CPUs are threads of one core it does
// not say.
type lscpuSummary struct {
	fields map[string]string // the first of a name counts: hybrid machines repeat some
	order  []string
}

func newLscpuSummary() *lscpuSummary { return &lscpuSummary{fields: map[string]string{}} }

// maxFields bounds the fields that are kept.
const maxFields = 4096

func (s *lscpuSummary) line(line string) {
	key, value, ok := strings.Cut(strings.TrimSpace(line), ":")
	if ok {
		s.add(key, value)
	}
}

func (s *lscpuSummary) add(key, value string) {
	key = strings.TrimSuffix(strings.TrimSpace(key), ":")
	if _, ok := s.fields[key]; !ok && len(s.order) < maxFields {
		s.fields[key] = strings.TrimSpace(value)
		s.order = append(s.order, key)
	}
}

func (s *lscpuSummary) arch() string { return s.fields["Architecture"] }

// number is a count; missing ones are def.
func (s *lscpuSummary) number(key string, def int) (int, error) {
	v, ok := s.fields[key]
	if !ok || v == "" || v == "-" {
		return def, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 || n > cpumask.MaxParsed {
		return 0, fmt.Errorf("%s: %q is not a number within 0..%d", key, clip(v), cpumask.MaxParsed)
	}
	return n, nil
}

var (
	nodeField     = regexp.MustCompile(`^NUMA node(\d+) CPU\(s\)$`)
	cacheField    = regexp.MustCompile(`^(L1d|L1i|L2|L3|L4)( cache)?$`)
	instances     = regexp.MustCompile(`\((\d+) instances?\)`)
	errNoSummary  = errors.New("lscpu: neither a table nor a line CPU(s)")
	errNoThreads  = errors.New("lscpu: no lines Thread(s) per core, Core(s) per socket and Socket(s): cores are unknown")
	summaryAdvice = "lscpu's summary does not say which CPUs are threads of one core: numbered as on Intel machines, the first threads of all cores first (lscpu -p would tell)"
)

// machine makes a regular machine of the counts.
func (s *lscpuSummary) machine(name string) (*Machine, error) {
	if s.fields["CPU(s)"] == "" {
		return nil, errNoSummary
	}
	m, err := s.build(name)
	if err != nil {
		return nil, fmt.Errorf("lscpu: %w", err)
	}
	m.Sources = append(m.Sources, "topology: lscpu's summary")
	m.warnf("%s", summaryAdvice)
	return m.finish()
}

func (s *lscpuSummary) build(name string) (*Machine, error) {
	online, err := s.online()
	if err != nil {
		return nil, err
	}
	var threads, cores, sockets int
	for _, f := range []struct {
		key string
		to  *int
	}{{"Thread(s) per core", &threads}, {"Core(s) per socket", &cores}, {"Socket(s)", &sockets}} {
		if *f.to, err = s.number(f.key, 0); err != nil {
			return nil, err
		}
	}
	if threads == 0 || cores == 0 || sockets == 0 {
		return nil, errNoThreads
	}
	nodes, err := s.nodes()
	if err != nil {
		return nil, err
	}
	p := parts{arch: s.arch()}
	for _, n := range nodes {
		p.nodes = append(p.nodes, nodePart{id: n.id})
	}
	perSocket := s.instances("L3", sockets)
	total := min(cores*sockets, online.Weight())
	i := 0
	for c := range online.All() {
		u := unknownPart(c)
		u.core = i % total
		u.pkg = u.core * sockets / total
		u.llc = u.core * max(perSocket, 1) / total
		for _, n := range nodes {
			if n.cpus.Test(c) {
				u.node = n.id
			}
		}
		p.cpus = append(p.cpus, u)
		i++
	}
	m, err := p.assemble(name)
	if err != nil {
		return nil, err
	}
	n := m.Summary()
	m.Hardware = Hardware{
		Packages: n.Packages, Nodes: n.Nodes, MemoryOnlyNodes: n.MemoryOnlyNodes, Cores: n.Cores, CPUs: n.Online,
		L1d: s.instances("L1d", 0), L1i: s.instances("L1i", 0), L2: s.instances("L2", 0), L3: s.instances("L3", 0), L4: s.instances("L4", 0),
	}
	return m, nil
}

// online are the CPUs of the list, else as many as there are.
func (s *lscpuSummary) online() (cpumask.Mask, error) {
	for _, key := range []string{"On-line CPU(s) list", "Online CPU(s) list"} {
		if list := s.fields[key]; list != "" {
			m, err := cpumask.ParseList(list)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
			return m, nil
		}
	}
	n, err := s.number("CPU(s)", 0)
	switch {
	case err != nil:
		return nil, err
	case n == 0:
		return nil, errNoCPUs
	}
	return cpumask.Full(n), nil
}

type summaryNode struct {
	id   int
	cpus cpumask.Mask
}

func (s *lscpuSummary) nodes() ([]summaryNode, error) {
	var out []summaryNode
	for _, key := range s.order {
		match := nodeField.FindStringSubmatch(key)
		if match == nil {
			continue
		}
		id, err := strconv.Atoi(match[1])
		if err != nil || id >= maxNodes {
			return nil, fmt.Errorf("%s: beyond the limit of %d nodes", clip(key), maxNodes)
		}
		cpus, err := cpumask.ParseList(s.fields[key])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		out = append(out, summaryNode{id, cpus})
	}
	slices.SortFunc(out, func(a, b summaryNode) int { return a.id - b.id })
	return out, nil
}

// instances is how many caches of a level there are; def where lscpu is too old
// to say.
func (s *lscpuSummary) instances(level string, def int) int {
	for _, key := range s.order {
		if match := cacheField.FindStringSubmatch(key); match == nil || match[1] != level {
			continue
		}
		if match := instances.FindStringSubmatch(s.fields[key]); match != nil {
			if n, err := strconv.Atoi(match[1]); err == nil && n <= cpumask.MaxParsed {
				return n
			}
		}
	}
	return def
}
