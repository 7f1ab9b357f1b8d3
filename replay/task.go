package replay

import "slices"

// life is where a task stands in the recording.
type life uint8

const (
	unseen   life = iota // nothing is known of it yet
	forked               // forked, not yet started
	runnable             // started or woken, not on a CPU
	running              // on a CPU
	asleep               // off its CPU until it is woken
)

// task is one task of the recording.
type task struct {
	id   int32
	pid  int32
	name string
	ops  []op

	life  life
	cpu   int32 // where it runs, or ran last; -1 before
	since int64 // while it runs: up to when its time is in ops
	early int   // index in ops of a wait put where the task was awake, that a sleep without wake-up would take; -1
	woken int64 // when a sched_wakeup was seen for a sleep without waking; -1

	child bool  // forked by a recorded task
	start int64 // otherwise: when it begins, since the start of the recording
	first int32 // and on which CPU

	moved   bool // seen on several CPUs
	wakings int64
	born    bool // its fork is recorded
	choices int64
	mask    int32 // index of the CPUs that it may use, from the last choice; everyCPU before any
	initial int32 // from the first

	prios []prioTime
	prio  int32
}

// prioTime is the CPU time that a task used at a priority.
type prioTime struct {
	prio int32
	time int64
}

func newTask(id, pid int32) *task {
	return &task{id: id, pid: pid, cpu: -1, early: -1, woken: -1, mask: everyCPU, initial: everyCPU}
}

// absent reports whether the task was forked, and the recording ended before it
// was started.
func (t *task) absent() bool { return t.life == forked && len(t.ops) == 0 }

func (t *task) add(o op) { t.ops = append(t.ops, o) }

// use puts the CPU time up to now into ops. It returns how much that was.
func (t *task) use(now int64) int64 {
	d := now - t.since
	if t.life != running || d <= 0 {
		return 0
	}
	t.since = now
	if n := len(t.ops); n > 0 && t.ops[n-1].kind == opRun {
		t.ops[n-1].dur += d
	} else {
		t.add(op{kind: opRun, dur: d})
	}
	for i := range t.prios {
		if t.prios[i].prio == t.prio {
			t.prios[i].time += d
			return d
		}
	}
	t.prios = append(t.prios, prioTime{t.prio, d})
	return d
}

// wait puts a wait for a wake-up that came now. A task that sleeps becomes
// runnable. It reports whether the task was still awake.
func (t *task) wait() (awake bool) {
	t.wakings++
	t.add(op{kind: opWait})
	if t.life == asleep || t.life == unseen {
		t.life, t.early = runnable, -1
		return false
	}
	t.early = len(t.ops) - 1
	return true
}

// resume ends a sleep for which no wake-up was seen. Where a wake-up came while
// the task was on its way to sleep, it was this sleep that it ended, and the
// wait belongs here. Otherwise the task sleeps until the time given. It reports
// which.
func (t *task) resume(until int64) (recorded bool) {
	if t.early >= 0 {
		t.ops[t.early].kind = opNone
		t.add(op{kind: opWait})
		recorded = true
	} else {
		t.add(op{kind: opSleep, dur: until})
	}
	t.early, t.woken = -1, -1
	return recorded
}

// allow notes the CPUs that the task may use, found when the kernel chose one
// for it. A change takes effect before the sleep that the choice ends.
func (t *task) allow(mask int32) {
	t.choices++
	if t.choices == 1 {
		t.mask, t.initial = mask, mask
		return
	}
	if t.mask == mask {
		return
	}
	t.mask = mask
	o := op{kind: opAffinity, obj: mask}
	if n := len(t.ops); t.life == runnable && n > 0 && t.ops[n-1].kind == opWait {
		t.ops = slices.Insert(t.ops, n-1, o)
		if t.early == n-1 {
			t.early = n
		}
		return
	}
	t.add(o)
}

// mainPrio is the priority at which the task used most time, the last one seen
// if it used none.
func (t *task) mainPrio() int32 {
	prio, most := t.prio, int64(-1)
	for _, p := range t.prios {
		if p.time > most {
			prio, most = p.prio, p.time
		}
	}
	return prio
}
