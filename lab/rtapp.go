package lab

import (
	"errors"
	"fmt"
	"os"
	"strings"

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
	file, text := splitRTApp(rest)
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

// splitRTApp parts a file from the key behind it. A file's name may hold commas:
// it is all of the text where there is such a file.
func splitRTApp(text string) (file, keys string) {
	const key = ",jitter="
	i := strings.LastIndex(text, key)
	if i < 0 || strings.ContainsAny(text[i+len(key):], ",/") {
		return text, ""
	}
	if _, err := os.Stat(text); err == nil {
		return text, ""
	}
	return text[:i], text[i+1:]
}
