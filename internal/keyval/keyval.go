// Package keyval reads the specs that users type: NAME[:key=value,key=value...].
//
//	spec, err := keyval.Parse("hackbench:groups=4,ipc=pipe")
//	groups := spec.Int("groups", 10, 1, 1000)
//	pipe := spec.Enum("ipc", "socket", "socket", "pipe") == "pipe"
//	if err := spec.Done(); err != nil { ... }
//
// The getters note the first thing that is wrong; Done returns it, or names a
// key that no getter asked for and lists those that exist. Errors are one line.
package keyval

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Spec is a spec being read.
type Spec struct {
	Name  string
	pairs []pair
	asked []string
	err   error
}

type pair struct {
	key, value string
	used       bool
}

// Parse splits a spec. Keys must be there once; a value may hold anything but a comma.
func Parse(text string) (*Spec, error) {
	name, rest, _ := strings.Cut(text, ":")
	if name == "" {
		return nil, fmt.Errorf("%q: no name before the keys", text)
	}
	s := &Spec{Name: name}
	for item := range strings.SplitSeq(rest, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		key, value, ok := strings.Cut(item, "=")
		switch {
		case !ok || key == "":
			return nil, fmt.Errorf("%s: %q is not key=value", name, item)
		case slices.ContainsFunc(s.pairs, func(p pair) bool { return p.key == key }):
			return nil, fmt.Errorf("%s: key %q is given twice", name, key)
		}
		s.pairs = append(s.pairs, pair{key: key, value: value})
	}
	return s, nil
}

// take returns the value of a key and notes that the key exists.
func (s *Spec) take(key string) (string, bool) {
	s.asked = append(s.asked, key)
	for i := range s.pairs {
		if p := &s.pairs[i]; p.key == key {
			p.used = true
			return p.value, true
		}
	}
	return "", false
}

func (s *Spec) fail(key, value, format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf("%s: %s=%s: %s", s.Name, key, value, fmt.Sprintf(format, args...))
	}
}

// Int returns a whole number between least and most, def when the key is absent.
func (s *Spec) Int(key string, def, least, most int) int {
	value, ok := s.take(key)
	if !ok {
		return def
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < least || n > most {
		s.fail(key, value, "must be a whole number from %d to %d", least, most)
		return def
	}
	return n
}

// Duration returns a length of time in ns between least and most.
func (s *Spec) Duration(key string, def, least, most time.Duration) int64 {
	value, ok := s.take(key)
	if !ok {
		return int64(def)
	}
	d, err := time.ParseDuration(value)
	if err != nil || d < least || d > most {
		s.fail(key, value, "must be a duration from %v to %v, such as 400us", least, most)
		return int64(def)
	}
	return int64(d)
}

// PerMille returns a percentage such as "20%" (or a plain number of per cent)
// in thousandths, from 0 to 1000.
func (s *Spec) PerMille(key string, def int64) int64 {
	value, ok := s.take(key)
	if !ok {
		return def
	}
	number, _ := strings.CutSuffix(value, "%")
	whole, fraction, _ := strings.Cut(number, ".")
	n, err := strconv.ParseUint(whole+(fraction + "0")[:1], 10, 32)
	if err != nil || len(fraction) > 1 || n > 1000 {
		s.fail(key, value, "must be a percentage from 0%% to 100%%, with at most one decimal")
		return def
	}
	return int64(n)
}

// Enum returns one of the names.
func (s *Spec) Enum(key, def string, names ...string) string {
	value, ok := s.take(key)
	if !ok {
		return def
	}
	if !slices.Contains(names, value) {
		s.fail(key, value, "must be one of %s", strings.Join(names, ", "))
		return def
	}
	return value
}

// Done returns what is wrong with the spec, nil if nothing is.
func (s *Spec) Done() error {
	if s.err != nil {
		return s.err
	}
	for _, p := range s.pairs {
		if !p.used {
			return fmt.Errorf("%s: unknown key %q (there are %s)", s.Name, p.key, strings.Join(s.asked, ", "))
		}
	}
	return nil
}
