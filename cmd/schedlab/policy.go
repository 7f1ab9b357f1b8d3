package main

import (
	"fmt"

	"schedlab/policy"
	"schedlab/report"

	"github.com/spf13/cobra"
)

const policyExample = `  schedlab policy list
  schedlab policy show v6.12.117
  schedlab policy show v4.20,sis=full,migration_cost_ns=250us --format json
  schedlab policy diff v4.20 v6.12`

func newPolicy(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "policy",
		Short: "Show policies: kernel versions, keys and what they do",
		Long: `A policy is a kernel version and what to change of it: VERSION[,key=value...].
Keys are rules (recent-used, sis, ...), sched features and tunables under the
names that the kernel gives them.`,
		Example: policyExample,
	}, newPolicyList(a), newPolicyShow(a), newPolicyDiff(a))
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
		Short:             "Show every rule, feature and tunable of a policy, with the reference's section",
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

func newPolicyDiff(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:               "diff POLICY POLICY",
		Short:             "Show the rules, features and tunables in which two policies differ",
		Example:           policyExample,
		Args:              twoPolicies,
		ValidArgsFunction: times(2, policyNames),
	}
	format := addFormat(c, report.Listings)
	c.RunE = func(_ *cobra.Command, args []string) error {
		first, err := policy.Parse(args[0])
		if err != nil {
			return err
		}
		second, err := policy.Parse(args[1])
		if err != nil {
			return err
		}
		return failed(a.out(format).PolicyDiff(first, second))
	}
	return c
}

func twoPolicies(c *cobra.Command, args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("%s: wants two policies, not %d", c.CommandPath(), len(args))
	}
	return nil
}
