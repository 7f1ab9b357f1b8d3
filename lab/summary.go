package lab

import (
	"math"

	"golang.org/x/perf/benchmath"
)

// Confidence is the level that the intervals of a [Summary] have at least, and
// Alpha the level at which a change counts as significant.
const (
	Confidence = 0.95
	Alpha      = 0.05
)

// MinInterval is the number of replicas from which order statistics give a
// confidence interval of the median at [Confidence], and MinTest the number
// per policy from which the U test can find a difference at [Alpha].
const (
	MinInterval = 6
	MinTest     = 4
)

// Summary is one metric over the replicas of one policy. Base and P are NaN
// where there is nothing to compare with: in the base policy itself, and when an
// interruption left the base without replicas. Replicas that measured nothing
// have the value NaN and count for nothing; without any other the median and its
// bounds are NaN too. All else is finite.
type Summary struct {
	Metric           // Value is the median
	Values []float64 // by seed, as in PolicyResult.Seeds
	// Low and High bound the median at Confidence or better; with fewer than
	// MinInterval replicas they are the least and greatest value, and Range is
	// set: such an interval says nothing about confidence.
	Low, High float64
	Range     bool
	Base      float64 // the median under the base policy
	// P is how likely a difference at least this large is when the policy changes
	// nothing (Mann-Whitney U test, two-sided).
	P float64
}

// Change is the change of the median against the base's, in percent of it. NaN
// where there is no base, or a base of 0 and a median that is not.
func (s *Summary) Change() float64 {
	if s.Base == 0 && s.Value == 0 {
		return 0
	}
	if s.Base == 0 {
		return math.NaN()
	}
	return 100 * (s.Value - s.Base) / math.Abs(s.Base)
}

// Significant reports whether the metric differs from the base's.
func (s *Summary) Significant() bool { return s.P <= Alpha }

// Improved reports whether a significant change is for the better.
func (s *Summary) Improved() bool {
	return s.Significant() && (s.Better == Lower && s.Value < s.Base || s.Better == Higher && s.Value > s.Base)
}

// Worsened reports whether a significant change is for the worse.
func (s *Summary) Worsened() bool {
	return s.Significant() && (s.Better == Lower && s.Value > s.Base || s.Better == Higher && s.Value < s.Base)
}

// summaries folds replicas, each with the same metrics, metric by metric. base
// is what to compare with; nil for the base itself.
func summaries(replicas [][]Metric, base []Summary) []Summary {
	if len(replicas) == 0 {
		return nil
	}
	out := make([]Summary, len(replicas[0]))
	for i := range out {
		values := make([]float64, len(replicas))
		for k, r := range replicas {
			values[k] = r[i].Value
		}
		out[i] = summary(replicas[0][i], values)
		if base != nil {
			out[i].against(&base[i])
		}
	}
	return out
}

func summary(m Metric, values []float64) Summary {
	sample := newSample(values)
	if len(sample.Values) == 0 {
		nothing := math.NaN()
		m.Value = nothing
		return Summary{Metric: m, Values: values, Low: nothing, High: nothing, Base: nothing, P: nothing}
	}
	s := benchmath.AssumeNothing.Summary(sample, Confidence)
	m.Value = s.Center
	out := Summary{Metric: m, Values: values, Low: s.Lo, High: s.Hi, Base: math.NaN(), P: math.NaN()}
	if math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) {
		out.Low, out.High = sample.Values[0], sample.Values[len(sample.Values)-1]
		out.Range = true
	}
	return out
}

func (s *Summary) against(base *Summary) {
	s.Base = base.Value
	if a, b := newSample(base.Values), newSample(s.Values); len(a.Values) > 0 && len(b.Values) > 0 {
		s.P = benchmath.AssumeNothing.Compare(a, b).P
	}
}

// newSample copies what was measured of values, since benchmath sorts them.
func newSample(values []float64) *benchmath.Sample {
	t := benchmath.DefaultThresholds
	t.CompareAlpha = Alpha
	var measured []float64
	for _, v := range values {
		if !math.IsNaN(v) {
			measured = append(measured, v)
		}
	}
	return benchmath.NewSample(measured, &t)
}
