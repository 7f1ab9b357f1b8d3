package replay

import (
	"schedlab/cpumask"
	"schedlab/trace"
)

// builder makes tasks and interrupts from events, in the order of the
// recording.
type builder struct {
	byWakeup bool // wake-ups are sched_wakeup: there is no sched_waking
	info     trace.Info
	start    int64 // time of the first event
	last     int64 // latest time seen, since start
	cpus     []cpu
	tasks    []*task
	live     map[int32]*task // by pid
	masks    masks
	outside  []outside
	probed   bool // the recording has the probe place
	stats    Stats
}

// cpu is what is known of a CPU.
type cpu struct {
	seen  bool
	first int64 // time of its first event
	last  int64 // and of the latest
	known bool  // what runs there is known
	curr  *task // nil: idle, or not known
	own   bool  // its present softirq was started by the task that runs
}

// outside is a wake-up that no task caused.
type outside struct {
	at   int64
	cpu  int32
	task int32
}

func newBuilder(byWakeup bool) *builder {
	return &builder{byWakeup: byWakeup, live: map[int32]*task{}, masks: newMasks()}
}

// begin takes what the file's header says, and when it starts.
func (b *builder) begin(info trace.Info, first int64) {
	b.info, b.start = info, first
}

// event takes the next event.
func (b *builder) event(e *trace.Event) {
	now := max(e.Time-b.start, 0)
	b.last = max(b.last, now)
	c := b.cpu(e.CPU)
	if !c.seen {
		c.seen, c.first = true, now
	}
	switch {
	case e.Kind == trace.Switch:
		b.observe(e.CPU, e.PrevPID, e.PrevComm, now)
	case e.Kind != trace.Other:
		b.observe(e.CPU, e.PID, e.Comm, now)
	}
	b.cpu(e.CPU).last = now
	switch e.Kind {
	case trace.Switch:
		b.switchTasks(e, now)
	case trace.Waking:
		if !b.byWakeup {
			b.wake(e, now)
		}
	case trace.Wakeup:
		if b.byWakeup {
			if e.Set&(1<<trace.WakeSuccess) == 0 || e.Args[trace.WakeSuccess] != 0 {
				b.wake(e, now)
			}
		} else {
			b.noteWakeup(e, now)
		}
	case trace.Fork:
		b.fork(e, now)
	case trace.WakeupNew:
		b.wakeNew(e, now)
	case trace.Place:
		b.place(e, now)
	case trace.Migrate:
		if t := b.live[e.NextPID]; t != nil && e.Orig != e.Target {
			t.moved = true
		}
	case trace.SoftIRQ:
		b.cpu(e.CPU).own = ownSoftIRQ(e)
	}
}

func (b *builder) cpu(id int32) *cpu {
	for int(id) >= len(b.cpus) {
		b.cpus = append(b.cpus, cpu{})
		b.stats.Busy = append(b.stats.Busy, 0)
	}
	return &b.cpus[id]
}

// observe makes sure that the CPU runs the task that an event says it runs, or
// is idle for pid 0. A negative pid says nothing.
func (b *builder) observe(id, pid int32, comm string, now int64) {
	c := b.cpu(id)
	if pid < 0 || c.known && pid == c.pid() {
		return
	}
	from := now
	switch {
	case !c.known && b.info.Overwritten > 0:
		from = c.first
	case !c.known:
		from = 0
	default:
		b.stats.Resynced++
		b.leave(id, c.last)
	}
	c.known = true
	if pid > 0 {
		t := b.task(pid)
		if t.name == "" {
			t.name = comm
		}
		b.enter(t, id, from)
	}
}

// pid is the pid of what runs; 0 for the idle task.
func (c *cpu) pid() int32 {
	if c.curr == nil {
		return 0
	}
	return c.curr.pid
}

