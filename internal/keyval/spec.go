package keyval

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Spec is a spec being read. It serves one reader at a time.
type Spec struct {
	Name  string
	pairs []pair
	keys  []Key
	err   error
}

// Key describes one key of a spec.
type Key struct {
	Name    string
	Default string // as a user would write it
	Values  string // what it takes: "1-1000", "100ns-1h", "socket|pipe"
	Doc     string
}

type pair struct {
	key, value string
	used       bool
}

// maxKeys bounds what Parse keeps: no spec has as many.
const maxKeys = 64

// Parse splits a spec. Every item has to be key=value, and no key may be there twice.
func Parse(text string) (*Spec, error) {
	if i := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }); i >= 0 {
		return nil, fmt.Errorf("%q: byte %d is not part of a printable character", clip(text), i)
	}
	name, rest, _ := strings.Cut(text, ":")
	if name == "" {
		return nil, fmt.Errorf("%q: no name before the keys", clip(text))
	}
	s := &Spec{Name: name}
	if rest == "" {
		return s, nil
	}
	for item := range strings.SplitSeq(rest, ",") {
		if err := s.add(strings.TrimSpace(item)); err != nil {
			return nil, fmt.Errorf("%s: %w", clip(name), err)
		}
	}
	return s, nil
}

func (s *Spec) add(item string) error {
	key, value, ok := strings.Cut(item, "=")
	switch {
	case !ok || key == "":
		return fmt.Errorf("%q is not key=value", clip(item))
	case len(s.pairs) == maxKeys:
		return fmt.Errorf("more than %d keys", maxKeys)
	case slices.ContainsFunc(s.pairs, func(p pair) bool { return p.key == key }):
		return fmt.Errorf("key %q is given twice", clip(key))
	}
	s.pairs = append(s.pairs, pair{key: key, value: value})
	return nil
}

// take notes that a key exists, and returns its value if the spec has one.
func (s *Spec) take(k Key) (string, bool) {
	s.keys = append(s.keys, k)
	for i := range s.pairs {
		if p := &s.pairs[i]; p.key == k.Name {
			p.used = true
			return p.value, true
		}
	}
	return "", false
}

func (s *Spec) bad(key, value, must string) {
	s.Reject("%s=%s: must be %s", key, clip(value), must)
}

// Reject notes that something is wrong with the spec that no getter can see,
// such as two values that do not go together. Done returns it behind the spec's name.
func (s *Spec) Reject(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}

// Keys describes the keys that getters have asked for, in that order.
func (s *Spec) Keys() []Key { return slices.Clone(s.keys) }

// Done returns what is wrong with the spec, nil if nothing is.
func (s *Spec) Done() error {
	err := s.err
	if err == nil {
		err = s.unknown()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", clip(s.Name), err)
	}
	return nil
}

// unknown names the first key that no getter asked for.
func (s *Spec) unknown() error {
	var names []string
	for _, k := range s.keys {
		names = append(names, k.Name)
	}
	for _, p := range s.pairs {
		switch {
		case p.used:
		case len(names) == 0:
			return errors.New("it has no keys")
		default:
			return Unknown("key", p.key, names)
		}
	}
	return nil
}
