package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

const cpuDir = "sys/devices/system/cpu"

// OpenSnapshot opens a machine snapshot, a directory or an archive (.tgz,
// .tar.gz, .tar.bz2, .tar), as a file tree rooted at its sys/ and proc/. Of an
// archive it holds what this package reads and the scheduler's debugfs files;
// the trace of a recording is left out. Errors name the file.
func OpenSnapshot(file string) (fs.FS, error) {
	s, err := openSnapshot(file)
	if err != nil {
		return nil, fmt.Errorf("machine %s: %w", file, err)
	}
	return s.root, nil
}

// snapshot is a machine's files, and those that a recording keeps beside them.
type snapshot struct {
	root   fs.FS // sys/ and proc/ are here
	beside fs.FS // config and cpuidle are here
}

func openSnapshot(file string) (snapshot, error) {
	fsys, err := openTree(file)
	if err != nil {
		return snapshot{}, err
	}
	return locate(fsys)
}

func openTree(file string) (fs.FS, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, shortPathError(err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, shortPathError(err)
	case info.IsDir():
		return os.DirFS(file), nil
	case !info.Mode().IsRegular():
		return nil, errors.New("neither a directory nor a regular file")
	}
	return readArchive(f, archiveLimits)
}

// locate finds the machine's files: here, in machine/, or below the only
// directory that an archive was packed from.
func locate(fsys fs.FS) (snapshot, error) {
	for depth := 0; depth < 4; depth++ {
		if isDir(fsys, cpuDir) {
			return snapshot{root: fsys, beside: fsys}, nil
		}
		if isDir(fsys, path.Join("machine", cpuDir)) {
			root, err := fs.Sub(fsys, "machine")
			return snapshot{root: root, beside: fsys}, err
		}
		inner, ok := onlyDir(fsys)
		if !ok {
			break
		}
		var err error
		if fsys, err = fs.Sub(fsys, inner); err != nil {
			return snapshot{}, err
		}
	}
	return snapshot{}, fmt.Errorf("no %s in it, nor in machine/: not a sysfs snapshot", cpuDir)
}

// onlyDir returns the name of the single directory in fsys.
func onlyDir(fsys fs.FS) (string, bool) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return "", false
	}
	name := ""
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if name != "" {
			return "", false
		}
		name = e.Name()
	}
	return name, name != ""
}

func isDir(fsys fs.FS, name string) bool {
	info, err := fs.Stat(fsys, name)
	return err == nil && info.IsDir()
}

// shortPathError drops the path, which the caller names, from err.
func shortPathError(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
