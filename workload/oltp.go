package workload

import (
	"fmt"
	"time"

	"schedlab/internal/keyval"
	"schedlab/sim"
)

// oltp is a database under transactions: a server process per user that
// executes statements in bursts of CPU time and waits for its client between
// them, and a log writer that makes commits durable in groups.
type oltp struct {
	users      int
	logging    bool
	statements int
	burst      int64
	turn       int64
	think      int64
	write      int64 // time of a log write on its device
	format     int64 // CPU time of the log writer for a write
	jitter     int64
	window
}

func init() {
	register(Info{
		Name:    "oltp",
		Summary: "database server processes, and a log writer that groups their commits",
		Unit:    "transactions",
		Doc: `A user's server process takes statements from its client, one after another: it
sleeps for the turn around the client, then computes. After the last statement
it commits. With logging=on it then sleeps until the log writer has written its
commit: the log writer takes all commits that wait, writes them at once, wakes their
processes one by one, and goes on with those that have come meanwhile. With
logging=off (or a log that costs nothing, on NVRAM) nothing waits.

Metric: transaction is the time from the first statement to the end of the commit.

Of the databases behind published results nothing but the machine and the number of
users is known. The number of statements is sysbench's; all times are assumed, and
none is chosen for a result. Where the machine is full follows from them: a user
keeps burst / (burst + turn) of a CPU busy, commit and think aside, so throughput
bends at about CPUs x (burst + turn) / burst users (threads of a core count as
what the two do together). Policies differ most around that bend. A smaller burst
makes wake-ups a larger part of the work; a longer write makes more commits end
at one instant, as a burst of wake-ups by one task.`,
	}, readOLTP)
}

func readOLTP(s *keyval.Spec) sim.Workload {
	const most = time.Minute
	return oltp{
		users:      s.Int("users", 32, 1, maxTasks-1, "server processes, one a user"),
		logging:    s.Bool("logging", true, "a commit waits for the log writer"),
		statements: s.Int("statements", 20, 1, 10_000, "statements of a transaction (20: sysbench's oltp_read_write)"),
		burst:      s.Duration("burst", 200*time.Microsecond, time.Microsecond, most, "work of a statement, at full speed (assumed)"),
		turn:       s.Duration("turn", 100*time.Microsecond, 0, most, "from a statement's reply to the next one: network and client (assumed)"),
		think:      s.Duration("think", 0, 0, most, "pause between transactions (0s: sysbench's clients have none)"),
		write:      s.Duration("write", 200*time.Microsecond, 0, most, "time that the log's device takes for a write (assumed: flash)"),
		format:     s.Duration("format", 20*time.Microsecond, 0, most, "work of the log writer for a write (assumed)"),
		jitter:     s.PerMille("jitter", 500, "by how much each of these times varies, uniformly, either way (assumed)"),
		window:     readWindow(s, 200*time.Millisecond, time.Second, "real runs take minutes"),
	}
}

func (w oltp) Name() string { return "oltp" }
func (w oltp) Unit() string { return "transactions" }

func (w oltp) taskCount() int { return w.users }

func (w oltp) Setup(b *sim.Builder) error {
	log := &logWriter{w: w, post: b.Costs().Syscall, event: b.Event(), idle: true}
	latency := b.Latency("transaction")
	cycle := int64(w.statements)*(w.burst+w.turn) + w.think
	if w.logging {
		b.Task(sim.TaskSpec{Name: "log-writer", Program: log, Daemon: true})
	}
	for i := range w.users {
		b.Task(sim.TaskSpec{
			Name: fmt.Sprintf("user-%d", i), Daemon: true, Start: b.Rand().Below(cycle),
			Program: &oltpUser{w: w, log: log, event: b.Event(), latency: latency},
		})
	}
	b.Task(sim.TaskSpec{Name: "oltp", Program: &windowMain{window: w.window}})
	return nil
}

// oltpUser is the server process of a user.
type oltpUser struct {
	w       oltp
	log     *logWriter
	event   int32
	latency int32
	step    oltpStep
	left    int // statements of the transaction
	since   int64
}

type oltpStep uint8

// Steps of a user: what it does next.
const (
	oltpThinks oltpStep = iota
	oltpWaits           // for a statement
	oltpComputes
	oltpCommits
	oltpSleeps // until its commit is written
	oltpEnds
)

func (p *oltpUser) Next(c *sim.Ctx) sim.Op {
	for {
		switch p.step {
		case oltpThinks:
			p.step, p.left = oltpWaits, p.w.statements
			if p.w.think > 0 {
				return sim.Op{Kind: sim.OpSleep, Dur: c.Rand.Jitter(p.w.think, p.w.jitter)}
			}
		case oltpWaits:
			if p.left == p.w.statements {
				p.since = c.Now
			}
			p.step = oltpComputes
			return sim.Op{Kind: sim.OpSleep, Dur: c.Rand.Jitter(p.w.turn, p.w.jitter)}
		case oltpComputes:
			p.step = oltpWaits
			if p.left--; p.left == 0 {
				p.step = oltpCommits
			}
			return sim.Op{Kind: sim.OpRun, Dur: c.Rand.Jitter(p.w.burst, p.w.jitter)}
		case oltpCommits:
			p.step = oltpEnds
			if p.w.logging {
				p.step = oltpSleeps
				if p.log.add(p.event) {
					return sim.Op{Kind: sim.OpSignal, Obj: p.log.event, N: 1}
				}
			}
		case oltpSleeps:
			p.step = oltpEnds
			return sim.Op{Kind: sim.OpWait, Obj: p.event, N: 1}
		case oltpEnds:
			c.Record(p.latency, c.Now-p.since)
			c.Work(1)
			p.step = oltpThinks
		}
	}
}

// logWriter writes the commits that wait in groups.
type logWriter struct {
	w       oltp
	post    int64 // CPU time to wake a process, beside the wake-up itself
	event   int32
	idle    bool    // sleeps until a commit comes
	waiting []int32 // events of processes whose commits are not being written
	writing []int32 // ... are
	woken   int
	step    logStep
}

type logStep uint8

// Steps of the log writer: what it does next.
const (
	logSleeps logStep = iota
	logFormats
	logWrites
	logPosts
	logWakes
)

// add adds a commit, and reports whether the log writer has to be woken.
func (p *logWriter) add(event int32) bool {
	p.waiting = append(p.waiting, event)
	wake := p.idle
	p.idle = false
	return wake
}

func (p *logWriter) Next(c *sim.Ctx) sim.Op {
	switch p.step {
	case logFormats:
		p.waiting, p.writing, p.woken = p.writing[:0], p.waiting, 0
		p.step = logWrites
		return sim.Op{Kind: sim.OpRun, Dur: c.Rand.Jitter(p.w.format, p.w.jitter)}
	case logWrites:
		p.step = logPosts
		return sim.Op{Kind: sim.OpSleep, Dur: c.Rand.Jitter(p.w.write, p.w.jitter)}
	case logPosts:
		if p.woken < len(p.writing) {
			p.step = logWakes
			return sim.Op{Kind: sim.OpRun, Dur: p.post}
		}
		if len(p.waiting) > 0 {
			p.step = logFormats
			return p.Next(c)
		}
		p.idle = true
	case logWakes:
		p.step = logPosts
		p.woken++
		return sim.Op{Kind: sim.OpSignal, Obj: p.writing[p.woken-1], N: 1}
	}
	p.step = logFormats
	return sim.Op{Kind: sim.OpWait, Obj: p.event, N: 1}
}
