package report

import (
	"math"
	"strconv"
	"strings"
)

// scale is how the values of one row are shown: divided by div, with a number
// of decimals and a suffix. A row has one scale, so that its cells compare.
type scale struct {
	div      float64
	suffix   string
	decimals int
}

type step struct {
	div    float64
	suffix string
}

// Steps of a unit, descending; div is in the unit of the metric.
var (
	seconds = []step{{1, " s"}, {1e-3, " ms"}, {1e-6, " us"}, {1e-9, " ns"}}
	counts  = []step{{1e9, "G"}, {1e6, "M"}, {1, ""}}
	rates   = []step{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}}
	percent = []step{{1, "%"}}
	inUnit  = map[string]float64{"s": 1, "ms": 1e3, "us": 1e6}
)

// newScale picks the scale of a row by its first value that is not zero: the
// largest step that leaves at least 1 before the point, and four digits.
// Counts below a million are shown to the last one.
func newScale(unit string, values ...float64) scale {
	lead := 0.0
	for _, v := range values {
		if !finite(v) {
			continue
		}
		if lead = math.Abs(v); lead != 0 {
			break
		}
	}
	factor, steps := unitSteps(unit)
	s := scale{div: factor * steps[0].div, suffix: steps[0].suffix}
	for _, st := range steps[1:] {
		if lead == 0 || lead >= s.div {
			break
		}
		s.div, s.suffix = factor*st.div, st.suffix
	}
	if lead == 0 {
		s.suffix, s.decimals = zeroSuffix(steps), 0
		return s
	}
	s.decimals = digits(lead / s.div)
	if unit == "count" && s.div == 1 {
		s.decimals = fraction(values)
	}
	return s
}

func unitSteps(unit string) (float64, []step) {
	if f, ok := inUnit[unit]; ok {
		return f, seconds
	}
	switch {
	case unit == "%":
		return 1, percent
	case strings.HasSuffix(unit, "/s"):
		return 1, rates
	}
	return 1, counts
}

// zeroSuffix is the suffix of a row of zeros: no need for a time's unit.
func zeroSuffix(steps []step) string {
	if len(steps) == 1 {
		return steps[0].suffix
	}
	return ""
}

// digits is the number of decimals that makes four digits.
func digits(v float64) int {
	switch {
	case v >= 999.5:
		return 0
	case v >= 99.95:
		return 1
	case v >= 9.995:
		return 2
	}
	return 3
}

// fraction is 1 if a count, a median perhaps, has a fraction.
func fraction(values []float64) int {
	for _, v := range values {
		if finite(v) && v != math.Trunc(v) {
			return 1
		}
	}
	return 0
}

func (s scale) format(v float64) string {
	if !finite(v) {
		return "-" // nothing was measured
	}
	return strconv.FormatFloat(v/s.div, 'f', s.decimals, 64) + s.suffix
}
