package tep

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Format describes one event.
type Format struct {
	System string // "sched"; as the file that carries the description says
	Name   string // "sched_switch"
	ID     int    // what a record's common_type is
	Fields []Field
	Print  string // the print fmt line without its key; "" when there is none
}

// Loc says how a field's bytes are found.
type Loc uint8

const (
	Inline  Loc = iota // at its offset
	DataLoc            // at its offset stand offset and length, from the record's beginning
	RelLoc             // ... from the end of that word
)

// Field is one field of an event.
type Field struct {
	Name   string
	Type   string // the declaration without the name: "char[16]", "__data_loc char[]"
	Offset int    // from the record's beginning
	Size   int    // bytes at that offset
	Signed bool
	Array  bool // several elements: bytes or text, not a number
	Loc    Loc
}

// Bounds of what is believed of a description.
const (
	maxFields = 512
	maxRecord = 1 << 20 // bytes
)

// Parse reads the text of a format file. Errors are one line: number and cause.
func Parse(system string, text []byte) (*Format, error) {
	f := &Format{System: system, ID: -1}
	for n, line := range bytes.Split(text, []byte("\n")) {
		if err := f.line(strings.TrimRight(string(line), "\r")); err != nil {
			return nil, fmt.Errorf("event format: line %d: %w", n+1, err)
		}
	}
	switch {
	case f.Name == "":
		return nil, errors.New("event format: no name")
	case f.ID < 0:
		return nil, fmt.Errorf("event format of %s: no ID", f.Name)
	}
	return f, nil
}

func (f *Format) line(line string) error {
	key, value, ok := strings.Cut(strings.TrimLeft(line, " \t"), ":")
	if !ok {
		return nil
	}
	switch key {
	case "name":
		if f.Name == "" {
			f.Name = strings.TrimSpace(value)
		}
	case "ID":
		id, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || id < 0 {
			return fmt.Errorf("the ID %q is not a number", strings.TrimSpace(value))
		}
		f.ID = id
	case "print fmt":
		f.Print = strings.TrimSpace(value)
	case "field", "field special":
		if len(f.Fields) == maxFields {
			return fmt.Errorf("more than %d fields", maxFields)
		}
		field, err := parseField(value)
		if err != nil {
			return err
		}
		f.Fields = append(f.Fields, field)
	}
	return nil
}

// parseField reads "DECLARATION; offset:N; size:N; signed:N;", of which old
// kernels lack the last part.
func parseField(text string) (Field, error) {
	parts := strings.Split(text, ";")
	field, err := parseDeclaration(parts[0])
	if err != nil {
		return Field{}, err
	}
	seen := 0
	for _, part := range parts[1:] {
		key, value, ok := strings.Cut(strings.TrimSpace(part), ":")
		if !ok {
			continue
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > maxRecord {
			return Field{}, fmt.Errorf("field %s: %s %q", field.Name, key, value)
		}
		switch key {
		case "offset":
			field.Offset = n
			seen |= 1
		case "size":
			field.Size = n
			seen |= 2
		case "signed":
			field.Signed = n != 0
		}
	}
	if seen != 3 {
		return Field{}, fmt.Errorf("field %s: no offset or size", field.Name)
	}
	return field, nil
}

// parseDeclaration splits a C declaration into name and type.
func parseDeclaration(text string) (Field, error) {
	text = strings.TrimSpace(text)
	rest, brackets, array := strings.Cut(text, "[")
	if array {
		// "char comm[16]", "__data_loc char[] name"
		inside, after, _ := strings.Cut(brackets, "]")
		brackets = "[" + inside + "]"
		if after = strings.TrimSpace(after); after != "" {
			rest += brackets + " " + after
			brackets = ""
		}
	}
	rest = strings.TrimSpace(rest)
	at := strings.LastIndexAny(rest, " \t*") + 1
	if at == 0 || at == len(rest) {
		return Field{}, fmt.Errorf("field %q has no name", text)
	}
	f := Field{Name: rest[at:], Type: strings.TrimSpace(rest[:at]) + brackets, Array: array}
	switch {
	case strings.HasPrefix(f.Type, "__data_loc"):
		f.Loc, f.Array = DataLoc, true
	case strings.HasPrefix(f.Type, "__rel_loc"):
		f.Loc, f.Array = RelLoc, true
	}
	return f, nil
}

// Field is the field of that name, nil if the event has none.
func (f *Format) Field(name string) *Field {
	for i := range f.Fields {
		if f.Fields[i].Name == name {
			return &f.Fields[i]
		}
	}
	return nil
}

// Size is the length of a record up to the end of its last field: what follows
// holds the bytes of fields that are not inline.
func (f *Format) Size() int {
	end := 0
	for i := range f.Fields {
		end = max(end, f.Fields[i].Offset+f.Fields[i].Size)
	}
	return end
}
