package rtapp

import "strings"

// eventReaders say which keys are events: those that begin with a prefix, the
// first that fits. The order is rt-app's where it matters.
var eventReaders = []struct {
	prefix string
	read   func(r *reader, m *member) []event
}{
	{"runtime", duration(eventRuntime)},
	{"run", duration(eventRun)},
	{"sleep", duration(eventSleep)},
	{"memrun", (*reader).memrun},
	{"mem", (*reader).mem},
	{"iorun", (*reader).iorun},
	{"lock", named(eventLock, (*reader).mutex)},
	{"unlock", named(eventUnlock, (*reader).mutex)},
	{"signal", named(eventSignal, (*reader).cond)},
	{"broad", named(eventBroad, (*reader).cond)},
	{"wait", (*reader).wait},
	{"sync", (*reader).sync},
	{"barrier", (*reader).barrierEvent},
	{"timer", (*reader).timerEvent},
	{"resume", (*reader).resume},
	{"suspend", (*reader).suspend},
	{"yield", func(*reader, *member) []event { return one(event{kind: eventYield}) }},
	{"fork", (*reader).fork},
	{"sem_post", named(eventPost, (*reader).sem)},
	{"sem_wait", named(eventSemWait, (*reader).sem)},
}

func one(e event) []event { return []event{e} }

func isEvent(key string) bool { return eventReader(key) != nil }

func eventReader(key string) func(*reader, *member) []event {
	for i := range eventReaders {
		if strings.HasPrefix(key, eventReaders[i].prefix) {
			return eventReaders[i].read
		}
	}
	return nil
}

// events reads the events of a phase in their order. A key that is there again
// is another event, as workgen has it; rt-app alone would keep one of them.
func (r *reader) events(n *node, p *phase) {
	for i := range n.members {
		m := &n.members[i]
		read := eventReader(m.key)
		if read == nil {
			continue
		}
		events := read(r, m)
		if r.err != nil {
			return
		}
		if events[0].kind == eventFork {
			r.forks[len(r.forks)-1].event = len(p.events)
		}
		p.events = append(p.events, events...)
	}
	if len(p.events) == 0 {
		r.fail(n.at, "no events: a task must have some, or it does nothing")
	}
}

// wants checks the type of an event's value.
func (r *reader) wants(m *member, k kind) bool {
	if m.value.kind == k {
		return true
	}
	r.fail(m.value.at, "event %s takes %s, not %s", show(m.key), k, m.value.kind)
	return false
}

// duration is an event that takes us.
func duration(k eventKind) func(*reader, *member) []event {
	return func(r *reader, m *member) []event {
		if !r.wants(m, integer) {
			return nil
		}
		return one(event{kind: k, dur: r.micros(&m.value, m.key)})
	}
}

// named is an event that takes the name of a resource.
func named(k eventKind, number func(*reader, string) int32) func(*reader, *member) []event {
	return func(r *reader, m *member) []event {
		if !r.wants(m, text) {
			return nil
		}
		return one(event{kind: k, obj: number(r, m.value.text)})
	}
}

// unnamed is the resource of an event that should name one and does not.
const unnamed = "unknown"

// wait waits for a condition variable, with a mutex.
func (r *reader) wait(m *member) []event {
	v := &m.value
	return one(event{kind: eventWait, obj: r.cond(r.textOf(v, "ref", unnamed)), mutex: r.mutex(r.textOf(v, "mutex", unnamed))})
}

// sync signals before it waits.
func (r *reader) sync(m *member) []event {
	wait := r.wait(m)
	return append(one(event{kind: eventSignal, obj: wait[0].obj}), wait...)
}

func (r *reader) barrierEvent(m *member) []event {
	if !r.wants(m, text) {
		return nil
	}
	return one(event{kind: eventBarrier, obj: r.barrier(m.value.text, r.current.instances)})
}

func (r *reader) timerEvent(m *member) []event {
	v := &m.value
	e := event{kind: eventTimer}
	if p := r.typed(v, "period", integer); p != nil {
		e.dur = r.micros(p, "period")
	}
	name := r.textOf(v, "ref", unnamed)
	own := strings.HasPrefix(name, "unique")
	if own {
		e.kind = eventOwnTimer
	}
	e.obj = r.timer(name, own, strings.HasPrefix(r.textOf(v, "mode", ""), "absolute"))
	return one(e)
}

// locked is an event under a task's mutex, which has the task's name as its
// condition variable does.
func (r *reader) locked(k eventKind, name string) []event {
	m := r.mutex(name)
	return []event{{kind: eventLock, obj: m}, {kind: k, obj: r.cond(name), mutex: m}, {kind: eventUnlock, obj: m}}
}

// resume wakes all threads that are suspended under a name.
func (r *reader) resume(m *member) []event {
	if !r.wants(m, text) {
		return nil
	}
	return r.locked(eventBroad, m.value.text)
}

// suspend waits to be resumed by the task's own name. Until May 2025 rt-app took
// the name from the string, and its own examples still need that; since then it
// ignores the string. So a name that the file resumes somewhere counts.
func (r *reader) suspend(m *member) []event {
	name := r.current.name
	if v := &m.value; v.kind == text && v.text != name && r.resumed[v.text] {
		name = v.text
		r.notes.add(v.at, "a suspend that names another task waits for that one to be resumed, as before rt-app ignored the name (May 2025)")
	}
	return r.locked(eventWait, name)
}

func (r *reader) fork(m *member) []event {
	if !r.wants(m, text) {
		return nil
	}
	t := len(r.plan.tasks) - 1
	r.forks = append(r.forks, forkRef{task: t, phase: len(r.current.phases), name: m.value.text, at: m.value.at})
	return one(event{kind: eventFork})
}
