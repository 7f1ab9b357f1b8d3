package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"schedlab/kernel"
)

// KeyInfo describes one key of a policy string.
type KeyInfo struct {
	Name   string
	Values string // what may stand behind "="
	Doc    string
	Ref    string   // section of the reference
	In     []string // versions that have it
}

// key is a KeyInfo with its effect. get returns "" where the policy's version
// lacks the key.
type key struct {
	KeyInfo
	set func(p *Policy, value string) error
	get func(p *Policy) string
}

type feature struct {
	name     string
	at       func(*kernel.Features) *bool
	from, to Generation // the generations that have it
	doc, ref string
}

type tunable struct {
	name     string
	at       func(*kernel.Tunables) *int64
	scales   bool // multiplied by the logarithm of the number of CPUs
	from, to Generation
	least    int64
	doc, ref string
}

var features = []feature{
	{"GENTLE_FAIR_SLEEPERS", func(f *kernel.Features) *bool { return &f.GentleFairSleepers }, GenV420, GenV61, "halve the bonus of a woken sleeper", "C.3"},
	{"START_DEBIT", func(f *kernel.Features) *bool { return &f.StartDebit }, GenV420, GenV61, "a new task starts one slice behind", "C.3"},
	{"LAST_BUDDY", func(f *kernel.Features) *bool { return &f.LastBuddy }, GenV420, GenV61, "prefer the task that a wake-up preempted", "C.3"},
	{"NEXT_BUDDY", func(f *kernel.Features) *bool { return &f.NextBuddy }, GenV420, GenV612, "prefer the task woken last", "C.3"},
	{"ALT_PERIOD", func(f *kernel.Features) *bool { return &f.AltPeriod }, GenV514, GenV61, "a period counts the tasks of the whole CPU; without task groups it is the same", "C.3"},
	{"BASE_SLICE", func(f *kernel.Features) *bool { return &f.FloorSlice }, GenV514, GenV61, "a slice is at least min_granularity", "C.3"},
	{"LB_BIAS", func(f *kernel.Features) *bool { return &f.LBBias }, GenV420, GenV53, "compare loads with their history", "D.4"},
	{"SIS_AVG_CPU", func(f *kernel.Features) *bool { return &f.SISAvgCPU }, GenV420, GenV53, "give the search of an LLC up when avg_idle is below its cost", "B.7"},
	{"SIS_PROP", func(f *kernel.Features) *bool { return &f.SISProp }, GenV420, GenV61, "limit the search of an LLC by avg_idle over its cost", "B.7"},
	{"SIS_UTIL", func(f *kernel.Features) *bool { return &f.SISUtil }, GenV61, GenV612, "limit the search of an LLC by its utilisation", "B.7"},
	{"PLACE_LAG", func(f *kernel.Features) *bool { return &f.PlaceLag }, GenV612, GenV612, "keep a task's lag over its sleep", "C.4"},
	{"PLACE_DEADLINE_INITIAL", func(f *kernel.Features) *bool { return &f.PlaceDeadlineInitial }, GenV612, GenV612, "a new task starts with half a slice", "C.4"},
	{"PLACE_REL_DEADLINE", func(f *kernel.Features) *bool { return &f.PlaceRelDeadline }, GenV612, GenV612, "keep a deadline over a move", "C.4"},
	{"RUN_TO_PARITY", func(f *kernel.Features) *bool { return &f.RunToParity }, GenV612, GenV612, "protect the running task until its request is served or changed", "C.4"},
	{"PREEMPT_SHORT", func(f *kernel.Features) *bool { return &f.PreemptShort }, GenV612, GenV612, "a shorter slice breaks that protection", "C.4"},
	{"DELAY_DEQUEUE", func(f *kernel.Features) *bool { return &f.DelayDequeue }, GenV612, GenV612, "a sleeper that is not eligible stays queued", "C.6"},
	{"DELAY_ZERO", func(f *kernel.Features) *bool { return &f.DelayZero }, GenV612, GenV612, "forget positive lag that a delayed sleeper gained", "C.6"},
	{"NI_RANDOM", func(f *kernel.Features) *bool { return &f.NIRandom }, GenV612, GenV612, "search a domain when newly idle only in proportion to its successes", "L"},
	{"CACHE_HOT_BUDDY", func(f *kernel.Features) *bool { return &f.CacheHotBuddy }, GenV420, GenV612, "buddies count as cache-hot", "D.7"},
	{"WAKEUP_PREEMPTION", func(f *kernel.Features) *bool { return &f.WakeupPreemption }, GenV420, GenV612, "a woken task may preempt", "C.3"},
	{"TTWU_QUEUE", func(f *kernel.Features) *bool { return &f.TTWUQueue }, GenV420, GenV612, "enqueue on the woken CPU, through its wake list", "B.1"},
	{"WA_IDLE", func(f *kernel.Features) *bool { return &f.WAIdle }, GenV420, GenV612, "wake_affine: the idle test", "B.4"},
	{"WA_WEIGHT", func(f *kernel.Features) *bool { return &f.WAWeight }, GenV420, GenV612, "wake_affine: the weight test", "B.4"},
	{"WA_BIAS", func(f *kernel.Features) *bool { return &f.WABias }, GenV420, GenV612, "wake_affine: half of imbalance_pct in favour of prev", "B.4"},
	{"UTIL_EST", func(f *kernel.Features) *bool { return &f.UtilEst }, GenV420, GenV612, "estimate utilisation over a sleep", "C.7"},
	{"LB_MIN", func(f *kernel.Features) *bool { return &f.LBMin }, GenV420, GenV612, "do not move tasks of nearly no load", "D.7"},
}

