package workload

import (
	"context"
	"testing"

	"schedlab/machine"
	"schedlab/policy"
	"schedlab/sim"
)

// counts are what a real channel does with messages of one size, measured on
// Linux 6.18 with net.core.wmem_default at 212992: how many fit, and how many
// must then be read before another is taken.
type counts struct{ fit, read int64 }

var measured = []struct {
	size         int32
	socket, pipe counts
}{
	{4, counts{278, 209}, counts{16384, 1024}},
	{100, counts{278, 209}, counts{640, 40}},
	{192, counts{278, 209}, counts{336, 21}},
	{193, counts{167, 126}, counts{336, 21}},
	{320, counts{167, 126}, counts{192, 12}},
	{384, counts{167, 126}, counts{160, 10}},
	{448, counts{167, 126}, counts{144, 9}},
	{500, counts{167, 126}, counts{128, 8}},
	{1000, counts{93, 70}, counts{64, 4}},
	{1728, counts{93, 70}, counts{32, 2}},
	{2000, counts{49, 37}, counts{32, 2}},
	{3776, counts{49, 37}, counts{16, 1}},
	{3777, counts{44, 34}, counts{16, 1}},
	{4096, counts{44, 34}, counts{16, 1}},
}

// TestChannelsHoldWhatRealOnesDo fills a channel with a sender that never stops,
// then reads one message less than it takes to wake the sender, and then as many.
func TestChannelsHoldWhatRealOnesDo(t *testing.T) {
	for _, m := range measured {
		for _, c := range []struct {
			name string
			spec sim.ChannelSpec
			want counts
		}{{"socket", socket(m.size), m.socket}, {"pipe", pipe(m.size), m.pipe}} {
			if sent := sentWhenRead(t, c.spec, m.size, 0); sent != c.want.fit {
				t.Errorf("%s of %d byte messages: %d fit, want %d", c.name, m.size, sent, c.want.fit)
			}
			if sent := sentWhenRead(t, c.spec, m.size, c.want.read-1); sent != c.want.fit {
				t.Errorf("%s of %d byte messages: %d sent when %d are read, want %d still", c.name, m.size, sent, c.want.read-1, c.want.fit)
			}
			if sent := sentWhenRead(t, c.spec, m.size, c.want.read); sent != c.want.fit+c.want.read {
				t.Errorf("%s of %d byte messages: %d sent when %d are read, want %d", c.name, m.size, sent, c.want.read, c.want.fit+c.want.read)
			}
		}
	}
}

// sentWhenRead is how many messages a sender gets rid of when the receiver waits
// until it is blocked, then reads some and stops.
func sentWhenRead(t *testing.T, spec sim.ChannelSpec, size int32, read int64) int64 {
	t.Helper()
	m, err := machine.Load("synthetic:sockets=1,cores=2,threads=1")
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.Parse("v6.12")
	if err != nil {
		t.Fatal(err)
	}
	res, err := sim.Run(context.Background(), sim.Config{Machine: m, Policy: p, Workload: fill{spec, size, read}, Seed: 1, For: 1e8})
	if err != nil {
		t.Fatal(err)
	}
	if res.Received != read {
		t.Fatalf("%d messages read, want %d", res.Received, read)
	}
	return res.Sent
}

// fill is a workload of one channel, a sender without end, and a receiver.
type fill struct {
	spec sim.ChannelSpec
	size int32
	read int64
}

func (w fill) Name() string { return "fill" }
func (w fill) Unit() string { return "messages" }

func (w fill) Setup(b *sim.Builder) error {
	ch := b.Channel(w.spec)
	b.Task(sim.TaskSpec{Name: "sender", Program: repeat{sim.Op{Kind: sim.OpSend, Obj: ch, N: w.size, Dur: 1}}})
	b.Task(sim.TaskSpec{Name: "receiver", Start: 5e7, Program: &times{w.read, sim.Op{Kind: sim.OpRecv, Obj: ch, N: w.size, Dur: 1}}})
	return nil
}

type repeat struct{ op sim.Op }

func (p repeat) Next(*sim.Ctx) sim.Op { return p.op }

type times struct {
	left int64
	op   sim.Op
}

func (p *times) Next(*sim.Ctx) sim.Op {
	if p.left--; p.left < 0 {
		return sim.Op{Kind: sim.OpExit}
	}
	return p.op
}
