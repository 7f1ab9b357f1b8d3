package rtapp

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// DefaultJitter is how much the length of run events varies from one to the next
// and from seed to seed, in thousandths.
const DefaultJitter = 10

// Option changes how a file is run.
type Option func(*Workload)

// Jitter sets by how many thousandths either way run events vary; 0 runs them as
// the file has them.
func Jitter(perMille int64) Option {
	return func(w *Workload) { w.jitter = min(max(perMille, 0), 1000) }
}

// Load reads a file. Errors are one line: FILE:LINE:COLUMN, cause.
func Load(path string, options ...Option) (*Workload, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(path, f, options...)
}

// Read reads a file that is open, under the name that errors are to give it.
func Read(name string, from io.Reader, options ...Option) (*Workload, error) {
	data, err := io.ReadAll(io.LimitReader(from, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > maxBytes {
		return nil, fmt.Errorf("%s: more than %d MiB", name, maxBytes>>20)
	}
	p, warnings, err := read(&document{name: name, text: string(data)})
	if err != nil {
		return nil, err
	}
	w := &Workload{name: "rtapp:" + filepath.Base(name), plan: p, warnings: warnings, jitter: DefaultJitter}
	for _, o := range options {
		o(w)
	}
	return w, nil
}
