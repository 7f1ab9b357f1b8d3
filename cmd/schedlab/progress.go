package main

import (
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// progress shows a bar on stderr while replicas run, where stderr is a
// terminal. step is what lab calls; end removes the bar.
func (a *app) progress(total int) (step func(done, total int), end func()) {
	if !isTerminal(a.stderr) {
		return nil, func() {}
	}
	p := mpb.New(mpb.WithOutput(a.stderr), mpb.WithWidth(40))
	bar := p.AddBar(int64(total),
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.CountersNoUnit("%d of %d runs")),
		mpb.AppendDecorators(timeLeft(time.Now())),
	)
	step = func(done, _ int) { bar.SetCurrent(int64(done)) }
	end = func() {
		bar.Abort(true)
		p.Wait()
	}
	return step, end
}

// timeLeft is what remains at the mean speed since start, once it is known.
func timeLeft(start time.Time) decor.Decorator {
	return decor.Any(func(s decor.Statistics) string {
		if s.Current == 0 || s.Completed {
			return ""
		}
		left := time.Duration(float64(time.Since(start)) * float64(s.Total-s.Current) / float64(s.Current))
		return left.Round(time.Second).String() + " left"
	})
}
