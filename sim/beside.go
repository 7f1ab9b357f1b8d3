package sim

// Beside returns a builder for a workload that runs beside the one that is
// measured: the run does not wait for its tasks, and the Begin, End, Work and
// records of its programs have no effect. Its address spaces are its own.
func (b *Builder) Beside() *Builder {
	b.sim.besides++
	return &Builder{sim: b.sim, beside: true, mm: b.sim.besides << besideShift}
}

// besideShift leaves room for the address spaces that a workload names, which
// are process ids in a recording (at most 2^22).
const besideShift = 23

// besideTask is a task, started by a program or a builder, of such a workload.
func besideTask(t TaskSpec, mm int32) TaskSpec {
	t.Daemon = true
	if t.MM != 0 {
		t.MM += mm
	}
	t.Program = &besideProgram{t.Program, mm}
	return t
}

// besideProgram is a program whose measurements do not count.
type besideProgram struct {
	Program
	mm int32
}

func (p *besideProgram) Next(c *Ctx) Op {
	c.beside = true
	op := p.Program.Next(c)
	c.beside = false
	if op.Kind == OpFork {
		child := besideTask(*op.Task, p.mm)
		op.Task = &child
	}
	return op
}