// task returns the task of a pid; a new one if none is alive.
func (b *builder) task(pid int32) *task {
	t := b.live[pid]
	if t == nil {
		t = newTask(int32(len(b.tasks)), pid)
		b.tasks = append(b.tasks, t)
		b.live[pid] = t
	}
	return t
}

func (b *builder) switchTasks(e *trace.Event, now int64) {
	if t := b.cpu(e.CPU).curr; t != nil {
		t.name, t.prio = e.PrevComm, e.PrevPrio
		b.leave(e.CPU, now)
		switch {
		case e.PrevState == trace.Dead:
			delete(b.live, t.pid)
		case !e.PrevState.Runnable():
			t.life = asleep
		}
	}
	b.cpu(e.CPU).known = true
	if e.NextPID > 0 {
		t := b.task(e.NextPID)
		t.name, t.prio = e.NextComm, e.NextPrio
		b.enter(t, e.CPU, now)
	}
}

// enter puts a task on a CPU.
func (b *builder) enter(t *task, id int32, now int64) {
	c := b.cpu(id)
	switch t.life {
	case unseen, forked:
		// A fork whose first wake-up is not recorded starts like a task
		// that was there before.
		t.start, t.first = now, id
	case running:
		// It left its CPU unseen.
		b.stats.Resynced++
		b.leave(t.cpu, b.cpu(t.cpu).last)
	case asleep:
		until := now
		if t.woken >= 0 {
			until = t.woken
		}
		now = max(now, until)
		if t.resume(until) {
			b.stats.Early--
		} else {
			b.stats.Unrecorded++
		}
	}
	t.moved = t.moved || t.cpu >= 0 && t.cpu != id
	t.life, t.cpu, t.since = running, id, max(now, t.since)
	c.curr = t
}

// leave takes the current task off a CPU. It is still runnable.
func (b *builder) leave(id int32, now int64) {
	c := b.cpu(id)
	if t := c.curr; t != nil {
		b.stats.Busy[id] += t.use(now)
		t.life = runnable
		c.curr = nil
	}
}

// wake takes a wake-up: by the task that runs, or from outside.
func (b *builder) wake(e *trace.Event, now int64) {
	if e.NextPID <= 0 {
		return // the idle task cannot be woken
	}
	wakee := b.task(e.NextPID)
	if wakee.life == unseen {
		wakee.first, wakee.cpu = e.Target, e.Target
	}
	wakee.name, wakee.prio = e.NextComm, e.NextPrio
	if waker := b.cpu(e.CPU).curr; waker != nil && b.byTask(e) {
		b.stats.Busy[e.CPU] += waker.use(now)
		waker.add(op{kind: opSignal, obj: wakee.id})
		b.stats.FromTasks++
	} else {
		b.outside = append(b.outside, outside{at: now, cpu: e.CPU, task: wakee.id})
		b.stats.Outside++
	}
	if wakee.life == running {
		b.stats.Busy[wakee.cpu] += wakee.use(now)
	}
	wakee.since = max(wakee.since, now)
	if wakee.wait() {
		b.stats.Early++
	}
}

// byTask reports whether the running task caused what the event says.
func (b *builder) byTask(e *trace.Event) bool {
	switch e.Ctx {
	case trace.CtxTask, trace.CtxUnknown:
		return true
	case trace.CtxSoftIRQ:
		c := b.cpu(e.CPU)
		return c.own || isKsoftirqd(e.CPU, c.curr.name)
	}
	return false
}

// ownSoftIRQ reports whether a softirq is the doing of the task that runs: one
// of the network, entered with preemption off, which is where a task that sends
// handles it. At the end of an interrupt of user code preemption is on.
func ownSoftIRQ(e *trace.Event) bool {
	vec := e.Args[trace.SoftIRQVec]
	return e.PID > 0 && e.Depth > 0 && (vec == trace.VecNetTx || vec == trace.VecNetRx)
}

// noteWakeup keeps when a sleep ended whose waking was not recorded.
func (b *builder) noteWakeup(e *trace.Event, now int64) {
	if t := b.live[e.NextPID]; t != nil && t.life == asleep && t.woken < 0 {
		t.woken = now
	}
}

