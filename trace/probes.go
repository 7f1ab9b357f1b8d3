package trace

import "bytes"

func readPlace(c *cursor, e *Event) string {
	e.Kind = Place
	var have need
	for {
		key, value := c.next()
		i := -1
		switch string(key) {
		case "pid":
			c.number(&e.NextPID, key, value)
			have |= 1
			continue
		case "prev":
			i = PlacePrev
		case "flags":
			i = PlaceFlags
		case "recent":
			i = PlaceRecent
		case "allowed":
			i = PlaceAllowed
		case "mask":
			i = PlaceMask
		case "flips":
			i = PlaceFlips
		case "util":
			i = PlaceUtil
		case "load":
			i = PlaceLoad
		case "":
			return have.missing("pid")
		default:
			continue
		}
		c.arg(e, i, key, value)
	}
}

// readTarget reads a return probe: "(CALLER+0x254/0x610 <- FUNCTION) to=N".
func (d *textDecoder) readTarget(k Kind, c *cursor, e *Event) string {
	e.Kind = k
	if len(c.rest) > 0 && c.rest[0] == '(' {
		caller := c.rest[1:]
		if i := bytes.IndexAny(caller, "+ )"); i >= 0 {
			e.Text = d.names.get(caller[:i])
		}
	}
	var have need
	for {
		key, value := c.next()
		switch string(key) {
		case "to":
			c.number(&e.Target, key, value)
			have |= 1
		case "":
			return have.missing("to")
		}
	}
}

func readNewidle(c *cursor, e *Event) string {
	e.Kind = Newidle
	var have need
	for {
		key, value := c.next()
		switch string(key) {
		case "this":
			c.number(&e.Target, key, value)
			have |= 1
		case "avg_idle":
			c.arg(e, NewidleAvgIdle, key, value)
		case "max_cost":
			c.arg(e, NewidleMaxCost, key, value)
		case "overloaded":
			c.arg(e, NewidleOverloaded, key, value)
		case "":
			return have.missing("this")
		}
	}
}

func readBalance(c *cursor, e *Event) string {
	e.Kind = Balance
	var have need
	for {
		key, value := c.next()
		switch string(key) {
		case "this":
			c.number(&e.Target, key, value)
			have |= 1
		case "idle":
			c.arg(e, BalanceIdle, key, value)
		case "level":
			c.arg(e, BalanceLevel, key, value)
		case "newidle_cost":
			c.arg(e, BalanceCost, key, value)
		case "failed":
			c.arg(e, BalanceFailed, key, value)
		case "":
			return have.missing("this")
		}
	}
}

func readDetach(c *cursor, e *Event) string {
	e.Kind = Detach
	var have need
	for {
		key, value := c.next()
		switch string(key) {
		case "pid":
			c.number(&e.NextPID, key, value)
			have |= 1
		case "src":
			c.number(&e.Orig, key, value)
			have |= 2
		case "dst":
			c.number(&e.Target, key, value)
			have |= 4
		case "idle":
			c.arg(e, DetachIdle, key, value)
		case "":
			return have.missing("pid", "src", "dst")
		}
	}
}

// readOne reads an event with one field.
func readOne(k Kind, arg int, field string, c *cursor, e *Event) string {
	e.Kind = k
	for {
		key, value := c.next()
		if key == nil {
			break
		}
		if string(key) == field {
			c.arg(e, arg, key, value)
			return ""
		}
	}
	return "no " + field
}
