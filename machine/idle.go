package machine

import (
	"fmt"
	"path"
	"strings"
)

const idleDir = cpuDir + "/cpuidle"

// readIdle takes the idle states that the kernel used: those of cpuidle, or a
// bare halt where a recording says that there was no driver. Else the cost
// family's stay.
func (r *reader) readIdle() error {
	cpu := r.m.Online.First()
	dir := fmt.Sprintf("%s/cpu%d/cpuidle", cpuDir, cpu)
	ids, err := r.numbered(dir, "state")
	if err != nil {
		return err
	}
	var states []IdleState
	for _, id := range ids {
		s, err := r.idleState(fmt.Sprintf("%s/state%d", dir, id))
		if err != nil {
			return err
		}
		if n := len(states); n > 0 && s.Latency < states[n-1].Latency {
			r.warnf("%s/state%d: exit latency is below that of the state before it: left out", dir, id)
			continue
		}
		states = append(states, s)
	}
	switch {
	case len(states) > 0:
		r.useIdle(states, fmt.Sprintf("idle states: cpuidle of CPU %d", cpu))
	case r.noIdleDriver():
		r.useIdle([]IdleState{{Name: "HALT", Latency: haltLatency, Halt: true}},
			"idle HALT = 2us: [M] the kernel had no cpuidle driver and halted; C1's latency of reference I")
	}
	return nil
}

// haltLatency is the exit latency of C1 on Xeons (reference I, kernel tables).
const haltLatency = 2000

// useIdle replaces the family's idle states and what Sources says of them.
func (r *reader) useIdle(states []IdleState, source string) {
	kept := r.m.Sources[:0]
	for _, line := range r.m.Sources {
		if !strings.HasPrefix(line, "idle ") {
			kept = append(kept, line)
		}
	}
	r.m.Sources = append(kept, source)
	r.m.Idle = states
}

func (r *reader) idleState(dir string) (s IdleState, err error) {
	if s.Name, _, err = r.text(path.Join(dir, "name")); err != nil {
		return s, err
	}
	const maxUs = 1 << 40
	if s.Latency, _, err = r.integer(path.Join(dir, "latency"), 0, maxUs); err != nil {
		return s, err
	}
	if s.Residency, _, err = r.integer(path.Join(dir, "residency"), 0, maxUs); err != nil {
		return s, err
	}
	s.Latency, s.Residency = s.Latency*1000, s.Residency*1000
	if s.Name == "" {
		s.Name = path.Base(dir)
	}
	desc, _, err := r.text(path.Join(dir, "desc"))
	s.Polling = s.Name == "POLL" || strings.Contains(desc, "POLL")
	s.Halt = !s.Polling && !strings.Contains(desc, "MWAIT")
	return s, err
}

// noIdleDriver reports whether the snapshot says that cpuidle had no driver.
func (r *reader) noIdleDriver() bool {
	driver, ok, _ := r.text(idleDir + "/current_driver")
	if !ok {
		driver, ok, _ = r.beside.text("cpuidle")
	}
	first, _, _ := strings.Cut(driver, "\n")
	return ok && strings.TrimSpace(first) == "none"
}
