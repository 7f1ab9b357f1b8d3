package machine

import (
	"fmt"
	"strconv"
	"strings"
)

// syntheticPrefix begins the names of machines that are given by their numbers.
const syntheticPrefix = "synthetic:"

const syntheticForm = "synthetic:sockets=S,cores=C,threads=T[,llc=CORES][,nodes=N]"

// loadSynthetic builds the machine that a name like
// "synthetic:sockets=8,cores=256,threads=2,llc=16,nodes=16" describes.
func loadSynthetic(name string) (*Machine, error) {
	l, err := parseLayout(strings.TrimPrefix(name, syntheticPrefix))
	if err != nil {
		return nil, fmt.Errorf("machine %s: %w (form: %s)", clip(name), err, syntheticForm)
	}
	m, err := l.build(name)
	if err != nil {
		return nil, fmt.Errorf("machine %s: %w", clip(name), err)
	}
	m.X86 = true
	m.Sources = append(m.Sources, "layout: as the name says")
	if err := m.applyFamily(defaultFamily); err != nil {
		return nil, err
	}
	return m, m.Validate()
}

func parseLayout(s string) (layout, error) {
	l := layout{Sockets: 1, Threads: 1}
	keys := map[string]*int{
		"sockets": &l.Sockets, "cores": &l.Cores, "threads": &l.Threads, "llc": &l.LLC, "nodes": &l.Nodes,
	}
	for item := range strings.SplitSeq(s, ",") {
		key, value, _ := strings.Cut(item, "=")
		target := keys[key]
		if target == nil {
			return l, fmt.Errorf("unknown or repeated key %q", clip(key))
		}
		delete(keys, key)
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return l, fmt.Errorf("%s=%s is not a positive number", key, clip(value))
		}
		*target = n
	}
	return l, nil
}