// unmodelled are features that kernels have and the lab does not model: a policy
// that sets one is told so, rather than that there is no such thing.
var unmodelled = []string{
	"HRTICK", "HRTICK_DL", "DOUBLE_TICK", "NONTASK_CAPACITY", "ATTACH_AGE_LOAD", "RT_PUSH_IPI", "RT_RUNTIME_SHARE",
	"UTIL_EST_FASTUP", "LATENCY_WARN", "WARN_DOUBLE_CLOCK", "PICK_BUDDY",
}

var tunables = []tunable{
	{"latency_ns", func(t *kernel.Tunables) *int64 { return &t.Latency }, true, GenV420, GenV61, 1, "period in which every task runs once", "C.2"},
	{"min_granularity_ns", func(t *kernel.Tunables) *int64 { return &t.MinGranularity }, true, GenV420, GenV61, 1, "least turn of a task", "C.2"},
	{"idle_min_granularity_ns", func(t *kernel.Tunables) *int64 { return &t.IdleGranularity }, false, GenV61, GenV61, 1, "least turn of a SCHED_IDLE task beside others", "C.2"},
	{"wakeup_granularity_ns", func(t *kernel.Tunables) *int64 { return &t.WakeupGranularity }, true, GenV420, GenV61, 0, "lead that a woken task needs to preempt", "C.2"},
	{"base_slice_ns", func(t *kernel.Tunables) *int64 { return &t.BaseSlice }, true, GenV612, GenV612, 1, "request size of EEVDF", "C.2"},
	{"migration_cost_ns", func(t *kernel.Tunables) *int64 { return &t.MigrationCost }, false, GenV420, GenV612, -1, "how long a task counts as cache-hot; -1 always", "C.2"},
	{"nr_migrate", func(t *kernel.Tunables) *int64 { return &t.NrMigrate }, false, GenV420, GenV612, 1, "tasks that one balance pass looks at", "C.2"},
}

var keys = buildKeys()

