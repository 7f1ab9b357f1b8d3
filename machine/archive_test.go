package machine

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// packTar makes a tar archive of fsys, in order, with extra members first.
func packTar(t testing.TB, fsys fs.FS, extra ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range extra {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
	}
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, p)
		if err != nil {
			return err
		}
		if err := w.WriteHeader(&tar.Header{Name: "./" + p, Mode: 0o644, Size: int64(len(data))}); err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gz(t testing.TB, data []byte) []byte {
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

func writeFile(t *testing.T, name string, data []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// recording is a machine as a recording has it, with a trace beside it.
func recording() fstest.MapFS {
	fsys := fstest.MapFS{
		"config":     {Data: []byte("CONFIG_HZ=1000\n")},
		"cpuidle":    {Data: []byte("none\nmenu\n")},
		"trace.dat":  {Data: bytes.Repeat([]byte("x"), 100000)},
		"run.log":    {Data: []byte("ok")},
		"machine/.x": {Data: []byte("?")},
	}
	for p, f := range smt4() {
		fsys["machine/"+p] = f
	}
	return fsys
}

func TestLoadFromArchiveAndDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, recording()); err != nil {
		t.Fatal(err)
	}
	plain := packTar(t, recording(), tar.Header{Name: "machine/sys/devices/system/cpu/cpu0/node0", Typeflag: tar.TypeSymlink, Linkname: "../../node/node0"})
	for _, name := range []string{
		dir, filepath.Join(dir, "machine"), writeFile(t, "m.tgz", gz(t, plain)), writeFile(t, "m.tar", plain),
	} {
		m, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if m.Name != name || m.Summary() != (Counts{2, 2, 0, 2, 2, 4, 4}) {
			t.Errorf("%s: %v", m.Name, m.Summary())
		}
		if strings.HasSuffix(name, "machine") {
			continue // config lies outside
		}
		if m.Kernel == nil || m.Kernel.HZ != 1000 || m.Idle[0].Name != "HALT" {
			t.Errorf("%s: kernel %+v, idle %+v", name, m.Kernel, m.Idle)
		}
	}
}

func TestArchiveLeavesTheTraceOut(t *testing.T) {
	fsys, err := readArchive(bytes.NewReader(packTar(t, recording())), archiveLimits)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"config": true, "cpuidle": true, "machine/proc/cpuinfo": true, "machine/sys/devices/system/cpu/online": true,
		"trace.dat": false, "run.log": false, "machine/.x": false,
	} {
		if _, err := fs.Stat(fsys, name); (err == nil) != want {
			t.Errorf("%s: stored %v, want %v", name, err == nil, want)
		}
	}
	if err := fstest.TestFS(fsys, "machine/proc/cpuinfo"); err != nil {
		t.Error(err)
	}
}

func TestBadArchives(t *testing.T) {
	plain := packTar(t, recording())
	whole := gz(t, plain)
	for _, c := range []struct {
		name string
		data []byte
		want []string
	}{
		{"empty", nil, []string{"empty file"}},
		{"one byte", []byte("x"), []string{"not an archive"}},
		{"text", bytes.Repeat([]byte("no archive\n"), 100), []string{"not a machine that is known"}},
		{"zeros", make([]byte, 1024), []string{"not a tar archive"}},
		{"gzip header", whole[:5], []string{"gzip header", "truncated"}},
		{"half", whole[:len(whole)/2], []string{"archive at byte", "truncated"}},
		{"checksum cut off", whole[:len(whole)-4], []string{"archive at byte", "truncated"}},
		{"tar cut in a member", plain[:1500], []string{"truncated"}},
		{"bad bzip2", []byte("BZh9 this is not it"), []string{"archive at byte 0", "bzip2"}},
		{"no machine in it", gz(t, packTar(t, snap("proc/cpuinfo", "x"))), []string{"no sys/devices/system/cpu"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := writeFile(t, "m.tgz", c.data)
			_, err := Load(file)
			wantError(t, err, append(c.want, "machine "+file+": ")...)
		})
	}
}

// TestEveryTruncation cuts an archive everywhere: never a machine, nor a panic.
func TestEveryTruncation(t *testing.T) {
	whole := gz(t, packTar(t, smt4()))
	for n := range len(whole) {
		if _, err := readArchive(bytes.NewReader(whole[:n]), archiveLimits); err == nil {
			t.Fatalf("the first %d of %d bytes were read without an error", n, len(whole))
		}
	}
}

