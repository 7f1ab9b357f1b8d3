package rtapp

import "testing"

// TestPolicies runs two tasks on one CPU for 250 ms, with cycles of 1 ms and of
// 250 us: how many are completed says who got the CPU.
func TestPolicies(t *testing.T) {
	for _, c := range []struct {
		what, long, short string
		least, most       int64
	}{
		{"equals", ``, ``, 600, 640},                                   // 125 + 500
		{"nice 5 for the short cycles", ``, `"priority":5,`, 420, 450}, // 188 + 247
		{"idle", ``, `"policy":"SCHED_IDLE",`, 245, 262},               // 250 + 3
		{"real-time", `"policy":"SCHED_FIFO",`, ``, 245, 252},          // 250 + 0
		{"a higher priority", `"policy":"SCHED_RR","priority":20,`, `"policy":"SCHED_FIFO",`, 245, 252},
		{"turns", `"policy":"SCHED_RR",`, `"policy":"SCHED_RR",`, 540, 720}, // 100 to 150 ms each
		{"batch", `"policy":"SCHED_BATCH",`, ``, 590, 650},
		{"two groups", `"taskgroup":"/a",`, `"taskgroup":"/b",`, 590, 650},
	} {
		source := `{"global":{"duration":1,"default_policy":"SCHED_OTHER"},"tasks":{
			"long":{"cpus":[0],` + c.long + `"loop":-1,"run":1000},
			"short":{"cpus":[0],` + c.short + `"loop":-1,"run":250}}}`
		res, err := on(t, "uma-16", source, 250e6)
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		if res.Work < c.least || res.Work > c.most {
			t.Errorf("%s: %d cycles in 250 ms, want %d to %d", c.what, res.Work, c.least, c.most)
		}
	}
}

// TestPhasePolicy: a phase's policy holds from its first loop to the next phase.
// For 100 loops of 1 ms both share the CPU, then the one has it alone.
func TestPhasePolicy(t *testing.T) {
	res, err := on(t, "uma-16", `{"tasks":{
		"a":{"cpus":[0],"phases":{"p":{"loop":100,"run":1000},"q":{"loop":100,"policy":"SCHED_FIFO","run":1000},"r":{"policy":"SCHED_OTHER","loop":-1,"run":1000}}},
		"b":{"cpus":[0],"loop":-1,"run":250}}}`, 400e6)
	if err != nil {
		t.Fatal(err)
	}
	// 200 ms: 100 + 400 cycles; 100 ms: 100 + 0; 100 ms: 50 + 200.
	if res.Work < 820 || res.Work > 880 {
		t.Errorf("%d cycles, want about 850", res.Work)
	}
}

// TestGroupOfMany: eight threads of a group have together what one outside has.
func TestGroupOfMany(t *testing.T) {
	res, err := on(t, "uma-16", `{"tasks":{
		"many":{"instance":8,"cpus":[0],"taskgroup":"/many","loop":-1,"run":1000},
		"one":{"cpus":[0],"loop":-1,"run":100}}}`, 1e9)
	if err != nil {
		t.Fatal(err)
	}
	if res.Work < 5200 || res.Work > 5800 { // 500 + 5000
		t.Errorf("%d cycles, want about 5500", res.Work)
	}
}
