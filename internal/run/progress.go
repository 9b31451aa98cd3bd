package run

import "sync/atomic"

// Progress counts the files of a run while it goes on. It may be read at any time.
type Progress struct{ done, total atomic.Int64 }

// Files returns how many files have been checked, and how many there are; 0 and 0 before they have been found.
func (p *Progress) Files() (done, total int) { return int(p.done.Load()), int(p.total.Load()) }

func (p *Progress) start(total int) {
	if p != nil {
		p.total.Store(int64(total))
	}
}

func (p *Progress) step() {
	if p != nil {
		p.done.Add(1)
	}
}
