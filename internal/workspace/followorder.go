package workspace

import (
	"path/filepath"
	"slices"

	"github.com/kindvet/kindvet/internal/find"
)

// waiting are the sources in a file, or in what a kustomization builds as it is. They wait for those that may change them:
// a Flux Kustomization often adds variables to all Kustomizations below a directory. Then the objects count as they are
// changed, and these sources are dropped.
type waiting struct {
	file    *find.File
	build   *buildUnit // nil for a file
	sources []deployed
	// changed are the absolute directories that these sources deploy with changes; nil before they are looked up.
	changed []string
	isKnown bool
}

// wait adds sources to those that wait.
func (f *follower) wait(w *waiting) {
	if len(w.sources) > 0 {
		f.waiting = append(f.waiting, w)
	}
}

// dir returns the absolute directory of the file or the kustomization.
func (w *waiting) dir() string {
	if w.build != nil {
		return w.build.key.dir
	}
	return filepath.Dir(w.file.Abs)
}

// collectWaiting adds the sources that wait for no others. What a kustomization builds comes last, one at a time: what the
// others deploy may have it as a part.
func (f *follower) collectWaiting(first int, isLast bool) {
	f.waiting = slices.DeleteFunc(f.waiting, f.isReplaced)
	by := f.changing()
	isFree := func(w *waiting) bool { return isLast || !by.blocks(w) }
	left := f.waiting[:0]
	for _, w := range f.waiting {
		if w.build == nil && isFree(w) {
			f.release(w)
		} else {
			left = append(left, w)
		}
	}
	f.waiting = left
	for len(f.waiting) > 0 && (len(f.sources) == first || isLast) {
		next := slices.IndexFunc(f.waiting, isFree)
		if next < 0 {
			next = outermost(f.waiting)
		}
		f.release(f.waiting[next])
		f.waiting = slices.Delete(f.waiting, next, next+1)
	}
}

// release adds sources that waited.
func (f *follower) release(w *waiting) {
	first := len(f.sources)
	f.sources = append(f.sources, w.sources...)
	if w.build == nil {
		f.noteOmitted(w.file, f.sources[first:])
	}
}

// isReplaced reports whether the objects of a file or a kustomization count as another build changes them.
func (f *follower) isReplaced(w *waiting) bool {
	if w.build != nil {
		return f.isDropped(w.build.key.dir)
	}
	return f.plan.builds.covers(w.file)
}

// changers are sources that wait, by the absolute directories that they deploy with changes.
type changers map[string][]*waiting

// changing returns what waits, by what it may change.
func (f *follower) changing() changers {
	by := changers{}
	for _, w := range f.waiting {
		if !w.isKnown {
			w.isKnown = true
			for i := range w.sources {
				if s := &w.sources[i]; s.Edits != nil && s.IsBuilt {
					if at, ok := f.locate(s); ok {
						w.changed = append(w.changed, at.Dir)
					}
				}
			}
		}
		for _, dir := range w.changed {
			if list := by[dir]; len(list) == 0 || list[len(list)-1] != w {
				by[dir] = append(list, w)
			}
		}
	}
	return by
}

// blocks reports whether others may change what is in a directory.
func (c changers) blocks(w *waiting) bool {
	for dir := w.dir(); ; dir = filepath.Dir(dir) {
		if list := c[dir]; len(list) > 1 || len(list) == 1 && list[0] != w {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// outermost returns the index of what changes the largest part of a repository. Without it, all wait for each other.
func outermost(list []*waiting) (best int) {
	shortest := -1
	for i, w := range list {
		for _, dir := range w.changed {
			if shortest < 0 || len(dir) < shortest {
				best, shortest = i, len(dir)
			}
		}
	}
	return best
}
