package sim

import "github.com/HdrHistogram/hdrhistogram-go"

// Record is what a workload measures itself, beyond what every run counts: the
// distribution of a latency, or an amount. It covers the measured time.
type Record struct {
	Name    string
	Latency *hdrhistogram.Histogram // ns; nil for an amount
	Unit    string                  // of an amount: "MB"
	Count   int64                   // of an amount, in parts of which Per make a Unit
	Per     int64
}

// none is the number of a record that nobody keeps.
const none = -1

// Latency adds a latency to measure and returns its number for [Ctx.Record].
func (b *Builder) Latency(name string) int32 {
	return b.record(Record{Name: name, Latency: newLatency()})
}

// Amount adds an amount to count and returns its number for [Ctx.Add], which
// counts in parts of which per make a unit.
func (b *Builder) Amount(name, unit string, per int64) int32 {
	return b.record(Record{Name: name, Unit: unit, Per: per})
}

func (b *Builder) record(r Record) int32 {
	if b.beside {
		return none
	}
	b.sim.records = append(b.sim.records, r)
	return int32(len(b.sim.records) - 1)
}

// newLatency keeps three digits of latencies up to an hour.
func newLatency() *hdrhistogram.Histogram { return hdrhistogram.New(1, 1<<42, 3) }

// Record notes a latency in ns.
func (c *Ctx) Record(record int32, ns int64) {
	if record != none && !c.sim.ended {
		_ = c.sim.records[record].Latency.RecordValue(max(ns, 0))
	}
}

// Add adds to an amount.
func (c *Ctx) Add(record int32, parts int64) {
	if record != none && !c.sim.ended {
		c.sim.records[record].Count += parts
	}
}

// forgetRecords drops what was noted before the measured time begins.
func (s *Sim) forgetRecords() {
	for i := range s.records {
		r := &s.records[i]
		r.Count = 0
		if r.Latency != nil {
			r.Latency.Reset()
		}
	}
}
