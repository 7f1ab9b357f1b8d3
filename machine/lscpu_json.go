package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// lscpuDoc is the JSON of lscpu: -J alone gives the summary, flat or nested, -J
// with -e a table.
type lscpuDoc struct {
	Summary []lscpuField     `json:"lscpu"`
	CPUs    []map[string]any `json:"cpus"`
}

type lscpuField struct {
	Field    string       `json:"field"`
	Data     any          `json:"data"`
	Children []lscpuField `json:"children"`
}

// readLscpuJSON reads what lscpu -J prints.
func readLscpuJSON(r io.Reader, name string) (*Machine, error) {
	var doc lscpuDoc
	d := json.NewDecoder(r)
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("lscpu JSON: byte %d: %w", d.InputOffset(), oneLineJSON(noEOF(err)))
	}
	if len(doc.CPUs) > 0 {
		return doc.table(name)
	}
	s := newLscpuSummary()
	doc.flatten(doc.Summary, s)
	if len(s.order) == 0 {
		return nil, errors.New(`lscpu JSON: neither "lscpu" nor "cpus" in it`)
	}
	return s.machine(name)
}

func oneLineJSON(err error) error {
	return errors.New(strings.ReplaceAll(err.Error(), "\n", " "))
}

func (doc *lscpuDoc) flatten(fields []lscpuField, s *lscpuSummary) {
	for _, f := range fields {
		if f.Data != nil {
			s.add(f.Field, fmt.Sprint(f.Data))
		}
		doc.flatten(f.Children, s)
	}
}

// table reads the rows of -J -e, whose line is their number.
func (doc *lscpuDoc) table(name string) (*Machine, error) {
	t := &lscpuTable{columns: map[string]bool{}}
	for i, cpu := range doc.CPUs {
		var keys, values []string
		for key := range cpu {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			v := cpu[key]
			if v == nil {
				v = "-"
			}
			values = append(values, fmt.Sprint(v))
		}
		names := t.head(keys)
		if len(names) > maxLscpuColumns {
			return nil, fmt.Errorf("lscpu JSON: CPU entry %d: more than %d columns", i+1, maxLscpuColumns)
		}
		if err := t.row(i+1, names, values); err != nil {
			return nil, fmt.Errorf("lscpu JSON: %w", err)
		}
	}
	return t.machine(name, "")
}