// fork notes a child, which its first wake-up starts.
func (b *builder) fork(e *trace.Event, now int64) {
	b.bury(e.NextPID)
	t := b.task(e.NextPID)
	t.life, t.name, t.born = forked, e.NextComm, true
	t.start, t.first = now, e.CPU
}

// bury ends the task that has a pid, since another one gets it. Its end was
// not recorded.
func (b *builder) bury(pid int32) {
	t := b.live[pid]
	if t == nil {
		return
	}
	b.stats.Resynced++
	if t.life == running {
		b.leave(t.cpu, b.cpu(t.cpu).last)
	}
	delete(b.live, pid)
}

// wakeNew starts a child.
func (b *builder) wakeNew(e *trace.Event, now int64) {
	if t := b.live[e.NextPID]; t != nil && t.life != forked {
		b.bury(e.NextPID)
	}
	t := b.task(e.NextPID)
	t.name, t.prio, t.born = e.NextComm, e.NextPrio, true
	t.life, t.start, t.first, t.cpu, t.since = runnable, now, e.Target, e.Target, now
	parent := b.cpu(e.CPU).curr
	if parent == nil || parent == t || !b.byTask(e) {
		return
	}
	b.stats.Busy[e.CPU] += parent.use(now)
	parent.add(op{kind: opFork, obj: t.id})
	t.child = true
}

// place takes the CPUs that a task may use.
func (b *builder) place(e *trace.Event, now int64) {
	b.probed = true
	const fields = 1<<trace.PlaceAllowed | 1<<trace.PlaceMask
	t := b.live[e.NextPID]
	if t == nil || e.Set&fields != fields {
		return
	}
	if t.life == running {
		b.stats.Busy[t.cpu] += t.use(now)
	}
	t.allow(b.masks.index(uint64(e.Args[trace.PlaceMask]), e.Args[trace.PlaceAllowed]))
}

// end closes what is open at the end of the recording.
func (b *builder) end(info trace.Info) {
	b.info = info
	for id := range b.cpus {
		b.leave(int32(id), b.last)
	}
	for _, t := range b.tasks {
		t.ops = compact(t.ops)
		if t.child {
			b.stats.Forked++
		}
		if t.life == asleep {
			b.stats.Asleep++
		}
		if !t.absent() {
			b.stats.Tasks++
		}
		for _, o := range t.ops {
			if o.kind == opRun {
				b.stats.Run += o.dur
			}
		}
	}
	b.stats.Wakeups = b.stats.FromTasks + b.stats.Outside
	b.stats.Span = b.last
}

// masks are the sets of CPUs that the recording names, each once.
type masks struct {
	all []maskOf
	at  map[maskOf]int32
}

// maskOf is a set as the probe place gives it: the first 64 CPUs, and how many
// there are.
type maskOf struct {
	bits    uint64
	allowed int64
}

func newMasks() masks { return masks{at: map[maskOf]int32{}} }

func (m *masks) index(bits uint64, allowed int64) int32 {
	key := maskOf{bits, allowed}
	i, ok := m.at[key]
	if !ok {
		i = int32(len(m.all))
		m.all = append(m.all, key)
		m.at[key] = i
	}
	return i
}

// resolve returns the set as a mask; nil for every CPU. seen are the CPUs of
// the recording, of which there are n. Beyond the 64 CPUs that the probe shows,
// a set that has more is taken to have all.
func (m maskOf) resolve(seen cpumask.Mask, n int) cpumask.Mask {
	mask := cpumask.Mask{m.bits}
	if m.allowed > int64(mask.Weight()) {
		mask = mask.Grow(max(seen.Last()+1, n))
		mask.SetRange(64, max(seen.Last(), n-1))
	}
	if m.allowed >= int64(n) && seen.Subset(mask) {
		return nil
	}
	return mask
}
