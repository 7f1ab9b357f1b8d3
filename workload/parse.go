package workload

import (
	"fmt"
	"slices"
	"strings"

	"schedlab/internal/keyval"
	"schedlab/sim"
)

// Info describes a kind of workload.
type Info struct {
	Name    string
	Summary string
	Unit    string // what its throughput counts
	Keys    []Key  // none if its spec has no keys
	Short   string // the key that a value without a key sets, if there is one
	Doc     string // paragraphs: what it does, what is assumed
}

// Key describes one key of a spec: its default, what it takes, and what it means.
type Key = keyval.Key

// maxTasks bounds what a spec can ask for. A task takes about 1.4 kB.
const maxTasks = 200_000

type kind struct {
	Info
	parse func(rest string) (sim.Workload, error)
}

var kinds []kind

// Register adds a kind of workload; parse gets what stands behind "NAME:". It is
// for package initialisation: a name that exists already is a mistake and panics.
func Register(info Info, parse func(rest string) (sim.Workload, error)) {
	i, exists := slices.BinarySearchFunc(kinds, info.Name, func(k kind, name string) int { return strings.Compare(k.Name, name) })
	if exists {
		panic("workload: " + info.Name + " is registered twice")
	}
	kinds = slices.Insert(kinds, i, kind{info, parse})
}

// register adds a kind whose spec has keys, which reading an empty spec describes.
func register(info Info, read func(s *keyval.Spec) sim.Workload) {
	parse := func(rest string) (sim.Workload, []Key, error) {
		s, err := keyval.Parse(info.Name + ":" + info.long(rest))
		if err != nil {
			return nil, nil, err
		}
		w := read(s)
		return w, s.Keys(), s.Done()
	}
	_, keys, err := parse("")
	if err != nil {
		panic("workload: defaults of " + err.Error())
	}
	info.Keys = keys
	Register(info, func(rest string) (sim.Workload, error) {
		w, _, err := parse(rest)
		return named{w, strings.TrimSuffix(info.Name+":"+rest, ":")}, err
	})
}

// long writes the key before a value that stands first without one.
func (k *Info) long(rest string) string {
	first, _, _ := strings.Cut(rest, ",")
	if k.Short == "" || first == "" || strings.Contains(first, "=") {
		return rest
	}
	return k.Short + "=" + rest
}

// named is a workload under the spec that it was asked for with.
type named struct {
	sim.Workload
	spec string
}

func (n named) Name() string { return n.spec }

// Span is the virtual time that the workload takes at least, ns; 0 where it has
// none of its own.
func (n named) Span() int64 { return span(n.Workload) }

func span(w sim.Workload) int64 {
	if s, ok := w.(interface{ Span() int64 }); ok {
		return s.Span()
	}
	return 0
}

// List describes the kinds of workload, by name.
func List() []Info {
	var out []Info
	for _, k := range kinds {
		out = append(out, k.Info)
	}
	return out
}

// Find describes one kind of workload; what stands behind a colon is ignored.
func Find(name string) (Info, error) {
	name, _, _ = strings.Cut(name, ":")
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.Name == name })
	if i < 0 {
		return Info{}, keyval.Unknown("workload", name, names())
	}
	return kinds[i].Info, nil
}

// Parse reads a workload spec, NAME[:key=value,...]. Errors are one line, and
// list what exists.
func Parse(spec string) (sim.Workload, error) {
	name, rest, _ := strings.Cut(spec, ":")
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.Name == name })
	if i < 0 {
		return nil, keyval.Unknown("workload", name, names())
	}
	w, err := kinds[i].parse(rest)
	if err != nil {
		return nil, fmt.Errorf("workload %w", err)
	}
	return w, nil
}

func names() []string {
	var out []string
	for _, k := range kinds {
		out = append(out, k.Name)
	}
	return out
}
