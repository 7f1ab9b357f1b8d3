package sim

import "schedlab/policy"

// The measured time is that between the marks of the workload, or the whole run.
// Nothing is asked for it while events happen: what is counted begins anew at its
// begin, what is summed up by others is read there and at its end, and what was
// measured at its end is kept.

// books are the sums that the run keeps up to an instant.
type books struct {
	busy, idle         int64 // of online CPUs
	waited, waitedIdle int64
	sched              policy.Stats
}

// booksNow reads them, CPUs in the middle of a period included.
func (s *Sim) booksNow() books {
	b := books{sched: s.sched.Stats}
	for c := range s.cpus {
		if cp := &s.cpus[c]; cp.online {
			busy, idle := cp.books(s.now)
			b.busy += busy
			b.idle += idle
		}
	}
	b.waited, b.waitedIdle = s.waits.upTo(s.now)
	return b
}

// begin begins the measured time, again if it had begun or ended.
func (s *Sim) begin() {
	latency := s.stats.Latency
	if latency.TotalCount() > 0 {
		latency.Reset()
	}
	s.stats = Stats{Begin: s.now, Latency: latency, Forks: s.stats.Forks, Exits: s.stats.Exits}
	s.before = s.booksNow()
	s.marked, s.ended = Stats{}, false
	s.forgetRecords()
}

// end ends the measured time, until a later end or begin.
func (s *Sim) end() {
	kept := s.marked.Latency
	s.marked, s.ended = s.measured(), true
	if kept == nil || kept.TotalCount() != s.stats.Latency.TotalCount() {
		kept = s.stats.Latency.Clone()
	}
	s.marked.Latency = kept
}

// measured is what was measured up to now.
func (s *Sim) measured() Stats {
	st, b := s.stats, s.booksNow()
	st.End = s.now
	st.CPUs = int64(s.m.Online.Weight())
	st.Busy, st.Idle = b.busy-s.before.busy, b.idle-s.before.idle
	st.Waited, st.WaitedIdle = b.waited-s.before.waited, b.waitedIdle-s.before.waitedIdle
	st.Pulls = b.sched.Pulls - s.before.sched.Pulls
	st.Newidle = b.sched.NewidlePulls - s.before.sched.NewidlePulls
	st.DelayedWakes = b.sched.Delayed - s.before.sched.Delayed
	return st
}

func (s *Sim) result() *Result {
	st := s.marked
	if !s.ended {
		st = s.measured()
	}
	st.Now, st.Done = s.now, s.live == 0
	st.Forks, st.Exits = s.stats.Forks, s.stats.Exits
	return &Result{Stats: st, Records: s.records, Stuck: s.stuck, Digest: s.digest}
}
