package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/kindvet/kindvet/internal/workspace"
)

// A run that takes longer than patience shows its progress at regular intervals.
const (
	patience = time.Second
	often    = 200 * time.Millisecond
)

// runWatched runs the checks and shows their progress on a terminal. If the user interrupts, it does not wait for
// them, because a read of standard input may never end.
func (f *runFlags) runWatched(ctx context.Context, s *Streams,
	run func(context.Context, workspace.Options) (workspace.Result, error)) (workspace.Result, error) {
	if s.ErrIsTerminal && s.Getenv("CI") == "" && s.Getenv("TERM") != "dumb" {
		f.run.Progress = &workspace.Progress{}
		stop := show(s.Err, f.run.Progress)
		defer stop()
	}
	type outcome struct {
		result workspace.Result
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := run(ctx, f.run)
		done <- outcome{result, err}
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
		return workspace.Result{}, ctx.Err()
	}
}

// show writes the progress to a terminal until stop is called. stop clears the line.
func show(w io.Writer, p *workspace.Progress) (stop func()) {
	finished, wiped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(wiped)
		next := time.NewTimer(patience)
		defer next.Stop()
		for shown := false; ; shown = true {
			select {
			case <-finished:
				if shown {
					fmt.Fprint(w, "\r\x1b[K")
				}
				return
			case <-next.C:
				done, total := p.Files()
				fmt.Fprintf(w, "\r\x1b[Kchecked %d of %d files", done, total)
				next.Reset(often)
			}
		}
	}()
	return func() {
		close(finished)
		<-wiped
	}
}
