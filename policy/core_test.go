package policy

import (
	"testing"

	"pgregory.net/rapid"

	"schedlab/domain"
	"schedlab/kernel"
	"schedlab/machine"
)

// randomLoad puts tasks on the queues of a machine and lets time pass, so that
// averages differ.
func randomLoad(t *rapid.T, machineName string) *bench {
	m, err := machine.Load(machineName)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Parse("v6.12")
	if err != nil {
		t.Fatal(err)
	}
	d, err := domain.Build(m, p.Rules())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{Sched: New(p, kernel.New(m, d, p.Config(len(m.CPUs))), 1), now: 1e9}
	for c := range m.CPUs {
		for range rapid.SampledFrom([]int{0, 0, 1, 1, 1, 2, 3}).Draw(t, "tasks") {
			nice := rapid.SampledFrom([]int{0, 0, 5, -10}).Draw(t, "nice")
			id := b.K.NewTask(kernel.Fair, nice, 0, nil, int32(c))
			b.StartOn(b.K.Task(id), int32(c), b.now)
		}
		b.Schedule(int32(c), Preempted, b.now)
		b.now += int64(rapid.IntRange(0, 3*ms).Draw(t, "passes"))
	}
	for c := range m.CPUs {
		b.K.Tick(&b.K.RQ[c], b.now)
	}
	return b
}

// TestBusiestCore holds the short way of a newidle pass beside the walk over all
// groups: the same group, the same imbalance.
func TestBusiestCore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := randomLoad(t, rapid.SampledFrom([]string{
			"uma-16", "synthetic:sockets=1,cores=5,threads=2", "synthetic:sockets=2,cores=4,threads=2", "synthetic:sockets=1,cores=4,threads=4",
			"synthetic:sockets=1,cores=7,threads=1", "synthetic:sockets=2,cores=6,threads=1",
		}).Draw(t, "machine"))
		for c := range b.K.RQ {
			level := b.K.Dom.CPUs[c].LLCAt
			find := func(walk bool) (*domain.Group, int64, migrationType) {
				b.K.SawRT = walk // which forbids the short way
				sd := b.domains(int32(c))[level]
				e := balanceEnv{sd: sd, st: &b.K.RQ[c].SD[level], level: level, cpu: int32(c), dst: int32(c), idle: newlyIdle, cpus: sd.Span, now: b.now}
				if !walk && !b.coreWise(&e) {
					t.Fatalf("CPU %d: the short way is not taken", c)
				}
				g := b.findBusiestGroup(&e)
				return g, e.imbalance, e.kind
			}
			wantGroup, want, wantKind := find(true)
			got, imbalance, kind := find(false)
			if got != wantGroup || got != nil && (imbalance != want || kind != wantKind) {
				t.Fatalf("CPU %d: group %v with %d of kind %d, the walk finds %v with %d of %d",
					c, span(got), imbalance, kind, span(wantGroup), want, wantKind)
			}
		}
	})
}

func span(g *domain.Group) string {
	if g == nil {
		return "none"
	}
	return g.Span.String()
}

// TestNothingBeside: what a newly idle thread's short way says of its sibling is
// what the pass says.
func TestNothingBeside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := randomLoad(t, "uma-16")
		for c := range b.K.RQ {
			sd := b.domains(int32(c))[0]
			if !b.nothingBeside(sd, int32(c)) {
				continue
			}
			e := balanceEnv{sd: sd, st: &b.K.RQ[c].SD[0], cpu: int32(c), dst: int32(c), idle: newlyIdle, cpus: sd.Span, now: b.now}
			if g := b.findBusiestGroup(&e); g != nil {
				t.Fatalf("CPU %d: the pass finds group %s", c, g.Span)
			}
		}
	})
}

// TestAllHot: a queue that is said to be all cache-hot gives nothing, and keeps
// its order.
func TestAllHot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := randomLoad(t, "uma-16")
		b.now += int64(rapid.IntRange(0, ms).Draw(t, "later"))
		for c := range b.K.RQ {
			src := &b.K.RQ[c]
			level := b.K.Dom.CPUs[c].LLCAt
			dst := int32((c + 1) % len(b.K.RQ))
			sd := b.domains(dst)[level]
			e := balanceEnv{sd: sd, st: &b.K.RQ[dst].SD[level], level: level, cpu: dst, dst: dst, idle: newlyIdle, cpus: sd.Span, now: b.now, src: src}
			if src.NrRunning < 2 || !b.allHot(&e) {
				continue
			}
			for id := src.ListTail(); id != kernel.None; id = b.K.ListTowardsHead(b.K.Task(id)) {
				if task := b.K.Task(id); !task.OnCPU && b.canMigrate(&e, task) {
					t.Fatalf("CPU %d: task %d may move", c, id)
				}
			}
		}
	})
}
