package trace

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// textName is the ftrace text inside a recording.
const textName = "trace.txt"

// headSize is how much of a file its format is told by.
const headSize = 64 << 10

// source is an opened stream of one format's bytes.
type source struct {
	name    string // the file, and what was found in it
	r       *bufio.Reader
	outer   *bufio.Reader // the archive that r is a part of; nil when it is all
	closers []io.Closer
}

// drain reads what follows the trace in its archive: only the end tells that a
// compressed file is whole.
func (s *source) drain() error {
	if s.outer == nil {
		return nil
	}
	_, err := io.Copy(io.Discard, s.outer)
	return err
}

func (s *source) close() error {
	var errs []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		errs = append(errs, s.closers[i].Close())
	}
	s.closers = nil
	return errors.Join(errs...)
}

// openSource opens a file, looks for the trace in a recording, and decompresses.
// Errors name the file and the cause.
func openSource(name string) (*source, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, errorOf(name, err)
	}
	if info.IsDir() {
		inside := filepath.Join(name, textName)
		if info, err = os.Stat(inside); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: a directory without %s", name, textName)
		} else if err != nil {
			return nil, errorOf(name, err)
		}
		name = inside
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, errorOf(name, err)
	}
	s := &source{name: name, r: bufio.NewReaderSize(f, headSize), closers: []io.Closer{f}}
	if err := s.unwrap(); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// unwrap removes one layer of gzip and one archive around the trace.
func (s *source) unwrap() error {
	head, err := s.head()
	if err != nil {
		return err
	}
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(s.r)
		if err != nil {
			return errorOf(s.name, err)
		}
		s.closers = append(s.closers, z)
		s.r = bufio.NewReaderSize(z, headSize)
		if head, err = s.head(); err != nil {
			return err
		}
	}
	if isTar(head) {
		return s.findInTar()
	}
	return nil
}

// head returns the beginning of the stream, which stays unread.
func (s *source) head() ([]byte, error) {
	head, err := s.r.Peek(headSize)
	if err != nil && err != io.EOF {
		return nil, errorOf(s.name, err)
	}
	if len(head) == 0 {
		return nil, fmt.Errorf("%s: empty", s.name)
	}
	return head, nil
}

// isTar knows an archive by the mark in its first header.
func isTar(head []byte) bool {
	const at = 257
	return len(head) >= 512 && bytes.HasPrefix(head[at:], []byte("ustar"))
}

// findInTar goes to the trace of a recording: the file of that name at the top
// or in a directory there.
func (s *source) findInTar() error {
	t := tar.NewReader(s.r)
	for {
		h, err := t.Next()
		if err == io.EOF {
			return fmt.Errorf("%s: an archive without %s", s.name, textName)
		}
		if err != nil {
			return errorOf(s.name, err)
		}
		if name := path.Clean(h.Name); h.Typeflag == tar.TypeReg && isTraceIn(name) {
			s.name += ":" + name
			s.r, s.outer = bufio.NewReaderSize(t, headSize), s.r
			return nil
		}
	}
}

func isTraceIn(name string) bool {
	dir, base := path.Split(name)
	return base == textName && (dir == "" || path.Dir(path.Clean(dir)) == ".")
}

// errorOf puts the file before an error, once, and says what a stream's end in
// the middle is.
func errorOf(name string, err error) error {
	var in *fs.PathError
	if errors.As(err, &in) {
		err = in.Err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: truncated: %w", name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}
