package trace

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// file is an entry of a test's archive.
type file struct{ name, text string }

func tarOf(t *testing.T, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.text)), Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, f.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipOf(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestOpenFindsTheTrace(t *testing.T) {
	dir := t.TempDir()
	recording := filepath.Join(dir, "recording")
	if err := os.Mkdir(recording, 0o755); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		open, write string
		data        []byte
	}{
		{"plain.txt", "plain.txt", []byte(exitLine)},
		{"misnamed.tgz", "misnamed.tgz", []byte(exitLine)},
		{"zipped.txt.gz", "zipped.txt.gz", gzipOf(t, []byte(exitLine))},
		{"recording", "recording/trace.txt", []byte(exitLine)},
		{"r1.tgz", "r1.tgz", gzipOf(t, tarOf(t, file{"machine/", ""}, file{"machine/x", "1"}, file{"trace.txt", exitLine}))},
		{"r2.tgz", "r2.tgz", gzipOf(t, tarOf(t, file{"./rec/machine/trace.txt", "deep"}, file{"./rec/trace.txt", exitLine}))},
		{"r3.tar", "r3.tar", tarOf(t, file{"trace.txt", exitLine})},
	}
	for _, test := range tests {
		if err := os.WriteFile(filepath.Join(dir, test.write), test.data, 0o644); err != nil {
			t.Fatal(err)
		}
		info, err := Summarize(filepath.Join(dir, test.open))
		if err != nil || info.Count[Exit] != 1 || info.Events() != 1 {
			t.Errorf("%s: %v, %d events", test.open, err, info.Events())
		}
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	whole := gzipOf(t, tarOf(t, file{"trace.txt", strings.Repeat(exitLine, 10000)}))
	corrupt := bytes.Clone(whole)
	corrupt[len(corrupt)/2] ^= 0xff
	tests := []struct {
		name string
		data []byte
		want string // behind the file's name
	}{
		{"empty", nil, ": empty"},
		{"empty.gz", gzipOf(t, nil), ": empty"},
		{"one", []byte("x"), ": no sched event in 1 lines; line 1: not TASK-PID [CPU] FLAGS TIME: EVENT: ..."},
		{"trace.dat", []byte("\x17\x08\x44tracing6\x00"), ": a trace.dat of trace-cmd, not ftrace text"},
		{"perf.data", []byte("PERFILE2\x00\x00"), ": a perf.data file, not ftrace text"},
		{"x.html", []byte("<!DOCTYPE html>"), ": HTML, not ftrace text"},
		{"binary", []byte("ab\x00"), ": not ftrace text: a zero byte at offset 2"},
		{"twice.gz", gzipOf(t, gzipOf(t, []byte(exitLine))), ": gzipped twice, not ftrace text"},
		{"half.gz", []byte{0x1f, 0x8b, 8}, ": truncated: unexpected EOF"},
		{"no.tgz", gzipOf(t, tarOf(t, file{"machine/x", "1"})), ": an archive without trace.txt"},
		{"cut.tgz", whole[:len(whole)/2], ":trace.txt: after line "},
		{"corrupt.tgz", corrupt, ":trace.txt: after line "},
	}
	for _, test := range tests {
		path := filepath.Join(dir, test.name)
		if err := os.WriteFile(path, test.data, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Summarize(path)
		if err == nil || !strings.HasPrefix(err.Error(), path+test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want %s%s", err, test.name, test.want)
		}
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "none"): ": no such file or directory",
		dir:                        ": a directory without trace.txt",
		os.DevNull:                 ": not a regular file",
	} {
		if _, err := Open(path); err == nil || err.Error() != path+want {
			t.Errorf("error %v, want %s%s", err, path, want)
		}
	}
}

// Wherever a recording is cut, there is an error that says so: never silence.
func TestTruncatedAnywhere(t *testing.T) {
	whole := gzipOf(t, tarOf(t, file{"machine/x", "1"}, file{"trace.txt", exitLine + exitLine}))
	path := filepath.Join(t.TempDir(), "cut.tgz")
	for n := range len(whole) {
		if err := os.WriteFile(path, whole[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Summarize(path); err == nil || !strings.HasPrefix(err.Error(), path) {
			t.Fatalf("cut to %d of %d bytes: error %v", n, len(whole), err)
		}
	}
}

func TestNextAfterTheEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte(exitLine), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var e Event
	if err := r.Next(&e); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := r.Next(&e); err != io.EOF {
			t.Errorf("err %v", err)
		}
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
