package replay

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"schedlab/cpumask"
	"schedlab/trace"
)

// DefaultJitter is how much run times vary from seed to seed, in thousandths.
const DefaultJitter = 10

// Option changes how a recording is replayed.
type Option func(*Workload)

// Jitter sets by how many thousandths either way run times vary with the seed;
// 0 replays them as recorded.
func Jitter(perMille int64) Option {
	return func(w *Workload) { w.jitter = perMille }
}

// Load reads a recording (see [trace.Open]) as a workload. Errors are one line:
// file, place, cause.
func Load(path string, options ...Option) (*Workload, error) {
	b, err := read(path, false)
	if err != nil {
		return nil, err
	}
	if b.info.Count[trace.Waking] == 0 && b.info.Count[trace.Wakeup] > 0 {
		if b, err = read(path, true); err != nil {
			return nil, err
		}
	}
	if len(b.tasks) == 0 {
		return nil, fmt.Errorf("%s: no task runs in it", b.info.Name)
	}
	w := newWorkload("trace:"+filepath.Base(path), b)
	for _, o := range options {
		o(w)
	}
	if w.jitter < 0 || w.jitter > 1000 {
		return nil, fmt.Errorf("%s: a jitter of %d thousandths is not within 0 to 1000", path, w.jitter)
	}
	if w.jitter != DefaultJitter {
		w.name += ",jitter=" + strconv.FormatFloat(float64(w.jitter)/10, 'f', -1, 64) + "%"
	}
	return w, nil
}

// read runs a whole recording through a builder.
func read(path string, byWakeup bool) (*builder, error) {
	r, err := trace.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b := newBuilder(byWakeup)
	var e trace.Event
	for n := 0; ; n++ {
		err := r.Next(&e)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if n == 0 {
			b.begin(r.Info(), e.Time)
		}
		b.event(&e)
	}
	b.end(r.Info())
	if all := b.info.Events(); b.info.Backward > all/2 {
		return nil, fmt.Errorf("%s: time runs backwards in it, at %d of %d events", b.info.Name, b.info.Backward, all)
	}
	return b, nil
}

// cpusOf are the CPUs of a recording, and their number.
func cpusOf(info *trace.Info) (cpumask.Mask, int) {
	return info.CPUs, max(info.NumCPUs, info.CPUs.Weight())
}
