package workspace

import "sync/atomic"

// Progress counts the checked files of a run. It is safe for concurrent use.
type Progress struct{ done, total atomic.Int64 }

// Files returns the number of checked files and of all files; 0 and 0 until the files have been found.
func (p *Progress) Files() (done, total int) { return int(p.done.Load()), int(p.total.Load()) }

func (p *Progress) start(total int) {
	if p != nil {
		p.total.Add(int64(total))
	}
}

func (p *Progress) step() {
	if p != nil {
		p.done.Add(1)
	}
}
