package trace

// maxInterned bounds the bytes of names that an interner keeps: a recording has
// few names, and a hostile file gets no more memory than this.
const maxInterned = 16 << 20

// interner makes equal names one string.
type interner struct {
	names map[string]string
	bytes int
}

func newInterner() *interner { return &interner{names: map[string]string{}} }

func (n *interner) get(b []byte) string {
	if s, ok := n.names[string(b)]; ok {
		return s
	}
	s := string(b)
	if n.bytes+len(s) <= maxInterned {
		n.bytes += len(s)
		n.names[s] = s
	}
	return s
}
