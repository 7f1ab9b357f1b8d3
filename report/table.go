package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// grid is a table of text: no borders, a rule under the header, columns two
// blanks apart. Columns from right on are aligned right.
type grid struct {
	header []string
	rows   [][]string
	right  int // first column of numbers; len(header) or more: none
}

// add adds a row of text from anywhere; see clean.
func (g *grid) add(cells ...string) {
	for i := range cells {
		cells[i] = clean(cells[i])
	}
	g.rows = append(g.rows, cells)
}

func (g *grid) write(w io.Writer) error {
	t := table.NewWriter()
	t.SetStyle(plainStyle())
	t.SuppressTrailingSpaces()
	t.AppendHeader(row(g.header))
	for _, r := range g.rows {
		t.AppendRow(row(r))
	}
	var columns []table.ColumnConfig
	for i := range g.header {
		align := text.AlignLeft
		if i >= g.right {
			align = text.AlignRight
		}
		columns = append(columns, table.ColumnConfig{
			Number: i + 1, Align: align, AlignHeader: align, VAlignHeader: text.VAlignBottom,
		})
	}
	t.SetColumnConfigs(columns)
	_, err := fmt.Fprintln(w, t.Render())
	return err
}

func plainStyle() table.Style {
	s := table.StyleDefault
	s.Box.PaddingLeft, s.Box.PaddingRight = "", "  "
	s.Box.MiddleHorizontal = "-"
	s.Options = table.OptionsNoBordersAndSeparators
	s.Options.SeparateHeader = true
	s.Format.Header = text.FormatDefault // the default upper-cases: "us" would become "US"
	return s
}

func row(cells []string) table.Row {
	out := make(table.Row, len(cells))
	for i, c := range cells {
		out[i] = c
	}
	return out
}

// facts prints names and values, aligned, a line each.
func facts(w io.Writer, pairs ...[2]string) error {
	width := 0
	for _, p := range pairs {
		width = max(width, len(p[0]))
	}
	for _, p := range pairs {
		line := fmt.Sprintf("%-*s  %s", width, p[0], clean(p[1]))
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}

// clean keeps what came from a file or the command line from steering the
// terminal: it has no control characters.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '?'
		}
		return r
	}, s)
}

// lines prints each line, and stops at the first error.
func lines(w io.Writer, text ...string) error {
	for _, l := range text {
		if _, err := fmt.Fprintln(w, l); err != nil {
			return err
		}
	}
	return nil
}

// inOrder runs the steps of a print up to the first error.
func inOrder(steps ...func() error) error {
	for _, s := range steps {
		if err := s(); err != nil {
			return err
		}
	}
	return nil
}
