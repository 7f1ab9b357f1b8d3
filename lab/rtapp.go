package lab

import (
	"errors"
	"fmt"

	"schedlab/sim"
	"schedlab/workload"
	"schedlab/workload/rtapp"
)

func init() {
	workload.Register(workload.Info{
		Name:    "rtapp",
		Summary: "rtapp:FILE runs a workload that is written for rt-app (its JSON, as it is)",
		Unit:    new(rtapp.Workload).Unit(),
		Doc:     rtapp.Help,
	}, parseRTApp)
}

func parseRTApp(file string) (sim.Workload, error) {
	if file == "" {
		return nil, errors.New("rtapp: no file is named (rtapp:FILE)")
	}
	w, err := rtapp.Load(file)
	if err != nil {
		return nil, fmt.Errorf("rtapp: %w", err)
	}
	return w, nil
}
