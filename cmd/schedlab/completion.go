package main

import (
	"slices"
	"strings"

	"schedlab/machine"
	"schedlab/policy"
	"schedlab/workload"

	"github.com/spf13/cobra"
)

// completer proposes what a word may go on to. Proposals are the word as a
// whole, with a description behind a tab.
type completer func(word string) ([]cobra.Completion, cobra.ShellCompDirective)

func complete(c *cobra.Command, flag string, f completer) {
	err := c.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return f(word)
	})
	if err != nil {
		panic(err) // the flag does not exist: a defect of this file's callers
	}
}

// once completes the first argument only.
func once(f completer) cobra.CompletionFunc { return times(1, f) }

// times completes the first n arguments.
func times(n int, f completer) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= n {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return f(word)
	}
}

func fixed(words ...string) completer {
	return func(string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

// machineNames proposes the presets and host, and files where none fits.
func machineNames(word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	out := []cobra.Completion{"host\tthis computer"}
	for _, p := range machine.List() {
		out = append(out, cobra.CompletionWithDesc(p.Name, p.Summary))
	}
	return startingWith(out, word), cobra.ShellCompDirectiveDefault
}

// workloadNames proposes the kinds of workload; after the colon and after a
// comma the keys of the kind; after trace: and rtapp: files.
func workloadNames(word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if strings.HasPrefix(word, "trace:") || strings.HasPrefix(word, "rtapp:") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	name, _, keyed := strings.Cut(word, ":")
	head := word[:strings.LastIndexAny(word, ":,")+1]
	var out []cobra.Completion
	for _, k := range workload.List() {
		switch {
		case !keyed:
			out = append(out, cobra.CompletionWithDesc(k.Name, k.Summary))
		case k.Name == name:
			for _, x := range k.Keys {
				out = append(out, cobra.CompletionWithDesc(head+x.Name+"=", x.Doc))
			}
		}
	}
	return startingWith(out, word), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// policyNames proposes versions; after a comma the keys of the version; after
// an equals sign the key's values.
func policyNames(word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	const only = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	comma := strings.LastIndexByte(word, ',')
	var out []cobra.Completion
	if comma < 0 {
		for _, v := range policy.Versions() {
			out = append(out, cobra.CompletionWithDesc(v.Name, v.Summary))
		}
		return startingWith(out, word), only
	}
	head, item := word[:comma+1], word[comma+1:]
	version, _, _ := strings.Cut(word, ",")
	name, _, valued := strings.Cut(item, "=")
	for _, k := range policy.Keys() {
		switch {
		case !slices.Contains(k.In, version):
		case !valued:
			out = append(out, cobra.CompletionWithDesc(head+k.Name+"=", k.Doc))
		case k.Name == name && strings.Contains(k.Values, "|"):
			for v := range strings.SplitSeq(k.Values, "|") {
				out = append(out, head+name+"="+v)
			}
		}
	}
	return startingWith(out, word), only
}

func startingWith(all []cobra.Completion, word string) []cobra.Completion {
	return slices.DeleteFunc(all, func(c cobra.Completion) bool { return !strings.HasPrefix(c, word) })
}
