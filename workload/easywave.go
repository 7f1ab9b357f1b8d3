package workload

import (
	"fmt"
	"time"

	"schedlab/internal/keyval"
	"schedlab/sim"
)

// easywave is easyWave's time stepping on CPUs: two loops over a grid in each
// step, each shared out to a team of OpenMP threads, and a serial part behind each.
type easywave struct {
	threads, steps                int
	loop, serial, imbalance, spin int64
	throttled                     int64
	attributes
}

func init() {
	register(Info{
		Name:    "easywave",
		Summary: "parallel loops between barriers, step by step (the tsunami simulation easyWave with OpenMP)",
		Unit:    "steps",
		Short:   "threads",
		Doc: `easyWave's ewStep with OpenMP: a step has two loops over the grid, each shared out
equally to the threads of the team, and after each loop the first thread handles
the boundaries alone. A loop begins and ends with a barrier of GNU's OpenMP
runtime: who waits spins, then sleeps on a futex. It spins for a shorter time
where the team has more threads than there are CPUs.`,
	}, func(s *keyval.Spec) sim.Workload {
		return easywave{
			threads:   s.Int("threads", 1, 1, maxTasks, "threads of the team (OMP_NUM_THREADS)"),
			steps:     s.Int("steps", 100, 1, 10_000_000, "time steps"),
			loop:      s.Duration("loop", 2*time.Millisecond, time.Microsecond, time.Hour, "work of one loop, all threads together, at full speed; assumed"),
			serial:    s.Duration("serial", 20*time.Microsecond, 0, time.Hour, "work of the first thread after each loop; assumed"),
			imbalance: s.PerMille("imbalance", 100, "by how much the shares of threads differ from equal, either way: land costs nothing; assumed"),
			spin:      s.Duration("spin", 3*time.Millisecond, 0, time.Hour, "how long a thread spins at a barrier before it sleeps; libgomp estimates its default so"),
			throttled: s.Duration("throttled", time.Microsecond, 0, time.Hour, "the same with more threads than CPUs"),

			attributes: readAttributes(s),
		}
	})
}

func (w easywave) Name() string { return "easywave" }
func (w easywave) Unit() string { return "steps" }

func (w easywave) taskCount() int { return w.threads }

func (w easywave) Setup(b *sim.Builder) error {
	t, err := w.spec(b) // which the team inherits
	if err != nil {
		return err
	}
	cpus := b.Online().Weight()
	if t.Affinity != nil {
		cpus = t.Affinity.Weight()
	}
	spin := w.spin
	if w.threads > cpus {
		spin = min(spin, w.throttled)
	}
	team := &easywaveTeam{w: w, begin: newTeamBarrier(b, w.threads, spin), end: newTeamBarrier(b, w.threads, spin)}
	first := &spawner{forkTime: b.Costs().Fork / threadForkShare, then: &easywaveThread{team: team, first: true, share: team.share(b)}}
	for i := 1; i < w.threads; i++ {
		first.children = append(first.children, &sim.TaskSpec{
			Name: fmt.Sprintf("easywave-%d", i), MM: mainMM, Program: &easywaveThread{team: team, share: team.share(b)},
		})
	}
	t.Name, t.MM, t.Program = "easywave", mainMM, first
	b.Task(t)
	return nil
}

// easywaveTeam is what the threads share: the barriers at the begin of a loop,
// where idle threads wait for the next one, and at its end.
type easywaveTeam struct {
	w          easywave
	begin, end *teamBarrier
}

// share is a thread's part of every loop: which rows it has does not change.
func (t *easywaveTeam) share(b *sim.Builder) int64 {
	return b.Rand().Jitter(max(t.w.loop/int64(t.w.threads), 1), t.w.imbalance)
}

// easywaveThread is one of the team; the first one does the serial parts.
type easywaveThread struct {
	team  *easywaveTeam
	first bool
	share int64
	loops int // done
	step  easywaveStep
	at    atBarrier
}

type easywaveStep uint8

// What a thread does next.
const (
	easywaveJoins easywaveStep = iota // the begin of a loop
	easywaveWorks
	easywaveEnds // the end of a loop
	easywaveSerial
)

func (p *easywaveThread) Next(c *sim.Ctx) sim.Op {
	w := &p.team.w
	for {
		switch p.step {
		case easywaveJoins:
			if p.loops == 2*w.steps {
				return p.exit(c)
			}
			op, through := p.at.pass(c, p.team.begin)
			if !through {
				return op
			}
			if p.first && p.loops == 0 {
				c.Begin()
			}
			p.step = easywaveWorks
		case easywaveWorks:
			p.step = easywaveEnds
			return sim.Op{Kind: sim.OpRun, Dur: p.share}
		case easywaveEnds:
			op, through := p.at.pass(c, p.team.end)
			if !through {
				return op
			}
			p.loops++
			p.step = easywaveSerial
		case easywaveSerial:
			p.step = easywaveJoins
			if p.first {
				if p.loops%2 == 0 {
					c.Work(1)
				}
				return sim.Op{Kind: sim.OpRun, Dur: w.serial}
			}
		}
	}
}

// exit ends the measured time with the first thread.
func (p *easywaveThread) exit(c *sim.Ctx) sim.Op {
	if p.first {
		c.End()
	}
	return sim.Op{Kind: sim.OpExit}
}
