package main

import (
	"schedlab/policy"
	"schedlab/report"

	"github.com/spf13/cobra"
)

const policyExample = `  schedlab policy list
  schedlab policy show v6.12.117
  schedlab policy show v4.20,sis=full,migration_cost_ns=250us --format json`

func newPolicy(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "policy",
		Short: "Show policies: kernel versions, keys and what they do",
		Long: `A policy is a kernel version and what to change of it: VERSION[,key=value...].
Keys are rules (recent-used, sis, ...), sched features and tunables under the
names that the kernel gives them.`,
		Example: policyExample,
	}, newPolicyList(a), newPolicyShow(a))
}

func newPolicyList(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "list",
		Short: "List versions and keys",
		Args:  noArgs,
	}
	format := addFormat(c, report.Listings)
	c.RunE = func(*cobra.Command, []string) error {
		return failed(a.out(format).Policies(policy.Versions(), policy.Keys()))
	}
	return c
}

func newPolicyShow(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:               "show POLICY",
		Short:             "Show every key of a policy, its value and what it does",
		Example:           policyExample,
		Args:              oneArg("POLICY"),
		ValidArgsFunction: once(policyNames),
	}
	format := addFormat(c, report.Listings)
	c.RunE = func(_ *cobra.Command, args []string) error {
		p, err := policy.Parse(args[0])
		if err != nil {
			return err
		}
		return failed(a.out(format).Policy(p))
	}
	return c
}
