package workspace

import (
	"path/filepath"
	"slices"
	"sync"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/gitops"
	"github.com/kindvet/kindvet/internal/source"
)

// deploying is a chart whose templates may write objects of Flux or Argo CD.
type deploying struct {
	unit    *chartUnit
	sets    []chart.Set // not yet rendered
	hasSets bool
	// loaded is the chart as it was rendered last; nil before. All renders share its budget.
	loaded   *chart.Loaded
	rendered int
}

// addDeploying records a chart of the run if its templates may write objects that are followed.
func (f *follower) addDeploying(u *chartUnit) {
	dir := filepath.Join(u.Abs, "templates")
	entries, err := f.plan.found.Tree.ReadDir(dir)
	if err != nil || len(entries) > chart.MaxFiles {
		return
	}
	for _, d := range entries {
		if !d.Type().IsRegular() {
			continue
		}
		text, err := f.plan.found.Tree.Read(filepath.Join(dir, d.Name()), disk.Chart)
		if err == nil && gitops.Mentioned(text) && gitops.MentionsKind(text) {
			f.charts = append(f.charts, &deploying{unit: u, sets: slices.Clone(u.sets)})
			return
		}
	}
}

// addSet adds a set of values to a chart, which may write objects with it.
func (f *follower) addSet(u *chartUnit, set chart.Set) {
	u.sets = append(u.sets, set)
	for _, c := range f.charts {
		if c.unit.Abs == u.Abs {
			c.sets, c.hasSets = append(c.sets, set), true
		}
	}
}

// collectCharts adds the sources in what charts write. Default values count if no object sets others, and last.
func (f *follower) collectCharts(withDefaults bool) {
	for _, c := range f.charts {
		sets := c.sets
		if c.sets = nil; len(sets) == 0 && (!withDefaults || c.hasSets || c.unit.isDeployed) {
			continue
		}
		if c.loaded == nil {
			var err error
			if c.loaded, err = c.unit.load(f.plan.found.Tree, f.plan.options.Chart.Allowance); err != nil {
				continue
			}
		}
		options := onServer(f.plan.options.Chart, f.plan.server(c.unit.Config), c.unit.Config)
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
		f.addObjects(c.unit.File, &source.Source{Name: output.Source.Name, Text: output.Source.Text, Written: written})
	}
}
