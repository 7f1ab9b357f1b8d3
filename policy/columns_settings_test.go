package policy

import (
	"strconv"
	"strings"
	"testing"
)

// TestFeatureDefaults are the features of reference C.4 and L by version: on, off,
// or not there. HRTICK and its like are not modelled.
func TestFeatureDefaults(t *testing.T) {
	const (
		on, off, no = "on", "off", "" // no: the version has no such feature
	)
	cfs := columns[string]{on, on, on, on, no, no}
	eevdf := columns[string]{no, no, no, no, on, on}
	for name, wants := range map[string]columns[string]{
		"GENTLE_FAIR_SLEEPERS": cfs, "START_DEBIT": cfs, "LAST_BUDDY": cfs,
		"LB_BIAS":     {on, on, no, no, no, no},
		"SIS_AVG_CPU": {off, off, no, no, no, no},
		"SIS_PROP":    {on, on, on, off, no, no},
		"SIS_UTIL":    {no, no, no, on, on, on},
		"ALT_PERIOD":  {no, no, on, on, no, no}, "BASE_SLICE": {no, no, on, on, no, no},
		"PLACE_LAG": eevdf, "PLACE_DEADLINE_INITIAL": eevdf, "PLACE_REL_DEADLINE": eevdf, "RUN_TO_PARITY": eevdf,
		"PREEMPT_SHORT": eevdf, "DELAY_DEQUEUE": eevdf, "DELAY_ZERO": eevdf,
		"CACHE_HOT_BUDDY": all(on), "WAKEUP_PREEMPTION": all(on), "TTWU_QUEUE": all(on),
		"WA_IDLE": all(on), "WA_WEIGHT": all(on), "WA_BIAS": all(on), "UTIL_EST": all(on),
		"NEXT_BUDDY": all(off), "LB_MIN": all(off),
		// The preset v6.12 has the key, so that the rule can be tried on it.
		"NI_RANDOM": {no, no, no, no, off, on},
	} {
		by(t, name, "", wants, func(t *testing.T, spec string) string { return setting(t, spec, name) })
	}
}

// setting is the value of a key as a policy shows it; empty: it has none.
func setting(t *testing.T, spec, name string) string {
	t.Helper()
	p, err := Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Settings() {
		if s.Name == name {
			return s.Value
		}
	}
	return ""
}

// TestTunablesColumns is the table of reference C.2: the base, and what is left of
// it on 8 CPUs and more, on 4 to 7, 2 and 3, and on one; in us.
func TestTunablesColumns(t *testing.T) {
	cfs := func(base string) columns[string] { return columns[string]{base, base, base, base, "", ""} }
	for _, tc := range []struct {
		name  string
		wants columns[string] // on 8, 4, 2 CPUs and one
	}{
		{"latency_ns", cfs("24000 18000 12000 6000")},
		{"min_granularity_ns", cfs("3000 2250 1500 750")},
		{"wakeup_granularity_ns", cfs("4000 3000 2000 1000")},
		{"base_slice_ns", columns[string]{4: "3000 2250 1500 750", 5: "2800 2100 1400 700"}},
		{"migration_cost_ns", all("500 500 500 500")},
	} {
		by(t, tc.name, "", tc.wants, func(t *testing.T, spec string) string {
			p, err := Parse(spec)
			if err != nil {
				t.Fatal(err)
			}
			var out []string
			for _, cpus := range []int{8, 4, 2, 1} {
				cfg := p.Config(cpus)
				for _, tn := range tunables {
					if v := *tn.at(&cfg.Tunables); tn.name == tc.name && v != 0 {
						out = append(out, strconv.FormatInt(v/1000, 10))
					}
				}
			}
			return strings.Join(out, " ")
		})
	}
	by(t, "nr_migrate", "", all("32"), func(t *testing.T, spec string) string { return setting(t, spec, "nr_migrate") })
	// What is typed is not scaled: 15 ms as in the runs of reference E.5.
	by(t, "typed", ",sched_wakeup_granularity_ns=15000000", columns[string]{"15000000", "15000000", "15000000", "15000000", "refused", "refused"},
		func(t *testing.T, spec string) string {
			p, err := Parse(spec)
			if err != nil {
				return "refused"
			}
			return strconv.FormatInt(p.Config(88).WakeupGranularity, 10)
		})
}
