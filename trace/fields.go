package trace

import "bytes"

// commLen is the longest name that a kernel keeps for a task.
const commLen = 15

// cursor walks the "key=value" fields of an event's text.
type cursor struct {
	rest []byte
	bad  string // the first key whose value could not be read
}

// next returns the next field; key is nil at the end. Words that are not fields
// (an arrow, an address in parentheses) are passed over, brackets around a
// field are dropped.
func (c *cursor) next() (key, value []byte) {
	for len(c.rest) > 0 {
		word := c.rest
		if i := bytes.IndexByte(word, ' '); i >= 0 {
			word, c.rest = word[:i], word[i+1:]
		} else {
			c.rest = nil
		}
		if len(word) > 1 && word[0] == '[' && word[len(word)-1] == ']' {
			word = word[1 : len(word)-1]
		}
		if i := bytes.IndexByte(word, '='); i > 0 {
			return word[:i], word[i+1:]
		}
	}
	return nil, nil
}

// comm takes a task's name, which may hold anything, up to the field that
// follows it: "key=NAME next...". It returns false if the text does not begin
// like that. Within the length of a real name the last occurrence of the next
// field counts, since a name may contain the text of one.
func (c *cursor) comm(key, next string) ([]byte, bool) {
	if len(c.rest) < len(key) || string(c.rest[:len(key)]) != key {
		return nil, false
	}
	b := c.rest[len(key):]
	i := bytes.LastIndex(b[:min(len(b), commLen+len(next))], []byte(next))
	if i < 0 {
		// No kernel prints such a long name, but other tools may.
		if i = bytes.Index(b, []byte(next)); i < 0 {
			return nil, false
		}
	}
	c.rest = b[i+1:]
	return b[:i], true
}

// number sets *v from a value.
func (c *cursor) number(v *int32, key, value []byte) {
	n, ok := parseInt32(value)
	if !ok {
		c.fail(key)
		return
	}
	*v = n
}

// arg sets an argument from a value.
func (c *cursor) arg(e *Event, i int, key, value []byte) {
	n, ok := parseValue(value)
	if !ok {
		c.fail(key)
		return
	}
	e.Args[i] = n
	e.Set |= 1 << i
}

func (c *cursor) fail(key []byte) {
	if c.bad == "" {
		c.bad = string(key)
	}
}
