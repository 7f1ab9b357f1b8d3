package replay

import (
	"math/rand/v2"
	"testing"

	"schedlab/trace"
)

// eventsOf makes a recording of any bytes: not one that a kernel would write.
func eventsOf(data []byte) []trace.Event {
	kinds := [...]trace.Kind{trace.Switch, trace.Switch, trace.Waking, trace.Waking, trace.WakeupNew, trace.Fork, trace.Place, trace.SoftIRQ, trace.Wakeup, trace.Migrate, trace.Exit, trace.TickStop}
	states := [...]trace.State{trace.Sleeping, trace.Running, trace.Preempted, trace.Dead, trace.StateUnknown, trace.Blocked}
	var events []trace.Event
	now := int64(0)
	for ; len(data) >= 6; data = data[6:] {
		e := trace.Event{
			Kind: kinds[int(data[0])%len(kinds)], CPU: int32(data[1] % 4), PID: int32(data[1]>>2%8) - 1, Ctx: trace.Ctx(data[2] % 5), Depth: int8(data[2]>>3%4) - 1,
			PrevPID: int32(data[3]%8) - 1, PrevState: states[int(data[3]>>3)%len(states)], PrevPrio: 120,
			NextPID: int32(data[4]%8) - 1, NextPrio: int32(data[4]), Target: int32(data[4]>>3) - 2, Orig: int32(data[4] >> 6),
			Comm: "line", PrevComm: "ksoftirqd/1", NextComm: "kworker/2:1",
		}
		if e.Kind == trace.Place {
			e.Set, e.Args[trace.PlaceMask], e.Args[trace.PlaceAllowed] = 0xff, int64(data[3]&15), int64(data[3]>>4)
		}
		if e.Kind == trace.SoftIRQ {
			e.Args[trace.SoftIRQVec] = int64(data[3] % 8)
		}
		now += int64(data[5])
		e.Time = now
		events = append(events, e)
	}
	return events
}

// checkAny replays a recording of any kind.
func checkAny(t *testing.T, data []byte) {
	b := newBuilder(false)
	events := eventsOf(data)
	wakings := int64(0)
	var info trace.Info
	for i := range events {
		e := &events[i]
		info.Count[e.Kind]++
		if i == 0 {
			b.begin(trace.Info{Overwritten: int64(len(data) % 2)}, e.Time)
		}
		b.event(e)
		if e.Kind == trace.Waking && e.NextPID > 0 {
			wakings++
		}
		for id := range b.cpus {
			if c := b.cpus[id].curr; c != nil && (c.life != running || int(c.cpu) != id) {
				t.Fatalf("event %d: CPU %d runs a task in state %d on CPU %d", i, id, c.life, c.cpu)
			}
		}
	}
	b.end(info)
	w := newWorkload("any", b)
	w.jitter = 0
	checkBusy(t, w)
	s := newWorld(t, w, 3)
	s.end()
	if s.delivered != wakings || w.Wakeups() != wakings {
		t.Fatalf("%d wake-ups delivered, %d promised, %d recorded", s.delivered, w.Wakeups(), wakings)
	}
	if s.now > w.Span() {
		t.Fatalf("ends at %d, the recording at %d", s.now, w.Span())
	}
}

// FuzzBuilder: whatever was recorded, the workload ends and delivers all
// recorded wake-ups, in no more than the recorded time.
func FuzzBuilder(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 2, 9, 2, 4, 0, 0, 3, 9, 0, 4, 0, 1, 0, 9})
	f.Fuzz(checkAny)
}

func TestAnyRecording(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		data := make([]byte, 6*r.IntN(200))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		checkAny(t, data)
		if t.Failed() {
			t.Fatalf("failed for %v", data)
		}
	}
}
