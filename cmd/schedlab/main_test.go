package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"schedlab/sim"
	"schedlab/workload"
)

const someWork = "phases:tasks=8,run=400us,sleep=1600us"

// invoke runs the program in this process.
func invoke(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(args, &out, &err)
	return out.String(), err.String(), code
}

type comparison struct {
	Machine  string
	Workload string
	Runs     int
	Partial  bool
	Policies []struct {
		Policy  string
		Metrics []struct {
			Name, Unit        string
			Median, Low, High *float64
			Change, P         *float64
		}
	}
}

func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// Every metric of the issue is in the json of a comparison, base first.
func TestCompareJSON(t *testing.T) {
	out, stderr, code := invoke(t, "compare", "--machine", "uma-16", "--workload", someWork, "--for", "20ms", "--runs", "6",
		"--base", "v6.12", "--try", "v6.12,sis=full", "--try", "v4.20", "--format", "json")
	if code != 0 || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	c := decode[comparison](t, out)
	if c.Machine != "uma-16" || c.Workload != someWork || c.Runs != 6 || c.Partial || len(c.Policies) != 3 {
		t.Errorf("%+v", c)
	}
	names := []string{"time", "throughput", "wakeup-p50", "wakeup-p99", "wakeup-max", "busy", "idle-entries", "switches",
		"wakeups", "migrations-core", "migrations-llc", "migrations-node", "pulls", "waited-idle"}
	for i, p := range c.Policies {
		if want := []string{"v6.12", "v6.12,sis=full", "v4.20"}[i]; p.Policy != want {
			t.Errorf("policy %d is %s, want %s", i, p.Policy, want)
		}
		found := map[string]bool{}
		for _, m := range p.Metrics {
			found[m.Name] = true
			if m.Median == nil || m.Low == nil || m.High == nil || *m.Low > *m.Median || *m.Median > *m.High {
				t.Errorf("%s %s: median or interval missing or wrong", p.Policy, m.Name)
			}
			if (m.P == nil) != (i == 0) {
				t.Errorf("%s %s: p is %v", p.Policy, m.Name, m.P)
			}
		}
		for _, n := range names {
			if !found[n] {
				t.Errorf("%s: no metric %s", p.Policy, n)
			}
		}
	}
}

// Ctrl-C prints what is done and exits with 1.
func TestInterrupt(t *testing.T) {
	out := interrupted(t, "compare", "--machine", "uma-16", "--workload", someWork, "--for", "5ms", "--runs", "100000",
		"--base", "v6.12", "--try", "v6.12,sis=full", "--format", "json")
	r := decode[comparison](t, out)
	if !r.Partial || r.Runs != 100000 || len(r.Policies) != 2 || len(r.Policies[0].Metrics) == 0 {
		t.Errorf("partial %v, %d runs: %s", r.Partial, r.Runs, out)
	}
}

// So it does in a suite, whose points stand in order up to where it was.
func TestInterruptSuite(t *testing.T) {
	out := interrupted(t, "compare", "--machine", "uma-16", "--suite", "mmtests-scheduler", "--runs", "1000",
		"--base", "v6.12", "--try", "v6.12,sis=full", "--format", "json")
	r := decode[struct {
		Suite, Machine string
		Runs           int
		Partial        bool
		Scaled         []string
		Points         []struct {
			Benchmark, Parameter, Workload string
			Reported                       []string
			Policies                       json.RawMessage
		}
	}](t, out)
	if !r.Partial || r.Runs != 1000 || len(r.Points) == 0 || r.Points[0].Benchmark != "hackbench-process-pipes" || r.Points[0].Parameter != "groups=1" {
		t.Errorf("partial %v, %d runs: %s", r.Partial, r.Runs, out)
	}
}

