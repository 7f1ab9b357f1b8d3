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
// "synthetic:sockets=S,cores=C,threads=T[,llc=CORES][,nodes=N]", or else the
// path of a sysfs snapshot: a directory or an archive (.tgz, .tar.gz, .tar.bz2)
// with sys/ and proc/ at its root, in machine/, or below one directory. Errors
// are one line and begin with the name.
func Load(name string) (*Machine, error) {
	switch {
	case slices.Contains(presetNames(), name):
		return loadPreset(name)
	case name == "host":
		return Host()
	case strings.HasPrefix(name, syntheticPrefix):
		return loadSynthetic(name)
	}
	s, err := openSnapshot(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unknown(name)
	}
	if err != nil {
		return nil, fmt.Errorf("machine %s: %w", name, err)
	}
	return s.read(name)
}

func unknown(name string) error {
	return fmt.Errorf("machine %s: no such preset or file: presets are %s; also accepted: host, %s, a sysfs snapshot (directory, .tgz, .tar.bz2)",
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