func TestArchiveLimits(t *testing.T) {
	data := packTar(t, smt4())
	for _, c := range []struct {
		name string
		max  limits
		want string
	}{
		{"file", limits{4, 1 << 20, 1000, 1 << 20}, "more than the limit of 4 bytes"},
		{"total", limits{100, 100, 1000, 1 << 20}, "take more than the limit of 100 bytes"},
		{"files", limits{100, 1 << 20, 3, 1 << 20}, "more than 3 files"},
		{"stream", limits{100, 1 << 20, 1000, 5000}, "more than the limit of 5000 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readArchive(bytes.NewReader(data), c.max)
			wantError(t, err, c.want)
		})
	}
}

// TestArchiveThatClaimsGigabytes has a header whose size the file does not have.
func TestArchiveThatClaimsGigabytes(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(&tar.Header{Name: cpuDir + "/online", Mode: 0o644, Size: 1 << 40}); err != nil {
		t.Fatal(err)
	}
	_, err := readArchive(io.MultiReader(&b, strings.NewReader("0-3")), archiveLimits)
	wantError(t, err, cpuDir+"/online", "truncated")
}

func TestArchiveMembersThatLieOutside(t *testing.T) {
	data := packTar(t, fstest.MapFS{},
		tar.Header{Name: "../" + cpuDir + "/online"}, tar.Header{Name: "/" + cpuDir + "/online"},
		tar.Header{Name: cpuDir + "/cpu0", Typeflag: tar.TypeSymlink, Linkname: "cpu0"},
		tar.Header{Name: cpuDir + "/possible"}, tar.Header{Name: cpuDir + "/possible/in/a/file"})
	fsys, err := readArchive(bytes.NewReader(data), archiveLimits)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	if err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if !d.IsDir() {
			names = append(names, p)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if len(names) != 1 || names[0] != cpuDir+"/possible" {
		t.Errorf("stored %q", names)
	}
}

func FuzzReadArchive(f *testing.F) {
	plain := packTar(f, snap("cpu/online", "0", "cpu/cpu0/topology/core_id", "0", "proc/cpuinfo", "vendor_id : GenuineIntel"))
	f.Add(plain)
	f.Add(gz(f, plain))
	f.Add([]byte("BZh9"))
	small := limits{file: 1 << 16, total: 1 << 20, files: 1000, stream: 1 << 22}
	f.Fuzz(func(t *testing.T, data []byte) {
		fsys, err := readArchive(bytes.NewReader(data), small)
		if err != nil {
			wantError(t, err)
			return
		}
		if m, err := ReadFS(fsys, "fuzz"); err != nil {
			wantError(t, err, "machine fuzz: ")
		} else if err := m.Validate(); err != nil {
			t.Error(err)
		}
	})
}

// FuzzReadFS writes hostile values into the files of a snapshot.
func FuzzReadFS(f *testing.F) {
	var files []string
	for p := range smt4("proc/cmdline", "", "proc/version", "", "config", "", "cpu/cpu0/cpu_capacity", "",
		"sys/kernel/debug/sched/features", "", "sys/kernel/debug/sched/preempt", "", "sys/kernel/debug/sched/debug", "",
		"cpu/isolated", "", "cpu/nohz_full", "", "cpu/cpu0/cpuidle/state0/latency", "", "cpu/cpu3/online", "") {
		files = append(files, p)
	}
	slices.Sort(files)
	f.Add(uint8(0), "0-3", uint8(1), "\x00")
	f.Add(uint8(7), "(null)", uint8(9), "ffffffff,00000000")
	f.Add(uint8(20), "10 21 30", uint8(21), "0-65535:1/2")
	f.Add(uint8(30), "isolcpus=domain,1-2 nohz_full=all", uint8(31), "-1")
	f.Fuzz(func(t *testing.T, i uint8, a string, j uint8, b string) {
		fsys := smt4()
		fsys[files[int(i)%len(files)]] = &fstest.MapFile{Data: []byte(a)}
		fsys[files[int(j)%len(files)]] = &fstest.MapFile{Data: []byte(b)}
		tree := newMemFS() // finds what is absent faster than MapFS
		for p, f := range fsys {
			tree.add(p, f.Data)
		}
		tree.sort()
		if m, err := ReadFS(tree, "fuzz"); err != nil {
			wantError(t, err, "machine fuzz: ")
		} else if err := m.Validate(); err != nil {
			t.Error(err)
		}
	})
}

// TestSmallArchiveOfManyCPUs claims the most CPUs in the fewest bytes.
func TestSmallArchiveOfManyCPUs(t *testing.T) {
	data := gz(t, packTar(t, snap("cpu/online", "0-65535", "cpu/cpu0/topology/core_id", "0", "proc/cpuinfo", "vendor_id : GenuineIntel")))
	file := writeFile(t, "m.tgz", data)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 1000 {
		t.Errorf("%d bytes of archive made %d MB of garbage", len(data), mb)
	}
	if got := m.Summary().Online; got != 65536 {
		t.Errorf("%d CPUs online", got)
	}
}
