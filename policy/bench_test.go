package policy

import (
	"testing"

	"schedlab/domain"
	"schedlab/kernel"
	"schedlab/machine"
)

// BenchmarkWakePickBlock is the scheduler's part of a run/sleep cycle, on one
// CPU of an otherwise idle machine: wake, switch to the task, block.
func BenchmarkWakePickBlock(b *testing.B) {
	for _, v := range Versions() {
		b.Run(v.Name, func(b *testing.B) {
			m, err := machine.Load("uma-16")
			if err != nil {
				b.Fatal(err)
			}
			p, err := Parse(v.Name)
			if err != nil {
				b.Fatal(err)
			}
			d, err := domain.Build(m, p.Rules())
			if err != nil {
				b.Fatal(err)
			}
			k := kernel.New(m, d, p.Config(16))
			s := New(p, k, 1)
			now := int64(1e9)
			id := k.NewTask(kernel.Fair, 0, 0, nil, 0)
			s.StartOn(k.Task(id), 0, now)
			s.Schedule(0, Preempted, now)
			s.Schedule(0, Blocks, now+1000)
			b.ReportAllocs()
			for b.Loop() {
				now += 1_600_000
				s.TryToWakeUp(k.Task(id), k.Task(id).CPU, kernel.WakeIRQ, now)
				c := k.Task(id).CPU
				s.EnqueuePending(c, now)
				s.Schedule(c, Preempted, now)
				now += 400_000
				s.Schedule(c, Blocks, now)
				k.Meter.Take()
			}
		})
	}
}
