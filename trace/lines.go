package trace

import (
	"bytes"
	"io"
)

const (
	lineBuffer = 256 << 10
	// maxLine is the longest line that is read; a longer one is skipped and
	// counted as malformed.
	maxLine = 64 << 10
)

// lineScanner cuts a stream into lines without allocating. A line is valid
// until the next call.
type lineScanner struct {
	r          io.Reader
	buf        []byte
	start, end int
	number     int64 // of the line last returned, from 1
	err        error
}

func newLineScanner(r io.Reader) *lineScanner {
	return &lineScanner{r: r, buf: make([]byte, lineBuffer)}
}

// next returns the next line without its end. ok is false for a line that is
// too long, of which the beginning is returned. The last line need not end.
func (s *lineScanner) next() (line []byte, ok bool, err error) {
	searched := 0
	for {
		if i := bytes.IndexByte(s.buf[s.start+searched:s.end], '\n'); i >= 0 {
			line = s.buf[s.start : s.start+searched+i]
			s.start += searched + i + 1
			break
		}
		searched = s.end - s.start
		if searched > maxLine {
			return s.skipLine()
		}
		if s.err != nil {
			if searched == 0 || s.err != io.EOF {
				return nil, false, s.err
			}
			line = s.buf[s.start:s.end]
			s.start = s.end
			break
		}
		s.fill()
	}
	s.number++
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, len(line) <= maxLine, nil
}

// skipLine passes over the rest of a line of which more than maxLine is read.
func (s *lineScanner) skipLine() ([]byte, bool, error) {
	head := bytes.Clone(s.buf[s.start : s.start+64])
	s.start = s.end
	for s.err == nil {
		s.fill()
		if i := bytes.IndexByte(s.buf[s.start:s.end], '\n'); i >= 0 {
			s.start += i + 1
			s.number++
			return head, false, nil
		}
		s.start = s.end
	}
	if s.err != io.EOF {
		return nil, false, s.err
	}
	s.number++
	return head, false, nil
}

// fill reads more, after moving what is left to the front if there is no room.
func (s *lineScanner) fill() {
	if s.start == s.end {
		s.start, s.end = 0, 0
	}
	if s.end == len(s.buf) {
		s.end = copy(s.buf, s.buf[s.start:s.end])
		s.start = 0
	}
	for range 100 {
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		s.err = err
		if n > 0 || err != nil {
			return
		}
	}
	s.err = io.ErrNoProgress
}
