package lab

import (
	"context"
	"errors"
	"testing"
	"time"

	"schedlab/machine"
	"schedlab/sim"
)

// TestInterrupted: Run and Compare end with their context, whatever goes on then:
// the domains of a large machine, or a run that does not look at it (its set-up).
func TestInterrupted(t *testing.T) {
	large, err := machine.Load("synthetic:sockets=64,cores=512,threads=2")
	if err != nil {
		t.Fatal(err)
	}
	release := make(chan bool)
	defer close(release)
	for what, m := range map[string]*machine.Machine{"building domains": large, "running": testMachine(4)} {
		s := testSpec(t, func(context.Context, sim.Config) (*sim.Result, error) {
			<-release
			return &sim.Result{}, nil
		})
		s.Machine = m
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		began := time.Now()
		if _, err := Run(ctx, s.Setup, s.Policies[0], 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: Run gives %v", what, err)
		}
		c, err := Compare(ctx, s)
		if err != nil || !c.Partial || c.Done() != 0 || c.Policies[1].Policy != "v6.12,sis=full" {
			t.Errorf("%s: Compare gives %+v, %v", what, c, err)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%s: ends after %v", what, took)
		}
	}
}
