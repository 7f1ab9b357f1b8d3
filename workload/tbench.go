package workload

import (
	"fmt"
	"time"

	"schedlab/internal/keyval"
	"schedlab/sim"
)

// tbench is tbench of the dbench suite over the loopback device: each client has
// a TCP connection and a forked server process, and sends one request after
// another, each when it has the reply to the last.
type tbench struct {
	clients int
	window
	size   int64 // bytes of a read or write
	stack  int64 // CPU time of a send, on top of the machine's socket_send
	copy   int64 // ... of 1 KB copied in or out of the kernel
	think  int64
	jitter int64
}

func init() {
	register(Info{
		Name:    "tbench",
		Summary: "clients and servers in lock-step over TCP loopback (tbench of dbench)",
		Unit:    "requests",
		Doc: `Each client has a connection and a server process of its own. It sends a request,
the server reads its header and its rest, and replies; then comes the next one.
The operations are those of a file server, as often as dbench counts them, in
random order: 27% read and 9% write a piece of a file. Every send wakes the peer
from the sender itself, sync: on loopback the receiving half of TCP runs in a
softirq of the sender (so do recordings of 6.12).

Metrics: transfer is the file data of reads and writes, as tbench counts its MB/sec;
request is the time from a client's send to the whole reply.

socket_send and socket_recv of the machine are AF_UNIX's. What TCP adds (stack), a
copy costs (copy) and a client does between requests (think) is assumed: they set
the throughput of a client, and with it the share of time that goes into wake-ups
and switches. A policy that saves these gains more where stack is less.`,
	}, readTbench)
}

func readTbench(s *keyval.Spec) sim.Workload {
	const most = time.Second
	return tbench{
		clients: s.Int("clients", 1, 1, maxTasks/2, "clients; each has a server process"),
		window:  readWindow(s, 200*time.Millisecond, time.Second, "tbench -t T warms up for T/5, mmtests has T = 120 s"),
		size:    int64(s.Int("size", 15_200, 0, 65_000, "bytes of a read or write (15.2 KB: MB/sec by operations in published results, dbench 4)")),
		stack:   s.Duration("stack", 2*time.Microsecond, 0, most, "CPU time that TCP adds to a send, the receiver's half and the ACK included (assumed)"),
		copy:    s.Duration("copy", 100*time.Nanosecond, 0, most, "CPU time to copy 1 KB (assumed: 10 GB/s)"),
		think:   s.Duration("think", time.Microsecond, 0, most, "CPU time of a client between requests: it parses a line of its load file (assumed)"),
		jitter:  s.PerMille("jitter", 200, jitterDoc),
	}
}

// tbenchOp is an operation of the load: how often it is among all, and what its
// request and reply take (sockio.c). A file name counts twice: it is sent in
// two-byte characters.
type tbenchOp struct {
	weight         int64
	request, reply int64
	writes, reads  bool // file data goes with the request, comes with the reply
}

// nameLength is the length of a file name of the load (assumed:
// "\clients\client1\~dmtmp\" and what stands behind), foundFiles what a
// FIND_FIRST finds (assumed).
const (
	nameLength = 40
	foundFiles = 3
)

// tbenchOps are the operations by how often a published run of dbench 4 with its
// client.txt counted them (linux-btrfs, January 2024: 4 clients, 60 s).
var tbenchOps = [...]tbenchOp{
	{weight: 430_533, request: 72 + 2*nameLength + 2, reply: 87},             // NTCreateX
	{weight: 316_239, request: 47, reply: 39},                                // Close
	{weight: 18_242, request: 47 + 2*nameLength + 2*nameLength, reply: 39},   // Rename
	{weight: 86_967, request: 41 + 2*nameLength + 2, reply: 39},              // Unlink
	{weight: 390_364, request: 55 + 2*nameLength, reply: 71},                 // Qpathinfo
	{weight: 68_334, request: 59, reply: 71},                                 // Qfileinfo
	{weight: 71_601, request: 59, reply: 71},                                 // Qfsinfo
	{weight: 35_072, request: 71, reply: 47},                                 // Sfileinfo
	{weight: 150_942, request: 59 + 2*nameLength, reply: 39 + 90*foundFiles}, // Find
	{weight: 214_235, request: 59, reply: 55, writes: true},                  // WriteX
	{weight: 675_557, request: 59, reply: 59, reads: true},                   // ReadX
	{weight: 2 * 1_406, request: 51, reply: 39},                              // LockX, UnlockX
	{weight: 30_182, request: 41, reply: 39},                                 // Flush
}

var tbenchWeights = func() (sum int64) {
	for _, op := range tbenchOps {
		sum += op.weight
	}
	return sum
}()

func (w tbench) Name() string { return "tbench" }
func (w tbench) Unit() string { return "requests" }

func (w tbench) taskCount() int { return w.clients * 2 }

