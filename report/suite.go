package report

import (
	"fmt"
	"io"
	"strconv"

	"schedlab/lab"
)

// Suite prints the comparison of policies over a suite.
func (o Out) Suite(c *lab.SuiteComparison) error {
	return o.print(
		func(w io.Writer) error { return suiteTable(w, c, o.Color) },
		func(w io.Writer) error { return suiteJSON(w, c) },
		func(w io.Writer) error { return suiteCSV(w, c) },
		func(w io.Writer) error { return suiteBench(w, c) },
	)
}

// suiteTable has a row per point and metric that the suite reports.
func suiteTable(w io.Writer, c *lab.SuiteComparison, color bool) error {
	if len(c.Points) == 0 {
		return nil
	}
	points := strconv.Itoa(c.Total)
	if c.Partial {
		points = fmt.Sprintf("%d of %d begun; interrupted", len(c.Points), c.Total)
	}
	first := c.Points[0].Comparison
	steps := []func() error{
		func() error {
			return facts(w,
				[2]string{"machine", c.Machine},
				[2]string{"suite", c.Suite},
				[2]string{"points", points},
				[2]string{"runs", fmt.Sprintf("%d per policy and point, seeds from %d", c.Runs, c.Seed)})
		},
		func() error { return lines(w, "") },
		func() error { return suiteGrid(c, color).write(w) },
		func() error { return lines(w, "") },
		func() error { return lines(w, notes(first)[:1]...) },
		func() error { return lines(w, suiteNotes(c)...) },
	}
	return inOrder(steps...)
}

func suiteGrid(c *lab.SuiteComparison, color bool) *grid {
	head := comparisonGrid(c.Points[0].Comparison, color).header
	g := &grid{header: append([]string{"benchmark", "at"}, head...), right: 3}
	last := ""
	for _, p := range c.Points {
		for _, name := range p.Metrics {
			for m := range metricCount(p.Comparison) {
				if metricName(p.Comparison, m) != name {
					continue
				}
				row := append([]string{p.Benchmark, p.Parameter}, comparisonRow(p.Comparison, m, color)...)
				if p.Benchmark == last {
					row[0] = ""
				}
				last = p.Benchmark
				g.rows = append(g.rows, row)
			}
		}
	}
	return g
}

func metricName(c *lab.Comparison, m int) string {
	for _, p := range c.Policies {
		if m < len(p.Metrics) {
			return p.Metrics[m].Name
		}
	}
	return ""
}

// suiteNotes say what the intervals are, and how the points differ from the suite's own.
func suiteNotes(c *lab.SuiteComparison) []string {
	out := []string{fmt.Sprintf("±: the larger side of the median's confidence interval, %.0f%% or more; ±r: of the range of fewer than %d runs", 100*lab.Confidence, lab.MinInterval)}
	if c.Runs < lab.MinTest {
		out = append(out, fmt.Sprintf("fewer than %d runs per policy cannot show a difference", lab.MinTest))
	}
	return append(out, c.Scaled...)
}

type suiteDoc struct {
	Suite   string     `json:"suite"`
	Machine string     `json:"machine"`
	Runs    int        `json:"runs"`
	Partial bool       `json:"partial,omitempty"`
	Scaled  []string   `json:"scaled"`
	Points  []pointDoc `json:"points"`
}

type pointDoc struct {
	Benchmark string      `json:"benchmark"`
	Parameter string      `json:"parameter"`
	Workload  string      `json:"workload"`
	Reported  []string    `json:"reported"` // names of metrics
	Policies  []policyDoc `json:"policies"`
}

func suiteJSON(w io.Writer, c *lab.SuiteComparison) error {
	d := suiteDoc{Suite: c.Suite, Machine: c.Machine, Runs: c.Runs, Partial: c.Partial, Scaled: c.Scaled, Points: []pointDoc{}}
	for _, p := range c.Points {
		d.Points = append(d.Points, pointDoc{p.Benchmark, p.Parameter, p.Point.Workload, p.Metrics, policyDocs(p.Comparison)})
	}
	return writeJSON(w, d)
}

// suiteCSV is a comparison's rows behind what tells the points apart.
func suiteCSV(w io.Writer, c *lab.SuiteComparison) error {
	var rows [][]string
	for _, p := range c.Points {
		for _, r := range comparisonRows(p.Comparison) {
			rows = append(rows, append([]string{c.Suite, p.Benchmark, p.Parameter}, r...))
		}
	}
	return writeCSV(w, append([]string{"suite", "benchmark", "parameter"}, comparisonColumns...), rows)
}

func suiteBench(w io.Writer, c *lab.SuiteComparison) error {
	var all []replica
	for _, p := range c.Points {
		all = append(all, comparisonReplicas(p.Comparison)...)
	}
	return writeBench(w, all)
}
