package keyval

import (
	"strings"
	"testing"
	"time"
)

func read(text string) (n int, d, p int64, e string, err error) {
	s, err := Parse(text)
	if err != nil {
		return 0, 0, 0, "", err
	}
	n = s.Int("n", 7, 1, 100)
	d = s.Duration("d", time.Millisecond, 0, time.Second)
	p = s.PerMille("p", 200)
	e = s.Enum("e", "a", "a", "b")
	return n, d, p, e, s.Done()
}

func TestValues(t *testing.T) {
	for text, want := range map[string]struct {
		n    int
		d, p int64
		e    string
	}{
		"x":                      {7, 1e6, 200, "a"},
		"x:":                     {7, 1e6, 200, "a"},
		"x:n=3,d=400us,p=5%,e=b": {3, 400_000, 50, "b"},
		"x: n=100 , d=0s,p=0.5%": {100, 0, 5, "a"},
		"x:p=100":                {7, 1e6, 1000, "a"},
	} {
		n, d, p, e, err := read(text)
		if err != nil || n != want.n || d != want.d || p != want.p || e != want.e {
			t.Errorf("%q: %d %d %d %q, %v; want %+v", text, n, d, p, e, err, want)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":           "no name",
		":n=1":       "no name",
		"x:n":        `"n" is not key=value`,
		"x:=3":       "not key=value",
		"x:n=1,n=2":  "given twice",
		"x:n=0":      "from 1 to 100",
		"x:n=abc":    "from 1 to 100",
		"x:d=5":      "such as 400us",
		"x:d=-1s":    "from 0s to 1s",
		"x:p=101%":   "percentage",
		"x:p=1.25%":  "percentage",
		"x:p=-1":     "percentage",
		"x:e=c":      "a, b",
		"x:groups=3": `unknown key "groups" (there are n, d, p, e)`,
	} {
		_, _, _, _, err := read(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want one line with %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("hackbench:groups=4,ipc=pipe")
	f.Add("x:p=.%")
	f.Fuzz(func(t *testing.T, text string) {
		n, d, p, e, err := read(text)
		if err != nil {
			return
		}
		if n < 1 || n > 100 || d < 0 || d > 1e9 || p < 0 || p > 1000 || e != "a" && e != "b" {
			t.Errorf("%q: out of range: %d %d %d %q", text, n, d, p, e)
		}
	})
}
