package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"schedlab/cpumask"
	"schedlab/internal/interrupt"
	"schedlab/lab"
	"schedlab/machine"
	"schedlab/policy"
	"schedlab/report"
	"schedlab/sim"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// machineFlags say of a machine what its file or its own kernel does not.
type machineFlags struct {
	boot       string
	partitions []string
	flags      *pflag.FlagSet
}

func (f *machineFlags) add(c *cobra.Command) {
	f.flags = c.Flags()
	f.flags.StringVar(&f.boot, "boot", "", "kernel command `LINE` in place of the machine's own: \"isolcpus=2-3,6 nohz_full=4-N maxcpus=8 nosmt\"")
	f.flags.StringArrayVar(&f.partitions, "partition", nil, "`CPUS` of a cpuset partition, which has sched domains of its own, such as 0-7; may be repeated; CPUs in none stay together")
}

// load reads the machine as the flags want it, and the partitions.
func (f *machineFlags) load(ctx context.Context, a *app, name string) (*machine.Machine, []cpumask.Mask, error) {
	m, err := a.loadMachine(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	if f.flags.Changed("boot") {
		if m, err = m.WithBoot(f.boot); err != nil {
			return nil, nil, fmt.Errorf("--boot: %w", err)
		}
	}
	var parts []cpumask.Mask
	for _, list := range f.partitions {
		p, err := cpumask.ParseList(list)
		switch {
		case err != nil:
			return nil, nil, fmt.Errorf("--partition %s: %w", list, err)
		case !p.Intersects(m.Online):
			return nil, nil, fmt.Errorf("--partition %s: none of these CPUs is online (%v are)", list, m.Online)
		}
		parts = append(parts, p)
	}
	return m, parts, nil
}

// setupFlags say on what, and how long, a run goes.
type setupFlags struct {
	machine  string
	workload string
	limit    time.Duration
	seed     uint64
	machineFlags
}

func (f *setupFlags) add(c *cobra.Command) {
	s := c.Flags()
	s.StringVarP(&f.machine, "machine", "m", "", "`MACHINE` to run on: a preset, a snapshot or recording, host")
	s.StringVarP(&f.workload, "workload", "w", "", "`WORKLOAD` to run: NAME[:key=value,...], trace:FILE or rtapp:FILE")
	f.machineFlags.add(c)
	s.DurationVar(&f.limit, "for", lab.DefaultFor, "virtual `TIME` at which a run ends at the latest; a recording or a benchmark for a time has twice its own length on top if left out")
	s.Uint64Var(&f.seed, "seed", 1, "`SEED` of the run; the first of several")
	complete(c, "machine", machineNames)
	complete(c, "workload", workloadNames)
	complete(c, "for", fixed("1s", "10s", "1m"))
}

// load reads the machine and the workload.
func (f *setupFlags) load(a *app, c *cobra.Command) (lab.Setup, error) {
	if f.machine != "" && f.workload == "" {
		return lab.Setup{}, errors.New("--workload is missing (schedlab workload list shows what there is)")
	}
	s, err := f.loadMachine(a, c)
	if err != nil {
		return s, err
	}
	if s.Workload, err = interrupt.Do(c.Context(), func() (sim.Workload, error) { return lab.ParseWorkload(f.workload) }); err != nil {
		return s, err
	}
	a.warn(lab.Warnings(s.Workload)...)
	return s, nil
}

// loadMachine reads the machine, and leaves the workload open.
func (f *setupFlags) loadMachine(a *app, c *cobra.Command) (lab.Setup, error) {
	var s lab.Setup
	var err error
	switch {
	case f.machine == "":
		return s, errors.New("--machine is missing (schedlab machine list shows presets)")
	case f.limit <= 0:
		return s, fmt.Errorf("--for %v: must be positive", f.limit)
	}
	if s.Machine, s.Partitions, err = f.machineFlags.load(c.Context(), a, f.machine); err != nil {
		return s, err
	}
	if c.Flags().Changed("for") {
		s.For = f.limit
	}
	return s, nil
}

func (a *app) loadMachine(ctx context.Context, name string) (*machine.Machine, error) {
	m, err := interrupt.Do(ctx, func() (*machine.Machine, error) { return machine.Load(name) })
	if err != nil {
		return nil, err
	}
	a.warn(m.Warnings...)
	return m, nil
}

// parsePolicy reads the POLICY of a flag.
func parsePolicy(flag, spec string) (*policy.Policy, error) {
	if spec == "" {
		return nil, fmt.Errorf("--%s is missing (schedlab policy list shows versions and keys)", flag)
	}
	p, err := policy.Parse(spec)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	return p, nil
}

// formatFlag is --format, limited to what the command can print.
type formatFlag struct {
	value   report.Format
	allowed []report.Format
}

var _ pflag.Value = (*formatFlag)(nil)

func addFormat(c *cobra.Command, allowed []report.Format) *formatFlag {
	f := &formatFlag{report.Table, allowed}
	c.Flags().Var(f, "format", "`FORMAT` of the result: "+strings.Join(report.Names(allowed), ", "))
	complete(c, "format", fixed(report.Names(allowed)...))
	return f
}

func (f *formatFlag) String() string { return string(f.value) }
func (f *formatFlag) Type() string   { return "format" }

func (f *formatFlag) Set(s string) error {
	v, err := report.ParseFormat(s, f.allowed)
	if err == nil {
		f.value = v
	}
	return err
}

func (a *app) out(f *formatFlag) report.Out {
	return report.Out{W: a.stdout, Format: f.value, Color: colorful(a.stdout)}
}
