package main

import (
	"fmt"

	"schedlab/lab"
	"schedlab/policy"
	"schedlab/report"

	"github.com/spf13/cobra"
)

const compareHelp = `compare runs a workload under a base policy and under one or more others, each
with the same seeds, on all cores, and prints every metric of every policy: the
median, its interval, the change against the base and how likely chance alone
makes such a change (p, Mann-Whitney U test).

Intervals are confidence intervals of the median, of 95% or more, from 6 runs
on; with fewer they are the range of the runs. With fewer than 4 runs no change
can be significant.

In the json form change is in percent; change and p of the base are null, and
"partial" is there, and true, only when the comparison was interrupted; "stuck"
and "howStuck" only where runs ended with tasks that wait for what never comes.
The benchfmt form is for benchstat: benchstat -col policy FILE.

--suite mmtests-scheduler runs, instead of one workload, the benchmarks of mmtests'
scheduler configurations that exist here, each over mmtests' own range for the
machine: hackbench over groups (processes and threads, pipes and sockets), perf
pipe, schbench over workers, tbench over clients. The table has a row per point and
metric that mmtests reports, and says what is shorter than mmtests' settings; the
other formats have every metric of every point.

Ctrl-C prints what is done, and exits with 1; a second one kills.`

const compareExample = `  schedlab compare --machine x6-2 --workload hackbench:groups=4,loops=200 \
      --base v4.20 --try v4.20,recent-used=prev

  # several changes at once, half a second of virtual time each
  schedlab compare --machine uma-16 --workload phases:tasks=64,run=400us,sleep=1600us --for 500ms \
      --base v6.12 --try v6.12,sis=full --try v6.12,newidle=off --runs 20

  # what a scheduler change does to everything that reviewers ask for
  schedlab compare --machine e5-2630v4-1s --suite mmtests-scheduler --base v6.12 --try v6.12,sis=full

  # for benchstat
  schedlab compare ... --format benchfmt > ab.txt && benchstat -col policy ab.txt`

type compareFlags struct {
	setupFlags
	suite string
	base  string
	try   []string
	runs  int
}

func newCompare(a *app) *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:     "compare --machine M {--workload W | --suite S} --base POLICY --try POLICY...",
		Short:   "Compare policies on a machine and a workload",
		Long:    compareHelp,
		Example: compareExample,
		Args:    noArgs,
	}
	f.add(c)
	c.Flags().StringVarP(&f.base, "base", "b", "", "`POLICY` to compare with")
	c.Flags().StringArrayVarP(&f.try, "try", "t", nil, "`POLICY` to try; may be repeated")
	c.Flags().IntVarP(&f.runs, "runs", "n", lab.DefaultRuns, "`N` runs per policy, with the seeds SEED, SEED+1, ...")
	c.Flags().StringVar(&f.suite, "suite", "", "`SUITE` of benchmarks to run instead of a workload: mmtests-scheduler")
	complete(c, "suite", fixed(suiteNames()...))
	complete(c, "base", policyNames)
	complete(c, "try", policyNames)
	format := addFormat(c, report.Formats)
	c.RunE = func(c *cobra.Command, _ []string) error { return a.compare(c, &f, format) }
	return c
}

func (a *app) compare(c *cobra.Command, f *compareFlags, format *formatFlag) error {
	if f.runs < 1 || f.runs > lab.MaxRuns {
		return fmt.Errorf("--runs %d: must be 1 to %d", f.runs, lab.MaxRuns)
	}
	if f.seed+uint64(f.runs-1) < f.seed {
		return fmt.Errorf("--seed %d --runs %d: the seeds pass the highest one", f.seed, f.runs)
	}
	policies, err := f.policies()
	if err != nil {
		return err
	}
	if f.suite != "" {
		return a.compareSuite(c, f, policies, format)
	}
	setup, err := f.load(a, c)
	if err != nil {
		return err
	}
	step, end := a.progress(f.runs * len(policies))
	cmp, err := lab.Compare(c.Context(), lab.Spec{
		Setup: setup, Policies: policies, Runs: f.runs, Seed: f.seed, Progress: step,
	})
	end()
	if err != nil {
		return failed(err)
	}
	if cmp.Done() > 0 {
		if err := a.out(format).Comparison(cmp); err != nil {
			return failed(err)
		}
	}
	if n := cmp.Cut(); n > 0 && n < cmp.Done() {
		a.warn(fmt.Sprintf("%d of %d runs ended at --for %v before their workload did: their times do not compare with the others'", n, cmp.Done(), f.limit))
	}
	if n, how := cmp.Stuck(); n > 0 {
		a.warn(fmt.Sprintf("%d of %d runs are stuck, their numbers mean little; the first: %s", n, cmp.Done(), how))
	}
	if cmp.Partial {
		return failed(fmt.Errorf("interrupted: %d of %d runs are done", cmp.Done(), cmp.Total()))
	}
	return nil
}

// policies are the base and what to try, all different.
func (f *compareFlags) policies() ([]*policy.Policy, error) {
	base, err := parsePolicy("base", f.base)
	if err != nil {
		return nil, err
	}
	if len(f.try) == 0 {
		f.try = []string{""}
	}
	all := []*policy.Policy{base}
	for _, spec := range f.try {
		p, err := parsePolicy("try", spec)
		if err != nil {
			return nil, err
		}
		for i, q := range all {
			if p.String() != q.String() {
				continue
			}
			if i == 0 {
				return nil, fmt.Errorf("--try %s is the same policy as --base", spec)
			}
			return nil, fmt.Errorf("--try %s is given twice", spec)
		}
		all = append(all, p)
	}
	return all, nil
}
