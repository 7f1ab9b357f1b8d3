package lab

import (
	"errors"

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
