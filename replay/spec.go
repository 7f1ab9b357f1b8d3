package replay

import (
	"strconv"
	"strings"

	"schedlab/cpumask"
)

// spec is what a recorded task is before it starts.
type spec struct {
	name    string
	ops     []op
	nice    int8
	rt      int8
	mask    int32 // index of the CPUs that it may use at first; everyCPU
	pin     int32 // the one CPU that it may use; -1 otherwise
	kthread bool  // ... and it is a kernel thread of that CPU, by its name
	child   bool  // another task forks it
	absent  bool  // nothing starts it
	start   int64
	cpu     int32
	serves  bool // it waits for wake-ups
}

// everyCPU is the index of the set that holds all of them.
const everyCPU = -1

func (b *builder) specs() []spec {
	specs := make([]spec, len(b.tasks))
	for i, t := range b.tasks {
		s := spec{name: t.name + "-" + strconv.Itoa(int(t.pid)), ops: t.ops, mask: t.initial, pin: -1,
			child: t.child, absent: t.absent(), start: t.start, cpu: t.first, serves: t.wakings > 0}
		s.nice, s.rt = priority(t.mainPrio())
		if b.pinned(t) {
			s.pin = t.first
			s.kthread = cpuOfName(t.name) == t.first
		}
		specs[i] = s
	}
	return specs
}

// firstRT is the first of the kernel's priorities that is not real-time.
const firstRT = 100

// priority translates the kernel's scale: below 100 is real-time, the lower the
// more urgent, with the deadline class and the stoppers at its end; 120 is nice 0.
func priority(prio int32) (nice, rt int8) {
	if prio < firstRT {
		return 0, int8(min(max(firstRT-1-prio, 1), 99))
	}
	return int8(min(prio-120, 19)), 0
}

// pinned reports whether a task that was seen on one CPU alone may use no other.
func (b *builder) pinned(t *task) bool {
	if t.moved || t.choices > 0 {
		return false
	}
	if cpuOfName(t.name) == t.first {
		return true
	}
	// The kernel chooses a CPU for every fair task that it wakes and forks,
	// unless there is one only. The probe does not see the other classes.
	return b.probed && t.mainPrio() >= firstRT && (t.wakings > 0 || t.born)
}

// cpuOfName is the CPU that a per-CPU kernel thread has in its name
// ("ksoftirqd/3", "kworker/3:1H"); -1 for other names.
func cpuOfName(name string) int32 {
	_, tail, ok := strings.Cut(name, "/")
	if !ok {
		return -1
	}
	digits, _, _ := strings.Cut(tail, ":")
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil || n >= cpumask.MaxParsed {
		return -1
	}
	return int32(n)
}

func isKsoftirqd(cpu int32, name string) bool {
	return strings.HasPrefix(name, "ksoftirqd/") && cpuOfName(name) == cpu
}
