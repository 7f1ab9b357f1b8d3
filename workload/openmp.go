package workload

import "schedlab/sim"

// teamBarrier is a barrier of GNU's OpenMP runtime (libgomp's do_wait): who comes
// early spins for a while, then sleeps on a futex; the last one releases all.
type teamBarrier struct {
	size    int   // threads
	word    int32 // a spinlock that stands for the word that is watched
	event   int32
	spin    int64 // ns
	arrived int
	asleep  int32
	round   int // releases so far
}

func newTeamBarrier(b *sim.Builder, size int, spin int64) *teamBarrier {
	return &teamBarrier{size: size, word: b.SpinLock(), event: b.Event(), spin: spin}
}

// atBarrier is one thread's passage through barriers.
type atBarrier struct {
	state barrierState
	round int // that it waits for the end of
}

type barrierState uint8

const (
	barrierArrives barrierState = iota
	barrierSpins
	barrierSleeps
	barrierWakes // the sleepers were woken: through
)

// pass takes a thread through a barrier: it returns operations until it reports
// that the thread is through.
func (a *atBarrier) pass(c *sim.Ctx, b *teamBarrier) (op sim.Op, through bool) {
	switch a.state {
	case barrierArrives:
		if b.arrived++; b.arrived == b.size {
			return a.release(c, b)
		}
		a.round = b.round
		a.state = barrierSpins
		return c.SpinFor(b.word, b.spin), false
	case barrierSpins:
		if a.round == b.round {
			c.StopSpinning(b.word)
			b.asleep++
			a.state = barrierSleeps
			return sim.Op{Kind: sim.OpWait, Obj: b.event, N: 1}, false
		}
	}
	a.state = barrierArrives
	return sim.Op{}, true
}

// release is what the last thread does.
func (a *atBarrier) release(c *sim.Ctx, b *teamBarrier) (op sim.Op, through bool) {
	b.arrived = 0
	b.round++
	c.Unlock(b.word)
	if b.asleep == 0 {
		return sim.Op{}, true
	}
	n := b.asleep
	b.asleep = 0
	a.state = barrierWakes
	return sim.Op{Kind: sim.OpSignal, Obj: b.event, N: n}, false
}
