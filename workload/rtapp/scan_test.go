package rtapp

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// shape writes a value so that equal ones are equal texts.
func (n *node) shape() string {
	switch n.kind {
	case text:
		return strconv.Quote(n.text)
	case array:
		var items []string
		for i := range n.items {
			items = append(items, n.items[i].shape())
		}
		return "[" + strings.Join(items, " ") + "]"
	case object:
		var members []string
		for i := range n.members {
			members = append(members, strconv.Quote(n.members[i].key)+"="+n.members[i].value.shape())
		}
		return "{" + strings.Join(members, " ") + "}"
	case absent, null:
		return n.kind.String()
	}
	return n.text
}

func scanned(source string) (string, error) {
	root, rest, err := scan(&document{name: "f", text: source})
	if err != nil {
		return "", err
	}
	out := root.shape()
	if rest >= 0 {
		out += fmt.Sprintf(" then %d", rest)
	}
	return out, nil
}

// TestScan: what json-c takes when it is not strict, in the order of the text,
// with every key as often as it is there.
func TestScan(t *testing.T) {
	for _, c := range [][2]string{
		{`{}`, `{}`},
		{"\t{ \"a\" : [ 1 , -2 , 3.5e+2 ] }\n", `{"a"=[1 -2 3.5e+2]}`},
		{`{"b":1,"a":2,"b":3}`, `{"b"=1 "a"=2 "b"=3}`},
		{`{"a":1,}`, `{"a"=1}`},
		{`[1,2,]`, `[1 2]`},
		{"/* x \n * y **/ { // z }\n \"a\" /**/ : /* \" */ 1 // end\n}", `{"a"=1}`},
		{`{'it"s':'a\tb'}`, `{"it\"s"="a\tb"}`},
		{`["\u0041\u00e9\ud83d\ude00\ud800x\udc00"]`, `["Aé😀` + "\ufffdx\ufffd" + `"]`},
		{`["\ud800\u0041"]`, "[\"\ufffdA\"]"},
		{`["\"\\\/\b\f\n\r\t"]`, `["\"\\/\b\f\n\r\t"]`},
		{`[TRUE,fAlse,Null,NaN]`, `[true false null NaN]`},
		{`[007]`, `[007]`},
		{`{"suspend","a":1}`, `{"suspend"=nothing "a"=1}`},
		{`{"suspend2"}`, `{"suspend2"=nothing}`},
		{`{} more`, `{} then 3`},
		{"{} // end", `{}`},
		{`{} /`, `{} then 3`},
	} {
		got, err := scanned(c[0])
		if err != nil || got != c[1] {
			t.Errorf("%s: %s, %v; want %s", c[0], got, err, c[1])
		}
	}
}

func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

// TestScanRefuses: one line with the place and the cause.
func TestScanRefuses(t *testing.T) {
	for _, c := range [][2]string{
		{"", `f:1:1: the document ends where a value should be`},
		{"{", `f:1:2: the document ends where a key in quotes should be`},
		{"{\n  \"a\"", `f:2:6: the document ends where ':' behind a key should be`},
		{"{\n  \"a\": 1\n  \"b\": 2}", `f:3:3: "\"" where ',' or '}' in an object should be`},
		{`{"a":}`, `f:1:6: "}" where a value should be`},
		{`{"a",}`, `f:1:5: "," where ':' behind a key should be`},
		{`{a:1}`, `f:1:2: "a" where a key in quotes should be`},
		{`[1 2]`, `f:1:4: "2" where ',' or ']' in an array should be`},
		{`[,]`, `f:1:2: "," where a value should be`},
		{`["a`, `f:1:2: the string has no end`},
		{`["\x"]`, `f:1:4: "x" where an escaped character should be`},
		{`["\u12g4"]`, `f:1:7: "g" where a hexadecimal digit should be`},
		{`["\`, `f:1:4: the document ends where an escaped character should be`},
		{`[1x]`, `f:1:3: "x" where the rest of a number should be`},
		{`[-]`, `f:1:3: "]" where the rest of a number should be`},
		{`[tru]`, `f:1:2: "t" where a value should be`},
		{"/* a", `f:1:1: the comment has no end`},
		{"[1] /", `ok`},
		{"[/1]", `f:1:2: a comment begins with // or /*`},
		{nested(maxDepth), `ok`},
		{nested(maxDepth + 1), `f:1:33: more than 32 values within each other`},
		{strings.Repeat("[", 1<<20), `f:1:33: more than 32 values within each other`},
		{strings.Repeat(`{"a":`, 1<<20), `f:1:161: more than 32 values within each other`},
		{"[" + strings.Repeat("0,", maxValues-1) + "]", `ok`},
		{"[" + strings.Repeat("0,", maxValues) + "]", `f:1:800000: more than 400000 values`},
	} {
		_, err := scanned(c[0])
		got := "ok"
		if err != nil {
			got = err.Error()
		}
		if got != c[1] {
			t.Errorf("%.40s: %s\nwant %s", c[0], got, c[1])
		}
	}
}

// checkAgainstJSON: a strict document is read as encoding/json reads it.
func checkAgainstJSON(t *testing.T, data string) {
	if !json.Valid([]byte(data)) || !utf8.ValidString(data) {
		return
	}
	root, rest, err := scan(&document{name: "f", text: data})
	if err != nil {
		if strings.Contains(err.Error(), "more than") {
			return
		}
		t.Fatalf("%q is JSON: %v", data, err)
	}
	if rest >= 0 {
		t.Fatalf("%q: something is left from %d on", data, rest)
	}
	d := json.NewDecoder(strings.NewReader(data))
	d.UseNumber()
	var want any
	if err := d.Decode(&want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, root.value()); diff != "" {
		t.Fatalf("%q: %s", data, diff)
	}
}

// value is what encoding/json makes of a value: the last of equal keys stays.
func (n *node) value() any {
	switch n.kind {
	case null:
		return nil
	case boolean:
		return n.text == "true"
	case text:
		return n.text
	case array:
		out := []any{}
		for i := range n.items {
			out = append(out, n.items[i].value())
		}
		return out
	case object:
		out := map[string]any{}
		for i := range n.members {
			out[n.members[i].key] = n.members[i].value.value()
		}
		return out
	}
	return json.Number(n.text)
}

func TestScanIsJSON(t *testing.T) {
	for _, s := range []string{
		`{"a":{"b":[{},[],"",0,-0,1e3,1E-3,0.5,true,false,null]},"\u00e9\ud834\udd1e\ud834":"\\u0041"}`,
		` [ "\u2028" , "😀" ] `, `"x"`, `0`, `-12.5e+10`, `null`,
	} {
		checkAgainstJSON(t, s)
	}
}

func FuzzScan(f *testing.F) {
	f.Add(`{"a":[1,2.5,"\u00e9",true,null,{}],"a":"\ud834\udd1e"}`)
	f.Add(`{'a':/**/1,//
	}`)
	f.Fuzz(func(t *testing.T, data string) {
		checkAgainstJSON(t, data)
		_, err := scanned(data)
		if err != nil && (strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "f:")) {
			t.Fatalf("%q: error %q is not one line with a place", data, err)
		}
	})
}
