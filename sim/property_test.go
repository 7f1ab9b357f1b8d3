package sim

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"schedlab/cpumask"
	"schedlab/machine"
	"schedlab/policy"
)

// chaos is a workload of tasks that do everything an Op can do, at random: the
// properties must hold whatever a program does.
type chaos struct {
	tasks, channels int
	seed            uint64
	masks           []cpumask.Mask
	groups          bool
	mark            func(c *Ctx, begin bool) // called now and then; nil: not
}

func (w chaos) Name() string { return "chaos" }
func (w chaos) Unit() string { return "operations" }

func (w chaos) Setup(b *Builder) error {
	for i := range w.channels {
		b.Channel(ChannelSpec{
			Capacity: int32(200 + 300*i), Overhead: int32(i * 7), LowWater: int32(100 * i),
			OneReader: i%2 == 0, OneWriter: i%3 == 0, Sync: i%2 == 1,
		})
	}
	for i := range w.tasks {
		p := &chaosTask{w: w, rand: NewRand(w.seed, uint64(i)), steps: 40, depth: 2}
		t := TaskSpec{
			Name: fmt.Sprintf("chaos-%d", i), Program: p, Start: p.rand.Below(3_000_000), Daemon: true,
			Sched: chaosSched(i, &p.rand),
		}
		if w.groups && i%4 == 1 {
			var err error
			if t.Group, err = b.Group(fmt.Sprintf("group-%d", i%3), 0); err != nil {
				return err
			}
		}
		if i%3 == 2 && len(w.masks) > 0 {
			t.Affinity = w.masks[i%len(w.masks)]
		}
		b.Task(t)
	}
	// The run waits for this one, so that blocked tasks do not end it early.
	b.Task(TaskSpec{Name: "clock", Program: &once{Op{Kind: OpSleep, Dur: 40_000_000}}})
	return nil
}

// chaosSched is a task of any class.
func chaosSched(i int, r *Rand) Sched {
	a := Sched{Nice: int8(r.Below(40) - 20), IdlePol: i%11 == 10, Batch: i%7 == 6}
	if i%13 == 12 {
		a.RTPrio, a.RR = int8(1+r.Below(99)), i%2 == 0
	}
	return a
}

type once struct{ op Op }

func (o *once) Next(*Ctx) Op {
	op := o.op
	o.op = Op{}
	return op
}

type chaosTask struct {
	w     chaos
	rand  Rand
	steps int
	depth int
}

func (p *chaosTask) Next(c *Ctx) Op {
	if p.steps--; p.steps < 0 {
		return Op{}
	}
	c.Work(1)
	r := &p.rand
	if p.w.mark != nil && r.Below(8) == 0 {
		p.w.mark(c, r.Below(2) == 0)
	}
	ch := int32(r.Below(int64(p.w.channels)))
	switch r.Below(12) {
	case 0, 1:
		return Op{Kind: OpRun, Dur: r.Below(2_000_000)}
	case 2:
		return Op{Kind: OpRunTime, Dur: r.Below(300_000)}
	case 3, 4, 5:
		return Op{Kind: OpSend, Obj: ch, N: 50, Dur: r.Below(3000)}
	case 6, 7:
		return Op{Kind: OpRecv, Obj: ch, N: 50, Dur: r.Below(3000)}
	case 8:
		return Op{Kind: OpSleep, Dur: r.Below(2_000_000)}
	case 9:
		if r.Below(4) == 0 {
			a := chaosSched(int(r.Below(143)), r)
			return Op{Kind: OpSched, Task: &TaskSpec{Sched: a}}
		}
		return Op{Kind: OpYield}
	case 10:
		if len(p.w.masks) > 0 {
			return Op{Kind: OpAffinity, Task: &TaskSpec{Affinity: p.w.masks[r.Below(int64(len(p.w.masks)))]}}
		}
		return Op{Kind: OpSleepUntil, Dur: c.Now + 1000}
	}
	if p.depth == 0 {
		return Op{Kind: OpSleep, Dur: 10}
	}
	child := &chaosTask{w: p.w, rand: NewRand(p.w.seed, uint64(r.Uint32())), steps: 10, depth: p.depth - 1}
	return Op{Kind: OpFork, Dur: 1000, Task: &TaskSpec{Name: "child", Program: child, Daemon: true}}
}

func drawMachine(t *rapid.T) *machine.Machine {
	sockets := rapid.IntRange(1, 3).Draw(t, "sockets")
	cores := rapid.IntRange(1, 6).Draw(t, "cores")
	threads := rapid.IntRange(1, 2).Draw(t, "threads")
	name := fmt.Sprintf("synthetic:sockets=%d,cores=%d,threads=%d", sockets, cores, threads)
	m, err := machine.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	n := len(m.CPUs)
	if iso := rapid.IntRange(0, n-1).Draw(t, "isolated"); iso > 0 && rapid.Bool().Draw(t, "isolate") {
		m.Boot.Isolated = cpumask.Of(iso)
	}
	if off := rapid.IntRange(0, n-1).Draw(t, "offline"); off > 0 && rapid.Bool().Draw(t, "unplug") {
		m.Online.Clear(off)
		m.CPUs[off].Online = false
	}
	if rapid.IntRange(0, 9).Draw(t, "isolate all") == 0 {
		m.Boot.Isolated = m.Online.Clone()
	}
	return m
}

