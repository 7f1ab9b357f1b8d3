package machine

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

const schedDebugDir = "sys/kernel/debug/sched"

// readKernel reads what the snapshot says of the kernel that ran: debugfs, the
// sysctl files that held tunables before 5.13, /proc/version and the kernel's
// configuration. Kernel stays nil when there is nothing of it.
func (r *reader) readKernel() error {
	k := &KernelConfig{Features: map[string]bool{}, Tunables: map[string]int64{}}
	for _, part := range []func(*KernelConfig) error{
		r.readRelease, r.readConfig, r.inferHZ, r.readPreempt, r.readFeatures, r.readTunables,
	} {
		if err := part(k); err != nil {
			return err
		}
	}
	if k.Release != "" || k.HZ != 0 || k.Preempt != "" || len(k.Features)+len(k.Tunables) > 0 {
		r.m.Kernel = k
	}
	return nil
}

func (r *reader) readRelease(k *KernelConfig) error {
	s, _, err := r.text("proc/version")
	if rest, ok := strings.CutPrefix(s, "Linux version "); ok {
		k.Release, _, _ = strings.Cut(rest, " ")
		k.Dynamic = strings.Contains(rest, " PREEMPT_DYNAMIC ")
	}
	return err
}

// configPreempt are the ways in which a kernel is built to preempt. The order
// is from what is most telling: CONFIG_PREEMPT_LAZY may stand beside others.
var configPreempt = []struct{ option, mode string }{
	{"CONFIG_PREEMPT_NONE", "none"},
	{"CONFIG_PREEMPT_VOLUNTARY", "voluntary"},
	{"CONFIG_PREEMPT", "full"},
	{"CONFIG_PREEMPT_LAZY", "lazy"},
}

// maxConfig bounds the kernel's configuration: a distribution's has 300 KB.
const maxConfig = 4 << 20

// config returns the kernel's configuration from where there is one.
func (r *reader) config(release string) ([]byte, error) {
	if data, err := r.beside.head("config", maxConfig); len(data) > 0 || err != nil {
		return data, err
	}
	packed, err := r.head("proc/config.gz", maxConfig)
	if err != nil {
		return nil, err
	}
	if z, err := gzip.NewReader(bytes.NewReader(packed)); err == nil {
		data, err := io.ReadAll(io.LimitReader(z, maxConfig))
		if err != nil {
			return nil, fmt.Errorf("proc/config.gz: %w", noEOF(err))
		}
		return data, nil
	}
	if installed := "boot/config-" + release; release != "" && fs.ValidPath(installed) {
		return r.head(installed, maxConfig)
	}
	return nil, nil
}

// readConfig reads HZ and the built-in preemption from the configuration that
// a recording keeps beside machine/, or that is installed for the kernel.
func (r *reader) readConfig(k *KernelConfig) error {
	data, err := r.config(k.Release)
	if err != nil {
		return err
	}
	options := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && strings.HasPrefix(name, "CONFIG_") {
			options[name] = value
		}
	}
	for _, p := range configPreempt {
		if k.Preempt == "" && options[p.option] == "y" {
			k.Preempt = p.mode
		}
	}
	hz, ok := options["CONFIG_HZ"]
	if !ok {
		return nil
	}
	if k.HZ, err = strconv.Atoi(hz); err != nil || k.HZ < 1 || k.HZ > 100000 {
		return fmt.Errorf("config: CONFIG_HZ=%q is not a frequency", clip(hz))
	}
	return nil
}

// inferHZ works out HZ, where no configuration has it, from what the scheduler's
// debug file says of time: jiffies begin 300 s before they wrap at 32 bits.
func (r *reader) inferHZ(k *KernelConfig) error {
	if k.HZ != 0 {
		return nil
	}
	head, err := r.head(path.Join(schedDebugDir, "debug"), 4096)
	if err != nil {
		return err
	}
	ktime, jiffies := int64(-1), int64(-1) // ms, ticks
	for line := range strings.Lines(string(head)) {
		name, value, _ := strings.Cut(line, ":")
		value, _, _ = strings.Cut(strings.TrimSpace(value), ".")
		n, err := strconv.ParseInt(value, 10, 64)
		switch name = strings.TrimSpace(name); {
		case err != nil || n < 0 || n > 1<<50:
		case name == "ktime":
			ktime = n
		case name == "jiffies":
			jiffies = n
		}
	}
	if ktime >= 0 && jiffies >= 0 {
		k.HZ = matchHZ(ktime, jiffies)
	}
	return nil
}

// matchHZ returns the one HZ that explains jiffies after ktime ms within a
// second; 0 when none does, or several (near 300 s all do).
func matchHZ(ktime, jiffies int64) int {
	found := 0
	for _, hz := range []int64{100, 250, 300, 1000} {
		off := jiffies - (1<<32 - 300*hz + ktime*hz/1000)
		if off < -hz || off > hz {
			continue
		}
		if found != 0 {
			return 0
		}
		found = int(hz)
	}
	return found
}

// readPreempt reads the mode in force, which debugfs shows in brackets:
// "none voluntary (full)". A kernel with nothing to choose shows no brackets
// only when it cannot tell; then what it was built as stays.
func (r *reader) readPreempt(k *KernelConfig) error {
	s, _, err := r.text(path.Join(schedDebugDir, "preempt"))
	if err != nil {
		return err
	}
	for _, word := range strings.Fields(s) {
		mode, ok := strings.CutPrefix(word, "(")
		if mode, end := strings.CutSuffix(mode, ")"); ok && end {
			k.Preempt = mode
		}
	}
	return nil
}

// readFeatures reads the switches: "SIS_UTIL NO_HRTICK".
func (r *reader) readFeatures(k *KernelConfig) error {
	s, _, err := r.text(path.Join(schedDebugDir, "features"))
	for _, word := range strings.Fields(s) {
		name, off := strings.CutPrefix(word, "NO_")
		k.Features[name] = !off
	}
	return err
}

// readTunables reads every file of one number, by its name in debugfs.
func (r *reader) readTunables(k *KernelConfig) error {
	if err := r.readNumbers("proc/sys/kernel", "sched_", k); err != nil {
		return err
	}
	return r.readNumbers(schedDebugDir, "", k)
}

func (r *reader) readNumbers(dir, prefix string, k *KernelConfig) error {
	entries, err := fs.ReadDir(r, dir)
	if err != nil {
		return nil // not there, or not for this user
	}
	for _, e := range entries {
		name, ok := strings.CutPrefix(e.Name(), prefix)
		if !ok || e.IsDir() || name == "debug" {
			continue
		}
		s, _, err := r.text(path.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			k.Tunables[name] = n
		}
	}
	return nil
}
