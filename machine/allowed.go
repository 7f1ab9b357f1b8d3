package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"schedlab/cpumask"
)

// allowed are the online CPUs and the nodes (nil: all) that the process which took
// the snapshot may use: its cpuset, or the cpuset controller of its cgroup.
func (r *reader) allowed() (cpus, nodes cpumask.Mask, err error) {
	cpus = r.m.Online.Clone()
	name, err := r.cpusetName()
	if err != nil || name == "" || name == "/" {
		return cpus, nil, err
	}
	mount, files, err := r.cpusetMount()
	if err != nil || mount == "" {
		return cpus, nil, err
	}
	dir := path.Join(strings.TrimPrefix(mount, "/"), name)
	if !fs.ValidPath(dir) {
		return cpus, nil, nil
	}
	c, ok, err := r.list(path.Join(dir, files.cpus))
	if err != nil {
		return nil, nil, err
	}
	if ok && c.Intersects(cpus) {
		if cpus.And(c); cpus.Weight() < r.m.Online.Weight() {
			r.warnf("the process that took this may use %d of %d CPUs (its cpuset is %s): parts are counted of these", cpus.Weight(), r.m.Online.Weight(), name)
		}
	}
	if nodes, ok, err = r.list(path.Join(dir, files.mems)); err != nil {
		return nil, nil, err
	}
	if !ok || nodes.Empty() {
		nodes = nil
	}
	return cpus, nodes, nil
}

// cpusetName is the process's place in the hierarchy.
func (r *reader) cpusetName() (string, error) {
	text, _, err := r.text("proc/self/cgroup")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) == 3 && (fields[1] == "" || fields[1] == "cpuset") {
			return fields[2], nil
		}
	}
	text, _, err = r.text("proc/self/cpuset")
	return text, err
}

// cpusetFiles are the names of a cpuset's files, which differ by file system.
type cpusetFiles struct{ cpus, mems string }

// cpusetMount is where the hierarchy is mounted; "" where nothing is.
func (r *reader) cpusetMount() (dir string, files cpusetFiles, err error) {
	text, _, err := r.text("proc/mounts")
	if err != nil {
		return "", files, err
	}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 4 {
			continue
		}
		options := "," + f[3] + ","
		switch f[2] {
		case "cpuset":
			return f[1], cpusetFiles{"cpus", "mems"}, nil
		case "cgroup":
			if !strings.Contains(options, ",cpuset,") {
				continue
			}
			if strings.Contains(options, ",noprefix,") {
				return f[1], cpusetFiles{"cpus", "mems"}, nil
			}
			return f[1], cpusetFiles{"cpuset.cpus", "cpuset.mems"}, nil
		case "cgroup2":
			controllers, _, err := r.text(strings.TrimPrefix(f[1], "/") + "/cgroup.controllers")
			if err != nil {
				return "", files, err
			}
			if strings.Contains(" "+controllers+" ", " cpuset ") {
				return f[1], cpusetFiles{"cpuset.cpus.effective", "cpuset.mems.effective"}, nil
			}
		}
	}
	return "", files, nil
}

// memoryless reports whether a node says that it has no memory.
func (r *reader) memoryless(node int) (bool, error) {
	text, ok, err := r.text(fmt.Sprintf("%s/node%d/meminfo", nodeDir, node))
	if !ok || err != nil {
		return false, err
	}
	for line := range strings.Lines(text) {
		if _, value, ok := strings.Cut(line, "MemTotal:"); ok {
			return strings.TrimSpace(value) == "0 kB", nil
		}
	}
	return false, nil
}

const nvidiaDir = "proc/driver/nvidia/gpus"

// gpuNodes are the nodes that are the memory of GPUs, as their driver says.
func (r *reader) gpuNodes() (cpumask.Mask, error) {
	nodes := cpumask.New(len(r.m.Nodes))
	entries, err := fs.ReadDir(r.FS, nvidiaDir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nodes, nil
		}
		return nil, fmt.Errorf("%s: %w", nvidiaDir, shortPathError(err))
	}
	for _, e := range entries {
		text, _, err := r.text(path.Join(nvidiaDir, e.Name(), "numa_status"))
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(text) {
			key, value, _ := strings.Cut(line, ":")
			if n, err := strconv.Atoi(strings.TrimSpace(value)); key == "Node" && err == nil && n >= 0 && n < len(r.m.Nodes) {
				nodes.Set(n)
			}
		}
	}
	if !nodes.Empty() {
		r.warnf("nodes %s are the memory of GPUs: not counted", nodes)
	}
	return nodes, nil
}
