package workspace

import (
	"cmp"
	"context"

	"github.com/kindvet/kindvet/internal/find"
)

// A Snapshot is a state of the files of a workspace. It does not change: texts of an editor and changes of files make
// further snapshots. They use what earlier ones have found out, as far as everything that was read for it is the same.
//
// Only the newest snapshot reads files. When there is a newer one, the report of an older one ends with
// [context.Canceled].
type Snapshot struct {
	options Options
	texts   *find.Overlay // on the tree of the options; nil in a run
	kept    *kept         // shared by the snapshots of a workspace; nil in a run
	ended   context.Context
	end     context.CancelFunc
}

// Run makes the report of a single snapshot, and keeps nothing.
func Run(ctx context.Context, o Options) (Result, error) { return (&Snapshot{options: o}).Report(ctx) }

// Open returns the first snapshot of a workspace, which keeps what it finds out. The options must not name standard input.
func Open(o Options) *Snapshot {
	return newSnapshot(o, find.NewOverlay(o.Files.Base.Tree), newKept(newFacts(o.Files.Base.Dir)))
}

func newSnapshot(o Options, texts *find.Overlay, k *kept) *Snapshot {
	s := &Snapshot{options: o, texts: texts, kept: k}
	s.options.Files.Base.Tree = texts
	s.ended, s.end = context.WithCancel(context.Background())
	return s
}

// Set returns a snapshot in which a file at an absolute path has the text of an editor.
func (s *Snapshot) Set(path, text string) *Snapshot { return s.next(s.texts.With(path, text), path) }

// Close returns a snapshot in which a file has the text on disk again.
func (s *Snapshot) Close(path string) *Snapshot { return s.next(s.texts.Without(path), path) }

// Changed returns a snapshot that reads files again that were written, created or removed. The paths are absolute.
func (s *Snapshot) Changed(paths ...string) *Snapshot { return s.next(s.texts, paths...) }

// next ends the work on the snapshot, and returns the next one.
func (s *Snapshot) next(texts *find.Overlay, paths ...string) *Snapshot {
	s.end()
	s.kept.mutex.Lock()
	defer s.kept.mutex.Unlock()
	for _, path := range paths {
		s.kept.facts.change(path)
	}
	return newSnapshot(s.options, texts, s.kept)
}

// Report checks the files. It returns an error if nothing could be checked; errors of single files are in the result.
func (s *Snapshot) Report(ctx context.Context) (Result, error) {
	if s.kept == nil {
		return makeReport(ctx, s.options, nil)
	}
	k := s.kept
	if o := s.options.Files; o.Old != "" || o.Since != "" || o.Staged {
		k = nil // TODO(workspace): what git tells is not among the facts, so nothing is kept
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ended, cancel)()
	s.kept.mutex.Lock()
	defer s.kept.mutex.Unlock()
	if err := cmp.Or(s.ended.Err(), ctx.Err()); err != nil { // it would keep what is no longer true
		return Result{}, err
	}
	return makeReport(ctx, s.options, k)
}
