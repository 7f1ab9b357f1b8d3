// Package trace reads recordings of what a kernel's scheduler did.
//
// # Reading
//
// [Open] takes a recording (a directory or .tgz that holds trace.txt) or a
// trace file alone, plain or gzipped, and finds the format by content:
//
//	r, err := trace.Open("recording.tgz")
//	...
//	defer r.Close()
//	var e trace.Event
//	for {
//		if err := r.Next(&e); err == io.EOF {
//			break
//		} else if err != nil {
//			return err
//		}
//		use(&e)
//	}
//	fmt.Println(r.Info().Count[trace.Switch])
//
// A [Reader] streams: its memory does not grow with the recording. Names are
// interned, so an event that is kept costs its own size. [Summarize] reads a
// recording to its end for its [Info] alone.
//
// Damage is counted, not fatal: lines that cannot be read (Info.Malformed, with
// number and cause of the first), events that the kernel says it lost, events
// that ran out of order. Fatal are only a file that cannot be opened or
// decompressed, one of another kind, and one that holds no sched event at all.
//
// The one format so far is the text that the kernel's trace and trace_pipe
// files show (and trace-cmd report, where it prints the same fields): with and
// without the column of flags, with and without that of thread groups, 6 or 9
// digits of time.
//
// # Events
//
// An [Event] is the same type for every format; Kind says which fields hold:
//
//	Kind          subject     other fields
//	Switch        Prev, Next  PrevState
//	Waking        Next        Target: where the task last ran
//	Wakeup        Next        Target: where it was queued
//	WakeupNew     Next        Target: where it was queued
//	Migrate       Next        Orig, Target
//	Fork          Prev, Next  the parent and its child; no priorities
//	Exec          Next        Args[ExecOldPID]; Text: the file; no comm, no priority
//	Exit          Next
//	Place         NextPID     Args[PlacePrev .. PlaceLoad]
//	Placed        -           Target; Text: the function that asked
//	TimerTarget   -           Target; Text: the function that asked
//	Newidle       -           Target: the CPU; Args[NewidleAvgIdle .. NewidleOverloaded]
//	NewidleDone   -           Args[NewidlePulled]
//	Balance       -           Target: the CPU; Args[BalanceIdle .. BalanceFailed]
//	BalanceDone   -           Args[BalanceMoved]
//	Detach        NextPID     Orig, Target; Args[DetachIdle]
//	CPUIdle       -           Target: the CPU; Args[IdleState]: -1 when it leaves
//	TickStop      -           Args[TickStopped]; Text: the dependency
//	TimerStart    -           Target: the CPU; Args[TimerID .. TimerFlags]; Text: the function
//	TimerCancel   -           Args[TimerID]
//	TimerExpire   -           Args[TimerID, TimerNow, TimerBase]; Text: the function
//	HRTimerStart  -           Args[TimerID, TimerExpires, HRTimerSoft .. HRTimerArmed]; Text: the function
//	HRTimerCancel -           Args[TimerID]
//	HRTimerExpire -           Args[TimerID, TimerNow]; Text: the function
//	SoftIRQ       -           Args[SoftIRQVec]; Text: the action
//	Other         -           Text: the event's name
//
// Event.Set has bit i for every Args[i] that the event carried: older probes
// lack some. The probes Place to Detach are those of the recordings of this
// project's oracle; the other kinds are events of the kernel.
package trace
