package lab

import (
	"context"
	"fmt"

	"schedlab/internal/keyval"
	"schedlab/machine"
)

// Suite is a set of benchmarks, each over a range of its parameter. The ranges
// depend on the machine.
type Suite struct {
	Name    string
	Summary string
	points  func(*machine.Machine) []Point
	// scaled says what is shorter than the suite's own settings, a line each.
	scaled func(*machine.Machine) []string
}

// Point is one benchmark of a suite at one value of its parameter.
type Point struct {
	Benchmark string   // as the suite calls it: "hackbench-process-pipes"
	Parameter string   // what is varied, and its value: "groups=4"; empty: nothing is
	Workload  string   // see ParseWorkload
	Metrics   []string // the ones that the suite reports
}

// Points are the points of the suite on a machine, in the order of the suite.
func (s *Suite) Points(m *machine.Machine) []Point { return s.points(m) }

// Scaled says, a line each, in what the points differ from the suite's own.
func (s *Suite) Scaled(m *machine.Machine) []string { return s.scaled(m) }

var suites = []*Suite{&mmtests}

// Suites are all suites, by name.
func Suites() []*Suite { return suites }

// FindSuite finds a suite. The error lists those that exist.
func FindSuite(name string) (*Suite, error) {
	var names []string
	for _, s := range suites {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return nil, keyval.Unknown("suite", name, names)
}

// SuiteComparison is what the comparison of policies over a suite gave.
type SuiteComparison struct {
	Suite   string
	Machine string
	Scaled  []string
	Seed    uint64
	Runs    int
	Points  []PointComparison // those that were begun, in the order of the suite
	Total   int               // points of the suite
	Partial bool              // interrupted: points, or replicas of the last one, are missing
}

// PointComparison is the comparison at one point.
type PointComparison struct {
	Point
	*Comparison
}

// Done is the number of complete replicas.
func (c *SuiteComparison) Done() int {
	n := 0
	for _, p := range c.Points {
		n += p.Done()
	}
	return n
}

// Cut is the number of replicas that ended at the limit of virtual time.
func (c *SuiteComparison) Cut() int {
	n := 0
	for _, p := range c.Points {
		n += p.Cut()
	}
	return n
}

// Stuck is the number of replicas that are stuck, and of the first one point,
// policy, seed and how.
func (c *SuiteComparison) Stuck() (n int, how string) {
	for _, p := range c.Points {
		m, first := p.Stuck()
		if n += m; how == "" && m > 0 {
			how = p.Point.Workload + ", " + first
		}
	}
	return n, how
}

// CompareSuite runs every policy at every point of a suite, as Compare does; the
// workload of s is not used. When ctx ends first, it returns what is complete,
// marked Partial, and no error.
func CompareSuite(ctx context.Context, suite *Suite, s Spec) (*SuiteComparison, error) {
	if s.Machine == nil {
		return nil, fmt.Errorf("suite %s has no machine", suite.Name)
	}
	if s.Runs == 0 {
		s.Runs = DefaultRuns
	}
	points := suite.Points(s.Machine)
	out := &SuiteComparison{
		Suite: suite.Name, Machine: s.Machine.Name, Scaled: suite.Scaled(s.Machine),
		Seed: s.Seed, Runs: s.Runs, Total: len(points),
	}
	progress, replicas := s.Progress, s.Runs*len(s.Policies)
	for i, p := range points {
		if progress != nil {
			s.Progress = func(done, _ int) { progress(i*replicas+done, len(points)*replicas) }
		}
		c, err := comparePoint(ctx, p, s)
		if err != nil {
			return nil, fmt.Errorf("suite %s: %w", suite.Name, err)
		}
		if c.Done() > 0 {
			out.Points = append(out.Points, PointComparison{p, c})
		}
		if c.Partial {
			out.Partial = true
			break
		}
	}
	return out, nil
}

func comparePoint(ctx context.Context, p Point, s Spec) (*Comparison, error) {
	w, err := ParseWorkload(p.Workload)
	if err != nil {
		return nil, err
	}
	s.Workload = w
	return Compare(ctx, s)
}
