package policy

import (
	"maps"

	"schedlab/domain"
	"schedlab/kernel"
)

// RecentRule is how recent_used_cpu is kept (reference B.6).
type RecentRule uint8

const (
	RecentOff   RecentRule = iota
	RecentWaker            // up to v5.14: a hit stores prev; the waker's field gets the waker's CPU
	RecentPrev             // from v5.15: every visit stores prev
)

// Generation orders the families of rules that changed together: a rule asks
// whether the policy is at least of the one that brought it.
type Generation uint8

const (
	GenV420 Generation = iota // v4.20: reference column K4.19
	GenV53                    // v5.3: K5.3
	GenV514                   // v5.14: K5.14
	GenV61                    // v6.1: K6.1
	GenV612                   // v6.12: K6.12
)

// Policy is a kernel version with keys changed: a specification, never changed
// after it was made.
type Policy struct {
	spec    string // canonical
	version *version
	typed   map[string]bool // keys that the user typed
	scaled  map[string]bool // tunables whose value is final: typed, or a recording's

	gen    Generation
	kernel kernel.Config // unscaled tunables where scaled says so
	hz     int64
	// Preemptible: CONFIG_PREEMPTION, newidle pulls one task at a time (reference D.7).
	preempt    string
	dynamic    bool // PREEMPT_DYNAMIC, as a machine's own kernel says
	recent     RecentRule
	wakeAffine bool
	newidle    bool
	rules      domain.Rules
}

// String is the policy as one would type it: the version and every typed key.
func (p *Policy) String() string { return p.spec }

// Rules are the version's rules for building sched domains.
func (p *Policy) Rules() domain.Rules { return p.rules }

// Version is the name of the kernel version.
func (p *Policy) Version() string { return p.version.Name }

// HZ is the number of ticks a second.
func (p *Policy) HZ() int64 { return p.hz }

// Config is what the policy asks of the kernel's transitions on a machine of
// cpus online CPUs: tunables scaled by their logarithm (reference C.2).
func (p *Policy) Config(cpus int) kernel.Config {
	cfg := p.kernel
	cfg.Tick = 1_000_000_000 / p.hz
	factor := scaleFactor(cpus)
	for _, t := range tunables {
		if t.scales && !p.scaled[t.name] {
			*t.at(&cfg.Tunables) *= factor
		}
	}
	return cfg
}

// scaleFactor is get_update_sysctl_factor with the default, logarithmic scaling.
func scaleFactor(cpus int) int64 {
	f := int64(1)
	for n := min(cpus, 8); n > 1; n /= 2 {
		f++
	}
	return f
}

func (p *Policy) clone() *Policy {
	q := *p
	q.typed, q.scaled = maps.Clone(p.typed), maps.Clone(p.scaled)
	return &q
}
