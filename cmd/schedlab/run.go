package main

import (
	"errors"

	"schedlab/lab"
	"schedlab/report"

	"github.com/spf13/cobra"
)

const runHelp = `run runs a workload once under one policy, and prints its metrics and a digest
that folds every switch and migration: runs with equal digests took the same
decisions.

The same machine, workload, policy and seed give the same output, byte for
byte. An endless workload ends at --for. A run whose tasks all wait for what never
comes is stuck: the table says so at "end", the json form in "stuck".`

const runExample = `  schedlab run --machine uma-16 --workload phases:tasks=64,run=400us,sleep=1600us --for 10s --policy v6.12
  schedlab run --machine x6-2 --workload pipe:loops=1000 --policy v4.20 --seed 7 --format json`

func newRun(a *app) *cobra.Command {
	var f setupFlags
	var policy string
	c := &cobra.Command{
		Use:     "run --machine M --workload W --policy POLICY",
		Short:   "Run a workload once under one policy",
		Long:    runHelp,
		Example: runExample,
		Args:    noArgs,
	}
	f.add(c)
	c.Flags().StringVarP(&policy, "policy", "p", "", "`POLICY` to run under")
	complete(c, "policy", policyNames)
	format := addFormat(c, report.Formats)
	c.RunE = func(c *cobra.Command, _ []string) error { return a.run(c, &f, policy, format) }
	return c
}

func (a *app) run(c *cobra.Command, f *setupFlags, spec string, format *formatFlag) error {
	p, err := parsePolicy("policy", spec)
	if err != nil {
		return err
	}
	setup, err := f.load(a, c)
	if err != nil {
		return err
	}
	r, err := lab.Run(c.Context(), setup, p, f.seed)
	switch {
	case err != nil && c.Context().Err() != nil:
		return failed(errors.New("interrupted: the run was not done"))
	case err != nil:
		return failed(err)
	}
	if r.Stuck != "" {
		a.warn("the run is stuck, its numbers mean little: " + r.Stuck)
	}
	return failed(a.out(format).Outcome(r))
}
