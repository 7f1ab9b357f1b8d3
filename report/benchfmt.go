package report

import (
	"io"
	"strings"
	"unicode"

	"schedlab/lab"

	"golang.org/x/perf/benchfmt"
)

// replica is one line of benchmark results. Its metrics have the units that
// benchUnit gives.
type replica struct {
	machine, workload, policy string
	metrics                   []lab.Metric
}

// comparisonBench writes a line per replica, policy by policy, each policy's by
// ascending seed. The policy is a configuration key of the file: `benchstat -col
// policy` compares by it. The seed is none, since benchstat would take replicas
// with different keys for different benchmarks.
func comparisonBench(w io.Writer, c *lab.Comparison) error {
	return writeBench(w, comparisonReplicas(c))
}

func comparisonReplicas(c *lab.Comparison) []replica {
	var all []replica
	for _, p := range c.Policies {
		for k := range p.Seeds {
			r := replica{c.Machine, c.Workload, p.Policy, nil}
			for _, s := range p.Metrics {
				m := s.Metric
				m.Value = s.Values[k]
				r.metrics = append(r.metrics, m)
			}
			all = append(all, r)
		}
	}
	return all
}

func outcomeBench(w io.Writer, r *lab.Outcome) error {
	return writeBench(w, []replica{{r.Machine, r.Workload, r.Policy, r.Metrics}})
}

func writeBench(w io.Writer, all []replica) error {
	out := benchfmt.NewWriter(w)
	if err := writeUnits(out, all); err != nil {
		return err
	}
	for _, r := range all {
		if err := out.Write(r.result()); err != nil {
			return err
		}
	}
	return nil
}

// writeUnits says which way each metric improves, once.
func writeUnits(out *benchfmt.Writer, all []replica) error {
	said := map[string]bool{}
	for _, r := range all {
		for _, m := range r.metrics {
			unit := benchUnit(m)
			if m.Better == lab.Neither || said[unit] {
				continue
			}
			said[unit] = true
			u := &benchfmt.UnitMetadata{OrigUnit: unit, Value: m.Better.String()}
			u.Unit, u.Key = unit, "better"
			if err := out.Write(u); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *replica) result() *benchfmt.Result {
	res := &benchfmt.Result{Name: benchfmt.Name(benchName(r.workload)), Iters: 1}
	for _, c := range [][2]string{
		{"machine", r.machine}, {"workload", r.workload}, {"policy", r.policy},
	} {
		res.Config = append(res.Config, benchfmt.Config{Key: c[0], Value: []byte(oneWord(c[1])), File: true})
	}
	for _, m := range r.metrics {
		if !finite(m.Value) {
			continue // nothing was measured
		}
		res.Values = append(res.Values, benchfmt.Value{Value: m.Value, Unit: benchUnit(m)})
	}
	return res
}

// benchUnit is a metric as a unit of the benchmark format, where the unit is
// the metric's name: "wakeup-p99-us", "switches", "messages/s".
func benchUnit(m lab.Metric) string {
	switch {
	case m.Unit == "count":
		return m.Name
	case m.Unit == "%":
		return m.Name + "-pct"
	case strings.HasSuffix(m.Unit, "/s"):
		return oneWord(m.Unit)
	}
	return m.Name + "-" + m.Unit
}

// benchName is a workload as the name of a benchmark with sub-names:
// "hackbench:groups=4,loops=200" is "Hackbench/groups=4/loops=200". A file's
// path would look like sub-names: its slashes become colons. "hogs:4" is "Hogs/4".
func benchName(workload string) string {
	name, rest, _ := strings.Cut(oneWord(workload), ":")
	parts := []string{strings.ToUpper(name[:min(1, len(name))]) + name[min(1, len(name)):]}
	for item := range strings.SplitSeq(rest, ",") {
		if item == "" {
			continue
		}
		if !strings.Contains(item, "=") && strings.Trim(item, "0123456789") != "" {
			item = "file=" + item
		}
		parts = append(parts, strings.ReplaceAll(item, "/", ":"))
	}
	return strings.Join(parts, "/")
}

// oneWord makes a value that the format's lines can hold.
func oneWord(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			return '_'
		}
		return r
	}, s)
}
