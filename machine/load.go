package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// Load returns the machine that name stands for: a preset ([List]), "host",
// "synthetic:sockets=S,cores=C,threads=T[,llc=CORES][,nodes=N]", or else a path,
// of which the content says what it is: a sysfs snapshot, which is a directory or
// an archive (.tgz, .tar.gz, .tar.bz2) with sys/ and proc/ at its root, in
// machine/, or below one directory; or a description of a machine, plain or
// compressed by gzip or bzip2: hwloc's XML of any version, what lscpu prints with
// -p, -e, -J or none of them, or YAML in the form of the presets. Errors are one
// line and begin with the name.
func Load(name string) (*Machine, error) {
	switch {
	case slices.Contains(presetNames(), name):
		return loadPreset(name)
	case name == "host":
		return Host()
	case strings.HasPrefix(name, syntheticPrefix):
		return loadSynthetic(name)
	}
	m, err := loadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, unknown(name)
	case err != nil && !strings.HasPrefix(err.Error(), "machine "):
		return nil, fmt.Errorf("machine %s: %w", name, err)
	}
	return m, err
}

// loadFile reads a directory, an archive or a description, told by content.
func loadFile(name string) (*Machine, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, shortPathError(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, shortPathError(err)
	}
	if info.Mode().IsRegular() {
		m, err := readDescription(f, name)
		if m != nil || err != nil {
			return m, err
		}
	}
	s, err := openSnapshot(name)
	if err != nil {
		return nil, err
	}
	return s.read(name)
}

func unknown(name string) error {
	return fmt.Errorf("machine %s: no such preset or file: presets are %s; also accepted: host, %s, a sysfs snapshot (directory, .tgz, .tar.bz2), hwloc XML, output of lscpu, a YAML file as machine convert writes it",
		name, strings.Join(presetNames(), ", "), syntheticForm)
}

// Host reads the machine that this program runs on, from /sys and /proc.
func Host() (*Machine, error) {
	root := os.DirFS("/")
	if !isDir(root, cpuDir) {
		return nil, fmt.Errorf("machine host: no /%s: is this Linux, with /sys mounted?", cpuDir)
	}
	return snapshot{root: root, beside: root}.read("host")
}
