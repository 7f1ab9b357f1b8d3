package report

import (
	"math"
	"testing"
)

func TestScale(t *testing.T) {
	tests := []struct {
		unit   string
		values []float64
		want   []string
	}{
		{"s", []float64{1.23456, 0.5}, []string{"1.235 s", "0.500 s"}},
		{"s", []float64{0.0123456, 0.1}, []string{"12.35 ms", "100.00 ms"}},
		{"s", []float64{9.9999}, []string{"10.00 s"}},
		{"ms", []float64{2500}, []string{"2.500 s"}},
		{"ms", []float64{0.25, 0}, []string{"250.0 us", "0.0 us"}},
		{"us", []float64{43.46, 9.1}, []string{"43.46 us", "9.10 us"}},
		{"us", []float64{0.4}, []string{"400.0 ns"}},
		{"us", []float64{0, 3}, []string{"0.000 us", "3.000 us"}},
		{"us", []float64{0, 0}, []string{"0", "0"}},
		{"count", []float64{160000, 3}, []string{"160000", "3"}},
		{"count", []float64{10, 10.5}, []string{"10.0", "10.5"}},
		{"count", []float64{12345678}, []string{"12.35M"}},
		{"count", []float64{0}, []string{"0"}},
		{"messages/s", []float64{1234567}, []string{"1.235M"}},
		{"messages/s", []float64{12345}, []string{"12.35k"}},
		{"cycles/s", []float64{0.5}, []string{"0.500"}},
		{"%", []float64{62.5, 100}, []string{"62.50%", "100.00%"}},
		{"%", []float64{0}, []string{"0%"}},
	}
	for _, tt := range tests {
		s := newScale(tt.unit, tt.values...)
		for i, v := range tt.values {
			if got := s.format(v); got != tt.want[i] {
				t.Errorf("%v %s at %d: got %q, want %q", tt.values, tt.unit, i, got, tt.want[i])
			}
		}
	}
}

// TestNotMeasured: what was not measured is a dash beside numbers, and a row's
// scale is that of the numbers.
func TestNotMeasured(t *testing.T) {
	nan := math.NaN()
	s := newScale("us", nan, 1500)
	if got := s.format(nan) + " " + s.format(1500); got != "- 1.500 ms" {
		t.Errorf("got %q", got)
	}
	if got := newScale("count", nan, nan).format(nan); got != "-" {
		t.Errorf("got %q", got)
	}
}
