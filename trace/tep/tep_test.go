package tep

import (
	"encoding/binary"
	"reflect"
	"strings"
	"testing"
)

// text is a description made up for this test, with each kind of declaration.
const text = `name: made_up
ID: 77
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:char comm[8];	offset:8;	size:8;	signed:0;
	field:short small;	offset:16;	size:2;	signed:1;
	field:void * where;	offset:24;	size:8;
	field:__data_loc char[] file;	offset:32;	size:4;	signed:0;
	field:__rel_loc char[] more;	offset:36;	size:4;	signed:0;

print fmt: "%s", REC->comm
`

func parse(t *testing.T, text string) *Format {
	t.Helper()
	f, err := Parse("made", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestParse(t *testing.T) {
	f := parse(t, text)
	if f.Name != "made_up" || f.ID != 77 || f.System != "made" || f.Print != `"%s", REC->comm` {
		t.Errorf("%+v", f)
	}
	want := []Field{
		{Name: "common_type", Type: "unsigned short", Size: 2},
		{Name: "common_flags", Type: "unsigned char", Offset: 2, Size: 1},
		{Name: "common_preempt_count", Type: "unsigned char", Offset: 3, Size: 1},
		{Name: "common_pid", Type: "int", Offset: 4, Size: 4, Signed: true},
		{Name: "comm", Type: "char[8]", Offset: 8, Size: 8, Array: true},
		{Name: "small", Type: "short", Offset: 16, Size: 2, Signed: true},
		{Name: "where", Type: "void *", Offset: 24, Size: 8},
		{Name: "file", Type: "__data_loc char[]", Offset: 32, Size: 4, Array: true, Loc: DataLoc},
		{Name: "more", Type: "__rel_loc char[]", Offset: 36, Size: 4, Array: true, Loc: RelLoc},
	}
	if !reflect.DeepEqual(f.Fields, want) {
		t.Errorf("got  %+v\nwant %+v", f.Fields, want)
	}
	if f.Size() != 40 || f.Field("nothing") != nil {
		t.Errorf("size %d", f.Size())
	}
}

// TestRoundTrip: what Text writes is read back the same.
func TestRoundTrip(t *testing.T) {
	for _, f := range []*Format{
		parse(t, text),
		New("sched", "laid_out", 3, `"x"`, Field{Name: "comm", Type: "char[16]", Size: 16}, Field{Name: "state", Type: "long", Size: 8, Signed: true},
			Field{Name: "file", Type: "__data_loc char[]"}, Field{Name: "cpu", Type: "int", Size: 4, Signed: true}),
	} {
		back, err := Parse(f.System, []byte(f.Text()))
		if err != nil || !reflect.DeepEqual(back, f) {
			t.Errorf("%v\ngot  %+v\nwant %+v", err, back, f)
		}
	}
}

// TestValues writes values and reads them back, in both byte orders.
func TestValues(t *testing.T) {
	f := parse(t, text)
	for _, l := range []Layout{{binary.LittleEndian, 8}, {binary.BigEndian, 8}} {
		rec := make([]byte, f.Size())
		l.PutUint(rec, f.Field("small"), 0xfffe) // -2
		l.PutUint(rec, f.Field("where"), 1<<63|5)
		rec = l.PutText(rec, f.Field("comm"), "longer than it fits")
		rec = l.PutText(rec, f.Field("file"), "/bin/true")
		rec = l.PutText(rec, f.Field("more"), "and more")
		if v, ok := l.Int(rec, f.Field("small")); v != -2 || !ok {
			t.Errorf("small: %d, %v", v, ok)
		}
		if v, ok := l.Uint(rec, f.Field("where")); v != 1<<63|5 || !ok {
			t.Errorf("where: %d, %v", v, ok)
		}
		for name, want := range map[string]string{"comm": "longer ", "file": "/bin/true", "more": "and more"} {
			if got, ok := l.Text(rec, f.Field(name)); string(got) != want || !ok {
				t.Errorf("%s: %q, %v", name, got, ok)
			}
		}
	}
}

// TestShortRecords: a record cut anywhere gives no value from beyond its end.
func TestShortRecords(t *testing.T) {
	f := parse(t, text)
	l := Layout{binary.LittleEndian, 8}
	whole := l.PutText(make([]byte, f.Size()), f.Field("file"), "abc")
	for n := range whole {
		rec := whole[:n:n]
		for i := range f.Fields {
			d := &f.Fields[i]
			_, number := l.Uint(rec, d)
			_, text := l.Text(rec, d)
			if fits := d.Offset+d.Size <= n; number && (!fits || d.Array) || text && !fits {
				t.Errorf("%d bytes: %s was read", n, d.Name)
			}
		}
		if _, ok := l.Text(rec, f.Field("file")); ok && n < len(whole) && n >= 36 {
			t.Errorf("%d bytes: a text that ends at %d was read", n, len(whole))
		}
	}
	if _, ok := l.Int(whole, nil); ok {
		t.Error("a missing field has a value")
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "no name",
		"name: x\n":        "no ID",
		"name: x\nID: y\n": "line 2: the ID",
		"name: x\nID: 1\nformat:\n\tfield:int a;\toffset:1;\n":                         "line 4: field a: no offset or size",
		"name: x\nID: 1\nformat:\n\tfield:int;\toffset:1; size:1;\n":                   "has no name",
		"name: x\nID: 1\nformat:\n\tfield:int a;\toffset:99999999999;\tsize:1;\n":      "offset",
		"name: x\nID: 1\n" + strings.Repeat("\tfield:int a; offset:0; size:4;\n", 600): "more than 512 fields",
	} {
		if _, err := Parse("s", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

// FuzzParse: any text is read or refused, and what is read is written so that it
// reads the same.
func FuzzParse(f *testing.F) {
	f.Add([]byte(text), []byte("record"))
	f.Fuzz(func(t *testing.T, text, rec []byte) {
		d, err := Parse("s", text)
		if err != nil {
			return
		}
		l := Layout{binary.BigEndian, 4}
		for i := range d.Fields {
			l.Int(rec, &d.Fields[i])
			l.Text(rec, &d.Fields[i])
		}
	})
}
