package trace

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"schedlab/cpumask"
)

// textDecoder reads ftrace text: one event a line, behind lines of comment.
type textDecoder struct {
	lines  *lineScanner
	names  *interner
	layout flagLayout
	t      *tally
}

func newTextDecoder(r io.Reader, t *tally) *textDecoder {
	return &textDecoder{lines: newLineScanner(r), names: newInterner(), layout: defaultLayout, t: t}
}

func (d *textDecoder) place() string { return fmt.Sprintf("line %d", d.t.Lines) }

// next reads up to the next event. Lines that cannot be read are counted.
func (d *textDecoder) next(e *Event) error {
	for {
		line, ok, err := d.lines.next()
		if err != nil {
			return err
		}
		d.t.Lines++
		if !ok {
			d.malformed("the line is longer than %d bytes", maxLine)
			continue
		}
		if d.note(line) {
			continue
		}
		*e = Event{Depth: -1}
		if cause := d.event(line, e); cause != "" {
			d.malformed("%s", cause)
			continue
		}
		return nil
	}
}

// malformed counts a line, and keeps the cause of the first.
func (d *textDecoder) malformed(format string, args ...any) {
	if d.t.Malformed++; d.t.Malformed == 1 {
		d.t.MalformedLine = d.lines.number
		d.t.MalformedCause = fmt.Sprintf(format, args...)
	}
}

// note handles a line that is no event: comments, what the tools print before
// the events, and what they print about lost ones. All of them begin in the
// first column, where a task's name never does.
func (d *textDecoder) note(line []byte) bool {
	if len(line) == 0 {
		return true
	}
	switch line[0] {
	case '#':
		d.header(string(line))
		return true
	case 'v':
		n, found := bytes.CutPrefix(line, []byte("version = "))
		_, ok := parseInt32(n)
		return found && ok
	case 'c':
		n, found := bytes.CutPrefix(line, []byte("cpus="))
		if v, ok := parseInt32(n); found && ok {
			d.t.NumCPUs = int(v)
			return true
		}
	case 'C':
		if lost, ok := lostEvents(line); ok {
			d.t.Lost += lost
			return true
		}
	}
	return false
}

// lostEvents reads the lines of the kernel ("CPU:3 [LOST 17 EVENTS]") and of
// trace-cmd ("CPU:3 [17 EVENTS DROPPED]"); one without a number counts 1.
func lostEvents(text []byte) (int64, bool) {
	at := bytes.IndexByte(text, '[')
	if at < 0 || !bytes.HasPrefix(text, []byte("CPU")) || text[len(text)-1] != ']' {
		return 0, false
	}
	said := string(text[at+1 : len(text)-1])
	n, kernel := strings.CutPrefix(said, "LOST ")
	if kernel {
		n, kernel = strings.CutSuffix(n, "EVENTS")
	} else if n, kernel = strings.CutSuffix(said, "DROPPED"); kernel {
		n, kernel = strings.CutSuffix(strings.TrimSpace(n), "EVENTS")
	}
	if !kernel {
		return 0, false
	}
	if v, ok := parseInt([]byte(strings.TrimSpace(n))); ok && v > 0 {
		return v, true
	}
	return 1, true
}

// header takes from a comment what it says about the buffers and the flags.
func (d *textDecoder) header(text string) {
	if _, counts, ok := strings.Cut(text, "entries-in-buffer/entries-written: "); ok {
		var kept, written int64
		if n, _ := fmt.Sscanf(counts, "%d/%d", &kept, &written); n == 2 && kept >= 0 && written > kept {
			d.t.Overwritten = written - kept
		}
		if _, cpus, ok := strings.Cut(counts, "#P:"); ok {
			if v, ok := parseInt32([]byte(strings.TrimSpace(cpus))); ok && v > 0 {
				d.t.NumCPUs = int(v)
			}
		}
		return
	}
	if _, column, ok := strings.Cut(text, "=> "); ok {
		d.layout.column(column)
	}
}

// event reads one event, or returns why it cannot.
func (d *textDecoder) event(line []byte, e *Event) (cause string) {
	p, ok := d.prefix(line)
	if !ok {
		return "not TASK-PID [CPU] FLAGS TIME: EVENT: ..."
	}
	e.PID, e.CPU, e.Time = p.pid, p.cpu, p.time
	e.Comm = d.names.get(p.comm)
	e.Ctx, e.Depth = d.layout.read(p.flags)
	if bad := d.payload(p.name, p.text, e); bad != "" {
		return string(p.name) + ": " + bad
	}
	return ""
}

// prefix is what stands before the fields of an event, in one line.
type prefix struct {
	comm, flags, name, text []byte
	pid, cpu                int32
	time                    int64
}

// commWidth is the column of the dash between a task's name and its pid: the
// name is printed right-aligned, and kernels know no longer one.
const commWidth = 16

// prefix finds the dash behind the task's name, which may itself hold dashes,
// brackets and colons: where the column says, or else the first from which on
// the line makes sense.
func (d *textDecoder) prefix(line []byte) (p prefix, ok bool) {
	if len(line) > commWidth && line[commWidth] == '-' && p.afterDash(line[commWidth+1:]) {
		p.comm = bytes.TrimLeft(line[:commWidth], " \t")
		return p, true
	}
	line = bytes.TrimLeft(line, " \t")
	// A name is short, so that a long line of dashes costs no more than this.
	for at := 0; at < min(len(line), 4*commWidth); at++ {
		if line[at] == '-' && p.afterDash(line[at+1:]) {
			p.comm = line[:at]
			return p, true
		}
	}
	return prefix{}, false
}

// afterDash reads "PID (TGID) [CPU] FLAGS TIME: NAME: TEXT", where TGID and
// FLAGS may be absent.
func (p *prefix) afterDash(b []byte) (ok bool) {
	word, b := nextWord(b)
	if p.pid, ok = parseInt32(word); !ok {
		return false
	}
	if len(b) > 0 && b[0] == '(' {
		end := bytes.IndexByte(b[:min(len(b), 24)], ')')
		if end < 0 {
			return false
		}
		b = skipSpace(b[end+1:])
	}
	if word, b = nextWord(b); len(word) < 3 || word[0] != '[' || word[len(word)-1] != ']' {
		return false
	}
	if p.cpu, ok = parseInt32(word[1 : len(word)-1]); !ok || p.cpu < 0 || p.cpu >= cpumask.MaxParsed {
		return false
	}
	p.flags = nil
	if word, b = nextWord(b); !p.clock(word) {
		p.flags = word
		if word, b = nextWord(b); !p.clock(word) {
			return false
		}
	}
	at := bytes.IndexByte(b, ':')
	if at < 1 || at > maxName || bytes.IndexByte(b[:at], ' ') >= 0 {
		return false
	}
	p.name, p.text = b[:at], skipSpace(b[at+1:])
	return true
}

// maxName is the longest name of an event that is believed.
const maxName = 128

// clock reads "TIME:".
func (p *prefix) clock(word []byte) (ok bool) {
	n := len(word) - 1
	if n < 1 || word[n] != ':' {
		return false
	}
	p.time, ok = parseTime(word[:n])
	return ok
}

// nextWord cuts b at its first space and drops the spaces there.
func nextWord(b []byte) (word, rest []byte) {
	for i, c := range b {
		if c == ' ' || c == '\t' {
			return b[:i], skipSpace(b[i+1:])
		}
	}
	return b, nil
}

func skipSpace(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	return b
}
