package machine

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// syntheticPrefix begins the names of machines that are given by their numbers.
const syntheticPrefix = "synthetic:"

const syntheticForm = "synthetic:cores=C[,sockets=S][,threads=T][,llc=CORES][,nodes=N]"

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
	given := map[string]bool{}
	for item := range strings.SplitSeq(s, ",") {
		key, value, _ := strings.Cut(item, "=")
		switch {
		case s == "":
			continue // the cores are missing
		case item == "":
			return l, errors.New("a key is missing at a comma")
		case keys[key] == nil:
			return l, fmt.Errorf("unknown key %q", clip(key))
		case given[key]:
			return l, fmt.Errorf("key %q is given twice", key)
		}
		given[key] = true
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return l, fmt.Errorf("%s=%s is not a positive number", key, clip(value))
		}
		*keys[key] = n
	}
	if !given["cores"] {
		return l, errors.New("cores=C is missing, the cores of each socket")
	}
	return l, nil
}
