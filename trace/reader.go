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
// everything but Seq.
type decoder interface {
	next(e *Event) error
}

// Open opens a recording: a directory or .tgz that holds trace.txt, or a trace
// file alone, plain or gzipped. Errors are one line: file and cause.
func Open(path string) (*Reader, error) {
	s, err := openSource(path)
	if err != nil {
		return nil, err
	}
	head, err := s.head()
	if err != nil {
		s.close()
		return nil, err
	}
	if cause := notText(head); cause != "" {
		s.close()
		return nil, fmt.Errorf("%s: %s", s.name, cause)
	}
	return newTextReader(s), nil
}

func newTextReader(s *source) *Reader {
	r := &Reader{src: s}
	r.tally.Name, r.tally.Format = s.name, "ftrace text"
	r.tally.others = nameCounts{}
	r.decode = newTextDecoder(s.r, &r.tally)
	return r
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
		return errorOf(fmt.Sprintf("%s: after line %d", t.Name, t.Lines), err)
	}
	if t.Sched() > 0 {
		return io.EOF
	}
	if t.Malformed > 0 {
		return fmt.Errorf("%s: no sched event in %d lines; line %d: %s", t.Name, t.Lines, t.MalformedLine, t.MalformedCause)
	}
	return fmt.Errorf("%s: no sched event in %d lines", t.Name, t.Lines)
}

// Info is what has been read up to now; all there is when Next gave io.EOF.
func (r *Reader) Info() Info { return r.tally.snapshot() }

// Close closes the file.
func (r *Reader) Close() error { return r.src.close() }

// others are the traces that are known by their first bytes, to name them.
var otherKinds = []struct{ magic, name string }{
	{"\x17\x08\x44tracing", "a trace.dat of trace-cmd"},
	{"PERFILE2", "a perf.data file"},
	{"2ELIFREP", "a perf.data file"},
	{"\x28\xb5\x2f\xfd", "zstd-compressed"},
	{"<!DOCTYPE", "HTML"},
	{"<html", "HTML"},
	{"\x1f\x8b", "gzipped twice"},
}

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
