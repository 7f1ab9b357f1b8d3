package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// writeFile writes a file whole or not at all: what stands there stays until the
// new one is complete. "-" is the standard output; what is no regular file, a
// device or a pipe, is written to as it is. The error says what is wrong with it.
func (a *app) writeFile(name string, write func(io.Writer) error) error {
	if name == "-" {
		return failed(write(a.stdout))
	}
	target := name
	if real, err := filepath.EvalSymlinks(name); err == nil {
		target = real
	}
	put := replaceFile
	if info, err := os.Stat(target); err == nil && !info.Mode().IsRegular() {
		put = writeInto
	}
	if err := put(target, write); err != nil {
		return failed(fmt.Errorf("%s: %w", name, pathCause(err)))
	}
	return nil
}

// writeInto writes to what is there.
func writeInto(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// replaceFile makes a new file beside the old one, and puts it into its place.
func replaceFile(name string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".schedlab-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	for _, step := range []func() error{
		func() error { return write(f) }, func() error { return f.Chmod(0o644) }, f.Close,
		func() error { return os.Rename(f.Name(), name) },
	} {
		if err := step(); err != nil {
			f.Close()
			return err
		}
	}
	return nil
}

// pathCause is an error without the path, which the caller names.
func pathCause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}
