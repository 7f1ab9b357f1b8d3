package keyval

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Int returns a whole number between least and most.
func (s *Spec) Int(key string, def, least, most int, doc string) int {
	value, ok := s.take(Key{key, strconv.Itoa(def), fmt.Sprintf("%d-%d", least, most), doc})
	if !ok {
		return def
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < least || n > most {
		s.bad(key, value, fmt.Sprintf("a whole number from %d to %d", least, most))
		return def
	}
	return n
}

// Duration returns a length of time between least and most, in ns.
func (s *Spec) Duration(key string, def, least, most time.Duration, doc string) int64 {
	value, ok := s.take(Key{key, duration(def), duration(least) + "-" + duration(most), doc})
	if !ok {
		return int64(def)
	}
	d, err := time.ParseDuration(value)
	if err != nil || d < least || d > most {
		s.bad(key, value, fmt.Sprintf("a duration from %s to %s, such as 400us", duration(least), duration(most)))
		return int64(def)
	}
	return int64(d)
}

// duration writes a length of time in the largest unit that fits it as a whole
// number, and in ASCII.
func duration(d time.Duration) string {
	units := []struct {
		of   time.Duration
		name string
	}{{time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "us"}}
	for _, u := range units {
		if d != 0 && d%u.of == 0 {
			return fmt.Sprintf("%d%s", d/u.of, u.name)
		}
	}
	return fmt.Sprintf("%dns", d.Nanoseconds())
}

// PerMille returns a percentage from 0 to 100, such as "20%" or "0.5", in
// thousandths of the whole.
func (s *Spec) PerMille(key string, def int64, doc string) int64 {
	value, ok := s.take(Key{key, percent(def), "0%-100%", doc})
	if !ok {
		return def
	}
	n, ok := parsePercent(value)
	if !ok {
		s.bad(key, value, "a percentage from 0% to 100%, with at most one decimal")
		return def
	}
	return n
}

func percent(perMille int64) string {
	if perMille%10 == 0 {
		return fmt.Sprintf("%d%%", perMille/10)
	}
	return fmt.Sprintf("%d.%d%%", perMille/10, perMille%10)
}

func parsePercent(value string) (perMille int64, ok bool) {
	whole, tenth, decimal := strings.Cut(strings.TrimSuffix(value, "%"), ".")
	if !decimal {
		tenth = "0"
	}
	if whole == "" || len(tenth) != 1 {
		return 0, false
	}
	n, err := strconv.ParseUint(whole+tenth, 10, 32)
	return int64(n), err == nil && n <= 1000
}

// Bool returns whether a key is on or off.
func (s *Spec) Bool(key string, def bool, doc string) bool {
	names := map[bool]string{true: "on", false: "off"}
	return s.Enum(key, names[def], doc, "on", "off") == "on"
}

// Enum returns one of the names.
func (s *Spec) Enum(key, def, doc string, names ...string) string {
	value, ok := s.take(Key{key, def, strings.Join(names, "|"), doc})
	if !ok {
		return def
	}
	if !slices.Contains(names, value) {
		s.bad(key, value, "one of "+strings.Join(names, ", ")+suggestion(value, names))
		return def
	}
	return value
}

// String returns any text that is not empty. values says what it is ("file").
func (s *Spec) String(key, def, values, doc string) string {
	value, ok := s.take(Key{key, def, values, doc})
	if !ok {
		return def
	}
	if value == "" {
		s.bad(key, value, "a "+values+", not empty")
		return def
	}
	return value
}

// List returns the items of a list, none of them empty: "a+b+c". values says
// what an item is. A key that is absent gives an empty list.
func (s *Spec) List(key, values, doc string) []string {
	value, ok := s.take(Key{key, "", values + "[+" + values + "...]", doc})
	if !ok {
		return nil
	}
	items := strings.Split(value, "+")
	if slices.Contains(items, "") {
		s.bad(key, value, "a list such as a+b+c, without empty items")
		return nil
	}
	return items
}
