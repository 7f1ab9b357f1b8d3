package interrupt

import (
	"context"
	"errors"
	"testing"
)

func TestDo(t *testing.T) {
	cause := errors.New("cause")
	v, err := Do(context.Background(), func() (int, error) { return 3, cause })
	if v != 3 || err != cause {
		t.Errorf("%d, %v", v, err)
	}

	ctx, cancel := context.WithCancel(context.Background())
	begun, release := make(chan bool), make(chan bool)
	go func() { <-begun; cancel() }()
	v, err = Do(ctx, func() (int, error) { close(begun); <-release; return 3, nil })
	if v != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %d, %v", v, err)
	}
	close(release)

	if _, err = Do(ctx, func() (int, error) { t.Error("begun after the end"); return 0, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}
