package lab

import (
	"os"
	"path/filepath"
	"testing"

	"schedlab/machine"
	"schedlab/policy"
)

// TestRTAppJitter: run events vary from seed to seed by the key, and by nothing
// but it.
func TestRTAppJitter(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a,b.json")
	if err := os.WriteFile(file, []byte(`{"tasks":{"a":{"instance":3,"loop":9,"run":1000,"sleep":500}}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := machine.Load("synthetic:sockets=1,cores=1,threads=1") // on which nothing balances, at a phase that seeds draw
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.Parse("v6.12")
	if err != nil {
		t.Fatal(err)
	}
	for keys, same := range map[string]bool{"": false, ",jitter=5%": false, ",jitter=0%": true} {
		w, err := ParseWorkload("rtapp:" + file + keys)
		if err != nil {
			t.Fatal(err)
		}
		var digests [2]uint64
		for i := range digests {
			r, err := Run(t.Context(), Setup{Machine: m, Workload: w}, p, uint64(1+i))
			if err != nil || r.Cut || r.Workload != "rtapp:a,b.json" {
				t.Fatalf("%v: %+v", err, r)
			}
			digests[i] = r.Digest
		}
		if (digests[0] == digests[1]) != same {
			t.Errorf("%q: digests %x of two seeds, same should be %v", keys, digests, same)
		}
	}
}
