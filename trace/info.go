package trace

import (
	"io"
	"sort"

	"schedlab/cpumask"
)

// Info is what a recording holds, as far as it has been read.
type Info struct {
	Name   string // the file, and what was read inside it
	Format string
	Lines  int64 // of text formats
	Count  [NumKinds]int64
	Others []NameCount // what Count[Other] is made of, by name

	First, Last int64 // earliest and latest time, ns
	CPUs        cpumask.Mask
	NumCPUs     int // as the file's header says; 0 when it does not

	Lost        int64 // events that the kernel dropped; those of unknown number count 1
	Overwritten int64 // events that the ring buffers overwrote before they were read
	Backward    int64 // events earlier than the one before

	Malformed      int64 // lines that could not be read
	MalformedLine  int64 // number of the first, from 1
	MalformedCause string
}

// NameCount is how often a name occurred.
type NameCount struct {
	Name  string
	Count int64
}

// Events is the number of events of every kind.
func (i *Info) Events() int64 {
	n := int64(0)
	for _, c := range i.Count {
		n += c
	}
	return n
}

// Sched is the number of the scheduler's own events.
func (i *Info) Sched() int64 {
	n := int64(0)
	for k, c := range i.Count {
		if Kind(k).Sched() {
			n += c
		}
	}
	return n
}

// Summarize reads a recording to its end.
func Summarize(path string) (Info, error) {
	r, err := Open(path)
	if err != nil {
		return Info{}, err
	}
	defer r.Close()
	var e Event
	for {
		if err := r.Next(&e); err == io.EOF {
			return r.Info(), nil
		} else if err != nil {
			return r.Info(), err
		}
	}
}

// tally is the Info of a reader at work.
type tally struct {
	Info
	others  nameCounts
	events  int64
	last    int64
	lastCPU int32
}

// add counts an event.
func (t *tally) add(e *Event) {
	t.Count[e.Kind]++
	if e.Kind == Other {
		t.others.add(e.Text)
	}
	if t.events++; t.events == 1 {
		t.First, t.Last, t.last, t.lastCPU = e.Time, e.Time, e.Time, -1
	}
	if e.Time < t.last {
		t.Backward++
	}
	t.last = e.Time
	t.First, t.Last = min(t.First, e.Time), max(t.Last, e.Time)
	if e.CPU != t.lastCPU {
		t.lastCPU = e.CPU
		t.CPUs = t.CPUs.Grow(int(e.CPU) + 1)
		t.CPUs.Set(int(e.CPU))
	}
}

// snapshot is the Info up to now, independent of the reader.
func (t *tally) snapshot() Info {
	i := t.Info
	i.CPUs = t.CPUs.Clone()
	i.Others = t.others.sorted()
	return i
}

// maxNames bounds the names that are counted apart.
const maxNames = 4096

// beyondNames is where the names beyond maxNames are counted.
const beyondNames = "(more names)"

type nameCounts map[string]*int64

func (n nameCounts) add(name string) {
	c := n[name]
	if c == nil {
		if len(n) >= maxNames {
			name = beyondNames
		}
		if c = n[name]; c == nil {
			c = new(int64)
			n[name] = c
		}
	}
	*c++
}

// sorted lists the most frequent first, equal ones by name.
func (n nameCounts) sorted() []NameCount {
	all := make([]NameCount, 0, len(n))
	for name, c := range n {
		all = append(all, NameCount{name, *c})
	}
	sort.Slice(all, func(i, j int) bool {
		if all[i].Count != all[j].Count {
			return all[i].Count > all[j].Count
		}
		return all[i].Name < all[j].Name
	})
	return all
}
