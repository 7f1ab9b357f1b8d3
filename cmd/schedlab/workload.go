package main

import (
	"schedlab/report"
	"schedlab/workload"

	"github.com/spf13/cobra"
)

func newWorkload(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:     "workload",
		Short:   "Show workloads",
		Example: workloadExample,
	}, newWorkloadList(a), newWorkloadShow(a))
}

const workloadExample = `  schedlab workload list
  schedlab workload show schbench
  schedlab workload show mix --format json`

func newWorkloadList(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "list",
		Short: "List the workloads and their keys",
		Args:  noArgs,
	}
	format := addFormat(c, report.Listings)
	c.RunE = func(*cobra.Command, []string) error {
		return failed(a.out(format).Workloads(workload.List()))
	}
	return c
}

func newWorkloadShow(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "show WORKLOAD",
		Short: "Show what a workload does, what is assumed in it, and its keys",
		Long: `show prints what the tasks of a workload do, which of its numbers are assumed and
how results depend on them, and its keys with their defaults and values.`,
		Example:           workloadExample,
		Args:              oneArg("WORKLOAD"),
		ValidArgsFunction: once(workloadKinds),
	}
	format := addFormat(c, report.Listings)
	c.RunE = func(_ *cobra.Command, args []string) error {
		k, err := workload.Find(args[0])
		if err != nil {
			return err
		}
		return failed(a.out(format).Workload(k))
	}
	return c
}

// workloadKinds proposes the kinds of workload.
func workloadKinds(word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, k := range workload.List() {
		out = append(out, cobra.CompletionWithDesc(k.Name, k.Summary))
	}
	return startingWith(out, word), cobra.ShellCompDirectiveNoFileComp
}
