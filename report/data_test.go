package report

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"schedlab/lab"

	"golang.org/x/perf/benchfmt"
)

// keys are the names of an object's members, sorted.
func keys(t *testing.T, v any) string {
	t.Helper()
	o, ok := v.(map[string]any)
	if !ok {
		t.Fatalf("%v is no object", v)
	}
	return strings.Join(slices.Sorted(maps.Keys(o)), " ")
}

func parse(t *testing.T, print func(io.Writer) error) map[string]any {
	t.Helper()
	var b bytes.Buffer
	if err := print(&b); err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(b.Bytes(), &out); err != nil {
		t.Fatalf("%v in %s", err, b.String())
	}
	return out
}

func TestComparisonJSONForm(t *testing.T) {
	d := parse(t, func(w io.Writer) error { return Out{W: w, Format: JSON}.Comparison(comparison()) })
	if got := keys(t, d); got != "machine policies runs workload" {
		t.Errorf("members %s", got)
	}
	for i, p := range d["policies"].([]any) {
		if got := keys(t, p); got != "metrics policy" {
			t.Errorf("policy members %s", got)
		}
		for _, m := range p.(map[string]any)["metrics"].([]any) {
			if got := keys(t, m); got != "change high low median name p unit" {
				t.Errorf("metric members %s", got)
			}
			isNull := m.(map[string]any)["p"] == nil
			if isNull != (i == 0) {
				t.Errorf("p of policy %d: %v", i, m)
			}
		}
	}
	d = parse(t, func(w io.Writer) error { return Out{W: w, Format: JSON}.Comparison(interrupted()) })
	if d["partial"] != true {
		t.Errorf("partial is %v after an interruption", d["partial"])
	}
}

func TestOutcomeJSONForm(t *testing.T) {
	d := parse(t, func(w io.Writer) error { return Out{W: w, Format: JSON}.Outcome(outcome()) })
	if got := keys(t, d); got != "digest machine metrics policy seed workload" {
		t.Errorf("members %s", got)
	}
	for _, m := range d["metrics"].([]any) {
		if got := keys(t, m); got != "name unit value" {
			t.Errorf("metric members %s", got)
		}
	}
}

// What is not a number never reaches JSON or CSV, wherever it came from.
func TestNotANumber(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		b, err := json.Marshal(number(v))
		if err != nil || string(b) != "null" {
			t.Errorf("%v in JSON: %s, %v", v, b, err)
		}
		if field(v) != "" {
			t.Errorf("%v in CSV: %q", v, field(v))
		}
	}
}

// The benchmark form reads back: a line per replica, its values and units, and
// the policy as the key to compare by.
func TestBenchfmtReadsBack(t *testing.T) {
	c := comparison()
	var b bytes.Buffer
	if err := (Out{W: &b, Format: Benchfmt}).Comparison(c); err != nil {
		t.Fatal(err)
	}
	r := benchfmt.NewReader(&b, "test")
	lines := map[string]int{}
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Errorf("%v", rec)
		case *benchfmt.Result:
			p := rec.GetConfig("policy")
			i := slices.IndexFunc(c.Policies, func(x lab.PolicyResult) bool { return x.Policy == p })
			if i < 0 {
				t.Fatalf("policy %q", p)
			}
			if rec.Name.String() != "Hackbench/groups=4/loops=200" {
				t.Errorf("name %s", rec.Name)
			}
			for _, s := range c.Policies[i].Metrics {
				if got, ok := rec.Value(benchUnit(s.Metric)); !ok || got != s.Values[lines[p]] {
					t.Errorf("%s, replica %d: %s is %v, want %v", p, lines[p], benchUnit(s.Metric), got, s.Values[lines[p]])
				}
			}
			lines[p]++
		}
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	if lines["v4.20"] != 6 || len(lines) != 2 {
		t.Errorf("lines by policy: %v", lines)
	}
	if r.Units().GetBetter("messages/s") != 1 || r.Units().GetBetter("time-s") != -1 || r.Units().GetBetter("switches") != 0 {
		t.Errorf("directions: %v", r.Units())
	}
}

func TestBenchName(t *testing.T) {
	for workload, want := range map[string]string{
		"hogs:4":                   "Hogs/4",
		"mix:pipe:n=3+hogs:4":      "Mix/pipe:n=3+hogs:4",
		"pipe":                     "Pipe",
		"pipe:loops=1000":          "Pipe/loops=1000",
		"trace:../a b/rec.tgz":     "Trace/file=..:a_b:rec.tgz",
		"hackbench:ipc=socket,g=1": "Hackbench/ipc=socket/g=1",
		"":                         "",
	} {
		if got := benchName(workload); got != want {
			t.Errorf("%q: got %q, want %q", workload, got, want)
		}
	}
}

func TestParseFormat(t *testing.T) {
	if f, err := ParseFormat("csv", Listings); f != CSV || err != nil {
		t.Errorf("csv: %v, %v", f, err)
	}
	for name, want := range map[string]string{
		"xml":      `unknown format "xml" (there are table, json, csv)`,
		"benchfmt": `no such format here "benchfmt" (there are table, json, csv)`,
	} {
		if _, err := ParseFormat(name, Listings); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if err := (Out{W: io.Discard, Format: Benchfmt}).Machines(nil); err == nil {
		t.Error("a list was printed in the benchmark format")
	}
}

// A name from a file or the command line cannot steer the terminal.
func TestPrintable(t *testing.T) {
	r := outcome()
	r.Machine = "a\x1b[31m\tb\x07"
	var b bytes.Buffer
	if err := (Out{W: &b, Format: Table}).Outcome(r); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(b.String(), "\x1b\t\x07") {
		t.Errorf("%q", b.String())
	}
}
