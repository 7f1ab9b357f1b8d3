package machine

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"schedlab/cpumask"
)

// Bounds of what is believed of an hwloc topology.
const (
	maxObjects = 1 << 21
	maxDepth   = 100
)

// readHwloc reads a topology that hwloc exported as XML, of the formats of
// hwloc 1.x, 2 and 3. A CPU's place is what its PU object lies in; since hwloc 2
// a NUMA node lies beside the CPUs that its cpuset names. Errors name the line.
func readHwloc(r io.Reader, name string) (*Machine, error) {
	d := xml.NewDecoder(r)
	h := &hwlocReader{d: d, caches: map[int]bool{}}
	if err := h.read(); err != nil {
		line, _ := d.InputPos()
		var syntax *xml.SyntaxError
		if errors.As(err, &syntax) {
			err = errors.New(syntax.Msg)
		}
		return nil, fmt.Errorf("hwloc XML, line %d: %w", line, noEOF(err))
	}
	m, err := h.machine(name)
	if err != nil {
		return nil, fmt.Errorf("hwloc XML: %w", err)
	}
	return m, nil
}

// hwlocReader walks the tree of objects, of which it keeps the path to the root.
type hwlocReader struct {
	d        *xml.Decoder
	path     []hwlocObject
	objects  int
	parts    parts
	hardware Hardware
	caches   map[int]bool // levels seen: 10 * level, +1 for instructions
	nodeCPUs []cpumask.Mask
	model    string
	dist     hwlocDistances
	lost     bool // a matrix of distances was there that could not be used
}

// hwlocObject is one object on the path.
type hwlocObject struct {
	kind   string // normalised: "Package", "L2", "NUMANode", ...
	number int    // of the object, unique
	index  int    // os_index; -1: none
}

func (h *hwlocReader) read() error {
	seen := false
	for {
		token, err := h.d.Token()
		if err == io.EOF {
			if !seen || len(h.path) > 0 {
				return io.ErrUnexpectedEOF
			}
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if !seen && t.Name.Local != "topology" && t.Name.Local != "root" {
				return fmt.Errorf("<%s> is no topology", clip(t.Name.Local))
			}
			seen = true
			if err := h.start(t); err != nil {
				return err
			}
		case xml.EndElement:
			if t.Name.Local == "object" {
				h.path = h.path[:len(h.path)-1]
			}
		}
	}
}

func (h *hwlocReader) start(t xml.StartElement) error {
	switch t.Name.Local {
	case "object":
		return h.object(t)
	case "info":
		h.info(attr(t, "name"), attr(t, "value"))
	case "distances2":
		return h.distances2(t)
	case "distances":
		return h.distances1(t)
	}
	return nil
}

