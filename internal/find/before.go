package find

import (
	"context"
	"slices"

	"github.com/kindvet/kindvet/internal/git"
)

// before is the state of a commit.
type before struct {
	// all are the files of the commit if the run has charts, because a link in a chart may lead to any file. Otherwise
	// they are the manifests, and those files of the run that the commit contains. Those are in byName in any case.
	all    []git.File
	byName map[string]git.File
	// changed are the files in byName that have changed or no longer exist: in the index if staged, otherwise in the
	// working tree.
	changed []git.File
}

func (r *repository) before(ctx context.Context, commit string, staged bool) (*before, error) {
	isChart := func(f tracked) bool { return f.chart != "" }
	isWanted := r.wanted()
	hasChart := slices.ContainsFunc(r.files, isChart)
	all, err := r.Files(ctx, commit, func(name string) bool { return hasChart || isWanted(name) })
	if err != nil {
		return nil, err
	}
	return r.beforeOf(ctx, all, staged)
}

// wanted returns what reports whether a file of a commit is in [before.byName].
func (r *repository) wanted() func(name string) bool {
	checked := map[string]bool{}
	var charts []tracked
	for _, f := range r.files {
		if f.chart != "" {
			charts = append(charts, f)
		}
		for _, name := range f.names {
			checked[name] = true
		}
	}
	for _, name := range r.values {
		checked[name] = true
	}
	return func(name string) bool {
		return isManifest(name) || checked[name] ||
			slices.ContainsFunc(charts, func(f tracked) bool { return f.isBelow(name) })
	}
}

// beforeOf returns the state of a commit with these files.
func (r *repository) beforeOf(ctx context.Context, all []git.File, staged bool) (*before, error) {
	isWanted := r.wanted()
	b, err := &before{all: all, byName: make(map[string]git.File, len(all))}, error(nil)
	files := slices.DeleteFunc(slices.Clone(all), func(f git.File) bool { return !isWanted(f.Name) })
	for _, f := range files {
		b.byName[f.Name] = f
	}
	if staged {
		b.changed, err = r.ChangedInIndex(ctx, files)
	} else {
		b.changed, err = r.Changed(ctx, files)
	}
	return b, err
}
