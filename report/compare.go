package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"schedlab/lab"

	"github.com/jedib0t/go-pretty/v6/text"
)

// Comparison prints a comparison.
func (o Out) Comparison(c *lab.Comparison) error {
	return o.print(
		func(w io.Writer) error { return comparisonTable(w, c, o.Color) },
		func(w io.Writer) error { return comparisonJSON(w, c) },
		func(w io.Writer) error { return comparisonCSV(w, c) },
		func(w io.Writer) error { return comparisonBench(w, c) },
	)
}

func comparisonTable(w io.Writer, c *lab.Comparison, color bool) error {
	g := comparisonGrid(c, color)
	return inOrder(
		func() error {
			return facts(w,
				[2]string{"machine", c.Machine},
				[2]string{"workload", c.Workload},
				[2]string{"runs", runsText(c)})
		},
		func() error { return lines(w, "") },
		func() error { return g.write(w) },
		func() error { return lines(w, "") },
		func() error { return lines(w, notes(c)...) },
	)
}

func runsText(c *lab.Comparison) string {
	s := fmt.Sprintf("%d per policy, seeds %d to %d", c.Runs, c.Seed, c.Seed+uint64(c.Runs-1))
	if c.Runs == 1 {
		s = fmt.Sprintf("1 per policy, seed %d", c.Seed)
	}
	if c.Partial {
		s += fmt.Sprintf("; interrupted: %d of %d done", c.Done(), c.Total())
	}
	return s
}

// comparisonGrid has a row per metric; per policy its median with interval, and
// for all but the base the change and p.
func comparisonGrid(c *lab.Comparison, color bool) *grid {
	g := &grid{header: []string{"metric"}, right: 1}
	for i, p := range c.Policies {
		g.header = append(g.header, policyHeader(p.Policy))
		if i > 0 {
			g.header = append(g.header, "change", "p")
		}
	}
	for m := range metricCount(c) {
		g.rows = append(g.rows, comparisonRow(c, m, color))
	}
	return g
}

// policyHeader breaks a policy's name at its keys.
func policyHeader(name string) string { return strings.ReplaceAll(clean(name), ",", ",\n") }

func metricCount(c *lab.Comparison) int {
	n := 0
	for _, p := range c.Policies {
		n = max(n, len(p.Metrics))
	}
	return n
}

func comparisonRow(c *lab.Comparison, m int, color bool) []string {
	s := rowScale(c, m)
	cells := []string{""}
	for i, p := range c.Policies {
		var median, change, prob string
		if m < len(p.Metrics) {
			sum := &p.Metrics[m]
			cells[0] = metricLabel(sum.Name, sum.Unit)
			median = s.format(sum.Value) + " " + spread(sum)
			change, prob = changeCell(sum, color), pCell(sum)
		}
		cells = append(cells, median)
		if i > 0 {
			cells = append(cells, change, prob)
		}
	}
	return cells
}

func rowScale(c *lab.Comparison, m int) scale {
	unit := ""
	var values []float64
	for _, p := range c.Policies {
		if m < len(p.Metrics) {
			unit = p.Metrics[m].Unit
			values = append(values, p.Metrics[m].Value)
		}
	}
	return newScale(unit, values...)
}

// metricLabel names a metric; units that the cells do not show stand here.
func metricLabel(name, unit string) string {
	if strings.HasSuffix(unit, "/s") {
		return name + " (" + unit + ")"
	}
	return name
}

// spread is the larger side of a median's interval, in percent of the median;
// in the metric's unit where the median is 0.
func spread(s *lab.Summary) string {
	mark := ""
	if s.Range {
		mark = "r"
	}
	switch {
	case !finite(s.Value):
		return ""
	case s.Low == s.High:
		return fmt.Sprintf("±%4s%s", "0%", mark)
	case s.Value == 0:
		far := max(math.Abs(s.Low), math.Abs(s.High))
		return "±" + newScale(s.Unit, far).format(far) + mark
	}
	pct := 100 * max(math.Abs(s.High/s.Value-1), math.Abs(1-s.Low/s.Value))
	decimals := 0
	if pct >= 0.05 && pct < 0.95 {
		decimals = 1
	}
	return fmt.Sprintf("±%4s%s", strconv.FormatFloat(pct, 'f', decimals, 64)+"%", mark)
}

// changeCell is the change with its verdict; "~" where it is not significant,
// as benchstat writes it.
func changeCell(s *lab.Summary, color bool) string {
	change := s.Change()
	switch {
	case math.IsNaN(s.P):
		return ""
	case !s.Significant():
		return "~"
	case s.Improved():
		return paint(changeText(change)+" better", text.FgGreen, color)
	case s.Worsened():
		return paint(changeText(change)+"  worse", text.FgRed, color)
	}
	return changeText(change) + "       "
}

func changeText(percent float64) string {
	if !finite(percent) {
		return "from 0"
	}
	return fmt.Sprintf("%+.2f%%", percent)
}

func pCell(s *lab.Summary) string {
	switch {
	case math.IsNaN(s.P):
		return ""
	case s.P < 0.0005:
		return "<0.001"
	}
	return strconv.FormatFloat(s.P, 'f', 3, 64)
}

func paint(s string, c text.Color, color bool) string {
	if !color {
		return s
	}
	return c.Sprint(s)
}

// notes say how to read the marks that the table has.
func notes(c *lab.Comparison) []string {
	out := []string{fmt.Sprintf("change: of the median against %s; ~ where p > %.2f (Mann-Whitney U)", clean(c.Policies[0].Policy), lab.Alpha)}
	least := c.Runs
	for _, p := range c.Policies {
		least = min(least, len(p.Seeds))
	}
	if least >= lab.MinInterval {
		out = append(out, fmt.Sprintf("±: the larger side of the median's confidence interval, %.0f%% or more", 100*lab.Confidence))
	} else {
		out = append(out, fmt.Sprintf("±r: the larger side of the range of all runs; %d runs or more give a confidence interval", lab.MinInterval))
	}
	if least < lab.MinTest {
		out = append(out, fmt.Sprintf("fewer than %d runs per policy cannot show a difference", lab.MinTest))
	}
	if n := c.Cut(); n > 0 {
		out = append(out, fmt.Sprintf("%d of %d runs ended at the limit of virtual time", n, c.Done()))
	}
	if n, how := c.Stuck(); n > 0 {
		out = append(out, fmt.Sprintf("%d of %d runs are stuck; the first: %s", n, c.Done(), clean(how)))
	}
	return out
}