func buildKeys() []key {
	ks := []key{
		{KeyInfo{Name: "recent-used", Values: "waker|prev|off", Doc: "how recent_used_cpu is kept: stamped on the waker, or the wakee's previous CPU", Ref: "B.6"},
			func(p *Policy, v string) error { return pick(v, []string{"off", "waker", "prev"}, &p.recent) },
			func(p *Policy) string { return []string{"off", "waker", "prev"}[p.recent] }},
		{KeyInfo{Name: "sis", Values: "prop|util|full", Doc: "what limits the search of an LLC for an idle CPU: SIS_PROP, SIS_UTIL, nothing", Ref: "B.7"},
			setSIS, getSIS},
		{KeyInfo{Name: "wake-affine", Values: "on|off", Doc: "whether a wake-up may pull a task towards the waker", Ref: "B.4"},
			func(p *Policy, v string) error { return onOff(v, &p.wakeAffine) },
			func(p *Policy) string { return showOnOff(p.wakeAffine) }},
		{KeyInfo{Name: "newidle", Values: "on|off", Doc: "whether a CPU that runs out of work searches for some", Ref: "D.1"},
			func(p *Policy, v string) error { return onOff(v, &p.newidle) },
			func(p *Policy) string { return showOnOff(p.newidle) }},
		{KeyInfo{Name: "hz", Values: "100|250|300|1000", Doc: "ticks a second", Ref: "F"},
			setHZ, func(p *Policy) string { return strconv.FormatInt(p.hz, 10) }},
		{KeyInfo{Name: "preempt", Values: "none|voluntary|full", Doc: "preemption model; with full a newly idle CPU takes one task at a time", Ref: "D.7"},
			func(p *Policy, v string) error {
				var i int
				models := []string{"none", "voluntary", "full"}
				if err := pick(v, models, &i); err != nil {
					return err
				}
				p.preempt = models[i]
				return nil
			},
			func(p *Policy) string { return p.preempt }},
	}
	for i := range ks {
		ks[i].In = versionNames(GenV420, GenV612)
	}
	for _, f := range features {
		ks = append(ks, key{KeyInfo{f.name, "on|off", f.doc, f.ref, versionNames(f.from, f.to)},
			func(p *Policy, v string) error { return onOff(v, f.at(&p.kernel.Features)) },
			func(p *Policy) string { return showOnOff(*f.at(&p.kernel.Features)) }})
	}
	for _, t := range tunables {
		values := "nanoseconds, or a duration such as 250us"
		if t.name == "nr_migrate" {
			values = "a number"
		}
		ks = append(ks, key{KeyInfo{t.name, values, t.doc, t.ref, versionNames(t.from, t.to)},
			func(p *Policy, v string) error {
				n, err := number(v)
				if err != nil {
					return err
				}
				if n < t.least {
					return fmt.Errorf("must be at least %d", t.least)
				}
				*t.at(&p.kernel.Tunables), p.scaled[t.name] = n, true
				return nil
			},
			func(p *Policy) string { return p.showTunable(t) }})
	}
	return ks
}

// versionNames lists the versions of some generations.
func versionNames(from, to Generation) []string {
	var out []string
	for _, v := range versions {
		if gen := v.make().gen; gen >= from && gen <= to {
			out = append(out, v.Name)
		}
	}
	return out
}

// has reports whether the key exists under a version.
func (k *key) has(v string) bool { return slices.Contains(k.In, v) }

// Keys lists every key of every version.
func Keys() []KeyInfo {
	out := make([]KeyInfo, len(keys))
	for i := range keys {
		out[i] = keys[i].KeyInfo
	}
	return out
}

func setSIS(p *Policy, v string) error {
	var mode int
	if err := pick(v, []string{"full", "prop", "util"}, &mode); err != nil {
		return err
	}
	p.kernel.SISProp, p.kernel.SISUtil = mode == 1, mode == 2
	return nil
}

func getSIS(p *Policy) string {
	switch {
	case p.kernel.SISUtil:
		return "util"
	case p.kernel.SISProp:
		return "prop"
	}
	return "full"
}

func setHZ(p *Policy, v string) error {
	rates := []string{"100", "250", "300", "1000"}
	var i int
	if err := pick(v, rates, &i); err != nil {
		return err
	}
	p.hz = []int64{100, 250, 300, 1000}[i]
	return nil
}

// pick sets at to the index of value among the names.
func pick[T ~int | ~uint8](value string, names []string, at *T) error {
	i := slices.Index(names, value)
	if i < 0 {
		return fmt.Errorf("must be one of %s", strings.Join(names, ", "))
	}
	*at = T(i)
	return nil
}

func onOff(v string, at *bool) error {
	i := 0
	err := pick(v, []string{"off", "on"}, &i)
	if err == nil {
		*at = i == 1
	}
	return err
}

func showOnOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

// number reads a whole number, or a duration as its ns.
func number(v string) (int64, error) {
	if n, err := strconv.ParseInt(v, 10, 64); err == nil {
		if n > 1e15 {
			return 0, fmt.Errorf("is out of range")
		}
		return n, nil
	}
	d, err := time.ParseDuration(v)
	if err != nil {
		return 0, fmt.Errorf("is neither a whole number nor a duration such as 250us")
	}
	return int64(d), nil
}

// showTunable is a tunable's value; one that scales with the machine says so.
func (p *Policy) showTunable(t tunable) string {
	v := strconv.FormatInt(*t.at(&p.kernel.Tunables), 10)
	if t.scales && !p.scaled[t.name] {
		v += " x log2 scale"
	}
	return v
}
