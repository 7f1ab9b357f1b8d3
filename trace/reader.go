package trace

import (
	"bytes"
	"fmt"
	"io"
)

// Reader reads the events of one recording, one after another. It is for one
// goroutine.
type Reader struct {
	src    *source
	tally  tally
	decode decoder
	err    error // what Next ended with
}

// decoder reads events of one format. It overwrites the whole Event, and sets
// everything but Seq. What it sees besides goes to the tally that it was opened
// with.
type decoder interface {
	next(e *Event) error
	// place is how far it has come, for errors: "line 12", "offset 345".
	place() string
}

// format is one kind of file.
type format struct {
	name string // as Info.Format has it
	// matches reports whether a file that begins with head, up to headSize bytes of
	// it, is of this kind.
	matches func(head []byte) bool
	open    func(s *source, t *tally) (decoder, error)
}

// formats are tried in order; the text comes last, since nearly anything could be text.
var formats = []format{
	formatText,
}

var formatText = format{"ftrace text", isText, func(s *source, t *tally) (decoder, error) { return newTextDecoder(s.r, t), nil }}

// Open opens a recording: a directory or .tgz that holds trace.txt, or a trace
// file alone, plain or gzipped. Errors are one line: file and cause.
func Open(path string) (*Reader, error) {
	s, err := openSource(path)
	if err != nil {
		return nil, err
	}
	r, err := newReader(s)
	if err != nil {
		s.close()
		return nil, err
	}
	return r, nil
}

// newReader finds the format by content.
func newReader(s *source) (*Reader, error) {
	head, err := s.head()
	if err != nil {
		return nil, err
	}
	for i := range formats {
		if formats[i].matches(head) {
			return formats[i].reader(s)
		}
	}
	return nil, fmt.Errorf("%s: %s", s.name, notText(head))
}

// reader reads a source of that format.
func (f *format) reader(s *source) (r *Reader, err error) {
	r = &Reader{src: s}
	r.tally.Name, r.tally.Format = s.name, f.name
	r.tally.others = nameCounts{}
	if r.decode, err = f.open(s, &r.tally); err != nil {
		return nil, errorOf(s.name, err)
	}
	return r, nil
}

// Next reads the next event into e. It returns io.EOF at the end, and an error
// of one line (file, place and cause) if the recording cannot be read further
// or had no sched event; after that, always the same.
func (r *Reader) Next(e *Event) error {
	if r.err != nil {
		return r.err
	}
	if err := r.decode.next(e); err != nil {
		r.err = r.end(err)
		return r.err
	}
	e.Seq = uint64(r.tally.events)
	r.tally.add(e)
	return nil
}

// end says how the recording ended.
func (r *Reader) end(err error) error {
	t := &r.tally
	if err == io.EOF {
		if e := r.src.drain(); e != nil {
			err = e
		}
	}
	if err != io.EOF {
		return errorOf(fmt.Sprintf("%s: after %s", t.Name, r.decode.place()), err)
	}
	if t.Sched() > 0 {
		return io.EOF
	}
	return fmt.Errorf("%s: no sched event %s", t.Name, t.instead())
}

// instead says what a recording without sched events held.
func (t *tally) instead() string {
	switch {
	case t.Lines == 0:
		return fmt.Sprintf("among %d events", t.events)
	case t.Malformed > 0:
		return fmt.Sprintf("in %d lines; line %d: %s", t.Lines, t.MalformedLine, t.MalformedCause)
	}
	return fmt.Sprintf("in %d lines", t.Lines)
}

// Info is what has been read up to now; all there is when Next gave io.EOF.
func (r *Reader) Info() Info { return r.tally.snapshot() }

// Close closes the file.
func (r *Reader) Close() error { return r.src.close() }

// otherKinds are the traces that are known by their first bytes, to name them.
var otherKinds = []struct{ magic, name string }{
	{"\x17\x08\x44tracing", "a trace.dat of trace-cmd"},
	{"PERFILE2", "a perf.data file"},
	{"2ELIFREP", "a perf.data file"},
	{"\x28\xb5\x2f\xfd", "zstd-compressed"},
	{"<!DOCTYPE", "HTML"},
	{"<html", "HTML"},
	{"\x1f\x8b", "gzipped twice"},
}

func isText(head []byte) bool { return notText(head) == "" }

// notText says why a file that begins like that is not ftrace text.
func notText(head []byte) string {
	for _, k := range otherKinds {
		if bytes.HasPrefix(head, []byte(k.magic)) {
			return k.name + ", not ftrace text"
		}
	}
	if i := bytes.IndexByte(head, 0); i >= 0 {
		return fmt.Sprintf("not ftrace text: a zero byte at offset %d", i)
	}
	return ""
}