func attr(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (h *hwlocReader) info(name, value string) {
	switch name {
	case "Architecture":
		h.parts.arch = value
	case "CPUModel":
		h.model = value
	}
}

func (h *hwlocReader) object(t xml.StartElement) error {
	if h.objects++; h.objects > maxObjects {
		return fmt.Errorf("more than %d objects", maxObjects)
	}
	if len(h.path) == maxDepth {
		return fmt.Errorf("objects nested deeper than %d", maxDepth)
	}
	o := hwlocObject{kind: h.kind(t), number: h.objects, index: -1}
	if s := attr(t, "os_index"); s != "" {
		n, err := strconv.ParseUint(s, 10, 32)
		if err != nil {
			return fmt.Errorf("os_index %q is not a number", clip(s))
		}
		o.index = int(n)
	}
	h.path = append(h.path, o)
	h.count(o.kind)
	switch o.kind {
	case "PU":
		return h.pu(o)
	case "NUMANode":
		return h.node(t, o)
	}
	return nil
}

// kind is an object's type under the name that it has since hwloc 2.
func (h *hwlocReader) kind(t xml.StartElement) string {
	kind := attr(t, "type")
	switch kind {
	case "Socket":
		return "Package"
	case "Node":
		return "NUMANode"
	case "Proc":
		return "PU"
	case "Cache":
		kind = "L" + attr(t, "depth")
		if attr(t, "cache_type") == "2" {
			kind += "i"
		}
		return kind
	}
	if level, ok := strings.CutSuffix(kind, "Cache"); ok && strings.HasPrefix(level, "L") {
		return strings.TrimSuffix(level, "d")
	}
	return kind
}

func (h *hwlocReader) count(kind string) {
	n := &h.hardware
	for name, counter := range map[string]*int{
		"Package": &n.Packages, "NUMANode": &n.Nodes, "L1": &n.L1d, "L1i": &n.L1i, "L2": &n.L2, "L3": &n.L3, "L4": &n.L4, "Core": &n.Cores, "PU": &n.CPUs,
	} {
		if kind == name {
			*counter++
		}
	}
	if len(kind) == 2 && kind[0] == 'L' && kind[1] >= '1' && kind[1] <= '9' {
		h.caches[int(kind[1]-'0')] = true
	}
}

// pu adds a CPU with the numbers of what it lies in.
func (h *hwlocReader) pu(o hwlocObject) error {
	if o.index < 0 {
		return errors.New("a PU without os_index")
	}
	if o.index >= cpumask.MaxParsed {
		return fmt.Errorf("PU %d is beyond the limit of %d CPUs", o.index, cpumask.MaxParsed)
	}
	p := unknownPart(o.index)
	for _, above := range h.path {
		switch above.kind {
		case "Package":
			p.pkg = above.number
		case "Die":
			p.die = above.number
		case "Core":
			p.core = above.number
		case "NUMANode":
			p.node = above.index
		case "L2":
			p.cluster = above.number
			if p.llc < 0 {
				p.llc = above.number
			}
		case "L3":
			p.llc = above.number
		}
	}
	h.parts.cpus = append(h.parts.cpus, p)
	return nil
}

// node adds a NUMA node with the CPUs of its cpuset.
func (h *hwlocReader) node(t xml.StartElement, o hwlocObject) error {
	if o.index < 0 || o.index >= maxNodes {
		return fmt.Errorf("NUMANode: os_index %d is not within 0..%d", o.index, maxNodes-1)
	}
	cpus, err := parseBitmap(attr(t, "cpuset"))
	if err != nil {
		return fmt.Errorf("NUMANode %d: cpuset: %w", o.index, err)
	}
	h.parts.nodes = append(h.parts.nodes, nodePart{id: o.index})
	h.nodeCPUs = append(h.nodeCPUs, cpus)
	if cpus.Empty() {
		h.hardware.MemoryOnlyNodes++
	}
	return nil
}

// parseBitmap reads hwloc's form of a set: hexadecimal words of 32 bits, the
// highest first, of which those that are zero may be empty.
func parseBitmap(s string) (cpumask.Mask, error) {
	words := strings.Split(s, ",")
	if len(words) > cpumask.MaxParsed/32 {
		return nil, fmt.Errorf("%d words are too many", len(words))
	}
	m := cpumask.New(32 * len(words))
	for i, word := range words {
		digits := strings.TrimPrefix(word, "0x")
		if digits == "" {
			continue
		}
		v, err := strconv.ParseUint(digits, 16, 32)
		if err != nil {
			return nil, fmt.Errorf("%q is not a hexadecimal word", clip(word))
		}
		base := 32 * (len(words) - 1 - i)
		for bit := range 32 {
			if v>>bit&1 != 0 {
				m.Set(base + bit)
			}
		}
	}
	return m, nil
}

// machine makes the machine of what was read.
func (h *hwlocReader) machine(name string) (*Machine, error) {
	if len(h.parts.cpus) == 0 {
		return nil, errors.New("no PU in it: no CPU is known")
	}
	h.placeCPUs()
	h.placeCaches()
	h.useDistances()
	m, err := h.parts.assemble(name)
	if err != nil {
		return nil, err
	}
	m.Hardware = h.hardware
	if m.Hardware.Nodes == 0 {
		m.Hardware.Nodes = 1 // as hwloc has it since version 2
	}
	m.Sources = append(m.Sources, "topology: hwloc XML")
	if h.model != "" {
		m.Sources = append(m.Sources, "CPU model: "+clipTo(printable(h.model), 100))
	}
	if h.lost {
		m.warnf("distances between nodes cannot be used: taken as %d and %d", localDistance, remoteDistance)
	}
	m.warnf("hwloc XML tells neither capacities nor idle states nor boot parameters: CPUs are taken as equal and none as isolated")
	return m.finish()
}

// placeCPUs gives CPUs that lie in no node the one whose cpuset names them: of
// several the smallest.
func (h *hwlocReader) placeCPUs() {
	size := map[int]int{}
	for i := range h.parts.cpus {
		c := &h.parts.cpus[i]
		if c.node >= 0 {
			continue
		}
		for j, cpus := range h.nodeCPUs {
			if !cpus.Test(c.id) {
				continue
			}
			if n := cpus.Weight(); c.node < 0 || n < size[c.id] {
				c.node, size[c.id] = h.parts.nodes[j].id, n
			}
		}
	}
}

// placeCaches drops what is no LLC: on x86 that is the L3, or the L2 where there
// is none; and no L2 is a cluster elsewhere.
func (h *hwlocReader) placeCaches() {
	x86 := h.parts.arch == "" || isX86(h.parts.arch)
	for i := range h.parts.cpus {
		c := &h.parts.cpus[i]
		if !x86 {
			c.cluster = -1
		}
		if h.caches[3] && c.llc == c.cluster {
			c.llc = -1
		}
	}
}

// printable is text of a source, as far as it can stand in a line.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	return strings.TrimSpace(s)
}
