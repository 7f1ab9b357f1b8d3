package cpumask

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxParsed is the highest id, plus one, that the parsers accept: far above
// any kernel's NR_CPUS, and low enough that a hostile line costs no memory.
const MaxParsed = 1 << 16

// String returns the kernel's list format: "0-3,8"; "" for an empty mask.
func (m Mask) String() string {
	var b strings.Builder
	for lo := m.Next(0); lo >= 0; {
		hi := lo
		for m.Test(hi + 1) {
			hi++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		if b.WriteString(strconv.Itoa(lo)); hi > lo {
			fmt.Fprintf(&b, "-%d", hi)
		}
		lo = m.Next(hi + 1)
	}
	return b.String()
}

// ParseList reads the kernel's list format: ids and ranges separated by
// commas, a range optionally with a stride ("0-31:2/4": 2 of every 4). Spaces,
// a final newline or NUL and empty items are allowed. Errors name the item.
func ParseList(s string) (Mask, error) {
	var m Mask
	for item := range strings.SplitSeq(strings.Trim(s, " \t\r\n\x00"), ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		lo, hi, used, group, err := parseRange(item)
		if err != nil {
			return nil, err
		}
		m = m.Grow(hi + 1)
		for first := lo; first <= hi; first += group {
			m.SetRange(first, min(first+used-1, hi))
		}
	}
	return m, nil
}

func parseRange(item string) (lo, hi, used, group int, err error) {
	span, stride, strided := strings.Cut(item, ":")
	a, b, ranged := strings.Cut(span, "-")
	if lo, err = parseID(a, item); err != nil {
		return
	}
	hi, used, group = lo, 1, 1
	if ranged {
		if hi, err = parseID(b, item); err != nil {
			return
		}
	}
	if hi < lo {
		err = fmt.Errorf("CPU list item %q: range runs backwards", item)
		return
	}
	if !strided {
		return
	}
	u, g, ok := strings.Cut(stride, "/")
	if used, err = parseID(u, item); err == nil {
		group, err = parseID(g, item)
	}
	if err == nil && (!ok || !ranged || used < 1 || group < used) {
		err = fmt.Errorf("CPU list item %q: stride is not USED/GROUP", item)
	}
	return
}

func parseID(s, item string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	switch {
	case err != nil || n < 0:
		return 0, fmt.Errorf("CPU list item %q: %q is not a CPU number", item, s)
	case n >= MaxParsed:
		return 0, fmt.Errorf("CPU list item %q: %d is beyond the limit of %d CPUs", item, n, MaxParsed)
	}
	return n, nil
}

// ParseHex reads the kernel's hexadecimal format: words of up to 32 bits
// separated by commas, the highest first; "0x" before the first is allowed.
func ParseHex(s string) (Mask, error) {
	s = strings.TrimPrefix(strings.Trim(s, " \t\r\n\x00"), "0x")
	words := strings.Split(s, ",")
	if len(words) > MaxParsed/32 {
		return nil, fmt.Errorf("CPU mask of %d words is beyond the limit of %d CPUs", len(words), MaxParsed)
	}
	if len(words) == 1 && len(s) > 8 && len(s) <= MaxParsed/4 {
		words = splitDigits(s)
	}
	m := New(32 * len(words))
	for i, w := range words {
		v, err := strconv.ParseUint(strings.TrimSpace(w), 16, 32)
		if err != nil {
			return nil, fmt.Errorf("CPU mask word %q is not a hexadecimal number of 32 bits", w)
		}
		shift := 32 * (len(words) - 1 - i)
		m[shift/wordBits] |= v << (shift % wordBits)
	}
	return m, nil
}

// splitDigits cuts an unbroken run of hexadecimal digits into words of eight,
// the highest first.
func splitDigits(s string) []string {
	var words []string
	for first := len(s) % 8; len(s) > 0; first = 8 {
		if first == 0 {
			first = 8
		}
		words = append(words, s[:first])
		s = s[first:]
	}
	return words
}
