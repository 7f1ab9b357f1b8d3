package trace

// flagLayout says which character of the flags column means what. Kernels
// differ in the columns that they have, and name them in the header.
type flagLayout struct {
	context, depth int // positions; -1 when there is none
	columns        int // seen in the header so far
}

// defaultLayout is that of a file without a header: irqs-off, need-resched,
// context, preempt depth, as all kernels without extra columns print them.
var defaultLayout = flagLayout{context: 2, depth: 3}

// column takes the name of the next column from the header; irqs-off is the
// first of every kernel.
func (l *flagLayout) column(name string) {
	switch {
	case len(name) >= 8 && name[:8] == "irqs-off":
		*l = flagLayout{context: -1, depth: -1}
	case name == "hardirq/softirq":
		l.context = l.columns
	case name == "preempt-depth":
		l.depth = l.columns
	}
	l.columns++
}

// read reads the flags of an event.
func (l *flagLayout) read(flags []byte) (Ctx, int8) {
	return contextOf(at(flags, l.context)), depthOf(at(flags, l.depth))
}

func at(b []byte, i int) byte {
	if i < 0 || i >= len(b) {
		return 0
	}
	return b[i]
}

// contextOf reads the column hardirq/softirq: H is an interrupt within a
// softirq, Z an NMI within an interrupt.
func contextOf(c byte) Ctx {
	switch c {
	case '.':
		return CtxTask
	case 's':
		return CtxSoftIRQ
	case 'h', 'H':
		return CtxHardIRQ
	case 'z', 'Z':
		return CtxNMI
	}
	return CtxUnknown
}

// depthOf reads the column preempt-depth, a hexadecimal digit or a dot.
func depthOf(c byte) int8 {
	switch {
	case c == '.':
		return 0
	case c >= '0' && c <= '9':
		return int8(c - '0')
	case c >= 'a' && c <= 'f':
		return int8(c-'a') + 10
	}
	return -1
}
