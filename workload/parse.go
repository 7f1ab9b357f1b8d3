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
	Keys    []Key
}

// Key is one key of a spec.
type Key struct{ Name, Default, Doc string }

type kind struct {
	Info
	parse func(rest string) (sim.Workload, error)
}

var kinds []kind

// Register adds a kind of workload; parse gets what stands behind "NAME:". It is
// for package initialisation: a name that exists already is a mistake and panics.
func Register(info Info, parse func(rest string) (sim.Workload, error)) {
	if slices.ContainsFunc(kinds, func(k kind) bool { return k.Name == info.Name }) {
		panic("workload: " + info.Name + " is registered twice")
	}
	kinds = append(kinds, kind{info, parse})
	slices.SortFunc(kinds, func(a, b kind) int { return strings.Compare(a.Name, b.Name) })
}

// register adds a kind whose spec has keys.
func register(info Info, read func(s *keyval.Spec) sim.Workload) {
	Register(info, func(rest string) (sim.Workload, error) {
		s, err := keyval.Parse(info.Name + ":" + rest)
		if err != nil {
			return nil, err
		}
		w := named{read(s), strings.TrimSuffix(info.Name+":"+rest, ":")}
		return w, s.Done()
	})
}

// named is a workload under the spec that it was asked for with.
type named struct {
	sim.Workload
	spec string
}

func (n named) Name() string { return n.spec }

// List describes the kinds of workload, by name.
func List() []Info {
	var out []Info
	for _, k := range kinds {
		out = append(out, k.Info)
	}
	return out
}

// Parse reads a workload spec. Errors are one line and list what exists.
func Parse(spec string) (sim.Workload, error) {
	name, rest, _ := strings.Cut(spec, ":")
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.Name == name })
	if i < 0 {
		var names []string
		for _, k := range kinds {
			names = append(names, k.Name)
		}
		return nil, fmt.Errorf("unknown workload %q (there are %s)", name, strings.Join(names, ", "))
	}
	w, err := kinds[i].parse(rest)
	if err != nil {
		return nil, fmt.Errorf("workload %w", err)
	}
	return w, nil
}
