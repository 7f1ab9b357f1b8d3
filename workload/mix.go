package workload

import (
	"errors"
	"fmt"
	"strings"

	"schedlab/sim"
)

// Mix is several workloads at once. The first is measured: its unit, its
// measured time, its end. The others run beside it: the run does not wait for
// them, and what they count and measure is dropped.
type Mix struct{ parts []sim.Workload }

// maxParts bounds the workloads of a mix.
const maxParts = 16

func init() {
	Register(Info{
		Name:    "mix",
		Summary: "mix:A+B runs workload B beside workload A, which is measured",
		Unit:    "those of A",
		Doc: `mix:A+B+... runs several workloads at once, each with its own keys, such as
  mix:hackbench:groups=2,loops=100+hogs:4
A is measured: throughput, measured time and its own metrics are A's, and the run
ends when A does. The others run beside it; one that ends early is not started
again. What every run counts (busy time, switches, latencies of wake-ups) is of all.
A '+' begins the next workload. A workload that has one itself, in a list or a file
name, stands in parentheses: mix:(phases:cpus=0-3+8)+(trace:a+b.tgz)+hogs:2`,
	}, parseMix)
}

func parseMix(rest string) (sim.Workload, error) {
	specs, err := splitMix(rest)
	if err != nil {
		return nil, fmt.Errorf("mix: %w", err)
	}
	m, tasks := &Mix{}, 0
	for _, spec := range specs {
		if name, _, _ := strings.Cut(spec, ":"); name == "mix" {
			return nil, errors.New("mix: a mix in a mix: name all workloads in one")
		}
		w, err := Parse(spec)
		if err != nil {
			return nil, fmt.Errorf("mix: %w", err)
		}
		m.parts = append(m.parts, w)
		tasks += taskCount(w)
	}
	if tasks > maxTasks {
		return nil, fmt.Errorf("mix: %d tasks are too many, %d is the most", tasks, maxTasks)
	}
	return m, nil
}

// taskCount is how many tasks a workload has, as far as that is known without a
// machine; 0 of a recording.
func taskCount(w sim.Workload) int {
	if n, ok := w.(named); ok {
		w = n.Workload
	}
	if c, ok := w.(interface{ taskCount() int }); ok {
		return c.taskCount()
	}
	return 0
}

// splitMix splits a mix at each '+' outside parentheses, and takes the
// parentheses off a part that stands in them.
func splitMix(text string) ([]string, error) {
	var parts []string
	depth, from := 0, 0
	for i := 0; i <= len(text); i++ {
		switch {
		case i == len(text) && depth > 0:
			return nil, errors.New("a parenthesis is not closed")
		case i == len(text) || text[i] == '+' && depth == 0:
			parts = append(parts, unwrap(text[from:i]))
			from = i + 1
		case text[i] == '(' && (depth > 0 || i == from):
			depth++
		case text[i] == ')' && depth > 0:
			depth--
		}
	}
	switch {
	case len(parts) < 2:
		return nil, errors.New("it wants two workloads or more: mix:A+B")
	case len(parts) > maxParts:
		return nil, fmt.Errorf("%d workloads are too many, %d is the most", len(parts), maxParts)
	}
	return parts, nil
}

func unwrap(part string) string {
	if strings.HasPrefix(part, "(") && strings.HasSuffix(part, ")") {
		return part[1 : len(part)-1]
	}
	return part
}

// Name is the mix as it was asked for, with the names of its parts.
func (m *Mix) Name() string {
	var names []string
	for _, w := range m.parts {
		name := w.Name()
		if strings.Contains(name, "+") {
			name = "(" + name + ")"
		}
		names = append(names, name)
	}
	return "mix:" + strings.Join(names, "+")
}

// Unit is the unit of the measured workload.
func (m *Mix) Unit() string { return m.parts[0].Unit() }

// Parts are the workloads, the measured one first.
func (m *Mix) Parts() []sim.Workload { return m.parts }

// Recorded reports whether the measured workload is a recording, whose run
// times contain the costs of decisions.
func (m *Mix) Recorded() bool {
	r, ok := m.parts[0].(sim.Replayer)
	return ok && r.Recorded()
}

// Span is the virtual time that the measured workload takes at least, ns; 0
// where it has none of its own.
func (m *Mix) Span() int64 { return span(m.parts[0]) }

// Setup adds all of them to a run.
func (m *Mix) Setup(b *sim.Builder) error {
	for i, w := range m.parts {
		part := b
		if i > 0 {
			part = b.Beside()
		}
		if err := w.Setup(part); err != nil {
			return fmt.Errorf("%s: %w", w.Name(), err)
		}
	}
	return nil
}