func (w tbench) Setup(b *sim.Builder) error {
	c := b.Costs()
	r := &tbenchRun{
		w: w, send: c.SocketSend + w.stack, receive: c.SocketRecv,
		latency: b.Latency("request"), transfer: b.Amount("transfer", "MB", 1_000_000),
	}
	m := &windowMain{window: w.window, forkTime: c.Fork}
	listener := &spawner{forkTime: c.Fork}
	for i := range w.clients {
		conn := &connection{there: b.Channel(tcp()), back: b.Channel(tcp())}
		listener.children = append(listener.children, &sim.TaskSpec{
			Name: fmt.Sprintf("tbench_srv-%d", i), Daemon: true, Program: &tbenchServer{r: r, conn: conn},
		})
		m.children = append(m.children, &sim.TaskSpec{
			Name: fmt.Sprintf("tbench-%d", i), Daemon: true, Program: &tbenchClient{r: r, conn: conn},
		})
	}
	b.Task(sim.TaskSpec{Name: "tbench_srv", Program: listener, Daemon: true})
	b.Task(sim.TaskSpec{Name: "tbench", Program: m})
	return nil
}

// tcp is one direction of a connection over loopback that carries one message
// at a time: its buffer is never full. The receiver's half of TCP wakes the
// reader, sync (sock_def_readable).
func tcp() sim.ChannelSpec {
	return sim.ChannelSpec{Capacity: 1 << 20, LowWater: 1 << 19, OneReader: true, OneWriter: true, Sync: true}
}

// tbenchRun is what the tasks of a run share.
type tbenchRun struct {
	w                 tbench
	send, receive     int64
	latency, transfer int32
}

// copied is the CPU time of a system call that also copies bytes.
func (r *tbenchRun) copied(c *sim.Ctx, call, bytes int64) int64 {
	return c.Rand.Jitter(call+bytes*r.w.copy/1024, r.w.jitter)
}

// connection is a client's connection. The sizes of the message on its way are
// its first two words in tbench.
type connection struct {
	there, back    int32
	request, reply int64
}

// tbenchClient sends a request, then reads the reply's header and its rest.
type tbenchClient struct {
	r     *tbenchRun
	conn  *connection
	step  clientStep
	data  int64 // file data of the request under way
	since int64
}

type clientStep uint8

// Steps of a client: what it does next.
const (
	clientThinks clientStep = iota
	clientSends
	clientReads
	clientReadsRest
	clientDone
)

func (p *tbenchClient) Next(c *sim.Ctx) sim.Op {
	r, conn := p.r, p.conn
	if p.step == clientDone {
		c.Record(r.latency, c.Now-p.since)
		c.Add(r.transfer, p.data)
		c.Work(1)
		p.step = clientThinks
	}
	p.step++
	switch p.step {
	case clientSends:
		return sim.Op{Kind: sim.OpRun, Dur: c.Rand.Jitter(r.w.think, r.w.jitter)}
	case clientReads:
		p.draw(c)
		p.since = c.Now
		return sim.Op{Kind: sim.OpSend, Obj: conn.there, N: int32(conn.request), Dur: r.copied(c, r.send, conn.request)}
	case clientReadsRest:
		return sim.Op{Kind: sim.OpRecv, Obj: conn.back, N: int32(conn.reply), Dur: r.copied(c, r.receive, 0)}
	}
	return sim.Op{Kind: sim.OpRun, Dur: r.copied(c, r.receive, conn.reply)}
}

// draw chooses the next operation.
func (p *tbenchClient) draw(c *sim.Ctx) {
	n := c.Rand.Below(tbenchWeights)
	i := 0
	for n >= tbenchOps[i].weight {
		n -= tbenchOps[i].weight
		i++
	}
	op, size := &tbenchOps[i], p.r.w.size
	p.conn.request, p.conn.reply, p.data = op.request, op.reply, 0
	switch {
	case op.writes:
		p.conn.request, p.data = op.request+size, size
	case op.reads:
		p.conn.reply, p.data = op.reply+size, size
	}
}

// tbenchServer reads a request's header, then its rest, and replies.
type tbenchServer struct {
	r    *tbenchRun
	conn *connection
	has  bool // a header
}

func (p *tbenchServer) Next(c *sim.Ctx) sim.Op {
	r, conn := p.r, p.conn
	if p.has = !p.has; p.has {
		return sim.Op{Kind: sim.OpRecv, Obj: conn.there, N: int32(conn.request), Dur: r.copied(c, r.receive, 0)}
	}
	// The read of the rest never blocks; it and the send are one piece of CPU time.
	rest := r.copied(c, r.receive, conn.request)
	return sim.Op{Kind: sim.OpSend, Obj: conn.back, N: int32(conn.reply), Dur: rest + r.copied(c, r.send, conn.reply)}
}
