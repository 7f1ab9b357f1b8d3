package trace

import "bytes"

func readCPUIdle(c *cursor, e *Event) string {
	e.Kind = CPUIdle
	var have need
	for {
		key, value := c.next()
		switch string(key) {
		case "state":
			c.arg(e, IdleState, key, value)
			// Printed as 32 bits without sign.
			e.Args[IdleState] = int64(int32(e.Args[IdleState]))
			have |= 1
		case "cpu_id":
			c.number(&e.Target, key, value)
			have |= 2
		case "":
			return have.missing("state", "cpu_id")
		}
	}
}

func (d *textDecoder) readTickStop(c *cursor, e *Event) string {
	e.Kind = TickStop
	var have need
	for {
		key, value := c.next()
		switch string(key) {
		case "success":
			c.arg(e, TickStopped, key, value)
			have |= 1
		case "dependency":
			e.Text = d.names.get(value)
		case "":
			return have.missing("success")
		}
	}
}

func (d *textDecoder) readTimer(k Kind, c *cursor, e *Event) string {
	e.Kind = k
	var have need
	for {
		key, value := c.next()
		switch string(key) {
		case "timer":
			timerID(e, value)
			have |= 1
		case "function":
			e.Text = d.names.get(value)
		case "expires":
			c.arg(e, TimerExpires, key, value)
		case "timeout":
			c.arg(e, TimerTimeout, key, value)
		case "bucket_expiry":
			c.arg(e, TimerBucket, key, value)
		case "cpu":
			c.number(&e.Target, key, value)
		case "idx":
			c.arg(e, TimerIndex, key, value)
		case "flags":
			e.Args[TimerFlags] = flagBits(value, &timerFlags)
			e.Set |= 1 << TimerFlags
		case "now":
			c.arg(e, TimerNow, key, value)
		case "baseclk":
			c.arg(e, TimerBase, key, value)
		case "":
			return have.missing("timer")
		}
	}
}

func (d *textDecoder) readHRTimer(k Kind, c *cursor, e *Event) string {
	e.Kind = k
	var have need
	for {
		key, value := c.next()
		switch string(key) {
		case "hrtimer":
			timerID(e, value)
			have |= 1
		case "function":
			e.Text = d.names.get(value)
		case "expires":
			c.arg(e, TimerExpires, key, value)
		case "softexpires":
			c.arg(e, HRTimerSoft, key, value)
		case "mode":
			e.Args[HRTimerMode] = flagBits(value, &hrtimerModes)
			e.Set |= 1 << HRTimerMode
		case "was_armed":
			c.arg(e, HRTimerArmed, key, value)
		case "now":
			c.arg(e, TimerNow, key, value)
		case "":
			return have.missing("hrtimer")
		}
	}
}

func (d *textDecoder) readSoftIRQ(c *cursor, e *Event) string {
	e.Kind = SoftIRQ
	var have need
	for {
		key, value := c.next()
		switch string(key) {
		case "vec":
			c.arg(e, SoftIRQVec, key, value)
			have |= 1
		case "action":
			e.Text = d.names.get(value)
		case "":
			return have.missing("vec")
		}
	}
}

// timerID reads a timer's address, which is hexadecimal without 0x, or, where
// the kernel hides addresses so early in its life, no number at all.
func timerID(e *Event, value []byte) {
	value = bytes.TrimPrefix(value, []byte("0x"))
	if v, ok := parseHex(value); ok {
		e.Args[TimerID] = int64(v)
		e.Set |= 1 << TimerID
	}
}

// flagName is the word for one bit of a field of flags.
type flagName struct {
	name string
	bit  int64
}

var timerFlags = [4]flagName{{"D", TimerDeferrable}, {"P", TimerPinned}, {"I", TimerIRQSafe}}

var hrtimerModes = [4]flagName{{"ABS", ModeAbs}, {"PINNED", ModePinned}, {"SOFT", ModeSoft}, {"HARD", ModeHard}}

// flagBits reads words separated by bars; unknown ones have no bit.
func flagBits(value []byte, names *[4]flagName) (bits int64) {
	for len(value) > 0 {
		word := value
		if i := bytes.IndexByte(value, '|'); i >= 0 {
			word, value = value[:i], value[i+1:]
		} else {
			value = nil
		}
		for i := range names {
			if string(word) == names[i].name {
				bits |= names[i].bit
			}
		}
	}
	return bits
}
