package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
)

// loadOld reads the old objects from the named file or directory if it exists, otherwise from the git revision of
// that name.
func (in *input) loadOld(ctx context.Context, o *Options, past *find.Past) (*check.OldObjects, error) {
	if o.Old == "" {
		return nil, nil
	}
	state := check.NewOldObjects()
	in.builds.addOldObjects(state)
	_, err := o.Base.Stat(o.Old)
	if errors.Is(err, fs.ErrNotExist) {
		add := find.OldFiles{Manifest: state.Add, Chart: func(c find.OldChart) {
			in.addChart(state, o, c.Name, c.Files, in.configOf(c.Path))
		}}
		if err := past.Old(ctx, o.Old, add); err != nil {
			return nil, fmt.Errorf("--old %s: %w", o.Old, err)
		}
		return state, nil
	}
	if past.IsAlsoRevision(ctx, o.Old) {
		return nil,
			fmt.Errorf("--old %s: both a file and a git revision; use ./%[1]s for the file, or the full name of the revision",
				o.Old)
	}
	found, failures := find.Old(o.Base, o.Old)
	if len(failures) > 0 {
		return nil, fmt.Errorf("--old: %w", failures[0])
	}
	for _, f := range in.addOldBuilds(ctx, o, state, found) {
		if f.IsChart {
			files, err := f.ReadChart(o.Base.Tree)
			if err != nil {
				return nil, fmt.Errorf("--old: %w", err)
			}
			in.addChart(state, o, f.Name, files, nil)
			continue
		}
		src, err := f.Source(o.Base.Tree, disk.OldObjects, false)
		if err != nil {
			return nil, fmt.Errorf("--old: %w", err)
		}
		state.Add(src.Name, src.Text)
	}
	return state, nil
}

// configOf returns the configuration of a chart of the run.
func (in *input) configOf(path string) *find.Config {
	for i := range in.found.Files {
		if f := &in.found.Files[i]; f.Abs == path {
			return f.Config
		}
	}
	return nil
}

// addChart adds the objects of an old chart, as it is rendered with the values of this run. A chart that cannot be
// rendered has no objects.
func (in *input) addChart(state *check.OldObjects, o *Options, name string, files []chart.File, of *find.Config) {
	options := in.chartOptions(o, of)
	for _, output := range chart.Render(name, files, onServer(options, options.Kubernetes)).Outputs {
		state.AddSource(output.Source)
	}
}

// chartOptions returns how charts with a configuration are rendered. Without a configuration, that of any file counts.
func (in *input) chartOptions(o *Options, of *find.Config) chart.Options {
	options := o.Chart
	if s, ok := in.settings[of]; ok {
		options.Kubernetes = s.Kubernetes()
		return options
	}
	for i := range in.found.Files {
		options.Kubernetes = in.settings[in.found.Files[i].Config].Kubernetes()
		break
	}
	return options
}

// loadSince reads the objects at the merge base of a revision and HEAD, and removes unchanged files from the list. It
// returns nil if the run checks everything. It keeps the old versions of charts, which the workers render.
func (in *input) loadSince(ctx context.Context, o *Options, past *find.Past) (*check.OldTexts, error) {
	if o.Since == "" {
		return nil, nil
	}
	state := check.NewOldTexts()
	in.oldCharts = map[string]find.OldChart{}
	add := find.OldFiles{Manifest: state.Add, Chart: func(c find.OldChart) { in.oldCharts[c.Path] = c }}
	unchanged, err := past.Since(ctx, o.Since, add)
	if err != nil {
		return nil, err
	}
	in.found.Files = slices.DeleteFunc(in.found.Files, func(f find.File) bool { return !f.IsStdin && unchanged[f.Abs] })
	return state, nil
}
