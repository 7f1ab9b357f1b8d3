package lab

import (
	"errors"
	"fmt"

	"schedlab/replay"
	"schedlab/sim"
	"schedlab/workload"
)

// ParseWorkload reads a workload as the command line writes it:
// NAME[:key=value,...] of package workload, or trace:FILE, a recording that is
// replayed. Errors are one line, and name the workload's key or the file.
func ParseWorkload(spec string) (sim.Workload, error) {
	return workload.Parse(spec)
}

func init() {
	workload.Register(workload.Info{
		Name:    "trace",
		Summary: "trace:FILE replays a recording (directory, .tgz, or a trace alone), its dependencies kept",
		Unit:    new(replay.Workload).Unit(),
	}, parseTrace)
}

func parseTrace(file string) (sim.Workload, error) {
	if file == "" {
		return nil, errors.New("trace: no file is named (trace:FILE)")
	}
	w, err := replay.Load(file)
	if err != nil {
		return nil, err
	}
	return w, nil
}

// Warnings say, a line each, what of a recording is missing: the replay goes on
// without it, and is less like what was recorded. Other workloads have none.
func Warnings(w sim.Workload) []string {
	r, ok := w.(*replay.Workload)
	if !ok {
		return nil
	}
	info := r.Info()
	var out []string
	if info.Malformed > 0 {
		out = append(out, fmt.Sprintf("%s: lines that could not be read: %d; the first is line %d: %s", info.Name, info.Malformed, info.MalformedLine, info.MalformedCause))
	}
	if info.Lost > 0 {
		out = append(out, fmt.Sprintf("%s: events lost while it was recorded: %d", info.Name, info.Lost))
	}
	if info.Overwritten > 0 {
		out = append(out, fmt.Sprintf("%s: events overwritten before they were read: %d", info.Name, info.Overwritten))
	}
	return out
}
