package report

import (
	"fmt"
	"io"
	"strconv"

	"schedlab/lab"
)

// Outcome prints one run.
func (o Out) Outcome(r *lab.Outcome) error {
	return o.print(
		func(w io.Writer) error { return outcomeTable(w, r) },
		func(w io.Writer) error { return outcomeJSON(w, r) },
		func(w io.Writer) error { return outcomeCSV(w, r) },
		func(w io.Writer) error { return outcomeBench(w, r) },
	)
}

func outcomeTable(w io.Writer, r *lab.Outcome) error {
	g := &grid{header: []string{"metric", "value"}, right: 1}
	for _, m := range r.Metrics {
		g.add(metricLabel(m.Name, m.Unit), newScale(m.Unit, m.Value).format(m.Value))
	}
	end := "the workload was done"
	switch {
	case r.Stuck != "":
		end = "stuck " + r.Stuck
	case r.Cut:
		end = "at the limit of virtual time"
	}
	return inOrder(
		func() error {
			return facts(w,
				[2]string{"machine", r.Machine},
				[2]string{"workload", r.Workload},
				[2]string{"policy", r.Policy},
				[2]string{"seed", strconv.FormatUint(r.Seed, 10)},
				[2]string{"end", end},
				[2]string{"digest", digest(r)})
		},
		func() error { return lines(w, "") },
		func() error { return g.write(w) },
	)
}

// digest is text: JSON readers keep only 53 bits of a number.
func digest(r *lab.Outcome) string { return fmt.Sprintf("%016x", r.Digest) }

type outcomeDoc struct {
	Machine  string      `json:"machine"`
	Workload string      `json:"workload"`
	Policy   string      `json:"policy"`
	Seed     uint64      `json:"seed"`
	Stuck    string      `json:"stuck,omitempty"`
	Metrics  []metricDoc `json:"metrics"`
	Digest   string      `json:"digest"`
}

type metricDoc struct {
	Name  string `json:"name"`
	Unit  string `json:"unit"`
	Value number `json:"value"`
}

func outcomeJSON(w io.Writer, r *lab.Outcome) error {
	d := outcomeDoc{Machine: r.Machine, Workload: r.Workload, Policy: r.Policy, Seed: r.Seed, Stuck: r.Stuck, Metrics: []metricDoc{}, Digest: digest(r)}
	for _, m := range r.Metrics {
		d.Metrics = append(d.Metrics, metricDoc{m.Name, m.Unit, number(m.Value)})
	}
	return writeJSON(w, d)
}

func outcomeCSV(w io.Writer, r *lab.Outcome) error {
	header := []string{"machine", "workload", "policy", "seed", "metric", "unit", "value", "digest"}
	var rows [][]string
	for _, m := range r.Metrics {
		rows = append(rows, []string{
			r.Machine, r.Workload, r.Policy, strconv.FormatUint(r.Seed, 10), m.Name, m.Unit, field(m.Value), digest(r),
		})
	}
	return writeCSV(w, header, rows)
}
