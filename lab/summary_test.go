package lab

import (
	"math"
	"testing"
)

func lowerIsBetter() Metric { return Metric{Name: "time", Unit: "s", Better: Lower} }

func TestSummary(t *testing.T) {
	tests := []struct {
		what              string
		values            []float64
		median, low, high float64
		isRange           bool
	}{
		{"one", []float64{3}, 3, 3, 3, true},
		{"five: the range", []float64{5, 1, 4, 2, 3}, 3, 1, 5, true},
		{"six: the first interval, of all", []float64{6, 1, 5, 2, 4, 3}, 3.5, 1, 6, false},
		{"ten: without the extremes", []float64{10, 1, 9, 2, 8, 3, 7, 4, 6, 5}, 5.5, 2, 9, false},
		{"equal", []float64{7, 7, 7, 7, 7, 7}, 7, 7, 7, false},
	}
	for _, tt := range tests {
		first := tt.values[0]
		s := summary(lowerIsBetter(), tt.values)
		if s.Value != tt.median || s.Low != tt.low || s.High != tt.high || s.Range != tt.isRange {
			t.Errorf("%s: median %v in %v..%v, range %v; want %v in %v..%v, %v", tt.what,
				s.Value, s.Low, s.High, s.Range, tt.median, tt.low, tt.high, tt.isRange)
		}
		if s.Values[0] != first {
			t.Errorf("%s: values lost their order: %v", tt.what, s.Values)
		}
		if !math.IsNaN(s.P) || !math.IsNaN(s.Base) || s.Significant() {
			t.Errorf("%s: compared with nothing: base %v, p %v", tt.what, s.Base, s.P)
		}
	}
}

func TestAgainstBase(t *testing.T) {
	up := func(n int, from, step float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = from + step*float64(i)
		}
		return out
	}
	tests := []struct {
		what       string
		base, try  []float64
		change, p  float64
		verdict    int // of a metric that is better when lower
		isNoNumber bool
	}{
		// The least p of two samples of n: 2 / (2n choose n).
		{"apart, n=4", up(4, 10, 1), up(4, 20, 1), 100 * (21.5 - 11.5) / 11.5, 2.0 / 70, -1, false},
		{"apart and lower, n=4", up(4, 20, 1), up(4, 10, 1), 100 * (11.5 - 21.5) / 21.5, 2.0 / 70, 1, false},
		{"apart, n=3: too few", up(3, 10, 1), up(3, 20, 1), 100 * 10.0 / 11, 2.0 / 20, 0, false},
		{"all equal", []float64{5, 5, 5, 5}, []float64{5, 5, 5, 5}, 0, 1, 0, false},
		{"zeros", []float64{0, 0, 0, 0}, []float64{0, 0, 0, 0}, 0, 1, 0, false},
		{"from 0", []float64{0, 0, 0, 0, 0}, up(5, 1, 1), 0, 0.0079365, -1, true},
	}
	for _, tt := range tests {
		base := summary(lowerIsBetter(), tt.base)
		s := summary(lowerIsBetter(), tt.try)
		s.against(&base)
		if got := s.Change(); math.IsNaN(got) != tt.isNoNumber || !tt.isNoNumber && math.Abs(got-tt.change) > 1e-9 {
			t.Errorf("%s: change %v, want %v", tt.what, got, tt.change)
		}
		// With ties the p of five against five differs from the tie-free one.
		if tt.isNoNumber {
			if s.P > 0.02 {
				t.Errorf("%s: p = %v", tt.what, s.P)
			}
		} else if math.Abs(s.P-tt.p) > 1e-9 {
			t.Errorf("%s: p = %v, want %v", tt.what, s.P, tt.p)
		}
		if got := verdict(&s); got != tt.verdict {
			t.Errorf("%s: verdict %d, want %d", tt.what, got, tt.verdict)
		}
		s.Better = Higher
		if got := verdict(&s); got != -tt.verdict {
			t.Errorf("%s: verdict %d where higher is better, want %d", tt.what, got, -tt.verdict)
		}
		if s.Better = Neither; verdict(&s) != 0 {
			t.Errorf("%s: a verdict on a metric that has none", tt.what)
		}
	}
}

func verdict(s *Summary) int {
	switch {
	case s.Improved():
		return 1
	case s.Worsened():
		return -1
	}
	return 0
}

// TestNothingMeasured: replicas that measured nothing count for nothing, and a
// metric that none of them measured is no better than anything.
func TestNothingMeasured(t *testing.T) {
	nan := math.NaN()
	m := Metric{Name: "wakeup-p99", Unit: "us", Better: Lower}
	some := summary(m, []float64{nan, 3, 1, nan, 2})
	if some.Value != 2 || some.Low != 1 || some.High != 3 || !some.Range || len(some.Values) != 5 {
		t.Errorf("of five replicas, three of which measured: %+v", some)
	}
	none := summary(m, []float64{nan, nan})
	for _, pair := range [][2]*Summary{{&none, &some}, {&some, &none}, {&none, &none}} {
		s := *pair[0]
		s.against(pair[1])
		if !math.IsNaN(s.P) || s.Significant() || s.Improved() || s.Worsened() {
			t.Errorf("%+v is compared with %+v", s, *pair[1])
		}
	}
}
