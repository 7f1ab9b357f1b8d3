package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"schedlab/cpumask"
	"schedlab/domain"
	"schedlab/internal/interrupt"
	"schedlab/machine"
	"schedlab/policy"
	"schedlab/sim"
)

// DefaultFor is the virtual time at which an endless workload ends when nobody
// says otherwise. A recording and a benchmark with a measured time have a length
// of their own, and get twice that on top: a policy may be slower than the recorded
// one.
const DefaultFor = 10 * time.Second

// Runner runs one replica. [sim.Run] is the real one; tests bring their own.
// It must be usable from several goroutines at once, and return an error that
// wraps ctx's when ctx ends before the run does.
type Runner func(ctx context.Context, cfg sim.Config) (*sim.Result, error)

// Setup is what all replicas of an experiment have in common.
type Setup struct {
	Machine  *machine.Machine
	Workload sim.Workload
	// Partitions are cpuset partitions: domains of their own. Nil: one for all.
	Partitions []cpumask.Mask
	For        time.Duration // virtual time at which a run ends at the latest; 0: see DefaultFor
	Runner     Runner        // nil: sim.Run
}

func (s *Setup) check() error {
	switch {
	case s.Machine == nil:
		return errors.New("experiment has no machine")
	case s.Workload == nil:
		return errors.New("experiment has no workload")
	case s.For < 0:
		return fmt.Errorf("a run cannot end at the virtual time %v", s.For)
	}
	return nil
}

// arm is one policy of an experiment, ready to run: its name as the user
// knows it, and the configuration that its replicas start from.
type arm struct {
	name string
	cfg  sim.Config
}

// arm prepares a policy: what the machine's own kernel was set to overrides
// the preset (not what the user asked for), and the domains are built once.
func (s *Setup) arm(ctx context.Context, p *policy.Policy) (arm, error) {
	a := arm{name: p.String()}
	p = p.WithKernel(s.Machine.Kernel)
	domains, err := interrupt.Do(ctx, func() (*domain.Domains, error) { return domain.BuildCpusets(s.Machine, p.Rules(), s.Partitions) })
	if err != nil {
		return a, fmt.Errorf("policy %s: machine %s: %w", a.name, s.Machine.Name, err)
	}
	a.cfg = sim.Config{
		Machine:  s.Machine,
		Domains:  domains,
		Policy:   p,
		Workload: s.Workload,
		For:      s.limit().Nanoseconds(),
	}
	return a, nil
}

func (s *Setup) limit() time.Duration {
	if s.For > 0 {
		return s.For
	}
	if w, ok := s.Workload.(interface{ Span() int64 }); ok {
		return DefaultFor + 2*time.Duration(w.Span())
	}
	return DefaultFor
}

// once runs the arm with one seed. Errors name policy and seed.
func (s *Setup) once(ctx context.Context, a arm, seed uint64) (*sim.Result, error) {
	run := s.Runner
	if run == nil {
		run = sim.Run
	}
	cfg := a.cfg
	cfg.Seed = seed
	// A run looks at ctx, but not while it is set up.
	r, err := interrupt.Do(ctx, func() (*sim.Result, error) { return run(ctx, cfg) })
	if err != nil {
		return nil, fmt.Errorf("policy %s, seed %d: %w", a.name, seed, err)
	}
	return r, nil
}
