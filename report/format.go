package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Format is a form of output.
type Format string

const (
	Table    Format = "table"
	JSON     Format = "json"
	CSV      Format = "csv"
	Benchfmt Format = "benchfmt"
)

// Formats lists every format; Listings those of what is no measurement.
var (
	Formats  = []Format{Table, JSON, CSV, Benchfmt}
	Listings = []Format{Table, JSON, CSV}
)

// ParseFormat finds a format among the allowed ones. The error lists them.
func ParseFormat(name string, allowed []Format) (Format, error) {
	if f := Format(name); slices.Contains(allowed, f) {
		return f, nil
	}
	what := "unknown format"
	if slices.Contains(Formats, Format(name)) {
		what = "no such format here"
	}
	return "", fmt.Errorf("%s %q (there are %s)", what, name, strings.Join(Names(allowed), ", "))
}

// Names are formats as words.
func Names(formats []Format) []string {
	out := make([]string, len(formats))
	for i, f := range formats {
		out[i] = string(f)
	}
	return out
}

// Out says where to print, and how.
type Out struct {
	W      io.Writer
	Format Format
	Color  bool // colour tables: for terminals
}

// printer is one form of one thing.
type printer func(io.Writer) error

// print picks the printer of the format.
func (o Out) print(table, json, csv, bench printer) error {
	p := map[Format]printer{Table: table, JSON: json, CSV: csv, Benchfmt: bench}[o.Format]
	if p == nil {
		return fmt.Errorf("no format %q for this", o.Format)
	}
	return p(o.W)
}
