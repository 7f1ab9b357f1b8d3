package report

import (
	"io"
	"strconv"

	"schedlab/lab"
)

type comparisonDoc struct {
	Machine  string      `json:"machine"`
	Workload string      `json:"workload"`
	Runs     int         `json:"runs"`
	Partial  bool        `json:"partial,omitempty"`
	Policies []policyDoc `json:"policies"`
}

type policyDoc struct {
	Policy   string       `json:"policy"`
	Stuck    int          `json:"stuck,omitempty"`    // runs in which nothing could happen any more
	HowStuck string       `json:"howStuck,omitempty"` // the first of them
	Metrics  []summaryDoc `json:"metrics"`
}

type summaryDoc struct {
	Name   string `json:"name"`
	Unit   string `json:"unit"`
	Median number `json:"median"`
	Low    number `json:"low"`
	High   number `json:"high"`
	Change number `json:"change"` // percent; null for the base
	P      number `json:"p"`      // null for the base
}

func comparisonJSON(w io.Writer, c *lab.Comparison) error {
	return writeJSON(w, comparisonDoc{Machine: c.Machine, Workload: c.Workload, Runs: c.Runs, Partial: c.Partial, Policies: policyDocs(c)})
}

func policyDocs(c *lab.Comparison) []policyDoc {
	var out []policyDoc
	for _, p := range c.Policies {
		pd := policyDoc{Policy: p.Policy, Stuck: p.Stuck, HowStuck: p.HowStuck, Metrics: []summaryDoc{}}
		for _, s := range p.Metrics {
			pd.Metrics = append(pd.Metrics, summaryDoc{
				Name: s.Name, Unit: s.Unit,
				Median: number(s.Value), Low: number(s.Low), High: number(s.High),
				Change: number(s.Change()), P: number(s.P),
			})
		}
		out = append(out, pd)
	}
	return out
}

var comparisonColumns = []string{"machine", "workload", "policy", "runs", "metric", "unit", "median", "low", "high", "interval", "change", "p"}

func comparisonCSV(w io.Writer, c *lab.Comparison) error {
	return writeCSV(w, comparisonColumns, comparisonRows(c))
}

func comparisonRows(c *lab.Comparison) [][]string {
	var rows [][]string
	for _, p := range c.Policies {
		for _, s := range p.Metrics {
			rows = append(rows, []string{
				c.Machine, c.Workload, p.Policy, strconv.Itoa(len(p.Seeds)), s.Name, s.Unit,
				field(s.Value), field(s.Low), field(s.High), intervalName(&s), field(s.Change()), field(s.P),
			})
		}
	}
	return rows
}

// intervalName says what Low and High are.
func intervalName(s *lab.Summary) string {
	if s.Range {
		return "range"
	}
	return "confidence"
}
