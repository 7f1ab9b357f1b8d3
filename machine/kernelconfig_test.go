package machine

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const debugDir = schedDebugDir + "/"

func TestKernelConfig(t *testing.T) {
	m := mustRead(t, smt4(
		"proc/version", "Linux version 6.12.117 (root@build) (gcc 12) #1 SMP\n",
		"config", "# CONFIG_HZ_100 is not set\nCONFIG_HZ=250\nCONFIG_PREEMPT_VOLUNTARY=y\n",
		debugDir+"features", "PLACE_LAG NO_HRTICK SIS_UTIL \n",
		debugDir+"preempt", "none voluntary (full) \n",
		debugDir+"migration_cost_ns", "500000\n", debugDir+"verbose", "Y\n", debugDir+"debug", "12\n",
		debugDir+"numa_balancing/scan_size_mb", "256\n",
		"proc/sys/kernel/sched_latency_ns", "24000000\n",
	))
	want := &KernelConfig{
		Release: "6.12.117", HZ: 250, Preempt: "full",
		Features: map[string]bool{"PLACE_LAG": true, "HRTICK": false, "SIS_UTIL": true},
		Tunables: map[string]int64{"migration_cost_ns": 500000, "latency_ns": 24000000},
	}
	if diff := cmp.Diff(want, m.Kernel); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestPreemption(t *testing.T) {
	for _, c := range []struct{ config, preempt, want string }{
		{"", "", ""},
		{"", "(none) voluntary full", "none"},
		{"", "none voluntary full (lazy)", "lazy"},
		{"CONFIG_PREEMPT_NONE=y", "", "none"},
		{"CONFIG_PREEMPT_VOLUNTARY=y", "none voluntary full", "voluntary"},
		{"CONFIG_PREEMPT=y\nCONFIG_PREEMPT_DYNAMIC=y", "", "full"},
		{"CONFIG_PREEMPT=y", "none (voluntary) full", "voluntary"},
		{"CONFIG_PREEMPT_LAZY=y", "", "lazy"},
	} {
		m := mustRead(t, smt4("config", "CONFIG_HZ=1000\n"+c.config, debugDir+"preempt", c.preempt))
		if m.Kernel.Preempt != c.want {
			t.Errorf("config %q, debugfs %q: %q, want %q", c.config, c.preempt, m.Kernel.Preempt, c.want)
		}
	}
}

// TestInferHZ uses jiffies = 2^32 - 300 HZ + HZ * uptime.
func TestInferHZ(t *testing.T) {
	for _, c := range []struct {
		ms, jiffies int64
		want        int
	}{
		{9011, 1<<32 - 75000 + 2252 - 61, 250},
		{5150, 1<<32 - 300000 + 5150, 1000},
		{0, 1<<32 - 30000, 100},
		{100000, 1<<32 - 90000 + 30000, 300},
		{10_000_000, 1<<32 - 300000 + 10_000_000, 1000},
		{300000, 1 << 32, 0}, // every HZ gives that
		{5000, 12345, 0},
	} {
		if got := matchHZ(c.ms, c.jiffies); got != c.want {
			t.Errorf("uptime %d ms, jiffies %d: HZ %d, want %d", c.ms, c.jiffies, got, c.want)
		}
	}
	m := mustRead(t, smt4(debugDir+"debug", "Sched Debug Version: v0.11\nktime        : 9011.910727\njiffies : 4294894488\n"))
	if m.Kernel == nil || m.Kernel.HZ != 250 {
		t.Errorf("kernel %+v", m.Kernel)
	}
}

func TestWhereTheConfigurationIs(t *testing.T) {
	config := []byte("CONFIG_HZ=300\n")
	for name, change := range map[string][]string{
		"beside":                     {"config", string(config)},
		"empty, so the kernel's own": {"config", "", "proc/config.gz", string(gz(t, config))},
		"installed":                  {"proc/version", "Linux version 6.1-x (y)", "boot/config-6.1-x", string(config)},
	} {
		if m := mustRead(t, smt4(change...)); m.Kernel == nil || m.Kernel.HZ != 300 {
			t.Errorf("%s: kernel %+v", name, m.Kernel)
		}
	}
	_, err := ReadFS(smt4("proc/config.gz", string(gz(t, config)[:20])), "test")
	wantError(t, err, "proc/config.gz: truncated")
}
