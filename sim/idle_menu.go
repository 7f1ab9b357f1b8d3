package sim

// idleGuess is a CPU's part of the menu governor (reference F.4): the last idle
// periods, and how much shorter than the time to the next timer they were.
type idleGuess struct {
	recent     [8]int32 // us, ring
	sorted     [8]int32 // the same in ascending order
	sum        int64    // of them
	squares    int64
	nth        uint8
	bucket     uint8
	correction [6]int32 // by length of the time to the next timer, unity at 8*1024
	sleep      int64    // ns to the next timer at the last entry
	set        bool
}

const (
	unity     = 8 * 1024
	noPattern = 1 << 62
	longIdle  = 50_000_000 // ns: from here on a period counts as what was expected
)

// expect is how long a CPU that enters idle is expected to stay so: the typical
// one of its last periods, at most the corrected time to its next timer.
func (g *idleGuess) expect(sleep int64) int64 {
	if !g.set {
		g.set = true
		for i := range g.correction {
			g.correction[i] = unity
		}
	}
	g.sleep = sleep
	g.bucket = bucketOf(sleep)
	return min(sleep*int64(g.correction[g.bucket])/unity, g.typical())
}

// bucketOf sorts times to the next timer: below 10 us, 100 us, 1, 10, 100 ms, more.
func bucketOf(ns int64) uint8 {
	b := uint8(0)
	for limit := int64(10_000); b < 5 && ns >= limit; limit *= 10 {
		b++
	}
	return b
}

// learn takes in how long the CPU was idle, without the exit latency.
func (g *idleGuess) learn(idle, latency int64) {
	measured := idle - latency
	if idle < 2*latency {
		measured = idle / 2
	}
	measured = min(max(measured, 0), g.sleep)
	c := &g.correction[g.bucket]
	*c -= *c / 8
	if measured >= longIdle || g.sleep <= 0 {
		*c += 1024
	} else {
		*c += int32(1024 * measured / g.sleep)
	}
	*c = max(*c, 1)
	g.remember(int32(min(measured/1000, 1<<30)))
}

// remember puts a period in the place of the oldest of eight, and keeps the
// eight in order with their sums.
func (g *idleGuess) remember(us int32) {
	slot := &g.recent[g.nth%8]
	old := *slot
	*slot = us
	if g.nth++; g.nth == 16 {
		g.nth = 8
	}
	g.sum += int64(us) - int64(old)
	g.squares += int64(us)*int64(us) - int64(old)*int64(old)
	i := 0
	for g.sorted[i] != old {
		i++
	}
	for ; i > 0 && g.sorted[i-1] > us; i-- {
		g.sorted[i] = g.sorted[i-1]
	}
	for ; i < 7 && g.sorted[i+1] < us; i++ {
		g.sorted[i] = g.sorted[i+1]
	}
	g.sorted[i] = us
}

// typical is the mean of the last periods if they are alike, the longest ones
// left out down to six of eight; noPattern otherwise.
func (g *idleGuess) typical() int64 {
	if g.nth < 8 {
		return noPattern
	}
	n, sum, squares := int64(8), g.sum, g.squares
	for {
		avg := sum / n
		variance := squares/n - avg*avg
		if variance <= 400 || avg < 1<<29 && avg*avg > 36*variance {
			return avg * 1000
		}
		// Leave the longest out, and its equals.
		for longest := g.sorted[n-1]; n > 0 && g.sorted[n-1] == longest; n-- {
			sum -= int64(longest)
			squares -= int64(longest) * int64(longest)
		}
		if n < 6 {
			return noPattern
		}
	}
}