// interrupted runs the program until it has something to print, interrupts it,
// and returns what it printed.
func interrupted(t *testing.T, args ...string) string {
	t.Helper()
	for wait := time.Second; ; wait *= 2 {
		c := exec.Command("schedlab", args...)
		var out, errs bytes.Buffer
		c.Stdout, c.Stderr = &out, &errs
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(wait)
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		err := c.Wait()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 {
			t.Fatalf("%v, want exit code 1; stderr %s", err, errs.String())
		}
		if !strings.HasPrefix(errs.String(), "schedlab: interrupted: ") || strings.Count(errs.String(), "\n") != 1 {
			t.Fatalf("stderr %q", errs.String())
		}
		if out.Len() > 0 || wait >= 8*time.Second { // else a slow computer: nothing was done yet
			return out.String()
		}
	}
}

// Ctrl-C ends at once what is set up for seconds: domains of 65,536 CPUs.
func TestInterruptSetup(t *testing.T) {
	const machine = "synthetic:sockets=64,cores=512,threads=2"
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "-m", machine, "-w", "pipe:loops=10", "-p", "v6.12"}, "the run was not done"},
		{[]string{"compare", "-m", machine, "-w", "pipe:loops=10", "-b", "v6.12", "-t", "v4.20"}, "0 of 20 runs are done"},
		{[]string{"machine", "show", machine, "--domains", "-p", "v6.12"}, "nothing was done"},
	} {
		cmd := exec.Command("schedlab", c.args...)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		err := cmd.Wait()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 || out.Len() > 0 || errs.String() != "schedlab: interrupted: "+c.want+"\n" {
			t.Errorf("%v: %v, stdout %q, stderr %q", c.args, err, out.String(), errs.String())
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%v: ends %v after Ctrl-C", c.args, took)
		}
	}
}

// stuckWork is a workload of a task that waits for a message which nobody sends.
type stuckWork struct{}

func (stuckWork) Name() string { return "stuck" }
func (stuckWork) Unit() string { return "messages" }
func (stuckWork) Setup(b *sim.Builder) error {
	b.Task(sim.TaskSpec{Name: "reader", Program: reads(b.Channel(sim.ChannelSpec{Capacity: 1}))})
	return nil
}

type reads int32

func (p reads) Next(*sim.Ctx) sim.Op { return sim.Op{Kind: sim.OpRecv, Obj: int32(p), N: 1} }

// A run that is stuck is told from one that its limit ends, in what is printed
// and on stderr.
func TestStuck(t *testing.T) {
	workload.Register(workload.Info{Name: "stuck", Unit: "messages"}, func(string) (sim.Workload, error) { return stuckWork{}, nil })
	const how = `tasks that wait for what never comes: 1, the first is "reader" (task 0), to receive from channel 0`
	for _, c := range []struct {
		args   []string
		stdout string
	}{
		{[]string{"run", "--policy", "v6.12"}, "\nend       stuck at "},
		{[]string{"run", "--policy", "v6.12", "--format", "json"}, `"stuck": "at `},
		{[]string{"compare", "--base", "v6.12", "--try", "v4.20", "--runs", "3"}, "\n6 of 6 runs are stuck; the first: v6.12, seed 1: at "},
		{[]string{"compare", "--base", "v6.12", "--try", "v4.20", "--runs", "3", "--format", "json"}, `"stuck": 3`},
	} {
		out, stderr, code := invoke(t, append(c.args, "--machine", "uma-16", "--workload", "stuck", "--for", "1s")...)
		if code != 0 || strings.Contains(out, "limit of virtual time") || !strings.Contains(out, c.stdout) {
			t.Errorf("%v: exit %d, no %q in %s", c.args, code, c.stdout, out)
		}
		if !strings.HasPrefix(stderr, "schedlab: warning: ") || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, how) {
			t.Errorf("%v: stderr %q", c.args, stderr)
		}
	}
}

func TestOneLine(t *testing.T) {
	err := errors.New("a\n\n\tb \x1b[31mc")
	if got := oneLine(err); got != "a b ?[31mc" {
		t.Errorf("%q", got)
	}
}
