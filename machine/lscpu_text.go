package machine

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// maxTextLine is the longest line of lscpu that is read: its flags take two
// kilobytes.
const maxTextLine = 1 << 20

// readLscpu reads the text of lscpu: the parsable table of lscpu -p with any
// columns, the readable one of lscpu -e, or, where neither is there, the summary.
// Of several tables the first counts.
func readLscpu(r io.Reader, name string) (*Machine, error) {
	t := &lscpuTable{columns: map[string]bool{}}
	s := newLscpuSummary()
	var names []string
	readable, ended := false, false
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxTextLine)
	n := 0
	for lines.Scan() {
		n++
		line := strings.TrimRight(lines.Text(), " \t\r")
		switch {
		case ended:
		case names != nil && (line == "" || line[0] == '#'):
			ended = len(t.rows) > 0
		case names != nil:
			values := strings.Split(line, ",")
			if readable {
				values = t.fields(names, line)
			}
			if err := t.row(n, names, values); err != nil {
				return nil, fmt.Errorf("lscpu: %w", err)
			}
		case isParsableHead(line):
			names = t.head(strings.Split(strings.TrimSpace(line[1:]), ","))
		case isReadableHead(line):
			names, readable = t.head(strings.Fields(line)), true
		default:
			s.line(line)
		}
		if len(names) > maxLscpuColumns {
			return nil, fmt.Errorf("lscpu: line %d: more than %d columns", n, maxLscpuColumns)
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("longer than %d bytes", maxTextLine)
		}
		return nil, fmt.Errorf("lscpu: line %d: %w", n+1, noEOF(err))
	}
	if len(t.rows) > 0 {
		return t.machine(name, s.arch())
	}
	return s.machine(name)
}

// head notes the names of the columns, in lower case. lscpu -p separates the
// caches from the rest by an empty one.
func (t *lscpuTable) head(fields []string) []string {
	columns := make([]string, len(fields))
	for i, f := range fields {
		columns[i] = strings.ToLower(f)
		for _, name := range strings.Split(columns[i], ":") {
			t.columns[name] = true
		}
	}
	return columns
}

// fields cuts a line of a table for people. Of its values only the name of the
// model has blanks.
func (t *lscpuTable) fields(columns []string, line string) []string {
	values := strings.Fields(line)
	at, extra := slices.Index(columns, "modelname"), len(values)-len(columns)
	if at < 0 || extra <= 0 {
		return values
	}
	name := strings.Join(values[at:at+extra+1], " ")
	return slices.Concat(values[:at], []string{name}, values[at+extra+1:])
}

// isParsableHead knows the line that names the columns of lscpu -p: a comment
// whose items are words.
func isParsableHead(line string) bool {
	rest, ok := strings.CutPrefix(line, "# ")
	return ok && strings.Contains(","+strings.ToUpper(rest)+",", ",CPU,") && !strings.ContainsAny(rest, " \t")
}

// isReadableHead knows that of lscpu -e, whose names are in capitals but those
// of caches.
func isReadableHead(line string) bool {
	for _, f := range strings.Fields(line) {
		if f == "CPU" {
			return !strings.Contains(line, ": ") && !strings.HasSuffix(line, ":")
		}
	}
	return false
}

// isLscpu reports whether a text that begins so is lscpu's.
func isLscpu(head []byte) bool {
	for line := range bytes.Lines(head) {
		s := strings.TrimRight(string(line), " \t\r\n")
		if isParsableHead(s) || isReadableHead(s) || strings.HasPrefix(s, "CPU(s):") {
			return true
		}
	}
	return false
}