func drawMasks(t *rapid.T, m *machine.Machine) []cpumask.Mask {
	var masks []cpumask.Mask
	for i := range rapid.IntRange(0, 3).Draw(t, "masks") {
		mask := cpumask.New(len(m.CPUs))
		for c := range m.Online.All() {
			if rapid.Bool().Draw(t, fmt.Sprintf("mask %d", i)) {
				mask.Set(c)
			}
		}
		if !mask.Empty() {
			masks = append(masks, mask)
		}
	}
	return masks
}

// TestProperties: on any machine, with any program, under every version and
// switch: no task is lost or stands on two queues, no task is queued where its
// mask forbids, time adds up, every message sent is received once or still there.
func TestProperties(t *testing.T) {
	specs := []string{
		"v5.3", "v5.14", "v6.1", "v5.14,sis=util,hz=1000", "v6.1,preempt=full,recent-used=waker",
		"v4.20", "v6.12", "v6.12.117", "v4.20,recent-used=off,sis=full,newidle=off", "v6.12,recent-used=waker,sis=prop",
		"v6.12.117,DELAY_DEQUEUE=off,preempt=full,hz=1000", "v6.12,wake-affine=off,TTWU_QUEUE=off", "v4.20,sis=util,hz=1000,NEXT_BUDDY=on",
	}
	rapid.Check(t, func(t *rapid.T) {
		m := drawMachine(t)
		p, err := policy.Parse(rapid.SampledFrom(specs).Draw(t, "policy"))
		if err != nil {
			t.Fatal(err)
		}
		w := chaos{
			groups: rapid.Bool().Draw(t, "groups"),
			tasks:  rapid.IntRange(1, 40).Draw(t, "tasks"), channels: rapid.IntRange(1, 4).Draw(t, "channels"),
			seed: rapid.Uint64().Draw(t, "seed"), masks: drawMasks(t, m),
		}
		s, err := newSim(Config{Machine: m, Policy: p, Workload: w, Seed: w.seed, For: 50_000_000})
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; s.live > 0 && s.failed == nil && s.q.next() <= min(s.until, Forever-1); n++ {
			slot, at := s.q.pop()
			if at < s.now {
				t.Fatalf("time runs backwards: %d after %d", at, s.now)
			}
			s.now = at
			s.dispatch(slot)
			if n%5 == 0 {
				if err := s.verify(); err != nil {
					t.Fatalf("at %d ns: %v", s.now, err)
				}
			}
		}
		if s.failed != nil {
			t.Fatal(s.failed)
		}
		if s.live > 0 && s.q.next() == Forever {
			t.Fatalf("the run ends at %d ns with nothing pending and a task asleep", s.now)
		}
		res := s.result()
		if res.Begin != 0 || res.End != res.Now {
			t.Fatalf("measured from %d to %d, of %d ns", res.Begin, res.End, res.Now)
		}
		if err := addsUp(res); err != nil {
			t.Fatal(err)
		}
		left := int64(0)
		for i := range s.channels {
			left += int64(s.channels[i].messages)
		}
		if res.Sent != res.Received+left {
			t.Fatalf("%d messages sent, %d received, %d left", res.Sent, res.Received, left)
		}
	})
}

// verify checks what must hold between two events.
func (s *Sim) verify() error {
	if err := s.k.Verify(); err != nil {
		return err
	}
	for c := range s.cpus {
		cp, rq := &s.cpus[c], &s.k.RQ[c]
		switch {
		case !cp.online && (rq.NrRunning > 0 || rq.Curr >= 0):
			return fmt.Errorf("CPU %d is offline and has tasks", c)
		case cp.idle != (rq.Curr < 0):
			return fmt.Errorf("CPU %d: idle %v, current task %d", c, cp.idle, rq.Curr)
		case cp.running != s.q.pending(s.slotRun(int32(c))):
			return fmt.Errorf("CPU %d: running %v without its event, or the event without it", c, cp.running)
		case rq.Curr >= 0 && !cp.running:
			return fmt.Errorf("CPU %d: task %d neither runs nor has left", c, rq.Curr)
		case (cp.idle && rq.NrRunning > 0 || rq.WakePending() || rq.NeedResched) && !s.q.pendingBy(s.slotKick(int32(c)), s.hearsBy(int32(c))):
			return fmt.Errorf("CPU %d (idle: %v) is not told by %d ns: %d tasks queued, wake-ups pending %v, to reschedule %v",
				c, cp.idle, s.hearsBy(int32(c)), rq.NrRunning, rq.WakePending(), rq.NeedResched)
		case s.waits.free[c] != (cp.online && s.k.IsIdle(int32(c))):
			return fmt.Errorf("CPU %d: free %v, idle %v", c, s.waits.free[c], s.k.IsIdle(int32(c)))
		}
	}
	return nil
}

// hearsBy is when a CPU hears at the latest of what is told to it now or was told
// before: a busy one takes an interrupt, an idle one leaves its idle state.
func (s *Sim) hearsBy(c int32) int64 {
	cp := &s.cpus[c]
	if cp.idle {
		return max(s.now, cp.idleFrom) + cp.latency + s.costs.IPI
	}
	return s.now + s.costs.IPI
}

func TestDeterministic(t *testing.T) {
	m, p := load(t, "x6-2", "v6.12.117")
	w := chaos{tasks: 200, channels: 4, seed: 3}
	var first *Result
	for range 3 {
		res, err := Run(context.Background(), Config{Machine: m, Policy: p, Workload: w, Seed: 7, For: 1e8})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = res
		}
		if res.Digest != first.Digest || res.Switches != first.Switches {
			t.Fatalf("digest %x after %d switches, then %x after %d", first.Digest, first.Switches, res.Digest, res.Switches)
		}
	}
}
