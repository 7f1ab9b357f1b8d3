package lab

import (
	"context"

	"schedlab/policy"
	"schedlab/sim"
)

// Outcome is one replica, named by what it is a function of.
type Outcome struct {
	Machine  string
	Workload string
	Policy   string // canonical, as the user asked for it
	Seed     uint64
	Metrics  []Metric
	Cut      bool   // ended at the limit of virtual time, with tasks left that could go on
	Stuck    string // when and how nothing could happen any more ([sim.Result]); "" if something could
	Digest   uint64 // equal runs have equal digests ([sim.Result])
}

// Run runs one policy once. Errors name policy and seed; when ctx ends first, they
// wrap its.
func Run(ctx context.Context, s Setup, p *policy.Policy, seed uint64) (*Outcome, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	a, err := s.arm(ctx, p)
	if err != nil {
		return nil, err
	}
	r, err := s.once(ctx, a, seed)
	if err != nil {
		return nil, err
	}
	return &Outcome{
		Machine:  s.Machine.Name,
		Workload: s.Workload.Name(),
		Policy:   a.name,
		Seed:     seed,
		Metrics:  Metrics(r, s.Workload.Unit()),
		Cut:      isCut(r),
		Stuck:    r.Stuck,
		Digest:   r.Digest,
	}, nil
}

// isCut reports whether the limit of virtual time ended a run.
func isCut(r *sim.Result) bool { return !r.Done && r.Stuck == "" }
