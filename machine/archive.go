package machine

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"unicode"
)

// limits bound what an archive may cost, whatever it claims.
type limits struct {
	file   int64 // bytes of one stored file
	total  int64 // bytes of all of them
	files  int   // how many are stored
	stream int64 // bytes after decompression, skipped files included
}

// archiveLimits leave room for a machine of 8192 CPUs (about 100 files each,
// 1.5 KB in /proc/cpuinfo) and for a trace of some gigabytes beside it.
var archiveLimits = limits{file: 32 << 20, total: 256 << 20, files: 1 << 20, stream: 32 << 30}

// wanted are the files of an archive that say something about the machine, at
// any depth. Everything else, the trace above all, is passed over.
var wanted = regexp.MustCompile(`(^|/)(sys/devices/system/(cpu|node)/.*|sys/kernel/debug/sched/.*|proc/[^/]+|proc/sys/kernel/sched_[^/]+|proc/self/(cgroup|cpuset)|proc/driver/nvidia/gpus/[^/]+/numa_status|(cpuset\.)?(cpus|mems)(\.effective)?|cgroup\.controllers)$`)

// wantedBeside are the files that a recording keeps next to its machine/.
var wantedBeside = regexp.MustCompile(`^([^/]+/)?(config|cpuidle)$`)

func isWanted(name string) bool {
	return fs.ValidPath(name) && !strings.ContainsFunc(name, unicode.IsControl) &&
		(wanted.MatchString(name) || wantedBeside.MatchString(name))
}

// readArchive unpacks what a machine snapshot needs of a tar archive, plain or
// compressed by gzip or bzip2 (told by content). Links, devices and other files
// are passed over; the whole stream is read, so a truncated one is noticed.
func readArchive(r io.Reader, max limits) (fs.FS, error) {
	plain, err := decompress(bufio.NewReaderSize(r, 64<<10))
	if err != nil {
		return nil, err
	}
	u := unpacker{in: &countingReader{r: plain, max: max.stream}, max: max, tree: newMemFS()}
	if err := u.run(); err != nil {
		return nil, err
	}
	u.tree.sort()
	return u.tree, nil
}

func decompress(r *bufio.Reader) (io.Reader, error) {
	magic, err := r.Peek(3)
	switch {
	case len(magic) == 0:
		return nil, errors.New("empty file")
	case bytes.HasPrefix(magic, []byte("\x1f\x8b")):
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, fmt.Errorf("gzip header: %w", noEOF(err))
		}
		return z, nil
	case bytes.Equal(magic, []byte("BZh")):
		return bzip2.NewReader(r), nil
	case err != nil:
		return nil, fmt.Errorf("not an archive: %d bytes long", len(magic))
	}
	return r, nil
}

type unpacker struct {
	in     *countingReader
	max    limits
	tree   memFS
	stored int64
	files  int
}

func (u *unpacker) run() error {
	tr := tar.NewReader(u.in)
	members := 0
	for ; ; members++ {
		h, err := tr.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return u.fail(err)
		}
		if err := u.take(h, tr); err != nil {
			return err
		}
	}
	if members == 0 {
		return errors.New("not a tar archive, or an empty one")
	}
	// The compressed stream may end after the archive: its checksum comes last.
	if _, err := io.Copy(io.Discard, u.in); err != nil {
		return u.fail(err)
	}
	return nil
}

// take stores one member if the reader of snapshots may want it.
func (u *unpacker) take(h *tar.Header, body io.Reader) error {
	name := path.Clean(h.Name)
	if h.Typeflag != tar.TypeReg || !isWanted(name) {
		return nil
	}
	if u.files++; u.files > u.max.files {
		return fmt.Errorf("more than %d files under sys/ and proc/", u.max.files)
	}
	data, err := readBounded(body, u.max.file)
	if err != nil {
		if errors.Is(err, errTooLong) {
			return fmt.Errorf("%s: %w", name, err)
		}
		return u.fail(fmt.Errorf("%s: %w", name, noEOF(err)))
	}
	if u.stored += int64(len(data)); u.stored > u.max.total {
		return fmt.Errorf("%s: files under sys/ and proc/ take more than the limit of %d bytes", name, u.max.total)
	}
	u.tree.add(name, data)
	return nil
}

func (u *unpacker) fail(err error) error {
	return fmt.Errorf("archive at byte %d (unpacked): %w", u.in.n, noEOF(err))
}

var errTooLong = errors.New("file is too long")

// readBounded reads all of r, which must not hold more than max bytes.
func readBounded(r io.Reader, max int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, max+1))
	if err == nil && int64(len(data)) > max {
		err = fmt.Errorf("%w: more than the limit of %d bytes", errTooLong, max)
	}
	return data, err
}

// noEOF names the end of a file where none may be for what it is.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("truncated")
	}
	return err
}

type countingReader struct {
	r      io.Reader
	n, max int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.n += int64(n); c.n > c.max {
		return 0, fmt.Errorf("more than the limit of %d bytes", c.max)
	}
	return n, err
}
