package replay

// opKind says what an op does.
type opKind uint8

const (
	opNone     opKind = iota // left out
	opRun                    // dur: ns
	opWait                   // for the task's own event
	opSignal                 // obj: the task
	opSleep                  // dur: until when, ns since the recording's start
	opFork                   // obj: the task
	opAffinity               // obj: index into the workload's masks
)

// op is one operation of a recorded task, small because a recording has
// millions.
type op struct {
	dur  int64
	obj  int32
	kind opKind
}

// compact drops what was left out and merges runs that touch.
func compact(ops []op) []op {
	kept := ops[:0]
	for _, o := range ops {
		switch n := len(kept); {
		case o.kind == opNone:
		case o.kind == opRun && n > 0 && kept[n-1].kind == opRun:
			kept[n-1].dur += o.dur
		default:
			kept = append(kept, o)
		}
	}
	return append([]op(nil), kept...)
}
