package policy

import "testing"

// TestFixedRules: each rule is told for every version, with a section of the
// reference, and changes where it says so and nowhere else.
func TestFixedRules(t *testing.T) {
	for i := range rules {
		r := &rules[i]
		if r.name == "" || r.ref == "" || len(r.by) < 2 || r.by[0].from != GenV420 {
			t.Errorf("%+v: not told from v4.20 on, or never changes", *r)
		}
		for j := 1; j < len(r.by); j++ {
			if a, b := r.by[j-1], r.by[j]; b.from < a.from || b.from == a.from && !b.fixes || a.text == b.text {
				t.Errorf("%s: %q after %q", r.name, b.text, a.text)
			}
		}
	}
	for _, v := range Versions() {
		p, err := Parse(v.Name)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(p.FixedRules()); got != len(rules) {
			t.Errorf("%s: %d rules of %d", v.Name, got, len(rules))
		}
		if d := DiffRules(p, p); d != nil {
			t.Errorf("%s differs from itself: %v", v.Name, d)
		}
	}
	a, _ := Parse("v6.12")
	b, _ := Parse("v6.12.117")
	if d := DiffRules(a, b); len(d) == 0 {
		t.Error("6.12.117 differs from v6.12 in no rule")
	}
}
