package rtapp

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Bounds of a document. rt-app's own are json-c's 32 levels, and memory.
const (
	maxBytes  = 8 << 20
	maxValues = 400_000
	maxDepth  = 32
)

// scan reads a document as json-c reads it when it is not told to be strict:
// comments of both kinds, a comma behind the last item, strings in either quote
// with any bytes, true, false and null in any case. What follows the first value
// is not read; rest is its offset, -1 if nothing does. One thing is taken that
// json-c refuses: "suspend" without a value, as in rt-app's own video examples,
// which its script workgen used to complete.
func scan(d *document) (root node, rest int32, err error) {
	s := scanner{d: d, text: d.text}
	if root, err = s.value(0); err != nil {
		return node{}, -1, err
	}
	if s.space() == nil && s.at == len(s.text) {
		return root, -1, nil
	}
	return root, int32(s.at), nil
}

type scanner struct {
	d      *document
	text   string
	at     int
	values int
}

func (s *scanner) fail(format string, args ...any) error {
	return s.d.errorf(int32(s.at), format, args...)
}

// peek is the next byte; 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// next skips space and returns the byte behind it.
func (s *scanner) next() (byte, error) {
	if err := s.space(); err != nil {
		return 0, err
	}
	return s.peek(), nil
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// space skips white space and comments.
func (s *scanner) space() error {
	for {
		for s.at < len(s.text) && isSpace(s.text[s.at]) {
			s.at++
		}
		if s.peek() != '/' {
			return nil
		}
		if err := s.comment(); err != nil {
			return err
		}
	}
}

func (s *scanner) comment() error {
	rest := s.text[s.at:]
	switch {
	case strings.HasPrefix(rest, "//"):
		end := strings.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest)
		}
		s.at += end
	case strings.HasPrefix(rest, "/*"):
		end := strings.Index(rest[2:], "*/")
		if end < 0 {
			return s.fail("the comment has no end")
		}
		s.at += end + 4
	default:
		return s.fail("a comment begins with // or /*")
	}
	return nil
}

// value reads a value that lies within depth others.
func (s *scanner) value(depth int) (node, error) {
	c, err := s.next()
	if err != nil {
		return node{}, err
	}
	if depth >= maxDepth {
		return node{}, s.fail("more than %d values within each other", maxDepth)
	}
	if s.values++; s.values > maxValues {
		return node{}, s.fail("more than %d values", maxValues)
	}
	n := node{at: int32(s.at)}
	switch {
	case c == '{':
		return s.object(n, depth)
	case c == '[':
		return s.array(n, depth)
	case c == '"' || c == '\'':
		n.kind = text
		n.text, err = s.quoted()
		return n, err
	case c == '-' || c >= '0' && c <= '9':
		return s.number(n)
	}
	return s.word(n)
}

func (s *scanner) object(n node, depth int) (node, error) {
	n.kind = object
	s.at++
	for {
		c, err := s.next()
		if err != nil {
			return n, err
		}
		if c == '}' {
			s.at++
			return n, nil
		}
		m, err := s.member(c, depth)
		if err != nil {
			return n, err
		}
		n.members = append(n.members, m)
		if done, err := s.separator('}', "object"); done || err != nil {
			return n, err
		}
	}
}

func (s *scanner) member(c byte, depth int) (m member, err error) {
	m.at = int32(s.at)
	if c != '"' && c != '\'' {
		return m, s.unexpected("a key in quotes")
	}
	if m.key, err = s.quoted(); err != nil {
		return m, err
	}
	if c, err = s.next(); err != nil {
		return m, err
	}
	if c == ':' {
		s.at++
		m.value, err = s.value(depth + 1)
		return m, err
	}
	if (c == ',' || c == '}') && standsAlone(m.key) {
		m.value = node{kind: absent, at: m.at}
		return m, nil
	}
	return m, s.unexpected("':' behind a key")
}

// standsAlone says of which keys the value may be left out.
func standsAlone(key string) bool { return strings.HasPrefix(key, "suspend") }

func (s *scanner) array(n node, depth int) (node, error) {
	n.kind = array
	s.at++
	for {
		c, err := s.next()
		if err != nil {
			return n, err
		}
		if c == ']' {
			s.at++
			return n, nil
		}
		item, err := s.value(depth + 1)
		if err != nil {
			return n, err
		}
		n.items = append(n.items, item)
		if done, err := s.separator(']', "array"); done || err != nil {
			return n, err
		}
	}
}

