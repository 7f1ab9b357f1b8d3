package tep

import (
	"fmt"
	"strings"
)

// common are the fields that every record of a kernel begins with.
const common = 4

// Text is the format file of the event, which Parse reads back.
func (f *Format) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "name: %s\nID: %d\nformat:\n", f.Name, f.ID)
	for i := range f.Fields {
		if i == common {
			b.WriteByte('\n')
		}
		d := &f.Fields[i]
		signed := 0
		if d.Signed {
			signed = 1
		}
		fmt.Fprintf(&b, "\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n", d.declaration(), d.Offset, d.Size, signed)
	}
	fmt.Fprintf(&b, "\nprint fmt: %s\n", f.Print)
	return b.String()
}

// declaration puts name and type together as C does.
func (d *Field) declaration() string {
	if d.Loc == Inline {
		if base, brackets, array := strings.Cut(d.Type, "["); array {
			return base + " " + d.Name + "[" + brackets
		}
	}
	return d.Type + " " + d.Name
}

// New lays out an event: the common fields of every record, then the given
// ones, each aligned to its size. A field of type "__data_loc ..." takes a word.
func New(system, name string, id int, print string, fields ...Field) *Format {
	f := &Format{System: system, Name: name, ID: id, Print: print}
	head := []Field{
		{Name: "common_type", Type: "unsigned short", Size: 2},
		{Name: "common_flags", Type: "unsigned char", Size: 1},
		{Name: "common_preempt_count", Type: "unsigned char", Size: 1},
		{Name: "common_pid", Type: "int", Size: 4, Signed: true},
	}
	end := 0
	for _, d := range append(head, fields...) {
		align := d.Size
		switch {
		case strings.HasPrefix(d.Type, "__data_loc"):
			d.Loc, d.Array, d.Size, align = DataLoc, true, 4, 4
		case strings.Contains(d.Type, "["):
			d.Array, align = true, 1
		}
		if over := end % align; over != 0 {
			end += align - over
		}
		d.Offset = end
		end += d.Size
		f.Fields = append(f.Fields, d)
	}
	return f
}
