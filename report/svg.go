package report

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"schedlab/cpumask"
	"schedlab/machine"
)

// MachineSVG draws a machine: nodes, packages, last-level caches, cores and CPUs
// as boxes in boxes. A box that holds exactly what the one around it holds is drawn
// all the same, so that every level shows. The drawing is as wide as it is high,
// about, however many CPUs there are.
func MachineSVG(w io.Writer, m *machine.Machine) error {
	root := svgMachine(m)
	root.layOut()
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="10">`+"\n",
		root.w, root.h, root.w, root.h)
	out.WriteString("<style>rect{stroke:#444;stroke-width:.6}.machine{fill:#fff}.package{fill:#eef3f8}.node{fill:#e3efdd}.memory{fill:#f4f4d8}.llc{fill:#fbe9d6}.core{fill:#f6f6f6}.cpu{fill:#cfe0f2}.isolated{fill:#f2cfcf}.offline{fill:#ddd}text{fill:#222}</style>\n")
	root.draw(out, 0, 0)
	out.WriteString("</svg>\n")
	return out.Flush()
}

// svgBox is a box with its title and what is in it, laid out in rows.
type svgBox struct {
	class, title string
	inner        []*svgBox
	x, y, w, h   int
}

const (
	svgPad    = 4
	svgTitle  = 14
	svgCPU    = 26 // width of a CPU's box, whose height is 16
	svgCPUTop = 16
)

func svgMachine(m *machine.Machine) *svgBox {
	root := &svgBox{class: "machine", title: m.Name + ": " + m.Summary().String()}
	nodes := map[int]bool{}
	each(m, m.Online, func(c *machine.CPU) int { return c.Package }, func(first int, cpus cpumask.Mask) {
		p := &svgBox{class: "package", title: fmt.Sprintf("package of CPU %d", first)}
		root.inner = append(root.inner, p)
		each(m, cpus, func(c *machine.CPU) int { return c.Node }, func(c int, cpus cpumask.Mask) {
			node := m.CPUs[c].Node
			nodes[node] = true
			n := &svgBox{class: "node", title: fmt.Sprintf("node %d", node)}
			p.inner = append(p.inner, n)
			n.inner = svgCaches(m, cpus)
		})
	})
	for id := range m.Nodes {
		if m.Nodes[id].Exists && !nodes[id] {
			root.inner = append(root.inner, &svgBox{class: "memory", title: fmt.Sprintf("node %d: memory", id)})
		}
	}
	if gone := offline(m); !gone.Empty() {
		o := &svgBox{class: "offline", title: "offline"}
		for c := range gone.All() {
			o.inner = append(o.inner, &svgBox{class: "offline cpu", title: fmt.Sprint(c)})
		}
		root.inner = append(root.inner, o)
	}
	return root
}

func svgCaches(m *machine.Machine, cpus cpumask.Mask) (out []*svgBox) {
	each(m, cpus, func(c *machine.CPU) int { return c.LLC }, func(first int, cpus cpumask.Mask) {
		l := &svgBox{class: "llc", title: fmt.Sprintf("LLC of CPU %d", first)}
		out = append(out, l)
		each(m, cpus, func(c *machine.CPU) int { return c.Core }, func(_ int, cpus cpumask.Mask) {
			core := &svgBox{class: "core"}
			l.inner = append(l.inner, core)
			for c := range cpus.All() {
				core.inner = append(core.inner, svgThread(m, c))
			}
		})
	})
	return out
}

func svgThread(m *machine.Machine, c int) *svgBox {
	class := "cpu"
	if m.Boot.Isolated.Test(c) {
		class = "cpu isolated"
	}
	return &svgBox{class: class, title: fmt.Sprint(c)}
}

// each calls f for the CPUs that have a number in common, by the lowest of them.
func each(m *machine.Machine, cpus cpumask.Mask, of func(*machine.CPU) int, f func(first int, cpus cpumask.Mask)) {
	var order []int
	sets := map[int]cpumask.Mask{}
	for c := range cpus.All() {
		n := of(&m.CPUs[c])
		if sets[n] == nil {
			sets[n] = cpumask.New(len(m.CPUs))
			order = append(order, n)
		}
		sets[n].Set(c)
	}
	for _, n := range order {
		f(sets[n].First(), sets[n])
	}
}

func offline(m *machine.Machine) cpumask.Mask {
	gone := cpumask.New(len(m.CPUs))
	for id := range m.CPUs {
		if m.CPUs[id].Possible && !m.CPUs[id].Online {
			gone.Set(id)
		}
	}
	return gone
}

// layOut gives the box and all in it sizes and places: in rows, as many boxes in
// each as makes it about square.
func (b *svgBox) layOut() {
	if strings.HasSuffix(b.class, "cpu") || strings.HasPrefix(b.class, "cpu") {
		b.w, b.h = svgCPU, svgCPUTop
		return
	}
	area := 0
	for _, in := range b.inner {
		in.layOut()
		area += (in.w + svgPad) * (in.h + svgPad)
	}
	limit := 0
	for limit*limit < area*5/4 { // a little wider than high
		limit += 8
	}
	top := svgPad
	if b.title != "" {
		top += svgTitle
	}
	x, y, high := svgPad, top, 0
	for _, in := range b.inner {
		if x > svgPad && x+in.w > limit && b.class != "core" {
			x, y, high = svgPad, y+high+svgPad, 0
		}
		in.x, in.y = x, y
		x += in.w + svgPad
		high = max(high, in.h)
		b.w = max(b.w, x)
	}
	b.h = y + high + svgPad
	b.w = max(b.w, 6*len(b.title)+2*svgPad)
}

func (b *svgBox) draw(w *bufio.Writer, x, y int) {
	fmt.Fprintf(w, `<rect class="%s" x="%d" y="%d" width="%d" height="%d"/>`, b.class, x, y, b.w, b.h)
	if b.title != "" {
		fmt.Fprintf(w, `<text x="%d" y="%d">`, x+svgPad, y+11)
		_ = xml.EscapeText(w, []byte(b.title))
		w.WriteString("</text>")
	}
	w.WriteByte('\n')
	for _, in := range b.inner {
		in.draw(w, x+in.x, y+in.y)
	}
}
