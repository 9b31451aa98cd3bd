package run

import (
	"path/filepath"
	"slices"
	"sync"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/gitops"
	"github.com/kindvet/kindvet/internal/source"
)

// deploying is a chart whose templates may write objects of Flux or Argo CD.
type deploying struct {
	file    find.File
	sets    []chart.Set // not yet rendered
	hasSets bool
	// loaded is the chart as it was rendered last; nil before. All renders share its budget.
	loaded   *chart.Loaded
	rendered int
}

// addDeploying records a chart of the run if its templates may write objects that are followed.
func (f *follower) addDeploying(file *find.File) {
	dir := filepath.Join(file.Abs, "templates")
	entries, err := f.in.found.Tree.ReadDir(dir)
	if err != nil || len(entries) > chart.MaxFiles {
		return
	}
	for _, d := range entries {
		if !d.Type().IsRegular() {
			continue
		}
		text, err := f.in.found.Tree.Read(filepath.Join(dir, d.Name()), disk.Chart)
		if err == nil && gitops.Mentioned(text) && gitops.MentionsKind(text) {
			f.charts = append(f.charts, &deploying{file: *file, sets: slices.Clone(f.in.sets[file.Abs])})
			return
		}
	}
}

// addSet records a set of values for a chart that may write objects.
func (f *follower) addSet(dir string, set chart.Set) {
	f.in.sets[dir] = append(f.in.sets[dir], set)
	for _, c := range f.charts {
		if c.file.Abs == dir {
			c.sets, c.hasSets = append(c.sets, set), true
		}
	}
}

// collectCharts adds the sources in what charts write. Default values count if no object sets others, and last.
func (f *follower) collectCharts(withDefaults bool) {
	for _, c := range f.charts {
		sets := c.sets
		if c.sets = nil; len(sets) == 0 && (!withDefaults || c.hasSets || c.file.IsFollowed) {
			continue
		}
		if c.loaded == nil {
			files, err := c.file.ReadChart(f.in.found.Tree)
			if err != nil {
				continue
			}
			c.loaded = c.file.LoadChart(f.in.found.Tree, files, f.options.Chart.Allowance)
		}
		options := onServer(f.options.Chart, f.in.settings[c.file.Config].Kubernetes())
		if len(sets) == 0 {
			f.addOutputs(c, c.loaded.Render(options))
		}
		for i := range sets {
			if c.rendered++; c.rendered > maxSets || len(f.sources) > maxSources || f.searched > maxMentioning {
				break
			}
			c.loaded = c.loaded.Again()
			f.addOutputs(c, sets[i].Render(c.loaded, options))
		}
		c.hasSets = true
	}
}

// addOutputs adds the sources in what a chart writes. Several workers may look for places in an output.
func (f *follower) addOutputs(c *deploying, rendered chart.Rendered) {
	mutex := &sync.Mutex{}
	for _, output := range rendered.Outputs {
		if !gitops.Mentioned(output.Source.Text) {
			continue
		}
		written := func(sp source.Span) source.Origin {
			mutex.Lock()
			defer mutex.Unlock()
			return output.Source.Written(sp)
		}
		f.addObjects(&c.file, &source.Source{Name: output.Source.Name, Text: output.Source.Text, Written: written})
	}
}
