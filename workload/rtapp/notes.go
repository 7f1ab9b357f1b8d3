package rtapp

import "fmt"

// notes are what a user should know of a file that is taken all the same: what
// is done otherwise than by rt-app, and what is ignored. Each is kept once, with
// its first place.
type notes struct {
	all []note
}

type note struct {
	at   int32
	last int32 // the last place so far: a key may be looked up more than once
	text string
	more int // further places
}

// maxNotes bounds what one file has to say.
const maxNotes = 20

func (n *notes) add(at int32, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for i := range n.all {
		if x := &n.all[i]; x.text == text {
			if at > x.last {
				x.last = at
				x.more++
			}
			return
		}
	}
	if len(n.all) <= maxNotes {
		n.all = append(n.all, note{at: at, last: at, text: text})
	}
}

// lines are the notes, a line each.
func (n *notes) lines(d *document) []string {
	var out []string
	for i, x := range n.all {
		if i == maxNotes {
			return append(out, d.name+": and more of the kind")
		}
		line := d.position(x.at) + ": " + x.text
		if x.more > 0 {
			line += fmt.Sprintf(" (%d more)", x.more)
		}
		out = append(out, line)
	}
	return out
}