// separator takes a comma, or the end of what it separates.
func (s *scanner) separator(end byte, what string) (done bool, err error) {
	c, err := s.next()
	switch {
	case err != nil:
		return false, err
	case c == ',':
		s.at++
		return false, nil
	case c == end:
		s.at++
		return true, nil
	}
	return false, s.unexpected("',' or '" + string(end) + "' in an " + what)
}

func (s *scanner) unexpected(wanted string) error {
	if s.at >= len(s.text) {
		return s.fail("the document ends where %s should be", wanted)
	}
	_, size := utf8.DecodeRuneInString(s.text[s.at:])
	return s.fail("%s where %s should be", show(s.text[s.at:s.at+size]), wanted)
}

// word reads true, false or null, or the numbers that are none.
func (s *scanner) word(n node) (node, error) {
	rest := s.text[s.at:]
	for _, w := range words {
		if len(rest) >= len(w.text) && strings.EqualFold(rest[:len(w.text)], w.text) {
			s.at += len(w.text)
			n.kind, n.text = w.kind, w.text
			return n, nil
		}
	}
	return n, s.unexpected("a value")
}

var words = []struct {
	text string
	kind kind
}{{"true", boolean}, {"false", boolean}, {"null", null}, {"NaN", double}, {"Infinity", double}}

// number reads a number as far as it is one. json-c's whole numbers may begin
// with zeros.
func (s *scanner) number(n node) (node, error) {
	n.kind = integer
	from := s.at
	s.at++ // its sign or first digit
	for ; ; s.at++ {
		c := s.peek()
		switch {
		case c >= '0' && c <= '9':
			continue
		case c == '.' || c == 'e' || c == 'E':
			n.kind = double
			continue
		case (c == '+' || c == '-') && (s.text[s.at-1]|0x20 == 'e'):
			continue
		}
		break
	}
	n.text = s.text[from:s.at]
	if c := s.peek(); n.text == "-" || c != 0 && c != ',' && c != ']' && c != '}' && c != '/' && !isSpace(c) {
		return n, s.unexpected("the rest of a number")
	}
	return n, nil
}

// quoted reads a string in the quotes that it begins with.
func (s *scanner) quoted() (string, error) {
	from := s.at
	quote := s.text[s.at]
	s.at++
	var out []byte // only where something is escaped
	plain := s.at
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; c {
		case quote:
			tail := s.text[plain:s.at]
			s.at++
			if out == nil {
				return tail, nil
			}
			return string(append(out, tail...)), nil
		case '\\':
			out = append(out, s.text[plain:s.at]...)
			var err error
			if out, err = s.escape(out); err != nil {
				return "", err
			}
			plain = s.at + 1
		}
	}
	s.at = from
	return "", s.fail("the string has no end")
}

// escape appends what the escape at the scanner stands for, and leaves the
// scanner on its last byte.
func (s *scanner) escape(out []byte) ([]byte, error) {
	s.at++
	c := s.peek()
	if c == 'u' {
		return s.unicode(out)
	}
	if i := strings.IndexByte(`"\/bnrtf`, c); i >= 0 && c != 0 {
		return append(out, "\"\\/\b\n\r\t\f"[i]), nil
	}
	return nil, s.unexpected("an escaped character")
}

// unicode appends the character of a \u escape, or of two that are a pair.
func (s *scanner) unicode(out []byte) ([]byte, error) {
	r, err := s.hex()
	if err != nil {
		return nil, err
	}
	if utf16.IsSurrogate(r) {
		pair := rune(utf8.RuneError)
		if rest := s.text[s.at+1:]; strings.HasPrefix(rest, `\u`) {
			back := s.at
			s.at += 2
			low, err := s.hex()
			if err != nil {
				return nil, err
			}
			if pair = utf16.DecodeRune(r, low); pair == utf8.RuneError {
				s.at = back // the second is one of its own
			}
		}
		r = pair
	}
	return utf8.AppendRune(out, r), nil
}

// hex reads four hexadecimal digits, and leaves the scanner on the last.
func (s *scanner) hex() (rune, error) {
	var r rune
	for range 4 {
		s.at++
		c := s.peek()
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, s.unexpected("a hexadecimal digit")
		}
	}
	return r, nil
}
