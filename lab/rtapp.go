package lab

import (
	"errors"
	"fmt"

	"schedlab/internal/keyval"
	"schedlab/sim"
	"schedlab/workload"
	"schedlab/workload/rtapp"
)

func init() {
	_, keys, err := readRTAppKeys("")
	if err != nil {
		panic("workload: defaults of " + err.Error())
	}
	workload.Register(workload.Info{
		Name:    "rtapp",
		Summary: "rtapp:FILE runs a workload that is written for rt-app (its JSON, as it is)",
		Unit:    new(rtapp.Workload).Unit(),
		Keys:    keys,
		Doc:     rtapp.Help,
	}, parseRTApp)
}

func parseRTApp(rest string) (sim.Workload, error) {
	file, text := splitFile(rest, exists)
	if file == "" {
		return nil, errors.New("rtapp: no file is named (rtapp:FILE)")
	}
	jitter, _, err := readRTAppKeys(text)
	if err != nil {
		return nil, err
	}
	w, err := rtapp.Load(file, rtapp.Jitter(jitter))
	if err != nil {
		return nil, fmt.Errorf("rtapp: %w", err)
	}
	return w, nil
}

// readRTAppKeys reads what stands behind the file.
func readRTAppKeys(text string) (jitter int64, keys []workload.Key, err error) {
	s, err := keyval.Parse("rtapp:" + text)
	if err != nil {
		return 0, nil, err
	}
	jitter = s.PerMille("jitter", rtapp.DefaultJitter, "by how much run events vary, uniformly, either way; 0% runs them as the file has them")
	return jitter, s.Keys(), s.Done()
}
