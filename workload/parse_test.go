package workload

import (
	"errors"
	"strings"
	"testing"
	"unicode"

	"schedlab/internal/keyval"
	"schedlab/sim"
)

func TestParseErrors(t *testing.T) {
	for spec, want := range map[string]string{
		"":                               `unknown workload "" (there are hackbench, phases, pipe)`,
		"hackbnech":                      `unknown workload "hackbnech", did you mean hackbench? (there are hackbench, phases, pipe)`,
		"Hackbench":                      "did you mean hackbench?",
		"hackbench:group=1":              `workload hackbench: unknown key "group", did you mean groups? (there are groups, loops, fds, mode, ipc, datasize, jitter)`,
		"hackbench:groups=0":             "workload hackbench: groups=0: must be a whole number from 1 to",
		"hackbench:ipc=tcp":              "one of socket, pipe",
		"hackbench:mode=":                "one of process, thread",
		"hackbench:datasize=4097":        "from 1 to 4096",
		"hackbench:groups=100,fds=10000": "groups x fds x 2 = 2000000 tasks are too many",
		"hackbench:groups=200000,fds=1":  "400000 tasks",
		"phases:run=1ns":                 "such as 400us",
		"phases:tasks=200001":            "from 1 to 200000",
		"phases:loops=1":                 "there are tasks, run, sleep, jitter",
		"pipe:loops=1,loops=2":           "given twice",
		"pipe:100":                       `"100" is not key=value`,
		"pipe:loops=3\n":                 "printable",
	} {
		w, err := Parse(spec)
		switch {
		case err == nil || !strings.Contains(err.Error(), want) || !oneLine(err.Error()):
			t.Errorf("%q: %v, want one line with %q", spec, err, want)
		case w != nil:
			t.Errorf("%q: a workload beside the error", spec)
		}
	}
}

func oneLine(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// TestName: a workload is called what the user called it.
func TestName(t *testing.T) {
	for spec, want := range map[string]string{
		"pipe": "pipe", "pipe:": "pipe", "pipe:mode=thread,loops=7": "pipe:mode=thread,loops=7",
	} {
		w, err := Parse(spec)
		if err != nil || w.Name() != want {
			t.Errorf("%q: %v, %v, want %q", spec, w, err, want)
		}
	}
}

// TestList: every kind is described, and its defaults can be typed and change nothing.
func TestList(t *testing.T) {
	for _, k := range List() {
		if k.Summary == "" || k.Unit == "" || len(k.Keys) == 0 {
			t.Errorf("%+v is not described", k)
		}
		var items []string
		for _, x := range k.Keys {
			if x.Default == "" || x.Values == "" || x.Doc == "" {
				t.Errorf("%s: %+v is not described", k.Name, x)
			}
			items = append(items, x.Name+"="+x.Default)
		}
		short, err := Parse(k.Name)
		if err != nil {
			t.Fatal(err)
		}
		long, err := Parse(k.Name + ":" + strings.Join(items, ","))
		if err != nil || long.(named).Workload != short.(named).Workload {
			t.Errorf("%v gives %+v, %v; want %+v", items, long, err, short)
		}
		if k.Unit != short.Unit() {
			t.Errorf("%s counts %s, its description says %s", k.Name, short.Unit(), k.Unit)
		}
	}
}

func TestRegister(t *testing.T) {
	before := kinds
	defer func() { kinds = before }()
	var got string
	Register(Info{Name: "recorded", Summary: "s", Unit: "u"}, func(rest string) (sim.Workload, error) {
		got = rest
		return nil, errors.New("recorded: cannot")
	})
	// What stands behind the name is the kind's own affair, whatever it holds.
	if _, err := Parse("recorded:a=1,b:/c d"); got != "a=1,b:/c d" || err == nil || err.Error() != "workload recorded: cannot" {
		t.Errorf("parse got %q, returned %v", got, err)
	}
	if _, err := Parse("nix"); err == nil || !strings.Contains(err.Error(), "(there are hackbench, phases, pipe, recorded)") {
		t.Errorf("%v does not list the new kind", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a name was registered twice")
		}
	}()
	register(Info{Name: "pipe"}, func(*keyval.Spec) sim.Workload { return pingPipe{} })
}

func FuzzParse(f *testing.F) {
	for _, spec := range []string{
		"hackbench:groups=4,loops=200,fds=3,mode=thread,ipc=pipe,datasize=4096,jitter=0.5%",
		"pipe:loops=7", "phases:tasks=3,run=1ms,sleep=100ns", "hackbench:groups=200000,fds=10000", "pipe:", ":", "nix",
	} {
		f.Add(spec)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		w, err := Parse(spec)
		if err != nil {
			if w != nil || len(err.Error()) > 1000 || !oneLine(err.Error()) {
				t.Errorf("%q: %v beside the error, which is not one short line: %q", spec, w, err)
			}
			return
		}
		if w.Unit() == "" || strings.TrimSuffix(spec, ":") != w.Name() {
			t.Errorf("%q is called %q and counts %q", spec, w.Name(), w.Unit())
		}
		if h, ok := w.(named).Workload.(hackbench); ok && h.groups*h.fds*2 > maxTasks {
			t.Errorf("%q has %d tasks", spec, h.groups*h.fds*2)
		}
	})
}
