package policy

// The rules of a version that no key changes, in words: what `policy show` and
// `policy diff` say of it. The code asks the policy's generation where it carries
// a rule out; this list says which text of the reference that is.

// rule is one rule through time: what holds from which generation on.
type rule struct {
	name, ref string
	by        []ruleText
}

// ruleText is a rule from a generation on; fixes: only with the fixes of the
// stable series 6.12.y.
type ruleText struct {
	from  Generation
	fixes bool
	text  string
}

// since makes a rule of texts: "v4.20: ..., v5.14: ..." in that order.
func since(name, ref string, by ...ruleText) rule { return rule{name, ref, by} }

func from(g Generation, text string) ruleText { return ruleText{from: g, text: text} }
func fixed(text string) ruleText              { return ruleText{from: GenV612, fixes: true, text: text} }

var rules = []rule{
	since("levels of domains", "A.1",
		from(GenV420, "SMT, MC, DIE, NUMA by the distances from node 0"),
		from(GenV514, "SMT, MC, DIE, NUMA by all distances"),
		from(GenV61, "SMT, CLS, MC, DIE, NUMA by all distances between nodes with CPUs"),
		from(GenV612, "SMT, CLS, MC, PKG, NUMA by all distances between nodes with CPUs")),
	since("attributes of domains", "A.2",
		from(GenV420, "busy_factor 32, imbalance_pct 110 (SMT), 117 (MC), 125; load indices"),
		from(GenV53, "busy_factor 32, imbalance_pct 110 (SMT), 117 (MC), 125"),
		from(GenV514, "busy_factor 16, imbalance_pct 110 (SMT), 117")),
	since("idle test of placement", "0.1",
		from(GenV420, "idle"),
		from(GenV514, "idle, or nothing but SCHED_IDLE tasks")),
	since("wake list", "B.1",
		from(GenV420, "of a CPU in another LLC"),
		from(GenV61, "of a CPU in another LLC, or of another one with an empty queue")),
	since("avg_idle", "B.1",
		from(GenV420, "moves by an eighth, rounded down"),
		from(GenV514, "moves by an eighth, rounded toward zero")),
	since("wake_affine, idle test", "B.4",
		from(GenV420, "an idle waker's CPU in prev's LLC; sync and alone"),
		from(GenV514, "an idle waker's CPU in prev's LLC; sync and alone; prev idle"),
		fixed("an idle waker's CPU in prev's LLC; sync and alone but for sleeping tasks; prev idle")),
	since("wake_affine, load", "B.4",
		from(GenV420, "of runnable tasks"),
		from(GenV514, "of all tasks, blocked ones included")),
	since("per-CPU kthread as waker", "B.5",
		from(GenV420, "nothing special"),
		from(GenV514, "the wakee stays on that CPU if little runs there"),
		from(GenV61, "the wakee stays on that CPU if little runs there, not for interrupts")),
	since("clusters", "B.5",
		from(GenV420, "no part of placement"),
		from(GenV612, "prev and recent_used_cpu of the same cluster, its CPUs before the LLC's")),
	since("search of the LLC", "B.5",
		from(GenV420, "three passes from target on: an idle core, an idle CPU, a thread of target's core"),
		from(GenV514, "threads of prev's core unless a core is idle, then one pass from target on"),
		from(GenV61, "threads of prev's core unless a core is idle, then one pass from behind target on")),
	since("threads of a core", "B.8",
		from(GenV420, "of target's, allowed ones"),
		from(GenV514, "of prev's, prev included, within the LLC's domain"),
		from(GenV61, "of prev's without prev, beyond the LLC's domain too"),
		from(GenV612, "of prev's without prev, within the LLC's domain")),
	since("idlest group", "B.9",
		from(GenV420, "by runnable load; exec by spare capacity first"),
		from(GenV514, "by class; across nodes only once a quarter of the CPUs run tasks"),
		from(GenV61, "by class; across nodes only beyond imb_numa_nr")),
	since("CPUs of a group that count", "B.9",
		from(GenV420, "all"),
		fixed("those that the task may use")),
	since("order of tasks", "C.3",
		from(GenV420, "CFS: by virtual runtime"),
		from(GenV612, "EEVDF with delayed dequeue: the earliest deadline of the eligible (C.4, C.6)")),
	since("SCHED_IDLE tasks", "C.3",
		from(GenV420, "weight 3"),
		from(GenV61, "weight 3, a bonus of min_granularity and slices of idle_min_granularity"),
		from(GenV612, "weight 3")),
	since("yield", "C.4",
		from(GenV420, "behind the leftmost task"),
		from(GenV612, "a slice is added to the deadline"),
		fixed("an eligible task forfeits its request; nothing if it is alone")),
	since("new task's utilisation", "C.7",
		from(GenV420, "its share by scaled-up weight: nearly always half of what is free"),
		from(GenV612, "its share by weight, at most half of what is free")),
	since("second load average", "C.7",
		from(GenV420, "load of runnable tasks"),
		from(GenV514, "number of runnable tasks"),
		fixed("number of runnable tasks, delayed ones not among them")),
	since("load history", "C.7",
		from(GenV420, "cpu_load of five levels, for LB_BIAS"),
		from(GenV53, "none")),
	since("capacity of a thread", "A.5",
		from(GenV420, "589 where its core has two (smt_gain 1178)"),
		from(GenV53, "1024")),
	since("newidle gate", "D.1",
		from(GenV420, "avg_idle at least migration_cost, root domain overloaded"),
		from(GenV61, "avg_idle at least the lowest domain's cost, root domain overloaded")),
	since("newidle with a wake-up on its way", "D.1",
		from(GenV420, "searches"),
		from(GenV514, "does not search")),
	since("newidle cost", "D.1",
		from(GenV420, "of the search alone; decays in periodic balance"),
		from(GenV61, "the refresh of averages counts as the first domain's; a new cost restarts the decay")),
	since("blocked load of idle CPUs", "D.1",
		from(GenV420, "refreshed by newidle passes that look at them"),
		from(GenV514, "not refreshed by newidle passes")),
	since("right to balance", "D.2",
		from(GenV420, "the group's first idle CPU; newly idle ones always"),
		from(GenV61, "the group's first idle CPU; newly idle ones with nothing to run"),
		from(GenV612, "the first idle core's first CPU, else the first idle thread; newly idle ones with nothing to run")),
	since("busiest group", "D.3",
		from(GenV420, "by average load, imbalance in load with a small one fixed up (D.4)"),
		from(GenV514, "by class, imbalance in tasks, utilisation or load (D.5)"),
		from(GenV612, "by class, SMT cores with two tasks among them, differences weighed by cores (D.5)")),
	since("allowed imbalance of nodes", "D.5",
		from(GenV420, "none beyond imbalance_pct"),
		from(GenV514, "two tasks while fewer than a quarter of the CPUs run any"),
		from(GenV61, "two tasks up to imb_numa_nr running")),
	since("active balance", "D.2",
		from(GenV420, "after cache_nice_tries + 2 failures, which then count as one fewer than that"),
		from(GenV514, "after cache_nice_tries + 2 failures to move a number of tasks")),
	since("interval of a balanced domain", "D.2",
		from(GenV420, "doubled, by newidle passes too"),
		from(GenV53, "doubled, not by newidle passes")),
	since("busiest queue by utilisation", "D.6",
		from(GenV420, "not used"),
		from(GenV514, "utilisation"),
		from(GenV612, "utilisation, or what waits if that is more")),
	since("tasks that may move", "D.7",
		from(GenV420, "cold ones of any kind"),
		from(GenV514, "cold ones, between threads of a core hot ones too; no per-CPU kthreads")),
	since("tasks that a pass looks at", "D.7",
		from(GenV420, "nr_migrate of a queue at most"),
		from(GenV61, "nr_migrate of a queue, more until affinity allows one"),
		from(GenV612, "nr_migrate of a queue at most")),
	since("load that fits the imbalance", "D.7",
		from(GenV420, "half of it"),
		from(GenV514, "halved for each failure")),
	since("intervals of a busy CPU", "D.8",
		from(GenV420, "times busy_factor"),
		from(GenV514, "times busy_factor, less a jiffy; not with SCHED_IDLE tasks only")),
	since("nohz idle balance", "D.9",
		from(GenV420, "the other idle CPUs in ascending order, then itself"),
		from(GenV514, "from the next CPU round to itself"),
		from(GenV61, "from the next CPU round to itself; newcomers collected by a kick of their own")),
	since("timer of an idle CPU", "G.1",
		from(GenV420, "to the nearest busy housekeeper, every CPU tested on the way; else to the lowest housekeeper"),
		from(GenV514, "to the nearest busy housekeeper, only those tested; else to the nearest one")),
}

// text is the rule under a policy; "": it has none.
func (r *rule) text(p *Policy) string {
	text := ""
	for _, t := range r.by {
		if p.gen >= t.from && (!t.fixes || p.kernel.Fixes612) {
			text = t.text
		}
	}
	return text
}

// Rule is a rule of a policy's version that no key changes.
type Rule struct{ Name, Text, Ref string }

// FixedRules are the rules of the policy's version, in the order of the reference.
func (p *Policy) FixedRules() []Rule {
	var out []Rule
	for i := range rules {
		if text := rules[i].text(p); text != "" {
			out = append(out, Rule{rules[i].name, text, rules[i].ref})
		}
	}
	return out
}

// RuleDifference is a rule that two policies carry out in different ways.
type RuleDifference struct{ Name, First, Second, Ref string }

// DiffRules lists the rules in which two policies differ, beside their keys ([Diff]).
func DiffRules(a, b *Policy) []RuleDifference {
	var out []RuleDifference
	for i := range rules {
		r := &rules[i]
		if x, y := r.text(a), r.text(b); x != y {
			out = append(out, RuleDifference{r.name, x, y, r.ref})
		}
	}
	return out
}
