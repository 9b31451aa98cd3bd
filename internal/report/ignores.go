package report

import (
	"path"
	"slices"

	"github.com/kindvet/kindvet/internal/config"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/source"
)

// ignores holds the ignore entries of the configurations of a run, and which of them were used.
type ignores struct {
	base    find.Base
	today   string
	byFile  map[string]*find.Config // by name in the report; only files whose configuration has entries
	entries []*config.Ignore
	used    map[entryPlace]bool // configurations can share an entry that they extend
	names   *diag.RuleNames
	// covers reports whether the run has checked all files of a directory that an entry may apply to.
	covers func(dir string) bool
	// steps are those of comparing findings with entries.
	steps int64
}

// maxIgnoreSteps is the maximum number of steps for comparing findings with entries. They take about 10 seconds. Raise
// it if a configuration that people use reaches half of it.
const maxIgnoreSteps = 1 << 32

// entryPlace identifies an entry.
type entryPlace struct {
	file string
	span source.Span
}

func placeOf(entry *config.Ignore) entryPlace { return entryPlace{entry.Place.File, entry.Place.Span} }

// newIgnores collects the ignore entries of the configurations of files. It returns nil if there are none.
func newIgnores(d *Draft) *ignores {
	g := &ignores{
		base: d.Search.Base, today: d.Options.Today, byFile: map[string]*find.Config{}, used: map[entryPlace]bool{},
		covers: func(dir string) bool { return covers(&d.Search, dir) },
	}
	seen := map[entryPlace]bool{}
	for _, f := range d.Files {
		if len(f.Config.Ignores) == 0 {
			continue
		}
		g.byFile[f.Name] = f.Config
		for i := range f.Config.Ignores {
			if entry := &f.Config.Ignores[i]; !seen[placeOf(entry)] {
				seen[placeOf(entry)] = true
				g.entries = append(g.entries, entry)
			}
		}
	}
	if len(g.entries) == 0 {
		return nil
	}
	g.names, _ = d.Settings.RuleNames()
	return g
}

// covers reports whether a search finds all files of a directory.
func covers(o *find.Options, dir string) bool {
	return o.Since == "" && !o.Staged && slices.ContainsFunc(o.Paths, func(path string) bool {
		return path != "-" && disk.IsWithin(o.Base.Abs(path), dir)
	})
}

// apply separates the violations that count from those that a configuration ignores. faults are the findings about
// expired or unused entries.
func (g *ignores) apply(violations []diag.Violation) (counting, suppressed, faults []diag.Violation) {
	for _, v := range violations {
		if entry := g.match(&v); entry != nil {
			v.Suppression = diag.Suppression{By: diag.ByConfiguration, Reason: entry.Reason}
			suppressed = append(suppressed, v)
			continue
		}
		counting = append(counting, v)
	}
	if g.steps > maxIgnoreSteps {
		return counting, suppressed, []diag.Violation{{
			Rule: diag.SuppressionMalformed, Severity: diag.Warning, Place: g.entries[0].Place,
			Message: "comparing the findings with all entries takes too long: some findings are not ignored",
			Help:    "use fewer entries, or a baseline",
		}}
	}
	for _, entry := range g.entries {
		if v, ok := g.fault(entry); ok {
			faults = append(faults, v)
		}
	}
	return counting, suppressed, faults
}

// match returns the first entry that matches a violation. It marks all matching entries as used.
func (g *ignores) match(v *diag.Violation) *config.Ignore {
	s, ok := g.byFile[v.Place.File]
	for dir := path.Dir(v.Place.File); !ok && dir != path.Dir(dir); dir = path.Dir(dir) {
		s, ok = g.byFile[dir] // a template of a chart
	}
	if !ok {
		return nil
	}
	full := g.base.Abs(v.Place.File)
	var by *config.Ignore
	for i := range s.Ignores {
		entry := &s.Ignores[i]
		if g.steps += int64(len(v.Path) + 1 + len(entry.Name)*len(v.Object.Name)); g.steps > maxIgnoreSteps {
			break
		}
		name, _ := find.Below(entry.Dir, full)
		if !entry.Fits(v, g.names, name) {
			continue
		}
		g.used[placeOf(entry)] = true
		if by == nil && !entry.Expired(g.today) {
			by = entry
		}
	}
	return by
}

// fault returns the finding about an entry, after all violations have been compared with it.
func (g *ignores) fault(entry *config.Ignore) (diag.Violation, bool) {
	v := diag.Violation{Severity: diag.Warning, Place: entry.Place}
	used := g.used[placeOf(entry)]
	switch {
	case entry.Expired(g.today) && (used || g.covers(entry.Dir)):
		v.Rule, v.Message = diag.SuppressionExpired,
			"the entry expired after "+entry.Until+"; its reason was "+diag.Quote(entry.Reason)
		v.Help = "fix the finding, or set a later date"
		if !used {
			v.Help = "remove it: no finding matches it"
		}
	case !used && g.covers(entry.Dir):
		v.Rule, v.Message, v.Help = diag.SuppressionUnused, "unused entry: no finding matches it", "remove it"
	default:
		return v, false
	}
	return v, true
}
