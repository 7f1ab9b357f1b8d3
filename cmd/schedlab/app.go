package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"schedlab/sim"
)

// Exit codes.
const (
	exitDone  = 0
	exitRun   = 1 // a run failed, or was interrupted
	exitUsage = 2 // bad usage or unreadable input
)

// run is the program: its arguments in, its exit code out. A failure is one
// line on stderr.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := interruptible()
	defer stop()
	root := newRoot(&app{stdout: stdout, stderr: stderr})
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, context.Canceled):
		err = failed(errors.New("interrupted: nothing was done"))
	}
	fmt.Fprintf(stderr, "schedlab: %s\n", oneLine(err))
	var failed *runError
	if errors.As(err, &failed) {
		return exitRun
	}
	return exitUsage
}

// interruptible is a context that the first SIGINT or SIGTERM ends. From then
// on the signals have their usual effect, so that a second one kills.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// runError is a failure that is not the user's input: exit code 1.
type runError struct{ err error }

func (e *runError) Error() string { return e.err.Error() }
func (e *runError) Unwrap() error { return e.err }

// failed marks an error as a failure of the run; nil stays nil.
func failed(err error) error {
	var setup *sim.SetupError
	if err == nil || errors.As(err, &setup) {
		return err // a workload that the machine cannot have is bad input
	}
	return &runError{err}
}

// oneLine is an error as one printable line.
func oneLine(err error) string {
	s := strings.Join(strings.Fields(err.Error()), " ")
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == '\x7f' {
			return '?'
		}
		return r
	}, s)
}

// app is what commands print to.
type app struct {
	stdout, stderr io.Writer
}

// warn prints warnings, a line each.
func (a *app) warn(warnings ...string) {
	for _, w := range warnings {
		fmt.Fprintf(a.stderr, "schedlab: warning: %s\n", oneLine(errors.New(w)))
	}
}

const rootHelp = `schedlab tries a change to the Linux scheduler on any machine, before you build a
kernel: it simulates the machine, runs a workload on it under each policy, and
says what differs and whether that is significant.

  MACHINE   a preset (schedlab machine list), a sysfs snapshot or recording
            (directory or .tgz), or "host"
  WORKLOAD  NAME[:key=value,...] (schedlab workload list), trace:FILE to replay
            a recording, or rtapp:FILE to run a file of rt-app
  POLICY    a kernel version and what to change of it, VERSION[,key=value...]
            (schedlab policy list)

What a recorded machine's own kernel was set to (tunables, features, HZ,
preemption) overrides the version's; keys of the POLICY override both.

A run is a function of machine, policy, workload and seed: the same inputs give
the same bits, on any computer. Results go to stdout, progress and warnings to
stderr. Exit codes: 0 done, 1 a run failed or was interrupted, 2 bad usage or
unreadable input.`

const rootExample = `  # one change against its kernel, on a 88-CPU machine
  schedlab compare --machine x6-2 --workload hackbench:groups=4,loops=200 \
      --base v4.20 --try v4.20,recent-used=prev

  # a recording, replayed on the machine that it was made on
  schedlab compare --machine rec.tgz --workload trace:rec.tgz \
      --base v6.12.117 --try v6.12.117,sis=full

  # what can be changed, and what it does
  schedlab policy list`

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "schedlab",
		Short:         "Try a scheduler change on any machine, before you build a kernel",
		Long:          rootHelp,
		Example:       rootExample,
		Args:          noArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.AddCommand(
		newCompare(a), newRun(a),
		newMachine(a), newPolicy(a), newWorkload(a), newVersion(a),
	)
	root.SetHelpCommand(newHelp(root))
	checkCompletion(root)
	return root
}

// checkCompletion makes cobra's completion command refuse shells that it does not
// know, and want one: by itself it prints help and succeeds.
func checkCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			group(c)
		}
	}
}

// newHelp is cobra's help command, but for an error where the command that is
// asked about does not exist.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show the help of a command",
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err == nil && len(rest) > 0 {
				err = noArgs(c, rest)
			}
			if err != nil {
				return err
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	}
}

// noArgs refuses arguments, and says which commands there are where the
// command has some.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if c.HasAvailableSubCommands() {
		return fmt.Errorf("unknown command %q for %q (there are %s)", args[0], c.CommandPath(), strings.Join(subcommands(c), ", "))
	}
	return fmt.Errorf("%s: unexpected argument %q", c.CommandPath(), args[0])
}

// group is a command that only holds others: alone it is bad usage.
func group(c *cobra.Command, members ...*cobra.Command) *cobra.Command {
	c.Args = noArgs
	c.AddCommand(members...)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return fmt.Errorf("%s: which one? There are %s", c.CommandPath(), strings.Join(subcommands(c), ", "))
	}
	return c
}

func subcommands(c *cobra.Command) []string {
	var out []string
	for _, s := range c.Commands() {
		if s.IsAvailableCommand() {
			out = append(out, s.Name())
		}
	}
	return out
}

// oneArg wants exactly one argument, which is called what.
func oneArg(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch len(args) {
		case 0:
			return fmt.Errorf("%s: %s is missing", c.CommandPath(), what)
		case 1:
			return nil
		}
		return fmt.Errorf("%s: unexpected argument %q after %s %q", c.CommandPath(), args[1], what, args[0])
	}
}
