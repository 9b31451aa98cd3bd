package git

import (
	"errors"
	"io"
	"sync/atomic"
	"time"
)

// errSilent is the reason why git is stopped that neither writes output nor ends.
var errSilent = errors.New("stopped, because there was no output")

// waiting is the output of a program, which is ended if a read takes longer than a limit. A repository can make git
// wait: its settings may include a FIFO anywhere on the machine. The time between reads does not count. A limit of 0
// means any time.
type waiting struct {
	out    io.Reader
	limit  time.Duration
	end    func()
	isOver atomic.Bool
}

func (w *waiting) Read(p []byte) (int, error) {
	if w.limit > 0 {
		timer := time.AfterFunc(w.limit, func() {
			w.isOver.Store(true)
			w.end()
		})
		defer timer.Stop()
	}
	return w.out.Read(p)
}
