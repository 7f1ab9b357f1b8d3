package trace

import "math"

// parseInt reads a decimal number, with a sign or not. ok is false for anything
// else, and for what an int64 does not hold.
func parseInt(b []byte) (v int64, ok bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	u, ok := parseDecimal(b)
	if !ok || u > math.MaxInt64 {
		return 0, false
	}
	if negative {
		return -int64(u), true
	}
	return int64(u), true
}

// parseInt32 is parseInt for ids and priorities.
func parseInt32(b []byte) (int32, bool) {
	v, ok := parseInt(b)
	return int32(v), ok && v >= math.MinInt32 && v <= math.MaxInt32
}

func parseDecimal(b []byte) (v uint64, ok bool) {
	if len(b) == 0 || len(b) > 20 {
		return 0, false
	}
	for _, c := range b {
		d := uint64(c - '0')
		if d > 9 || v > (math.MaxUint64-d)/10 {
			return 0, false
		}
		v = v*10 + d
	}
	return v, true
}

// parseHex reads hexadecimal digits without 0x.
func parseHex(b []byte) (v uint64, ok bool) {
	if len(b) == 0 || len(b) > 16 {
		return 0, false
	}
	for _, c := range b {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		v = v<<4 | uint64(c)
	}
	return v, true
}

// parseValue reads a field's value: decimal, or hexadecimal after 0x. All 64
// bits are used: the highest is an int64's sign.
func parseValue(b []byte) (int64, bool) {
	if len(b) > 2 && b[0] == '0' && b[1]|0x20 == 'x' {
		v, ok := parseHex(b[2:])
		return int64(v), ok
	}
	if len(b) > 0 && b[0] == '-' {
		return parseInt(b)
	}
	v, ok := parseDecimal(b)
	return int64(v), ok
}

// maxSeconds is what an int64 holds in ns.
const maxSeconds = math.MaxInt64 / 1_000_000_000

var fractionScale = [10]int64{1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1}

// parseTime reads seconds with 1 to 9 digits of fraction as ns.
func parseTime(b []byte) (int64, bool) {
	i, seconds := 0, int64(0)
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		if seconds = seconds*10 + int64(b[i]-'0'); seconds >= maxSeconds {
			return 0, false
		}
	}
	if i == 0 || i == len(b) || b[i] != '.' {
		return 0, false
	}
	digits := b[i+1:]
	if len(digits) < 1 || len(digits) > 9 {
		return 0, false
	}
	fraction := int64(0)
	for _, c := range digits {
		if c-'0' > 9 {
			return 0, false
		}
		fraction = fraction*10 + int64(c-'0')
	}
	return seconds*1e9 + fraction*fractionScale[len(digits)], true
}
