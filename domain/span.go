package domain

import (
	"encoding/binary"

	"schedlab/cpumask"
)

// span is a set of CPUs that exists once: equal sets are the same pointer. Its
// mask is shared with the result and never changed.
type span struct {
	mask   cpumask.Mask
	weight int
}

// spans makes sets unique.
type spans struct {
	width int // CPU ids that a mask must hold
	known map[string]*span
	key   []byte
}

func newSpans(width int) *spans { return &spans{width: width, known: map[string]*span{}} }

// intern returns the one span equal to m. It keeps no reference to m.
func (s *spans) intern(m cpumask.Mask) *span {
	s.key = s.key[:0]
	for _, w := range m {
		s.key = binary.LittleEndian.AppendUint64(s.key, w)
	}
	if sp := s.known[string(s.key)]; sp != nil {
		return sp
	}
	sp := &span{mask: m.Clone(), weight: m.Weight()}
	s.known[string(s.key)] = sp
	return sp
}

// scratch returns an empty mask as wide as all interned ones are.
func (s *spans) scratch() cpumask.Mask { return cpumask.New(s.width) }
