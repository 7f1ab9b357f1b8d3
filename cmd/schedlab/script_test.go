package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"schedlab": main})
}

// shared is where recordings of real machines lie; "" where they are missing.
func shared() string {
	dir, err := filepath.Abs(filepath.Join("..", "..", "..", "shared"))
	if err != nil {
		return ""
	}
	if _, err := os.Stat(filepath.Join(dir, "recordings")); err != nil {
		return ""
	}
	return dir
}

// Scripts may use, beside testscript's own:
//
//	exits CODE schedlab ARGS...   run it and check the exit code
//	one-line-error                stderr is one line "schedlab: ...", stdout empty
//	[shared]                      the shared recordings are there, at $SHARED
func TestScripts(t *testing.T) {
	if shared() == "" {
		t.Log("shared recordings are missing: what needs them is skipped")
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("SHARED", shared())
			return writeArchives(e.WorkDir)
		},
		Condition: func(c string) (bool, error) {
			if c == "shared" {
				return shared() != "", nil
			}
			return false, fmt.Errorf("unknown condition %q", c)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":          exits,
			"one-line-error": oneLineError,
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d; stderr: %s", got, want, ts.ReadFile("stderr"))
	}
}

func oneLineError(ts *testscript.TestScript, neg bool, args []string) {
	stderr := ts.ReadFile("stderr")
	if neg || len(args) > 0 {
		ts.Fatalf("usage: one-line-error")
	}
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("an error with results: %s", out)
	}
	b := []byte(stderr)
	if !bytes.HasPrefix(b, []byte("schedlab: ")) || bytes.Count(b, []byte("\n")) != 1 || !bytes.HasSuffix(b, []byte("\n")) {
		ts.Fatalf("stderr is not one line of schedlab's: %q", stderr)
	}
}

// writeArchives writes what a script's text cannot hold: truncated.tgz, cut in
// its middle, and empty.tgz, an archive of nothing.
func writeArchives(dir string) error {
	whole, err := archive(map[string]string{"machine/sys/devices/system/cpu/online": "0-3\n", "trace.txt": string(noise(20_000))})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "truncated.tgz"), whole[:len(whole)/2], 0o644); err != nil {
		return err
	}
	empty, err := archive(nil)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "empty.tgz"), empty, 0o644)
}

// noise is bytes that do not compress.
func noise(n int) []byte {
	out := make([]byte, n)
	x := uint32(1)
	for i := range out {
		x = x*1664525 + 1013904223
		out[i] = byte(x >> 24)
	}
	return out
}

func archive(files map[string]string) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, name := range []string{"machine/sys/devices/system/cpu/online", "trace.txt"} {
		data, ok := files[name]
		if !ok {
			continue
		}
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(data))}); err != nil {
			return nil, err
		}
		if _, err := w.Write([]byte(data)); err != nil {
			return nil, err
		}
	}
	err := errors.Join(w.Close(), z.Close())
	return b.Bytes(), err
}
