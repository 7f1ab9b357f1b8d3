package lab

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"schedlab/policy"
)

// DefaultRuns is the number of seeds per policy: enough for a confidence
// interval that leaves the least and the greatest value out.
const DefaultRuns = 10

// MaxRuns bounds the seeds per policy.
const MaxRuns = 100_000

// Spec is a comparison to make.
type Spec struct {
	Setup
	Policies []*policy.Policy // the base first
	Runs     int              // seeds per policy; 0: DefaultRuns
	Seed     uint64           // the first seed; the others follow it
	Workers  int              // replicas at a time; 0: GOMAXPROCS
	// Progress, if set, is told after each replica how many of all are done.
	// Calls come from several goroutines, one at a time.
	Progress func(done, total int)
}

// Comparison is what a [Spec] gave.
type Comparison struct {
	Machine  string
	Workload string
	Seed     uint64
	Runs     int  // seeds per policy that were asked for
	Partial  bool // interrupted: some replicas are missing
	Policies []PolicyResult
}

// PolicyResult is one policy's replicas.
type PolicyResult struct {
	Policy   string    // canonical, as the user asked for it
	Seeds    []uint64  // of the complete replicas, ascending; all of them unless Partial
	Metrics  []Summary // in the order of [Metrics]; none without a complete replica
	Cut      int       // replicas that ended at the limit of virtual time, with tasks left that could go on
	Stuck    int       // replicas in which nothing could happen any more, with tasks left
	HowStuck string    // the first one of them: its seed, when and how ([sim.Result])
}

// Done is the number of complete replicas over all policies.
func (c *Comparison) Done() int {
	n := 0
	for _, p := range c.Policies {
		n += len(p.Seeds)
	}
	return n
}

// Cut is the number of replicas, over all policies, that ended at the limit of
// virtual time. An endless workload always does; where some replicas do and others
// do not, their times do not compare.
func (c *Comparison) Cut() int {
	n := 0
	for _, p := range c.Policies {
		n += p.Cut
	}
	return n
}

// Stuck is the number of replicas, over all policies, in which the tasks that were
// left waited for what never came, and how is the first of them. They ran to the
// limit of virtual time: their metrics mean little.
func (c *Comparison) Stuck() (n int, how string) {
	for _, p := range c.Policies {
		if n += p.Stuck; how == "" && p.Stuck > 0 {
			how = p.Policy + ", " + p.HowStuck
		}
	}
	return n, how
}

// Total is the number of replicas that were asked for.
func (c *Comparison) Total() int { return c.Runs * len(c.Policies) }

// Compare runs every policy over the same seeds, on all cores, one goroutine a
// replica. The result does not depend on how many run at a time. When ctx ends
// first, Compare returns what is complete, marked Partial, and no error. A
// replica that fails ends the comparison; the error names its policy and seed.
func Compare(ctx context.Context, s Spec) (*Comparison, error) {
	if s.Runs == 0 {
		s.Runs = DefaultRuns
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	arms := make([]arm, len(s.Policies))
	for i, p := range s.Policies {
		var err error
		if arms[i], err = s.arm(ctx, p); err != nil && ctx.Err() == nil {
			return nil, err
		}
	}
	done, err := s.replicate(ctx, arms)
	if err != nil {
		return nil, err
	}
	return s.summarise(arms, done), nil
}

func (s *Spec) check() error {
	switch {
	case len(s.Policies) == 0:
		return errors.New("comparison has no policies")
	case s.Runs < 1 || s.Runs > MaxRuns:
		return fmt.Errorf("%d runs per policy: there must be 1 to %d", s.Runs, MaxRuns)
	case s.Seed+uint64(s.Runs-1) < s.Seed:
		return fmt.Errorf("seed %d: %d runs from there pass the highest seed", s.Seed, s.Runs)
	}
	return s.Setup.check()
}

func (s *Spec) workers(jobs int) int {
	n := s.Workers
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	return min(n, jobs)
}

// summarise orders the replicas by policy and seed, whatever order they ended in.
func (s *Spec) summarise(arms []arm, done []*replica) *Comparison {
	c := &Comparison{
		Machine:  s.Machine.Name,
		Workload: s.Workload.Name(),
		Seed:     s.Seed,
		Runs:     s.Runs,
	}
	for i, a := range arms {
		p := PolicyResult{Policy: a.name}
		var replicas [][]Metric
		for k := 0; k < s.Runs; k++ {
			r := done[k*len(arms)+i]
			if r == nil {
				continue
			}
			p.Seeds = append(p.Seeds, s.Seed+uint64(k))
			replicas = append(replicas, r.metrics)
			p.count(r, s.Seed+uint64(k))
		}
		var base []Summary
		if i > 0 {
			base = c.Policies[0].Metrics
		}
		p.Metrics = summaries(replicas, base)
		c.Policies = append(c.Policies, p)
	}
	c.Partial = c.Done() < c.Total()
	return c
}

// count counts how a replica ended.
func (p *PolicyResult) count(r *replica, seed uint64) {
	switch {
	case r.cut:
		p.Cut++
	case r.stuck != "":
		if p.Stuck++; p.Stuck == 1 {
			p.HowStuck = fmt.Sprintf("seed %d: %s", seed, r.stuck)
		}
	}
}
