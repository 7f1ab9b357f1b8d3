package sim

import (
	"fmt"
	"testing"

	"schedlab/policy"

	"pgregory.net/rapid"
)

// contest is tasks that want locks again and again, and count who is inside.
type contest struct {
	tasks, locks, rounds int
	run                  int64
	inside               []int // by lock
	most                 int   // ever inside one lock at a time
	done                 int
	ids                  []int32
}

func (w *contest) Name() string { return "contest" }
func (w *contest) Unit() string { return "rounds" }

func (w *contest) Setup(b *Builder) error {
	w.inside = make([]int, w.locks)
	for range w.locks {
		w.ids = append(w.ids, b.SpinLock())
	}
	for i := range w.tasks {
		b.Task(TaskSpec{Name: fmt.Sprintf("contestant-%d", i), Program: &contestant{w: w, left: w.rounds}, Sched: Sched{Nice: int8(i % 5)}})
	}
	return nil
}

type contestant struct {
	w    *contest
	left int
	lock int
	step int
}

func (p *contestant) Next(c *Ctx) Op {
	w := p.w
	switch p.step {
	case 0:
		if p.left == 0 {
			return Op{}
		}
		p.lock = int(c.Rand.Below(int64(w.locks)))
		p.step = 1
		return Op{Kind: OpSleep, Dur: c.Rand.Below(w.run)}
	case 1:
		if !c.TryLock(w.ids[p.lock]) {
			return c.Spin(w.ids[p.lock])
		}
		w.inside[p.lock]++
		w.most = max(w.most, w.inside[p.lock])
		p.step = 2
		return Op{Kind: OpRun, Dur: w.run}
	}
	w.inside[p.lock]--
	c.Unlock(w.ids[p.lock])
	w.done++
	p.left--
	p.step = 0
	return p.Next(c)
}

// TestSpinLock: whatever the scheduler does to holders and spinners, one task
// at a time holds a lock, nobody spins for ever, and the books are right.
func TestSpinLock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMachine(t)
		p, err := policy.Parse(rapid.SampledFrom([]string{"v4.20", "v6.12", "v6.12,preempt=full,hz=1000"}).Draw(t, "policy"))
		if err != nil {
			t.Fatal(err)
		}
		w := &contest{
			tasks: rapid.IntRange(1, 20).Draw(t, "tasks"), locks: rapid.IntRange(1, 3).Draw(t, "locks"),
			rounds: 5, run: rapid.Int64Range(1000, 8_000_000).Draw(t, "run"),
		}
		s, err := newSim(Config{Machine: m, Policy: p, Workload: w, Seed: rapid.Uint64().Draw(t, "seed"), For: 1e12})
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; s.live > 0 && s.q.next() <= min(s.until, Forever-1); n++ {
			slot, at := s.q.pop()
			s.now = at
			s.dispatch(slot)
			if err := s.verify(); n%5 == 0 && err != nil {
				t.Fatalf("at %d ns: %v", s.now, err)
			}
		}
		res := s.result()
		if s.live > 0 || w.done != w.tasks*w.rounds || w.most != 1 {
			t.Fatalf("%d tasks left, %d of %d rounds done, up to %d tasks in a lock", s.live, w.done, w.tasks*w.rounds, w.most)
		}
		if res.Busy+res.Idle != res.CPUs*res.Now {
			t.Fatalf("busy %d + idle %d is not %d CPUs x %d", res.Busy, res.Idle, res.CPUs, res.Now)
		}
	})
}

// holdAndSpin is a task that holds a lock for a while and one that spins for it.
type holdAndSpin struct{ hold int64 }

func (holdAndSpin) Name() string { return "hold" }
func (holdAndSpin) Unit() string { return "rounds" }

func (w holdAndSpin) Setup(b *Builder) error {
	lock := b.SpinLock()
	b.Task(TaskSpec{Name: "holder", Program: &script{steps: []func(*Ctx) Op{
		func(c *Ctx) Op { c.TryLock(lock); return Op{Kind: OpRun, Dur: w.hold} },
		func(c *Ctx) Op { c.Unlock(lock); return Op{} },
	}}})
	spin := func(c *Ctx) Op {
		if !c.TryLock(lock) {
			return c.Spin(lock)
		}
		return Op{}
	}
	b.Task(TaskSpec{Name: "spinner", Start: w.hold / 2, Program: &script{steps: []func(*Ctx) Op{spin, spin}}})
	return nil
}

type script struct{ steps []func(*Ctx) Op }

func (p *script) Next(c *Ctx) Op {
	step := p.steps[0]
	p.steps = p.steps[1:]
	return step(c)
}

// TestSpinningUsesTheCPU: a task that spins is busy until the lock is free, on
// another CPU and, taking turns with the holder, on the same one.
func TestSpinningUsesTheCPU(t *testing.T) {
	const hold = 10_000_000
	for _, cores := range []int{1, 2} {
		m, p := load(t, fmt.Sprintf("synthetic:sockets=1,cores=%d,threads=1", cores), "v6.12")
		res, err := Run(t.Context(), Config{Machine: m, Policy: p, Workload: holdAndSpin{hold}, Seed: 1, For: 1e9})
		if err != nil || !res.Done {
			t.Fatalf("%d cores: %v, done %v", cores, err, res.Done)
		}
		if res.Busy < hold*5/4 || res.Busy > hold*5/2 {
			t.Errorf("%d cores: busy for %d ns, want %d of the holder and some of the spinner", cores, res.Busy, hold)
		}
		if cores == 2 && (res.Now < hold || res.Now > hold*11/10) {
			t.Errorf("the spinner ended at %d ns, the lock was held until %d", res.Now, hold)
		}
	}
}
