package tep

import (
	"bytes"
	"encoding/binary"
)

// Layout is how the recording machine laid its values out.
type Layout struct {
	Order binary.ByteOrder
	Long  int // bytes of a long: 4 or 8
}

// Uint reads a number from a record. It reports false for a nil field, an
// array, a size that no number has, and a record that ends before it.
func (l Layout) Uint(record []byte, f *Field) (uint64, bool) {
	b := f.inline(record)
	if b == nil || f.Array {
		return 0, false
	}
	switch f.Size {
	case 1:
		return uint64(b[0]), true
	case 2:
		return uint64(l.Order.Uint16(b)), true
	case 4:
		return uint64(l.Order.Uint32(b)), true
	case 8:
		return l.Order.Uint64(b), true
	}
	return 0, false
}

// Int reads a number by the field's signedness, as an int64 (an unsigned one of
// 8 bytes keeps its bits).
func (l Layout) Int(record []byte, f *Field) (int64, bool) {
	v, ok := l.Uint(record, f)
	if !ok {
		return 0, false
	}
	if f.Signed {
		shift := 64 - 8*uint(f.Size)
		return int64(v<<shift) >> shift, true
	}
	return int64(v), true
}

// Bytes are a field's bytes, wherever they stand. They are part of the record.
func (l Layout) Bytes(record []byte, f *Field) ([]byte, bool) {
	b := f.inline(record)
	if b == nil {
		return nil, false
	}
	if f.Loc == Inline {
		return b, true
	}
	if f.Size != 4 {
		return nil, false
	}
	word := l.Order.Uint32(b)
	from, n := int(word&0xffff), int(word>>16)
	if f.Loc == RelLoc {
		from += f.Offset + f.Size
	}
	if from > len(record) || n > len(record)-from {
		return nil, false
	}
	return record[from : from+n], true
}

// Text is the text of a field up to its first NUL. It is part of the record.
func (l Layout) Text(record []byte, f *Field) ([]byte, bool) {
	b, ok := l.Bytes(record, f)
	if !ok {
		return nil, false
	}
	if end := bytes.IndexByte(b, 0); end >= 0 {
		b = b[:end]
	}
	return b, true
}

// inline are the bytes at the field's own place; nil: there are none.
func (f *Field) inline(record []byte) []byte {
	if f == nil || f.Offset > len(record) || f.Size > len(record)-f.Offset || f.Size == 0 {
		return nil
	}
	return record[f.Offset : f.Offset+f.Size]
}

// PutUint writes a number into a record, cut to the field's size. It reports
// false where Uint would.
func (l Layout) PutUint(record []byte, f *Field, v uint64) bool {
	b := f.inline(record)
	if b == nil || f.Array {
		return false
	}
	switch f.Size {
	case 1:
		b[0] = byte(v)
	case 2:
		l.Order.PutUint16(b, uint16(v))
	case 4:
		l.Order.PutUint32(b, uint32(v))
	case 8:
		l.Order.PutUint64(b, v)
	default:
		return false
	}
	return true
}

// PutText writes text into an inline array, cut so that a NUL ends it, and
// appends that of any other text field to the record, whose new extent it
// returns. A record too long for a location word is left as it is.
func (l Layout) PutText(record []byte, f *Field, text string) []byte {
	b := f.inline(record)
	switch {
	case b == nil || !f.Array:
		return record
	case f.Loc == Inline:
		clear(b)
		copy(b[:len(b)-1], text)
		return record
	}
	from, n := len(record), len(text)+1
	if f.Loc == RelLoc {
		from -= f.Offset + f.Size
	}
	if from > 0xffff || n > 0xffff || f.Size != 4 {
		return record
	}
	l.Order.PutUint32(b, uint32(n)<<16|uint32(from))
	record = append(record, text...)
	return append(record, 0)
}
