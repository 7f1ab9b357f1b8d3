package rtapp

import (
	"strconv"
	"strings"
)

// maxThreads bounds the threads of a run, forked ones included.
const maxThreads = 200_000

// Keys of tasks and of phases; events come on top.
var (
	taskKeys = []string{
		"instance", "delay", "loop", "phases", "cpus", "nodes_membind", "taskgroup",
		"policy", "priority", "dl-runtime", "dl-period", "dl-deadline", "period", "deadline", "util_min", "util_max",
	}
	phaseKeys = []string{
		"loop", "cpus", "nodes_membind", "taskgroup",
		"policy", "priority", "dl-runtime", "dl-period", "dl-deadline", "util_min", "util_max",
	}
)

func (r *reader) tasks(n *node) {
	if n.kind != object {
		r.fail(n.at, "\"tasks\" must be %s, not %s", object, n.kind)
		return
	}
	r.collectResumed(n)
	taken := map[string]bool{}
	suffix := 1
	for i := range n.members {
		m := &n.members[i]
		if m.value.kind != object {
			r.fail(m.value.at, "task %s must be %s, not %s", show(m.key), object, m.value.kind)
			return
		}
		r.task(uniqueName(m.key, taken, &suffix), &m.value)
		if r.err != nil {
			return // the first error; the rest would be read for nothing
		}
	}
	r.resolveForks()
	if r.plan.threads == 0 {
		r.fail(n.at, "no task has an instance: nothing would run")
	}
}

// uniqueName gives a task whose name is taken another one, as workgen does.
func uniqueName(name string, taken map[string]bool, suffix *int) string {
	unique := name
	for taken[unique] {
		unique = name + strconv.Itoa(*suffix)
		if taken[unique] {
			*suffix++
		}
	}
	taken[unique] = true
	return unique
}

func (r *reader) task(name string, n *node) {
	r.plan.tasks = append(r.plan.tasks, task{name: name})
	t := &r.plan.tasks[len(r.plan.tasks)-1]
	r.current = t
	clear(r.names.own)

	t.instances = r.instances(n)
	t.delay = r.delay(n)
	t.cpus = r.cpus(n)
	first := r.schedOf(n, r.policy)
	r.ignoredOf(n)
	t.group = r.group(n, first)
	phases := r.typed(n, "phases", object)
	if phases == nil {
		r.unknownKeys(n, "a task", taskKeys, isEvent)
		r.onlyPhase(n, t)
		t.attr = r.attr(first)
		t.phases[0].attr = t.attr
		return
	}
	r.unknownKeys(n, "a task with phases", taskKeys, func(key string) bool { return key == "runtime" })
	t.loop = r.intOf(n, "loop", -1)
	if len(phases.members) == 0 {
		r.fail(phases.at, "there are no phases")
	}
	r.phases(phases, t, first)
}

func (r *reader) instances(n *node) int {
	count := r.intOf(n, "instance", 1)
	switch {
	case count < 0:
		r.fail(r.get(n, "instance").at, "%d instances", count)
	case count > maxThreads-r.plan.threads:
		r.fail(n.at, "more than %d threads", maxThreads)
	default:
		r.plan.threads += count
		return count
	}
	return 0
}

func (r *reader) delay(n *node) int64 {
	d := r.typed(n, "delay", integer)
	if d == nil {
		return 0
	}
	return r.micros(d, "delay")
}

// onlyPhase reads a task whose events stand in the task itself. A loop is then
// the phase's; without one the task has no end.
func (r *reader) onlyPhase(n *node, t *task) {
	p := phase{loop: r.intOf(n, "loop", 1)}
	t.loop = -1
	if r.get(n, "loop") != nil {
		t.loop = 1
	}
	r.events(n, &p)
	t.phases = []phase{p}
}

// phases reads the phases of a task, which has the attributes of its first one.
func (r *reader) phases(phases *node, t *task, s sched) {
	for i := range phases.members {
		m := &phases.members[i]
		if m.value.kind != object {
			r.fail(m.value.at, "phase %s must be %s, not %s", show(m.key), object, m.value.kind)
			return
		}
		n := &m.value
		r.unknownKeys(n, "a phase", phaseKeys, isEvent)
		p := phase{loop: r.intOf(n, "loop", 1), cpus: r.cpus(n)}
		s = r.phaseSched(n, s)
		r.ignoredOf(n)
		r.phaseGroup(n, t, s, i == 0)
		p.attr = r.attr(s)
		if i == 0 {
			t.attr = p.attr
		}
		r.events(n, &p)
		t.phases = append(t.phases, p)
	}
}

func (r *reader) cpus(n *node) *cpus {
	list := r.typed(n, "cpus", array)
	if list == nil {
		return nil
	}
	c := &cpus{where: r.d.position(list.at)}
	for i := range list.items {
		item := &list.items[i]
		if item.kind != integer {
			r.fail(item.at, "a CPU must be %s, not %s", integer, item.kind)
			return nil
		}
		id := r.number(item, "cpus")
		if id < 0 {
			r.fail(item.at, "invalid CPU %d", id)
		}
		c.ids = append(c.ids, int32(id))
	}
	if len(c.ids) == 0 {
		r.fail(list.at, "\"cpus\" is empty: the task could run nowhere")
	}
	return c
}

// ignoredOf checks what the simulator does not have: memory of NUMA nodes.
func (r *reader) ignoredOf(n *node) {
	if list := r.typed(n, "nodes_membind", array); list != nil {
		for i := range list.items {
			if item := &list.items[i]; item.kind != integer || strings.HasPrefix(item.text, "-") {
				r.fail(item.at, "invalid node %s", clip(item.text))
			}
		}
		r.notes.add(list.at, "memory of NUMA nodes is not simulated: \"nodes_membind\" is ignored")
	}
}

// group is the task group that an object names; "": none. rt-app makes one of the
// default weight for each name; those below others are made beside them here.
func (r *reader) group(n *node, s sched) string {
	group := r.typed(n, "taskgroup", text)
	if group == nil || group.text == "" {
		return ""
	}
	if group.text[0] != '/' {
		r.fail(group.at, "taskgroup %s has to start with '/'", show(group.text))
	}
	if !s.fair() {
		r.fail(group.at, "no taskgroup for policy %s", s.policy)
	}
	name := strings.Trim(group.text, "/")
	if strings.Contains(name, "/") {
		r.notes.add(group.at, "task groups have one level: one below another is simulated beside it")
	}
	return name
}

// phaseGroup gives a task the group of its first phase. It cannot change.
func (r *reader) phaseGroup(n *node, t *task, s sched, first bool) {
	g := r.group(n, s)
	switch {
	case g == "":
	case first:
		t.group = g
	case g != t.group:
		r.notes.add(r.get(n, "taskgroup").at, "task groups cannot change between phases: a task keeps that of its first phase")
	}
}

// resolveForks finds the tasks that are forked, which may stand anywhere.
func (r *reader) resolveForks() {
	byName := map[string]int32{}
	for i := range r.plan.tasks {
		byName[r.plan.tasks[i].name] = int32(i)
	}
	for _, f := range r.forks {
		i, ok := byName[f.name]
		if !ok {
			r.fail(f.at, "fork of the unknown task %s", show(f.name))
			return
		}
		r.plan.tasks[f.task].phases[f.phase].events[f.event].obj = i
	}
}
