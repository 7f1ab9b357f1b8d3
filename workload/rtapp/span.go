package rtapp

// maxSpan bounds what a file is said to take, ns: a day.
const maxSpan = 24 * 3600e9

// span is how long a thread of the task is busy or asleep by itself, ns, and
// whether it ends. Loops multiply beyond any integer, hence the float.
func (t *task) span() (ns float64, ends bool) {
	if t.loop < 0 {
		return 0, false
	}
	for i := range t.phases {
		p := &t.phases[i]
		if p.loop <= 0 && t.loop > 0 {
			return 0, false
		}
		loop := 0.0
		for j := range p.events {
			loop += eventTime + float64(p.events[j].dur)
		}
		ns += float64(p.loop) * (loopTime + loop)
	}
	return float64(t.delay) + float64(t.loop)*ns, true
}
