package rtapp

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// reader makes a plan of a document. Its methods note the first thing that is
// wrong and go on; the plan is good if nothing is.
type reader struct {
	d     *document
	err   error
	notes notes
	plan  plan

	names   names
	resumed map[string]bool // what some task resumes
	forks   []forkRef       // to be resolved when all tasks are known
	memory  int             // bytes of a thread's buffer for mem and iorun
	policy  string          // of tasks that name none
	current *task           // the task that is being read
}

// forkRef is a fork whose task is known by name only.
type forkRef struct {
	task, phase, event int
	name               string
	at                 int32
}

// read makes the plan, and says what of the file is not done as rt-app does it.
func read(d *document) (*plan, []string, error) {
	root, rest, err := scan(d)
	if err != nil {
		return nil, nil, err
	}
	r := reader{d: d, names: newNames(), resumed: map[string]bool{}}
	if rest >= 0 {
		r.notes.add(rest, "what follows the document is ignored, as rt-app does")
	}
	r.document(&root)
	if r.err != nil {
		return nil, nil, r.err
	}
	return &r.plan, r.notes.lines(d), nil
}

func (r *reader) document(root *node) {
	if root.kind != object {
		r.fail(root.at, "%s, where an object with \"tasks\" should be", root.kind)
		return
	}
	r.unknownKeys(root, "the document", rootKeys, nil)
	tasks := r.get(root, "tasks")
	if tasks == nil {
		r.fail(root.at, "there is no \"tasks\"")
		return
	}
	r.global(r.get(root, "global"))
	r.resources(r.get(root, "resources"))
	r.tasks(tasks)
}

var rootKeys = []string{"tasks", "global", "resources"}

// fail notes an error, unless there is one already.
func (r *reader) fail(at int32, format string, args ...any) {
	if r.err == nil {
		r.err = r.d.errorf(at, format, args...)
	}
}

// get is the value of a key, nil if there is none or it is null. Of several the
// last counts, as json-c has it.
func (r *reader) get(o *node, key string) *node {
	if o == nil {
		return nil
	}
	var found *member
	for i := range o.members {
		m := &o.members[i]
		if m.key != key {
			continue
		}
		if found != nil {
			r.notes.add(m.at, "%q is given more than once: the last one counts, as in rt-app (its script workgen keeps the first)", key)
		}
		found = m
	}
	if found == nil || found.value.kind == null {
		return nil
	}
	return &found.value
}

// typed is the value of a key if it has one, which must be of the kind.
func (r *reader) typed(o *node, key string, k kind) *node {
	n := r.get(o, key)
	if n != nil && n.kind != k {
		r.fail(n.at, "%q must be %s, not %s", key, k, n.kind)
		return nil
	}
	return n
}

func (r *reader) intOf(o *node, key string, def int) int {
	n := r.typed(o, key, integer)
	if n == nil {
		return def
	}
	return r.number(n, key)
}

// number is a whole number, of 32 bits as rt-app's are.
func (r *reader) number(n *node, key string) int {
	x, err := strconv.ParseInt(n.text, 10, 32)
	if err != nil {
		r.fail(n.at, "%q: %s does not fit into 32 bits (%d to %d)", key, clip(n.text), math.MinInt32, math.MaxInt32)
	}
	return int(x)
}

// clip shortens what an error shows.
func clip(s string) string {
	const most = 40
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}

func (r *reader) boolOf(o *node, key string, def bool) bool {
	n := r.typed(o, key, boolean)
	if n == nil {
		return def
	}
	return n.text == "true"
}

func (r *reader) textOf(o *node, key, def string) string {
	n := r.typed(o, key, text)
	if n == nil {
		return def
	}
	return n.text
}

// micros is a length of time that the file gives in us, in ns.
func (r *reader) micros(n *node, key string) int64 {
	us := r.number(n, key)
	if us < 0 {
		r.fail(n.at, "%q: a time of %d us", key, us)
	}
	return int64(us) * 1000
}

// unknownKeys notes the keys of an object that mean nothing. rt-app says nothing
// of them either, but a slip of the pen is easier to find if somebody does.
func (r *reader) unknownKeys(o *node, where string, known []string, also func(key string) bool) {
	for i := range o.members {
		m := &o.members[i]
		if !slices.Contains(known, m.key) && (also == nil || !also(m.key)) {
			r.notes.add(m.at, "%s means nothing in %s and is ignored, as rt-app does", show(m.key), where)
		}
	}
}

// collectResumed notes the names that tasks resume, wherever they do.
func (r *reader) collectResumed(n *node) {
	for i := range n.members {
		m := &n.members[i]
		if strings.HasPrefix(m.key, "resume") && m.value.kind == text {
			r.resumed[m.value.text] = true
		}
		r.collectResumed(&m.value)
	}
}
