// Package interrupt ends waiting for work that cannot look at a context itself:
// reading a file, building the domains of a large machine, setting a run up.
package interrupt

import "context"

// Do calls f and returns what it gives, or ctx's error as soon as ctx ends. What f
// is about then goes on in the background, and its result is dropped: f must not
// change anything that others use.
func Do[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}
