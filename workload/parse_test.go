package workload

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode"

	"schedlab/internal/keyval"
	"schedlab/sim"
)

func TestParseErrors(t *testing.T) {
	for spec, want := range map[string]string{
		"":                                     `unknown workload "" (there are easywave, hackbench, hogs, messaging, mix, oltp, phases, pipe, saladfork, schbench, sysbench-cpu, sysbench-mutex, tbench)`,
		"hackbnech":                            `unknown workload "hackbnech", did you mean hackbench? (there are easywave, hackbench, hogs, messaging, mix, oltp, phases, pipe, saladfork, schbench, sysbench-cpu, sysbench-mutex, tbench)`,
		"Hackbench":                            "did you mean hackbench?",
		"hackbench:group=1":                    "group=1: a group's name begins with no digit (hackbench's number of groups is the key groups)",
		"hackbench:grups=1":                    "workload hackbench: unknown key \"grups\", did you mean groups?",
		"hackbench:groups=0":                   "workload hackbench: groups=0: must be a whole number from 1 to",
		"hackbench:ipc=tcp":                    "one of socket, pipe",
		"hackbench:mode=":                      "one of process, thread",
		"hackbench:datasize=4097":              "from 1 to 4096",
		"hackbench:groups=100,fds=10000":       "groups x fds x 2 = 2000000 tasks are too many",
		"hackbench:groups=200000,fds=1":        "400000 tasks",
		"phases:run=1ns":                       "such as 400us",
		"phases:tasks=200001":                  "from 1 to 200000",
		"phases:loops=1":                       "there are tasks, run, sleep, jitter, nice, sched, prio, cpus",
		"phases:sched=deadline":                "one of other, batch, idle, fifo, rr",
		"phases:weight=50":                     "weight=50 needs a group",
		"hogs:group=a,weight=0":                "weight=0",
		"phases:prio=9":                        "workload phases: prio=9 needs sched=fifo",
		"phases:nice=3,sched=idle":             "nice=3 needs sched=other",
		"phases:nice=20":                       "from -20 to 19",
		"hogs:cpus=0-x":                        "workload hogs: cpus=0-x: ",
		"hogs:cpus=+":                          "the list is empty",
		"hogs:cpus=999999999":                  "beyond the limit",
		"hogs:x":                               "workload hogs: tasks=x: must be a whole number",
		"hogs:4,tasks=5":                       "given twice",
		"hogs:nice=1,4":                        `"4" is not key=value`,
		"messaging:groups=1":                   "did you mean group?",
		"messaging:group=5001":                 "from 1 to 5000",
		"tbench:clients=0":                     "from 1 to 100000",
		"tbench:time=0s":                       "from 1ms to 1h",
		"schbench:rps=5,pipe=5":                "rps and pipe exclude each other",
		"schbench:messengers=10000,workers=21": "messengers x workers = 210000 tasks are too many",
		"oltp:logging=maybe":                   "one of on, off",
		"oltp:users=200000":                    "from 1 to 199999",
		"mix:":                                 "workload mix: it wants two workloads or more",
		"mix:pipe":                             "it wants two workloads or more",
		"mix:pipe+":                            `workload mix: unknown workload ""`,
		"mix:pipe+hogs:n=4":                    `workload mix: workload hogs: unknown key "n"`,
		"mix:(pipe+hogs:4":                     "a parenthesis is not closed",
		"mix:(pipe)x+hogs:4":                   `unknown workload "(pipe)x"`,
		"mix:pipe+(mix:pipe+hogs)":             "a mix in a mix",
		"mix:hogs:200000+hogs":                 "mix: 200001 tasks are too many, 200000 is the most",
		"mix:" + strings.Repeat("pipe+", 16) + "pipe": "17 workloads are too many, 16 is the most",
		"pipe:loops=1,loops=2":                        "given twice",
		"pipe:100":                                    `"100" is not key=value`,
		"pipe:loops=3\n":                              "printable",
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
		"hogs:4": "hogs:4", "mix:pipe:loops=7+hogs:4,nice=3": "mix:pipe:loops=7+hogs:4,nice=3",
		"mix:(pipe)+(hogs:cpus=1+2)+(hogs)": "mix:pipe+(hogs:cpus=1+2)+hogs",
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
		if k.Name == "mix" {
			continue // its keys are those of its parts
		}
		if k.Summary == "" || k.Doc == "" || k.Unit == "" || len(k.Keys) == 0 {
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
	before := slices.Clone(kinds) // an insertion may shift the array itself
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
	if _, err := Parse("nix"); err == nil || !strings.Contains(err.Error(), "pipe, recorded, saladfork, schbench, sysbench-cpu, sysbench-mutex, tbench)") {
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
		"phases:nice=-20,sched=fifo,prio=99,cpus=0-3+8", "hogs:7,cpus=0-7:2/4", "messaging:group=3,pipe=on", "tbench:clients=4,stack=0s",
		"schbench:messengers=2,workers=3,locking=off,rps=100", "oltp:users=3,logging=off", "easywave:3,spin=0s", "saladfork:7", "sysbench-cpu:2", "sysbench-mutex:2,mutexes=1", "pipe:bind=cross-ht", "mix:pipe+hogs:4", "mix:(pipe)+(hogs:cpus=1+2)", "mix:((a)+b",
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
		if m, ok := w.(*Mix); ok {
			checkMix(t, m)
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

// checkMix: a mix is called what makes the same mix again.
func checkMix(t *testing.T, m *Mix) {
	again, err := Parse(m.Name())
	if err != nil || again.Name() != m.Name() || len(again.(*Mix).Parts()) != len(m.Parts()) {
		t.Errorf("%q, read again, is %v, %v", m.Name(), again, err)
	}
}
