package machine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"schedlab/cpumask"
)

// maxValue bounds a file of sysfs or /proc that holds a value: a mask of
// cpumask.MaxParsed CPUs in list form with every second one missing fits.
const maxValue = 1 << 20

// tree reads the value files of a snapshot. Errors name the file.
type tree struct{ fs.FS }

// text returns a file's content without surrounding blanks and NULs; ok is
// false when there is no such file, or the kernel refused to show it.
func (t tree) text(name string) (s string, ok bool, err error) {
	data, err := t.head(name, maxValue+1)
	switch {
	case err != nil || data == nil:
		return "", false, err
	case len(data) > maxValue:
		return "", false, fmt.Errorf("%s: longer than %d bytes", name, maxValue)
	}
	return strings.Trim(string(data), " \t\r\n\x00"), true, nil
}

// head returns up to max bytes of a file, nil when there is none. A read error
// counts as no file: the kernel has attributes that it only shows when asked
// on the right CPU, or not to everyone.
func (t tree) head(name string, max int64) ([]byte, error) {
	f, err := t.Open(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil, nil
		}
		return nil, fmt.Errorf("%s: %w", name, shortPathError(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, max))
	if err != nil {
		return nil, nil
	}
	return data, nil
}

// integer reads a decimal number within lo..hi.
func (t tree) integer(name string, lo, hi int64) (n int64, ok bool, err error) {
	s, ok, err := t.text(name)
	if !ok || s == "" {
		return 0, false, err
	}
	n, err = strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, false, fmt.Errorf("%s: %q is not a number", name, clip(s))
	}
	if n < lo || n > hi {
		return 0, false, fmt.Errorf("%s: %d is not within %d..%d", name, n, lo, hi)
	}
	return n, true, nil
}

// list reads a CPU list; "(null)", as kernels print a mask that was never
// made, is empty.
func (t tree) list(name string) (m cpumask.Mask, ok bool, err error) {
	s, ok, err := t.text(name)
	if !ok || s == "(null)" {
		return nil, ok, err
	}
	if m, err = cpumask.ParseList(s); err != nil {
		return nil, false, fmt.Errorf("%s: %w", name, err)
	}
	return m, true, nil
}

// mask reads a set of CPUs from the first file that exists of dir/name_list,
// dir/name ... for all names; the short forms are hexadecimal masks.
func (t tree) mask(dir string, names ...string) (m cpumask.Mask, ok bool, err error) {
	for _, name := range names {
		if m, ok, err = t.maskFile(path.Join(dir, name)); ok || err != nil {
			return m, ok, err
		}
	}
	return nil, false, nil
}

func (t tree) maskFile(name string) (m cpumask.Mask, ok bool, err error) {
	if strings.HasSuffix(name, "list") {
		return t.list(name)
	}
	s, ok, err := t.text(name)
	if !ok || s == "" {
		return nil, ok, err
	}
	if m, err = cpumask.ParseHex(s); err != nil {
		return nil, false, fmt.Errorf("%s: %w", name, err)
	}
	return m, true, nil
}

// numbered returns the numbers N of the directories dir/prefixN, ascending.
func (t tree) numbered(dir, prefix string) ([]int, error) {
	entries, err := fs.ReadDir(t, dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, fmt.Errorf("%s: %w", dir, shortPathError(err))
	}
	var ids []int
	for _, e := range entries {
		digits, found := strings.CutPrefix(e.Name(), prefix)
		if !found || digits == "" || strings.Trim(digits, "0123456789") != "" || e.Type().IsRegular() {
			continue
		}
		id, err := strconv.Atoi(digits)
		if err != nil || id >= cpumask.MaxParsed {
			return nil, fmt.Errorf("%s/%s: number is beyond the limit of %d", dir, e.Name(), cpumask.MaxParsed)
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// clip shortens hostile text for an error message.
func clip(s string) string { return clipTo(s, 40) }

func clipTo(s string, n int) string {
	if len(s) > n {
		return s[:n] + "..."
	}
	return s
}
