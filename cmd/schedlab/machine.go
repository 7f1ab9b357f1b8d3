package main

import (
	"context"
	"errors"

	"schedlab/domain"
	"schedlab/internal/interrupt"
	"schedlab/machine"
	"schedlab/report"

	"github.com/spf13/cobra"
)

const machineExample = `  schedlab machine list
  schedlab machine show x6-2
  schedlab machine show host --domains --policy v6.12
  schedlab machine show rec.tgz --domains --policy v6.12.117 --format json`

func newMachine(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:     "machine",
		Short:   "Show machines: presets, snapshots, this host",
		Example: machineExample,
	}, newMachineList(a), newMachineShow(a))
}

func newMachineList(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "list",
		Short: "List the machines that schedlab brings along",
		Args:  noArgs,
	}
	format := addFormat(c, report.Listings)
	c.RunE = func(*cobra.Command, []string) error {
		return failed(a.out(format).Machines(machine.List()))
	}
	return c
}

func newMachineShow(a *app) *cobra.Command {
	var domains bool
	var spec string
	c := &cobra.Command{
		Use:   "show MACHINE",
		Short: "Show a machine's CPUs, nodes, idle states and costs, or its sched domains",
		Long: `show prints what schedlab knows of a machine: CPUs, nodes, idle states, what
operations cost there and where these numbers come from.

With --domains it prints the sched domains instead, as the kernel of --policy
would build them, CPUs whose domains differ only in their spans folded.`,
		Example:           machineExample,
		Args:              oneArg("MACHINE"),
		ValidArgsFunction: once(machineNames),
	}
	c.Flags().BoolVar(&domains, "domains", false, "show the sched domains")
	c.Flags().StringVarP(&spec, "policy", "p", "", "`POLICY` whose kernel builds the domains")
	complete(c, "policy", policyNames)
	format := addFormat(c, report.Listings)
	c.RunE = func(_ *cobra.Command, args []string) error {
		switch {
		case domains:
			return a.showDomains(c.Context(), args[0], spec, format)
		case spec != "":
			return errors.New("--policy needs --domains: a machine alone has no policy")
		}
		m, err := a.loadMachine(c.Context(), args[0])
		if err != nil {
			return err
		}
		return failed(a.out(format).Machine(m))
	}
	return c
}

func (a *app) showDomains(ctx context.Context, name, spec string, format *formatFlag) error {
	p, err := parsePolicy("policy", spec)
	if err != nil {
		return err
	}
	m, err := a.loadMachine(ctx, name)
	if err != nil {
		return err
	}
	d, err := interrupt.Do(ctx, func() (*domain.Domains, error) { return domain.Build(m, p.Rules()) })
	if err != nil {
		return err
	}
	return failed(a.out(format).Domains(m, d, p.Rules()))
}
