package rtapp

import (
	"slices"
	"strings"
)

// Keys of the global section. Those of logs, traces, calibration and locked
// memory say nothing about scheduling: they are checked as rt-app checks them.
var globalKeys = []string{
	"duration", "default_policy", "pi_enabled", "io_device", "mem_buffer_size",
	"gnuplot", "calibration", "log_size", "logdir", "log_basename", "ftrace", "lock_pages", "cumulative_slack",
}

// defaultMemory is rt-app's buffer for mem and iorun, in bytes.
const defaultMemory = 4 << 20

func (r *reader) global(g *node) {
	r.memory, r.policy = defaultMemory, "SCHED_OTHER"
	if g == nil {
		return
	}
	if g.kind != object {
		r.fail(g.at, "\"global\" must be %s, not %s", object, g.kind)
		return
	}
	r.unknownKeys(g, "the global section", globalKeys, nil)
	r.plan.duration = int64(max(r.intOf(g, "duration", -1), 0)) * 1e9
	r.policy = r.textOf(g, "default_policy", r.policy)
	if !slices.Contains(policies, r.policy) {
		r.fail(r.get(g, "default_policy").at, "invalid policy %s (there are %s)", show(r.policy), strings.Join(policies, ", "))
	}
	if n := r.typed(g, "mem_buffer_size", integer); n != nil {
		if r.memory = r.number(n, "mem_buffer_size"); r.memory <= 0 {
			r.fail(n.at, "a buffer of %d bytes", r.memory)
		}
	}
	if r.boolOf(g, "pi_enabled", false) {
		r.notes.add(r.get(g, "pi_enabled").at, "priority inheritance is not simulated: mutexes do not lend priority")
	}
	if dev := r.textOf(g, "io_device", nullDevice); dev != nullDevice {
		r.notes.add(r.get(g, "io_device").at, "devices are not simulated: iorun writes to %s", nullDevice)
	}
	r.ignoredGlobal(g)
}

const nullDevice = "/dev/null"

// ignoredGlobal checks the types of what has no meaning here.
func (r *reader) ignoredGlobal(g *node) {
	for _, key := range []string{"gnuplot", "lock_pages", "cumulative_slack"} {
		r.boolOf(g, key, false)
	}
	for _, key := range []string{"logdir", "log_basename"} {
		r.textOf(g, key, "")
	}
	for _, key := range []string{"calibration", "log_size"} {
		if n := r.get(g, key); n != nil && n.kind != integer {
			r.textOf(g, key, "")
		}
	}
	if n := r.get(g, "calibration"); n != nil && n.kind == text && !isCPU(n.text) {
		r.fail(n.at, "invalid calibration %s: it is a CPU, such as \"CPU0\", or ns per loop", show(n.text))
	}
	if n := r.get(g, "ftrace"); n != nil && n.kind != boolean {
		r.ftrace(n, r.textOf(g, "ftrace", ""))
	}
}

// isCPU reports whether a text begins as "CPU0" does.
func isCPU(s string) bool {
	digits, ok := strings.CutPrefix(s, "CPU")
	return ok && digits != "" && digits[0] >= '0' && digits[0] <= '9'
}

var ftraceCategories = []string{"main", "task", "loop", "event", "stats", "none"}

func (r *reader) ftrace(n *node, list string) {
	for item := range strings.SplitSeq(list, ",") {
		if item != "" && !slices.Contains(ftraceCategories, strings.ToLower(item)) {
			r.fail(n.at, "invalid ftrace category %s (there are %s)", show(item), strings.Join(ftraceCategories, ", "))
		}
	}
}

// resourceTypes are what the resources section may declare. rt-app makes a
// resource when an event first names it, so a declaration changes nothing.
var resourceTypes = []string{"mutex", "wait", "signal", "broadcast", "sync", "sleep", "run", "timer"}

func (r *reader) resources(n *node) {
	if n == nil || n.kind != object {
		return
	}
	for i := range n.members {
		m := &n.members[i]
		if m.value.kind != object {
			r.fail(m.value.at, "resource %s must be %s, not %s", show(m.key), object, m.value.kind)
			continue
		}
		t := r.typed(&m.value, "type", text)
		switch {
		case t == nil:
			r.fail(m.at, "resource %s has no \"type\"", show(m.key))
		case !slices.Contains(resourceTypes, t.text):
			r.fail(t.at, "invalid type of resource %s (there are %s)", show(t.text), strings.Join(resourceTypes, ", "))
		}
	}
}
