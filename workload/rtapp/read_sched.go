package rtapp

import (
	"slices"
	"strings"
)

var policies = []string{"SCHED_OTHER", "SCHED_BATCH", "SCHED_IDLE", "SCHED_RR", "SCHED_FIFO", "SCHED_DEADLINE"}

// sched are a task's or phase's scheduling parameters as the file has them.
type sched struct {
	policy   string
	priority int // a nice value where the policy is a fair one
	at       int32
}

func (s sched) fair() bool {
	return s.policy == "SCHED_OTHER" || s.policy == "SCHED_BATCH" || s.policy == "SCHED_IDLE"
}

// defaultPriority is that of a policy whose task names none.
func defaultPriority(policy string) int {
	if policy == "SCHED_RR" || policy == "SCHED_FIFO" {
		return 10
	}
	return 0
}

// schedOf reads the parameters of a task.
func (r *reader) schedOf(n *node, policy string) sched {
	s := sched{policy: r.policyOf(n, policy), at: n.at}
	s.priority = r.intOf(n, "priority", defaultPriority(s.policy))
	r.deadlineOf(n, s, true)
	r.clampsOf(n)
	return s
}

// phaseSched reads those of a phase, which change what was before.
func (r *reader) phaseSched(n *node, before sched) sched {
	s := before
	if r.get(n, "policy") != nil {
		s = sched{policy: r.policyOf(n, before.policy), at: n.at}
		s.priority = defaultPriority(s.policy)
	}
	s.priority = r.intOf(n, "priority", s.priority)
	if s != before {
		s.at = n.at
		r.deadlineOf(n, s, false)
	}
	r.clampsOf(n)
	return s
}

func (r *reader) policyOf(n *node, def string) string {
	p := r.typed(n, "policy", text)
	if p == nil {
		return def
	}
	if !slices.Contains(policies, p.text) {
		r.fail(p.at, "invalid policy %s (there are %s)", show(p.text), strings.Join(policies, ", "))
	}
	return p.text
}

// deadlineOf checks the deadline parameters by the kernel's rules. A task may
// write them without "dl-", as long as it is not the event runtime that is meant:
// rt-app takes a task's "runtime" for both.
func (r *reader) deadlineOf(n *node, s sched, old bool) {
	runtime := r.intOf(n, "dl-runtime", 0)
	period := r.intOf(n, "dl-period", runtime)
	deadline := r.intOf(n, "dl-deadline", period)
	if old && s.policy == "SCHED_DEADLINE" {
		if runtime == 0 {
			runtime = r.intOf(n, "runtime", 0)
		}
		if period == 0 {
			period = r.intOf(n, "period", runtime)
		}
		if deadline == 0 {
			deadline = r.intOf(n, "deadline", period)
		}
	}
	switch {
	case s.policy != "SCHED_DEADLINE":
		if runtime != 0 {
			r.notes.add(n.at, "slices of a task's own are not simulated: \"dl-runtime\" is ignored but for SCHED_DEADLINE")
		}
	case runtime < 2 || runtime > deadline || deadline > period:
		r.fail(n.at, "SCHED_DEADLINE needs 2 us <= dl-runtime <= dl-deadline <= dl-period, not %d, %d, %d", runtime, deadline, period)
	default:
		r.notes.add(n.at, "SCHED_DEADLINE is simulated as SCHED_FIFO of priority 99, without its budget")
	}
}

func (r *reader) clampsOf(n *node) {
	for _, key := range []string{"util_min", "util_max"} {
		v := r.typed(n, key, integer)
		if v == nil {
			continue
		}
		if x := r.number(v, key); x < -1 || x > 1024 {
			r.fail(v.at, "%q: %d is not within 0 to 1024", key, x)
		}
		r.notes.add(v.at, "utilization clamps are not simulated: \"util_min\" and \"util_max\" are ignored")
	}
}

// attr is what the simulator makes of the parameters, which must be ones that a
// kernel takes.
func (r *reader) attr(s sched) attr {
	switch s.policy {
	case "SCHED_IDLE":
		return attr{idle: true}
	case "SCHED_DEADLINE":
		return attr{rtPrio: 99}
	case "SCHED_RR", "SCHED_FIFO":
		if s.priority < 1 || s.priority > 99 {
			r.fail(s.at, "priority %d: %s takes 1 to 99", s.priority, s.policy)
			return attr{}
		}
		return attr{rtPrio: int8(s.priority), rr: s.policy == "SCHED_RR"}
	}
	if s.priority < -20 || s.priority > 19 {
		r.fail(s.at, "priority %d: %s takes nice values, -20 to 19", s.priority, s.policy)
		return attr{}
	}
	return attr{nice: int8(s.priority), batch: s.policy == "SCHED_BATCH"}
}
