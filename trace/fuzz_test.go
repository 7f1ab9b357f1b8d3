package trace

import (
	"bytes"
	"slices"
	"testing"
	"testing/iotest"
)

// FuzzText: whatever the text, reading ends, counts every line once, and gives
// the same events however the bytes arrive.
func FuzzText(f *testing.F) {
	f.Add([]byte(generate(2)))
	f.Add([]byte(exitLine + "CPU:3 [LOST 17 EVENTS]\n\r\n\x00"))
	f.Add([]byte("# _-----=> irqs-off\n# => hardirq/softirq\n# entries-in-buffer/entries-written: 9/99   #P:4\n" + exitLine))
	f.Add([]byte(" a [0]: ==> -1 b-77      (   17) [003] d..2.     9.000001: sched_switch: prev_comm=a prev_pid=1 prev_pid=77 prev_prio=120 prev_state=4096 next_comm=b next_pid=78 next_prio=-1"))
	f.Fuzz(func(t *testing.T, text []byte) {
		events, info, err := readText(t, bytes.NewReader(text))
		if err == nil {
			t.Fatal("reading ended without a reason")
		}
		if info.Events() != int64(len(events)) || info.Events()+info.Malformed > info.Lines {
			t.Fatalf("%d events and %d malformed in %d lines", info.Events(), info.Malformed, info.Lines)
		}
		lines := int64(bytes.Count(text, []byte("\n")))
		if n := len(text); n > 0 && text[n-1] != '\n' {
			lines++
		}
		if info.Lines != lines {
			t.Fatalf("%d lines read of %d", info.Lines, lines)
		}
		again, _, _ := readText(t, iotest.OneByteReader(bytes.NewReader(text)))
		if !slices.Equal(events, again) {
			t.Fatalf("byte by byte: %v, at once: %v", again, events)
		}
	})
}
