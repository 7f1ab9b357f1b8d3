package trace

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

// generate makes a text with the mix of events of a recording.
func generate(rounds int) string {
	var b strings.Builder
	b.WriteString("# tracer: nop\n#\n")
	at := int64(8_000_000)
	line := func(comm string, pid int, format string, args ...any) {
		at += 7
		fmt.Fprintf(&b, "%16s-%-7d [%03d] d..2. %5d.%06d: "+format+"\n",
			append([]any{comm, pid, pid % 16, at / 1e6, at % 1e6}, args...)...)
	}
	for i := range rounds {
		me, other := 100+i%40, 100+(i+1)%40
		line("hackbench", me, "sched_waking: comm=hackbench pid=%d prio=120 target_cpu=%03d", other, other%16)
		line("hackbench", me, "place: (select_task_rq_fair+0x4/0x1150) pid=%d prev=%d flags=8 recent=3 allowed=16 mask=0xffff flips=7 util=439 load=491", other, other%16)
		line("hackbench", me, "placed: (try_to_wake_up+0x154/0x610 <- select_task_rq_fair) to=%d", other%16)
		line("hackbench", me, "sched_wakeup: comm=hackbench pid=%d prio=120 target_cpu=%03d", other, other%16)
		line("hackbench", me, "newidle: (sched_balance_newidle+0x0/0x500) this=%d avg_idle=1000000 max_cost=500000 overloaded=0", me%16)
		line("hackbench", me, "newidle_done: (pick_next_task_fair+0x4d/0x220 <- sched_balance_newidle) pulled=0")
		line("hackbench", me, "sched_switch: prev_comm=hackbench prev_pid=%d prev_prio=120 prev_state=S ==> next_comm=swapper/%d next_pid=0 next_prio=120", me, me%16)
		line("<idle>", 0, "cpu_idle: state=1 cpu_id=0")
		line("<idle>", 0, "hrtimer_start: hrtimer=00000000f87945e6 function=tick_nohz_handler expires=30443604467 softexpires=30443604467 mode=ABS|PINNED|HARD was_armed=1")
		line("<idle>", 0, "hrtimer_expire_entry: hrtimer=0000000043ed9b48 function=tick_nohz_handler now=11331777248")
		line("<idle>", 0, "cpu_idle: state=4294967295 cpu_id=0")
		line("<idle>", 0, "softirq_entry: vec=7 [action=SCHED]")
		line("<idle>", 0, "balance: (sched_balance_rq+0x0/0xe90) this=0 idle=1 level=2 newidle_cost=33846 failed=0")
		line("<idle>", 0, "balance_done: (sched_balance_domains+0x263/0x380 <- sched_balance_rq) moved=0")
		line("<idle>", 0, "sched_switch: prev_comm=swapper/%d prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=hackbench next_pid=%d next_prio=120", me%16, me)
	}
	return b.String()
}

// endless repeats a text.
type endless struct{ text, rest []byte }

func (r *endless) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		r.rest = r.text
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func endlessReader(text string) *Reader {
	return newTextReader(&source{name: "endless", r: bufio.NewReader(&endless{text: []byte(text)})})
}

func TestNoAllocationPerLine(t *testing.T) {
	r := endlessReader(strings.TrimPrefix(generate(200), "# tracer: nop\n#\n"))
	var e Event
	read := func() {
		for range 3000 {
			if err := r.Next(&e); err != nil {
				t.Fatal(err)
			}
		}
	}
	read()
	if n := testing.AllocsPerRun(20, read); n > 0 {
		t.Errorf("%v allocations in 3000 lines", n)
	}
}

// BenchmarkText reads a generated text of a recording's mix: one line an
// operation.
func BenchmarkText(b *testing.B) {
	text := generate(1000)
	r := endlessReader(text)
	b.SetBytes(int64(len(text) / bytes.Count([]byte(text), []byte("\n"))))
	b.ReportAllocs()
	var e Event
	for b.Loop() {
		if err := r.Next(&e); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRecording reads a real recording, decompression included.
func BenchmarkRecording(b *testing.B) {
	path := recordings(b)[0]
	lines := int64(0)
	for b.Loop() {
		info, err := Summarize(path)
		if err != nil && err != io.EOF {
			b.Fatal(err)
		}
		lines += info.Lines
	}
	b.ReportMetric(float64(lines)/b.Elapsed().Seconds(), "lines/s")
}
