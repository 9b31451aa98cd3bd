package chart

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// Set is a set of values that a chart is rendered with, in addition to its default values.
type Set struct {
	Name  string
	Files []*source.Source // a later one wins
	// The rest is what an object sets, such as an Application of Argo CD. At is where it names the chart. Inputs win over
	// the files. Release and the others replace those of the options, unless they are empty.
	At                              source.Place
	Inputs                          []Input
	Release, Namespace, KubeVersion string
	APIVersions                     []string
	// Unreadable is where the object names a file of values that cannot be read, and why; its place is zero if all can
	// be.
	Unreadable source.Word
	// Withheld is where a file of values is named that does not exist, because git ignores it; its place is zero if all
	// are there.
	Withheld source.Word
	// IsPartial means that other values, which are not known, are set, too. They do not override those in the files Certain.
	IsPartial bool
	Certain   []string
	// HidesFields means that maps of the inputs have other fields, whose values are not known.
	HidesFields bool
	// MayChange reports whether something else may change a value of an object that the chart writes; nil if nothing does.
	MayChange func(o diag.Object, path diag.Path) bool
	// HasOwnDefaults means that the files replace values.yaml of the chart.
	HasOwnDefaults bool
	// SkipsSchema means that the values need not conform to values.schema.json.
	SkipsSchema bool
}

// Render renders a chart with the set. The values of the options do not count.
func (s *Set) Render(l *Loaded, o Options) Rendered {
	if why := s.Unreadable; !why.Place.IsZero() {
		return Rendered{Violations: violationsOf(fault{message: why.Text, at: why.Place}), IsFailed: true}
	}
	if of := s.Withheld; !of.Place.IsZero() {
		return Rendered{IsFailed: true, Violations: violationsOf(fault{
			rule: diag.MissingDependency, at: of.Place, help: "create it before the check",
			message: diag.Quote(of.Text) + " does not exist, and git ignores it, so the chart is not rendered with this set",
		})}
	}
	o.Values = Values{}
	for _, src := range s.Files {
		if err := o.Values.addFile(src); err != nil {
			return Rendered{Violations: violationsOf(err), IsFailed: true}
		}
	}
	for _, in := range s.Inputs {
		if err := o.Values.addInput(in); err != nil && in.IsChecked {
			return Rendered{IsFailed: true}
		} else if err != nil {
			return Rendered{Violations: violationsOf(err), IsFailed: true}
		}
	}
	o.Release, o.Namespace = cmp.Or(s.Release, o.Release), cmp.Or(s.Namespace, o.Namespace)
	o.APIVersions, o.SkipsSchema = slices.Concat(o.APIVersions, s.APIVersions), s.SkipsSchema
	if s.KubeVersion != "" && !o.SetKubeVersion(s.KubeVersion) {
		return Rendered{
			Violations: violationsOf(fault{message: "invalid kubeVersion " + diag.Quote(s.KubeVersion), at: s.At}),
			IsFailed:   true,
		}
	}
	if s.HasOwnDefaults {
		l = l.withoutDefaults()
	}
	r := l.Render(o)
	r.isPartial = s.IsPartial
	if s.IsPartial && r.IsFailed {
		for i := range r.Violations {
			r.Violations[i].Severity = min(r.Violations[i].Severity, diag.Info) // the other values may be what is missing
		}
	}
	for _, output := range r.Outputs {
		output.Source.Rendering += " with " + s.Name
	}
	return r
}

// Related returns the place that tells that a finding appears with the set.
func (s *Set) Related() diag.Related {
	if !s.At.IsZero() {
		return diag.Related{Place: s.At, Message: "included here"}
	}
	if len(s.Files) == 0 {
		return diag.Related{Place: s.Withheld.Place, Message: "rendered with this set"}
	}
	last := s.Files[len(s.Files)-1]
	message := "rendered with these values"
	if s.Name != last.Name {
		message = "rendered with the set " + diag.Quote(s.Name)
	}
	return diag.Related{Place: last.Place(source.Span{}), Message: message}
}

// ValuesDir is the directory of a chart with values for its tests.
const ValuesDir = "ci"

// IsTestValues reports whether a file of a chart holds values for its tests, as chart-testing finds them (ct.yaml,
// ci/*-values.yaml).
func IsTestValues(name string) bool {
	dir, base := path.Split(name)
	return dir == ValuesDir+"/" && strings.HasSuffix(base, "-values.yaml")
}

// TestSets returns a set for each file with values for tests, sorted by name. dir is the name of the chart's
// directory.
func TestSets(dir string, files []File) (sets []Set) {
	for _, f := range files {
		if IsTestValues(f.Name) {
			src := &source.Source{Name: path.Join(dir, f.Name), Text: f.Text}
			sets = append(sets, Set{Name: src.Name, Files: []*source.Source{src}})
		}
	}
	slices.SortFunc(sets, func(a, b Set) int { return strings.Compare(a.Name, b.Name) })
	return sets
}
