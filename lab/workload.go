package lab

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"schedlab/internal/keyval"
	"schedlab/replay"
	"schedlab/sim"
	"schedlab/workload"
	"schedlab/workload/rtapp"
)

// ParseWorkload reads a workload as the command line writes it:
// NAME[:key=value,...] of package workload, trace:FILE[,jitter=PERCENT], a
// recording that is replayed, or rtapp:FILE[,jitter=PERCENT], a file of rt-app.
// Errors are one line, and name the workload's key or the file.
func ParseWorkload(spec string) (sim.Workload, error) {
	return workload.Parse(spec)
}

func init() {
	_, keys, err := readTraceKeys("")
	if err != nil {
		panic("workload: defaults of " + err.Error())
	}
	workload.Register(workload.Info{
		Name:    "trace",
		Summary: "trace:FILE replays a recording (directory, .tgz, or a trace alone), its dependencies kept",
		Unit:    new(replay.Workload).Unit(),
		Keys:    keys,
	}, parseTrace)
}

func parseTrace(rest string) (sim.Workload, error) {
	file, keys := splitFile(rest, exists)
	if file == "" {
		return nil, errors.New("trace: no file is named (trace:FILE)")
	}
	jitter, _, err := readTraceKeys(keys)
	if err != nil {
		return nil, err
	}
	w, err := replay.Load(file, replay.Jitter(jitter))
	if err != nil {
		return nil, err
	}
	return w, nil
}

// readTraceKeys reads what stands behind the file of a recording.
func readTraceKeys(text string) (jitter int64, keys []workload.Key, err error) {
	s, err := keyval.Parse("trace:" + text)
	if err != nil {
		return 0, nil, err
	}
	jitter = s.PerMille("jitter", replay.DefaultJitter, "by how much run times vary, uniformly, either way; 0% replays them as recorded")
	return jitter, s.Keys(), s.Done()
}

// splitFile parts a file from the key behind it. A file's name may
// hold commas: it is all of the text where there is such a file, or where what
// stands behind the last ",jitter=" goes on as a file's name does.
func splitFile(text string, exists func(file string) bool) (file, keys string) {
	const key = ",jitter="
	i := strings.LastIndex(text, key)
	if i < 0 || strings.ContainsAny(text[i+len(key):], ",/") || exists(text) {
		return text, ""
	}
	return text[:i], text[i+1:]
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// Warnings say, a line each, what of a recording or an rt-app file is missing in
// the run, which is less like what was recorded or written. Other workloads have
// none.
func Warnings(w sim.Workload) []string {
	if m, ok := w.(*workload.Mix); ok {
		var out []string
		for _, part := range m.Parts() {
			out = append(out, Warnings(part)...)
		}
		return out
	}
	if f, ok := w.(*rtapp.Workload); ok {
		return f.Warnings()
	}
	r, ok := w.(*replay.Workload)
	if !ok {
		return nil
	}
	info := r.Info()
	var out []string
	if info.Malformed > 0 {
		out = append(out, fmt.Sprintf("%s: lines that could not be read: %d; the first is line %d: %s", info.Name, info.Malformed, info.MalformedLine, info.MalformedCause))
	}
	if info.Backward > 0 {
		out = append(out, fmt.Sprintf("%s: events that come before the one that precedes them: %d", info.Name, info.Backward))
	}
	if info.Lost > 0 {
		out = append(out, fmt.Sprintf("%s: events lost while it was recorded: %d", info.Name, info.Lost))
	}
	if info.Overwritten > 0 {
		out = append(out, fmt.Sprintf("%s: events overwritten before they were read: %d", info.Name, info.Overwritten))
	}
	return out
}
