package report

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"schedlab/machine"
)

type svgElement struct {
	name, class string
	box         [4]int // x, y, width, height
}

func drawMachine(t *testing.T, name string) (elements []svgElement, text string) {
	t.Helper()
	m, err := machine.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := MachineSVG(&b, m); err != nil {
		t.Fatal(err)
	}
	text = b.String()
	d := xml.NewDecoder(&b)
	for {
		token, err := d.Token()
		if err == io.EOF {
			return elements, text
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		e := svgElement{name: s.Name.Local}
		for _, a := range s.Attr {
			for i, key := range []string{"x", "y", "width", "height"} {
				if a.Name.Local == key {
					e.box[i] = svgNumber(t, a.Value)
				}
			}
			if a.Name.Local == "class" {
				e.class = a.Value
			}
		}
		elements = append(elements, e)
	}
}

func svgNumber(t *testing.T, s string) (n int) {
	t.Helper()
	for _, c := range s {
		if c < '0' || c > '9' {
			t.Fatalf("%q is not a number", s)
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// TestMachineSVG: a drawing has a box for every part, CPUs do not overlap and lie
// within the picture, which is not much wider than high, and is the same each time.
func TestMachineSVG(t *testing.T) {
	for name, want := range map[string]map[string]int{
		"uma-16": {"package": 1, "node": 1, "llc": 1, "core": 8, "cpu": 16},
		"x5-8":   {"package": 8, "node": 8, "llc": 8, "core": 144, "cpu": 288},
		"synthetic:sockets=8,cores=256,threads=2,llc=16,nodes=16": {"package": 8, "node": 16, "llc": 128, "core": 2048, "cpu": 4096},
	} {
		elements, text := drawMachine(t, name)
		count, seen := map[string]int{}, map[[2]int]bool{}
		picture := elements[0].box
		for _, e := range elements {
			if e.name != "rect" {
				continue
			}
			count[e.class]++
			if e.box[0]+e.box[2] > picture[2] || e.box[1]+e.box[3] > picture[3] {
				t.Fatalf("%s: a box at %v is outside of %v", name, e.box, picture)
			}
			if e.class == "cpu" {
				if at := [2]int{e.box[0], e.box[1]}; seen[at] {
					t.Fatalf("%s: two CPUs at %v", name, at)
				} else {
					seen[at] = true
				}
			}
		}
		for class, n := range want {
			if count[class] != n {
				t.Errorf("%s: %d boxes of class %s, want %d", name, count[class], class, n)
			}
		}
		if w, h := picture[2], picture[3]; len(seen) > 100 && (w > 3*h || h > 3*w) {
			t.Errorf("%s: %d x %d", name, w, h)
		}
		if _, again := drawMachine(t, name); again != text {
			t.Errorf("%s is drawn differently the second time", name)
		}
	}
}

// TestSVGEscapes: what a machine is called cannot be markup.
func TestSVGEscapes(t *testing.T) {
	m, err := machine.Load("uma-16")
	if err != nil {
		t.Fatal(err)
	}
	m.Name = `<script>"&`
	var b bytes.Buffer
	if err := MachineSVG(&b, m); err != nil || strings.Contains(b.String(), "<script") {
		t.Errorf("%v\n%s", err, b.String()[:600])
	}
}
