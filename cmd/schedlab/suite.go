package main

import (
	"errors"
	"fmt"

	"schedlab/lab"
	"schedlab/policy"

	"github.com/spf13/cobra"
)

// compareSuite is compare over the points of a suite.
func (a *app) compareSuite(c *cobra.Command, f *compareFlags, policies []*policy.Policy, format *formatFlag) error {
	suite, err := lab.FindSuite(f.suite)
	switch {
	case err != nil:
		return fmt.Errorf("--suite: %w", err)
	case f.workload != "":
		return errors.New("--suite and --workload exclude each other")
	}
	setup, err := f.loadMachine(a, c)
	if err != nil {
		return err
	}
	total := len(suite.Points(setup.Machine)) * f.runs * len(policies)
	step, end := a.progress(total)
	cmp, err := lab.CompareSuite(c.Context(), suite, lab.Spec{
		Setup: setup, Policies: policies, Runs: f.runs, Seed: f.seed, Progress: step,
	})
	end()
	if err != nil {
		return failed(err)
	}
	if len(cmp.Points) > 0 {
		if err := a.out(format).Suite(cmp); err != nil {
			return failed(err)
		}
	}
	if n := cmp.Cut(); n > 0 {
		a.warn(fmt.Sprintf("%d of %d runs ended at --for %v before their workload did", n, cmp.Done(), f.limit))
	}
	if n, how := cmp.Stuck(); n > 0 {
		a.warn(fmt.Sprintf("%d of %d runs are stuck, their numbers mean little; the first: %s", n, cmp.Done(), how))
	}
	if cmp.Partial {
		return failed(fmt.Errorf("interrupted: %d of %d runs are done", cmp.Done(), total))
	}
	return nil
}

func suiteNames() []string {
	var names []string
	for _, s := range lab.Suites() {
		names = append(names, s.Name)
	}
	return names
}
