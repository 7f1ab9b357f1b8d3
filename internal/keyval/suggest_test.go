package keyval

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSuggestion(t *testing.T) {
	names := []string{"hackbench", "pipe", "phases", "fds"}
	for typed, want := range map[string]string{
		"hackbnech":  "hackbench", // swapped letters are two edits
		"hackbenhc":  "hackbench",
		"hackbench1": "hackbench",
		"pip":        "pipe",
		"pie":        "pipe",
		"phase":      "phases",
		"fd":         "fds",
		"pepp":       "", // two edits from pipe, and half of it
		"f":          "",
		"":           "",
		"tbench":     "",
		"socket":     "",
	} {
		got := suggestion(typed, names)
		if want != "" {
			want = ", did you mean " + want + "?"
		}
		if got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}

// TestEdits compares the table of distances with its definition.
func TestEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching("[ab]{0,5}")
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		want := min(slowEdits(a, b), maxSlips+1)
		if got := min(edits(a, b), maxSlips+1); got != want {
			t.Fatalf("%q to %q: %d edits, want %d", a, b, got, want)
		}
	})
}

func slowEdits(a, b string) int {
	switch {
	case a == "" || b == "":
		return len(a) + len(b)
	case a[0] == b[0]:
		return slowEdits(a[1:], b[1:])
	}
	return 1 + min(slowEdits(a[1:], b), slowEdits(a, b[1:]), slowEdits(a[1:], b[1:]))
}

func TestClip(t *testing.T) {
	for s, want := range map[string]string{
		"abc":                     "abc",
		strings.Repeat("a", 60):   strings.Repeat("a", 60),
		strings.Repeat("a", 61):   strings.Repeat("a", 60) + "...",
		strings.Repeat("日本", 100): strings.Repeat("日本", 10) + "...", // never half a character
	} {
		if got := clip(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
