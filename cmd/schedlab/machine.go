package main

import (
	"context"
	"errors"
	"io"

	"schedlab/domain"
	"schedlab/internal/interrupt"
	"schedlab/machine"
	"schedlab/report"

	"github.com/spf13/cobra"
)

const machineExample = `  schedlab machine list
  schedlab machine show x6-2
  schedlab machine show host --domains --policy v6.12
  schedlab machine show rec.tgz --domains --policy v6.12.117 --format json
  schedlab machine show x6-2 --domains --policy v6.12 --boot "isolcpus=2-3 nosmt" --partition 0-7
  schedlab machine show x5-8 --svg x5-8.svg
  schedlab machine convert topology.xml mine.yaml`

func newMachine(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:     "machine",
		Short:   "Show machines: presets, snapshots, this host",
		Example: machineExample,
	}, newMachineList(a), newMachineShow(a), newMachineConvert(a))
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
	var spec, svg string
	var flags machineFlags
	c := &cobra.Command{
		Use:   "show MACHINE",
		Short: "Show a machine's CPUs, nodes, idle states and costs, or its sched domains",
		Long: `show prints what schedlab knows of a machine: CPUs, nodes, idle states, what
operations cost there and where these numbers come from.

MACHINE is a preset, "host", "synthetic:sockets=2,cores=8,threads=2", or a file
whose content says what it is: a sysfs snapshot or recording (directory, .tgz,
.tar.bz2), hwloc's XML, the output of lscpu -p, -e or -J, or YAML as machine
convert writes it.

With --domains it prints the sched domains instead, as the kernel of --policy
would build them, CPUs whose domains differ only in their spans folded. With --svg
it draws nodes, packages, last-level caches, cores and CPUs into a file.`,
		Example:           machineExample,
		Args:              oneArg("MACHINE"),
		ValidArgsFunction: once(machineNames),
	}
	c.Flags().BoolVar(&domains, "domains", false, "show the sched domains")
	c.Flags().StringVarP(&spec, "policy", "p", "", "`POLICY` whose kernel builds the domains")
	complete(c, "policy", policyNames)
	c.Flags().StringVar(&svg, "svg", "", "draw the machine into `FILE` instead; - is the standard output")
	flags.add(c)
	format := addFormat(c, report.Listings)
	c.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case domains && svg != "":
			return errors.New("--domains and --svg exclude each other")
		case !domains && spec != "":
			return errors.New("--policy needs --domains: a machine alone has no policy")
		case !domains && len(flags.partitions) > 0:
			return errors.New("--partition needs --domains: partitions are of these")
		case svg != "" && c.Flags().Changed("format"):
			return errors.New("--svg and --format exclude each other")
		}
		if domains {
			return a.showDomains(c.Context(), &flags, args[0], spec, format)
		}
		m, _, err := flags.load(c.Context(), a, args[0])
		if err != nil {
			return err
		}
		if svg != "" {
			return a.writeFile(svg, func(w io.Writer) error { return report.MachineSVG(w, m) })
		}
		return failed(a.out(format).Machine(m))
	}
	return c
}

func (a *app) showDomains(ctx context.Context, flags *machineFlags, name, spec string, format *formatFlag) error {
	p, err := parsePolicy("policy", spec)
	if err != nil {
		return err
	}
	m, parts, err := flags.load(ctx, a, name)
	if err != nil {
		return err
	}
	d, err := interrupt.Do(ctx, func() (*domain.Domains, error) { return domain.BuildCpusets(m, p.Rules(), parts) })
	if err != nil {
		return err
	}
	return failed(a.out(format).Domains(m, d, p.Rules()))
}

func newMachineConvert(a *app) *cobra.Command {
	var flags machineFlags
	c := &cobra.Command{
		Use:   "convert MACHINE OUT.yaml",
		Short: "Write a machine in the form of the presets",
		Long: `convert writes any machine that show reads as YAML in the form of the presets: a
text to keep, to look at and to change. It is read back as the same machine, with
its costs and their sources, idle states, boot parameters and kernel settings. OUT
of - is the standard output.`,
		Example: `  schedlab machine convert host mine.yaml
  schedlab machine convert topology.xml server.yaml && schedlab machine show server.yaml`,
		Args: cobra.MatchAll(cobra.ExactArgs(2)),
	}
	c.ValidArgsFunction = once(machineNames)
	flags.add(c)
	_ = c.Flags().MarkHidden("partition")
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(flags.partitions) > 0 {
			return errors.New("--partition: a machine has none, they are the kernel's")
		}
		m, _, err := flags.load(c.Context(), a, args[0])
		if err != nil {
			return err
		}
		return a.writeFile(args[1], m.WriteYAML)
	}
	return c
}
