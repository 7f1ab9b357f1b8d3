package rtapp

import (
	"fmt"
	"strings"
)

// kind is what a JSON value is, as json-c has it: whole numbers and others are
// two kinds.
type kind uint8

const (
	null kind = iota
	boolean
	integer
	double
	text
	array
	object
	absent // the value of a key that may stand alone
)

var kindNames = [...]string{"null", "a boolean", "a whole number", "a number with a fraction", "a string", "an array", "an object", "nothing"}

func (k kind) String() string { return kindNames[k] }

// node is a JSON value with its place in the document. Members keep their order,
// and the same key may be there more than once.
type node struct {
	kind    kind
	at      int32  // offset of its first byte
	text    string // a string's value, a number as it is written, "true" or "false"
	items   []node
	members []member
}

type member struct {
	key   string
	at    int32 // offset of the key
	value node
}

// document is a JSON text under the name that errors call it by.
type document struct {
	name string
	text string
}

// position is an offset as FILE:LINE:COLUMN, in bytes, both from 1.
func (d *document) position(at int32) string {
	before := d.text[:min(int(at), len(d.text))]
	line := 1 + strings.Count(before, "\n")
	column := len(before) - strings.LastIndexByte(before, '\n')
	return fmt.Sprintf("%s:%d:%d", d.name, line, column)
}

// errorf is an error at a place of the document, one line.
func (d *document) errorf(at int32, format string, args ...any) error {
	return fmt.Errorf("%s: %s", d.position(at), fmt.Sprintf(format, args...))
}

// show is a piece of the document as an error can print it.
func show(s string) string {
	const most = 40
	if len(s) > most {
		return fmt.Sprintf("%q...", s[:most])
	}
	return fmt.Sprintf("%q", s)
}
