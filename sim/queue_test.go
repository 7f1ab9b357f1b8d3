package sim

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestQueueOrder compares the event queue with a sorted list.
func TestQueueOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const slots = 12
		var q queue
		q.grow(slots)
		type pending struct {
			slot int32
			at   int64
		}
		var want []pending
		drop := func(slot int32) {
			want = slices.DeleteFunc(want, func(p pending) bool { return p.slot == slot })
		}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			slot := int32(rapid.IntRange(0, slots-1).Draw(t, "slot"))
			at := int64(rapid.IntRange(0, 20).Draw(t, "at"))
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0, 1:
				q.set(slot, at)
				drop(slot)
				i, _ := slices.BinarySearchFunc(want, at+1, func(p pending, at int64) int { return int(p.at - at) })
				want = slices.Insert(want, i, pending{slot, at})
			case 2:
				q.cancel(slot)
				drop(slot)
			case 3:
				if len(want) > 0 {
					slot, at := q.pop()
					if (pending{slot, at}) != want[0] {
						t.Fatalf("popped slot %d at %d, want %+v", slot, at, want[0])
					}
					want = want[1:]
				}
			}
			for slot := range int32(slots) {
				if q.pending(slot) != slices.ContainsFunc(want, func(p pending) bool { return p.slot == slot }) {
					t.Fatalf("slot %d: pending %v", slot, q.pending(slot))
				}
			}
		}
	})
}

// TestTimerOrder: a CPU's timers come in the order of (time, arming).
func TestTimerOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q timerQueue
		type timer struct {
			at   int64
			task int32
		}
		var want []timer
		for i := range int32(rapid.IntRange(0, 80).Draw(t, "steps")) {
			if rapid.Bool().Draw(t, "pop") && len(want) > 0 {
				if q.next() != want[0].at {
					t.Fatalf("next at %d, want %d", q.next(), want[0].at)
				}
				if task := q.pop(); task != want[0].task {
					t.Fatalf("task %d, want %d", task, want[0].task)
				}
				want = want[1:]
				continue
			}
			at := int64(rapid.IntRange(0, 9).Draw(t, "at"))
			q.push(at, i)
			pos, _ := slices.BinarySearchFunc(want, at+1, func(x timer, at int64) int { return int(x.at - at) })
			want = slices.Insert(want, pos, timer{at, i})
		}
	})
}

// BenchmarkQueue is the bare event queue: pop the earliest, set it again later.
func BenchmarkQueue(b *testing.B) {
	for _, n := range []int{16, 48, 1 << 10, 16 << 10} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var q queue
			q.grow(n)
			r := NewRand(1, 1)
			for i := range n {
				q.set(int32(i), r.Below(1e6))
			}
			for b.Loop() {
				slot, at := q.pop()
				q.set(slot, at+r.Below(1e6))
			}
		})
	}
}

// BenchmarkTimers is the timer queue of one CPU.
func BenchmarkTimers(b *testing.B) {
	var q timerQueue
	r := NewRand(1, 1)
	for i := range int32(4) {
		q.push(r.Below(1e6), i)
	}
	for b.Loop() {
		at := q.next()
		q.push(at+r.Below(1e6), q.pop())
	}
}
