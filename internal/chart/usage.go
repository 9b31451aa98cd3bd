package chart

import (
	"path"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/chart/engine"
	"github.com/kindvet/kindvet/internal/chart/reads"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Usage is what the templates of a chart do with its values.
type Usage struct {
	Name, Version string
	IsLibrary     bool
	// Read is what is read. If IsKnown is not set, a limit was reached, and more may be.
	Read    *reads.Node
	IsKnown bool
	// Defaults are the values of the chart itself, and Values its file of values; nil if it has none.
	Defaults map[string]any
	Values   *source.Source
	// Schema is the text of values.schema.json.
	Schema string
	// Missing are the names of dependencies that are not in charts/.
	Missing []string
	// Subcharts are the keys of the values of subcharts, and Conditions the paths that turn them on and off.
	Subcharts  []string
	Conditions [][]string

	uses  map[*reads.Node][]reads.Use
	files map[string]*engine.File
}

// Usage returns what the templates do with the values of the chart, and with others that are set.
func (l *Loaded) Usage(sets ...map[string]any) (*Usage, error) {
	if l.err != nil {
		return nil, l.err
	}
	top := l.chart.clone()
	u := &Usage{
		Name: top.name(), Version: top.metadata.Version, IsLibrary: top.isLibrary(), Defaults: top.values, Values: top.valuesSrc,
		Schema: top.schema, files: map[string]*engine.File{},
	}
	for _, d := range top.metadata.Dependencies {
		u.Subcharts = append(u.Subcharts, d.Name)
		if !top.has(d) {
			u.Missing = append(u.Missing, d.Name)
		}
		if d.Alias != "" {
			u.Subcharts = append(u.Subcharts, d.Alias)
		}
		for condition := range strings.SplitSeq(strings.TrimSpace(d.Condition), ",") {
			if condition != "" {
				u.Conditions = append(u.Conditions, strings.Split(condition, "."))
			}
		}
	}
	analyzed := top.analyzed()
	for _, values := range sets {
		analyzed.Texts = templatesIn(analyzed.Texts, values)
	}
	u.Read, u.uses, u.IsKnown = reads.UsesOf(analyzed)
	for _, sub := range top.subcharts {
		if !slices.Contains(u.Subcharts, sub.name()) {
			u.Subcharts = append(u.Subcharts, sub.name())
		}
	}
	u.addFiles(top)
	return u, nil
}

func (u *Usage) addFiles(c *Chart) {
	for _, t := range c.templates {
		u.files[path.Join(c.fullPath(), t.Name)] = t
	}
	for _, sub := range c.subcharts {
		u.addFiles(sub)
	}
}

// ValueUse is an action that uses a value.
type ValueUse struct {
	reads.Use
	// Action is the place of the action; zero for one in a value. Outermost is the place of the action that includes its template;
	// zero if none does.
	Action, Outermost source.Place
}

// Uses returns the actions that use a value.
func (u *Usage) Uses(of *reads.Node) (uses []ValueUse) {
	for _, use := range u.uses[of] {
		uses = append(uses, ValueUse{use, u.place(use.Template, use.Offset), u.place(use.Caller.Template, use.Caller.Offset)})
	}
	return uses
}

func (u *Usage) place(template string, offset int) source.Place {
	f := u.files[template]
	if f == nil || offset > len(f.Source.Text) {
		return source.Place{}
	}
	return f.Source.Place(engine.Braces(f.Source.Text, offset))
}

// WrittenBy returns the place of the only action that wrote a part of an output and that of the outermost action that includes its
// template, or the places of all actions in what wrote the part. Text that templates write as it is has none.
func WrittenBy(src *source.Source, sp source.Span) (actions []source.Place, outermost source.Place, isWhole bool) {
	by := src.Written(sp)
	if by.Source == nil || by.Span.End <= by.Span.Start || by.Span.End > len(by.Source.Text) {
		return nil, source.Place{}, false
	}
	if len(by.Via) > 0 {
		outermost = by.Via[0]
	}
	text := by.Source.Text
	for at := by.Span.Start; at < by.Span.End; {
		i := strings.Index(text[at:by.Span.End], "{{")
		if i < 0 {
			break
		}
		action := engine.Braces(text, at+i+len("{{"))
		actions = append(actions, by.Source.Place(action))
		isWhole = action == by.Span
		at = max(action.End, at+i+len("{{"))
	}
	return actions, outermost, isWhole
}

// PlaceOf returns where values.yaml of the chart sets a value.
func (u *Usage) PlaceOf(names []string) (source.Place, bool) {
	if u.Values == nil {
		return source.Place{}, false
	}
	from := &valueSource{src: u.Values}
	for _, root := range from.read() {
		if n, ok := below(root, names); ok && len(names) > 0 {
			return n.Place(), true
		}
	}
	return source.Place{}, false
}

// Root returns the map of values.yaml.
func (u *Usage) Root() (manifest.Node, bool) {
	if u.Values != nil {
		for _, root := range (&valueSource{src: u.Values}).read() {
			return root, true
		}
	}
	return manifest.Node{}, false
}

// Effective returns the values of the chart that its templates see with values of a user; false if Helm rejects them.
func (l *Loaded) Effective(o Options) (map[string]any, bool) {
	if l.err != nil {
		return nil, false
	}
	o, err := l.chart.inHelm(o)
	if err != nil {
		return nil, false
	}
	values, err := l.chart.clone().effective(o.Values)
	return values, err == nil
}

// Merged returns the values of files and settings.
func (v Values) Merged() map[string]any { return v.merged() }

// Conforms returns the path at which a value violates a JSON schema; ok if it does not. Keywords that kindvet does not check are
// ignored.
func Conforms(schema, value any) (path []string, ok bool) {
	v := &validator{root: schema, left: maxChecks, patterns: map[string]compiled{}}
	wrong, ok := v.check(schema, value, nil)
	return wrong.path, ok
}

// Functions returns the functions that templates call.
func Functions() map[string]any { return engine.Functions() }
