package keyval

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
)

// values is what read gets from a spec, one of every kind.
type values struct {
	n      int
	d, p   int64
	e      string
	b      bool
	file   string
	colors []string
}

func read(s *Spec) values {
	return values{
		n:      s.Int("n", 7, 1, 100, "a number"),
		d:      s.Duration("d", time.Millisecond, 0, time.Second, "a time"),
		p:      s.PerMille("p", 200, "a share"),
		e:      s.Enum("mode", "process", "a choice", "process", "thread"),
		b:      s.Bool("b", true, "a switch"),
		file:   s.String("file", "none", "file", "a text"),
		colors: s.List("colors", "color", "a list"),
	}
}

func parse(text string) (values, error) {
	s, err := Parse(text)
	if err != nil {
		return values{}, err
	}
	v := read(s)
	return v, s.Done()
}

func TestValues(t *testing.T) {
	for text, change := range map[string]func(v *values){
		"x":                   func(v *values) {},
		"x:":                  func(v *values) {},
		"x:n=1":               func(v *values) { v.n = 1 },
		"x:n=100":             func(v *values) { v.n = 100 },
		"x:d=400us":           func(v *values) { v.d = 400_000 },
		"x:d=0s":              func(v *values) { v.d = 0 },
		"x:d=1s":              func(v *values) { v.d = 1e9 },
		"x:d=1.5ms":           func(v *values) { v.d = 1_500_000 },
		"x:p=5%":              func(v *values) { v.p = 50 },
		"x:p=5":               func(v *values) { v.p = 50 },
		"x:p=0.5%":            func(v *values) { v.p = 5 },
		"x:p=100%":            func(v *values) { v.p = 1000 },
		"x:mode=thread":       func(v *values) { v.e = "thread" },
		"x:b=off":             func(v *values) { v.b = false },
		"x:b=on":              func(v *values) {},
		"x:file=a:/b=c d.txt": func(v *values) { v.file = "a:/b=c d.txt" },
		"x:colors=red":        func(v *values) { v.colors = []string{"red"} },
		"x:colors=red+a/b":    func(v *values) { v.colors = []string{"red", "a/b"} },
		"x: n=3 , b=off":      func(v *values) { v.n, v.b = 3, false },
	} {
		want := values{7, 1e6, 200, "process", true, "none", nil}
		change(&want)
		got, err := parse(text)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
}

func TestErrors(t *testing.T) {
	long := strings.Repeat("y", 5000)
	for text, want := range map[string]string{
		"":                         `"": no name before the keys`,
		":n=1":                     "no name",
		"x:n":                      `x: "n" is not key=value`,
		"x:=3":                     "not key=value",
		"x:n=1,":                   `"" is not key=value`,
		"x:,":                      `"" is not key=value`,
		"x:n=1,n=2":                `x: key "n" is given twice`,
		"x:n=0":                    "x: n=0: must be a whole number from 1 to 100",
		"x:n=101":                  "from 1 to 100",
		"x:n=":                     "from 1 to 100",
		"x:n=99999999999999999999": "from 1 to 100",
		"x:d=5":                    "x: d=5: must be a duration from 0ns to 1s, such as 400us",
		"x:d=-1s":                  "from 0ns to 1s",
		"x:d=1.000000001s":         "from 0ns to 1s",
		"x:p=101%":                 "percentage",
		"x:p=100.1%":               "percentage",
		"x:p=1.25%":                "percentage",
		"x:p=-1":                   "percentage",
		"x:p=":                     "percentage",
		"x:p=%":                    "percentage",
		"x:p=.":                    "percentage",
		"x:p=5.":                   "percentage",
		"x:mode=c":                 "x: mode=c: must be one of process, thread",
		"x:mode=treads":            "must be one of process, thread, did you mean thread?",
		"x:b=true":                 "one of on, off",
		"x:file=":                  "a file, not empty",
		"x:colors=":                "a list such as a+b+c",
		"x:colors=a++b":            "a list such as a+b+c",
		"x:groups=3":               `x: unknown key "groups" (there are n, d, p, mode, b, file, colors)`,
		"x:color=a":                `unknown key "color", did you mean colors? (there are`,
		"x:n=0,zz=1":               "from 1 to 100", // the first thing wrong
		"x:n=1\n":                  "printable",
		"x\x00y":                   "printable",
		"x:file=\xff":              "printable",
		long + ":n=0":              "yyy...: n=0: must",
		"x:n=" + long:              "yyy...: must be a whole",
		"x:" + long:                `yyy..." is not key=value`,
		"x:" + long + "=1":         `yyy..." (there are`,
		"x:" + manyKeys(1000):      "more than 64 keys",
	} {
		_, err := parse(text)
		switch {
		case err == nil || !strings.Contains(err.Error(), want):
			t.Errorf("%.80q: %v, want %q", text, err, want)
		case len(err.Error()) > 400 || !oneLine(err.Error()):
			t.Errorf("%.80q: the error is not one short line: %q", text, err)
		}
	}
}

func manyKeys(n int) string {
	var keys []string
	for i := range n {
		keys = append(keys, fmt.Sprintf("k%d=1", i))
	}
	return strings.Join(keys, ",")
}

func oneLine(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// TestBadValueGivesDefault: a getter that fails still returns something usable,
// so that a reader may look at all keys before it asks for the error.
func TestBadValueGivesDefault(t *testing.T) {
	defaults, _ := parse("x")
	bad, err := parse("x:n=x,d=x,p=x,mode=x,b=x,file=,colors=+")
	if err == nil || fmt.Sprint(bad) != fmt.Sprint(defaults) {
		t.Errorf("%+v, %v; want %+v and an error", bad, err, defaults)
	}
}

func TestKeys(t *testing.T) {
	s, err := Parse("x:n=3")
	if err != nil {
		t.Fatal(err)
	}
	read(s)
	s.Duration("long", 1600*time.Microsecond, 100, 2*time.Hour, "")
	s.PerMille("small", 5, "")
	want := []Key{
		{"n", "7", "1-100", "a number"},
		{"d", "1ms", "0ns-1s", "a time"},
		{"p", "20%", "0%-100%", "a share"},
		{"mode", "process", "process|thread", "a choice"},
		{"b", "on", "on|off", "a switch"},
		{"file", "none", "file", "a text"},
		{"colors", "", "color[+color...]", "a list"},
		{"long", "1600us", "100ns-2h", ""},
		{"small", "0.5%", "0%-100%", ""},
	}
	if got := s.Keys(); !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestDefaultsAreValues: what a key's description gives as its default can be
// typed, and means the same.
func TestDefaultsAreValues(t *testing.T) {
	s, _ := Parse("x")
	defaults := read(s)
	var items []string
	for _, k := range s.Keys() {
		if k.Default != "" {
			items = append(items, k.Name+"="+k.Default)
		}
	}
	typed, err := parse("x:" + strings.Join(items, ","))
	if err != nil || fmt.Sprint(typed) != fmt.Sprint(defaults) {
		t.Errorf("%v gives %+v, %v; want %+v", items, typed, err, defaults)
	}
}

func TestReject(t *testing.T) {
	s, _ := Parse("x:n=3")
	s.Int("n", 7, 1, 100, "")
	s.Reject("%d is odd", 3)
	s.Reject("and more")
	if err := s.Done(); err == nil || err.Error() != "x: 3 is odd" {
		t.Errorf("%v", err)
	}
}

func TestNoKeys(t *testing.T) {
	s, _ := Parse("x:a=1")
	if err := s.Done(); err == nil || err.Error() != "x: it has no keys" {
		t.Errorf("%v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"hackbench:groups=4,ipc=pipe", "x:p=.%", "x:n=3,d=400us,p=0.5%,mode=thread,b=off,file=a:b/c,colors=a+b",
		"x:n=1,n=2", "x:mode=thraed", ":", "x:\n", "x:d=9223372036854775807ns", "x:" + manyKeys(70),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := parse(text)
		if err != nil {
			if len(err.Error()) > 1000 || !oneLine(err.Error()) {
				t.Errorf("%q: the error is not one short line: %q", text, err)
			}
			return
		}
		if v.n < 1 || v.n > 100 || v.d < 0 || v.d > 1e9 || v.p < 0 || v.p > 1000 ||
			v.e != "process" && v.e != "thread" || v.file == "" || slices.Contains(v.colors, "") {
			t.Errorf("%q: out of range: %+v", text, v)
		}
	})
}
