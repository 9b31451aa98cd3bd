package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
)

// loadOld reads the old objects from the named file or directory if it exists, otherwise from the git revision of
// that name.
func loadOld(ctx context.Context, o *Options, past *find.Past) (*check.OldObjects, error) {
	if o.Old == "" {
		return nil, nil
	}
	state := check.NewOldObjects()
	_, err := o.Base.Stat(o.Old)
	if errors.Is(err, fs.ErrNotExist) {
		if err := past.Old(ctx, o.Old, state.Add); err != nil {
			return nil, fmt.Errorf("--old %s: %w", o.Old, err)
		}
		return state, nil
	}
	if past.IsAlsoRevision(ctx, o.Old) {
		return nil, fmt.Errorf("--old %s: both a file and a git revision; use ./%[1]s for the file, or the full name of the revision", o.Old)
	}
	found, failures := find.All(o.Base, []string{o.Old})
	if len(failures) > 0 {
		return nil, fmt.Errorf("--old: %w", failures[0])
	}
	for _, f := range found {
		src, err := f.Source(o.Base.Tree, disk.OldObjects, false)
		if err != nil {
			return nil, fmt.Errorf("--old: %w", err)
		}
		state.Add(src.Name, src.Text)
	}
	return state, nil
}

// loadSince reads the objects at the merge base of a revision and HEAD, and removes unchanged files from the list. It
// returns nil if the run checks everything.
func loadSince(ctx context.Context, o *Options, past *find.Past, files *[]find.File) (*check.OldTexts, error) {
	if o.Since == "" {
		return nil, nil
	}
	state := check.NewOldTexts()
	unchanged, err := past.Since(ctx, o.Since, state.Add)
	if err != nil {
		return nil, err
	}
	*files = slices.DeleteFunc(*files, func(f find.File) bool { return !f.IsStdin && unchanged[f.Abs] })
	return state, nil
}
