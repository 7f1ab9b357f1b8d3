package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadmeScript: .ci/readme runs what a text's ```sh blocks say, compares the
// output that the text shows, and renews it, and nothing else, with --write.
func TestReadmeScript(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash: ", err)
	}
	script := filepath.Join("..", "..", ".ci", "readme")
	const shown = "# Title\n\n```sh\n# a comment\nX=3\n$ echo a\n.ci/run\necho b; echo error >&2\n```\n\n```\na\nb\n```\n\nText.\n"
	stale := strings.Replace(shown, "\nb\n```", "\nold\nlines\n```", 1)
	for _, tc := range []struct {
		what    string
		text    string
		write   bool
		code    int
		says    string // on stdout or stderr
		becomes string // with write
	}{
		{what: "fresh", text: shown, says: "$ echo a"},
		{what: "stale", text: stale, code: 1, says: "FAIL: README.md:11: this is not what the commands from line 3 on print"},
		{what: "stale, with its difference", text: stale, code: 1, says: "-old\n-lines\n+b\n"},
		{what: "renewed", text: stale, write: true, becomes: shown},
		{what: "fresh stays", text: shown, write: true, becomes: shown},
		{what: "output missing", text: "```sh\necho a\n```\n\n```\n```\n", code: 1, says: "+a"},
		{what: "output too long", text: "```sh\necho a\n```\n```\na\na\n```\n", code: 1, says: "-a"},
		{what: "no last newline", text: "```sh\nprintf a\n```\n```\na\n```\n", says: "$ printf a"},
		{what: "text between: no output of it", text: "```sh\necho a\n```\n\nText.\n\n```\nb\n```\n", says: "\na\n"},
		{what: "only what is shown is run", text: "```sh\nfalse\n```\nText.\n", write: true, becomes: "```sh\nfalse\n```\nText.\n"},
		{what: "a command fails", text: "```sh\ntrue\n```\n\nText.\n\n```sh\nfalse\n```\n", code: 1, says: "this command ends with 1: false"},
		{what: "a pipe fails", text: "```sh\nfalse | cat\n```\n```\n```\n", code: 1, says: "this command ends with 1"},
		{what: "a command fails: nothing is written", text: "```sh\necho a\n```\n```\nb\n```\n```sh\nfalse\n```\n```\n```\n", write: true, code: 1,
			becomes: "```sh\necho a\n```\n```\nb\n```\n```sh\nfalse\n```\n```\n```\n"},
		{what: "no end", text: "```sh\necho a\n", code: 1, says: "README.md:1: this block has no end"},
		{what: "nothing to run", text: "Text.\n", code: 1, says: "has no commands"},
		{what: "other blocks", text: "```sh\ntrue\n```\n\n    indented\n\n```go\nx\n```\n", says: "$ true"},
	} {
		file := filepath.Join(t.TempDir(), "README.md")
		if err := os.WriteFile(file, []byte(tc.text), 0o644); err != nil {
			t.Fatal(err)
		}
		args := []string{script, file}
		if tc.write {
			args = []string{script, "--write", file}
		}
		out, err := exec.Command(bash, args...).CombinedOutput()
		code := 0
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			code = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		if code != tc.code || !strings.Contains(string(out), tc.says) {
			t.Errorf("%s: exit %d, want %d with %q: %s", tc.what, code, tc.code, tc.says, out)
		}
		want := tc.text
		if tc.write {
			want = tc.becomes
		}
		got, err := os.ReadFile(file)
		if err != nil || string(got) != want {
			t.Errorf("%s: the file is now %q, %v; want %q", tc.what, got, err, want)
		}
	}
}
