package main

import (
	"schedlab/report"
	"schedlab/workload"

	"github.com/spf13/cobra"
)

func newWorkload(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "workload",
		Short: "Show workloads",
	}, newWorkloadList(a))
}

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
