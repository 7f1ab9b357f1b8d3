package lab

import (
	"context"
	"sync"
)

// replica is what a comparison keeps of one run.
type replica struct {
	metrics []Metric
	cut     bool
	stuck   string
}

// replicate runs all replicas and returns what each gave, nil for those that ctx
// interrupted. Job k is policy k % len(arms) with the seed k / len(arms),
// so that an interrupted comparison has about equal seeds of every policy.
func (s *Spec) replicate(ctx context.Context, arms []arm) ([]*replica, error) {
	q := queue{total: s.Runs * len(arms), progress: s.Progress}
	done := make([]*replica, q.total)
	var workers sync.WaitGroup
	for range s.workers(q.total) {
		workers.Go(func() {
			for k, ok := q.take(ctx); ok; k, ok = q.take(ctx) {
				r, err := s.job(ctx, arms, k)
				done[k] = r
				q.finish(ctx, k, err)
			}
		})
	}
	workers.Wait()
	return done, q.err
}

func (s *Spec) job(ctx context.Context, arms []arm, k int) (*replica, error) {
	a := arms[k%len(arms)]
	r, err := s.once(ctx, a, s.Seed+uint64(k/len(arms)))
	if err != nil {
		return nil, err
	}
	return &replica{Metrics(r, s.Workload.Unit()), isCut(r), r.Stuck}, nil
}

// queue hands out jobs in order and collects how they ended.
type queue struct {
	mu       sync.Mutex
	total    int
	next     int // first job not handed out
	done     int
	err      error // of the lowest job that failed
	errAt    int
	progress func(done, total int)
}

// take returns the next job; none when ctx ended or a job failed.
func (q *queue) take(ctx context.Context) (int, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == q.total || q.err != nil || ctx.Err() != nil {
		return 0, false
	}
	q.next++
	return q.next - 1, true
}

// finish records how job k ended. Jobs go out in order and those that run are
// waited for, so the lowest job that fails is the same at any number of
// workers. An error after ctx ended is the interruption, not a failure.
func (q *queue) finish(ctx context.Context, k int, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		if ctx.Err() == nil && (q.err == nil || k < q.errAt) {
			q.err, q.errAt = err, k
		}
		return
	}
	q.done++
	if q.progress != nil {
		q.progress(q.done, q.total)
	}
}
