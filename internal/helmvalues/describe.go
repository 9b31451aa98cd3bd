package helmvalues

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/chart/reads"
	"github.com/kindvet/kindvet/internal/export"
	"github.com/kindvet/kindvet/internal/nearest"
	"github.com/kindvet/kindvet/internal/source"
)

// Description is what is known about a value.
type Description struct {
	// Path leads to the value, and ReadAs is the value that templates read as a whole, if it is one above.
	Path        string   `json:"path"`
	ReadAs      string   `json:"readAs,omitempty"`
	Text        string   `json:"description,omitempty"`
	Default     any      `json:"default,omitempty"`
	HasDefault  bool     `json:"hasDefault"`
	SetAt       string   `json:"setAt,omitempty"`
	Types       []any    `json:"types,omitempty"`
	Readers     []Reader `json:"readBy"`
	Becomes     []Target `json:"becomes"`
	IsUncertain bool     `json:"isUncertain,omitempty"` // there may be more
}

// Reader is an action that reads a value.
type Reader struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Action string `json:"action"`
}

// Target is a field that a value becomes.
type Target struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name,omitempty"`
	Field      string `json:"field"`
	// IsPart means that the value is a part of the text.
	IsPart bool   `json:"isPart,omitempty"`
	Text   string `json:"description,omitempty"`
}

// Limits of a description: readers and targets.
const mostListed = 50

// Describe returns what is known about a value. A path such as image.tag may begin with "values.".
func (a *Analysis) Describe(path string) (Description, error) {
	names := namesIn(path)
	if len(names) > 1 && strings.EqualFold(names[0], "values") && !a.has(names[:1]) {
		names = names[1:]
	}
	d := Description{Path: shown(names), Readers: []Reader{}, Becomes: []Target{}, IsUncertain: !a.usage.IsKnown}
	if len(names) == 0 {
		return d, fmt.Errorf("%q is not the path of a value, such as image.tag", path)
	}
	n, at, err := a.find(names)
	if err != nil {
		return d, err
	}
	if at < len(names) {
		d.ReadAs = strings.Join(names[:at], ".")
		if at == 0 {
			d.ReadAs = "all values"
		}
	}
	b := &builder{Analysis: a}
	if d.Default, d.HasDefault = b.defaultOf(names); d.HasDefault {
		if place, ok := a.usage.PlaceOf(names); ok {
			d.SetAt = fmt.Sprintf("%s:%d:%d", place.File, place.Start().Line, place.Start().Column)
		}
	}
	d.Text = a.comments[strings.Join(names, ".")]
	if n != nil {
		a.describe(&d, n)
		if d.ReadAs == "" {
			d.Types, _ = (&builder{Analysis: a, kinds: export.NewFields()}).value(n, a.knownAt(names), names)["type"].([]any)
		}
	}
	return d, nil
}

// describe adds who reads a value, and what it becomes.
func (a *Analysis) describe(d *Description, n *reads.Node) {
	e := a.evidenceOf(n)
	uses := a.usage.Uses(n)
	slices.SortFunc(uses, func(x, y chart.ValueUse) int {
		return cmp.Or(strings.Compare(x.Action.File, y.Action.File), x.Action.Span.Start-y.Action.Span.Start)
	})
	var last source.Place
	for i := range uses {
		u := &uses[i]
		if u.Action.IsZero() || u.Action.IsSame(last) || len(d.Readers) == mostListed {
			continue
		}
		last = u.Action
		at := u.Action.Start()
		d.Readers = append(d.Readers, Reader{u.Action.File, at.Line, at.Column, strings.Join(strings.Fields(u.Action.Text()), " ")})
	}
	for i := range e.fields {
		f := &e.fields[i]
		target := Target{f.Kind.APIVersion(), f.Kind.Name, strings.ReplaceAll(f.Object, sample, "..."), f.Path, f.Form == Part, f.text}
		if len(d.Becomes) < mostListed && !slices.Contains(d.Becomes, target) {
			d.Becomes = append(d.Becomes, target)
		}
	}
}

// knownAt returns the known values at a path.
func (a *Analysis) knownAt(names []string) (list []any) {
	for _, v := range a.known {
		ok := true
		for _, name := range names {
			var table map[string]any
			if table, ok = v.(map[string]any); !ok {
				break
			}
			if v, ok = table[name]; !ok {
				break
			}
		}
		if ok {
			list = append(list, v)
		}
	}
	return list
}

// shown returns a path as users write it.
func shown(names []string) string {
	var path strings.Builder
	for i, name := range names {
		switch {
		case i > 0 && strings.Trim(name, "0123456789") == "":
			path.WriteString("[" + name + "]")
		case i > 0:
			path.WriteString("." + name)
		default:
			path.WriteString(name)
		}
	}
	return path.String()
}

// find returns the value that templates read, and how many names lead to it: less than all if a value above is read as a whole. It
// is nil for a value of values.yaml that nothing reads.
func (a *Analysis) find(names []string) (n *reads.Node, at int, err error) {
	n = a.usage.Read
	for i, name := range names {
		next := n.Fields[name]
		if next == nil {
			next = n.Any
		}
		switch {
		case next != nil:
			n = next
			continue
		case n.IsAll && i > 0:
			return n, i, nil
		case a.has(names):
			return nil, len(names), nil
		case n.IsAll:
			return n, i, nil
		}
		known := a.keys(n, names[:i])
		what := fmt.Sprintf("no template reads %q", strings.Join(names[:i+1], "."))
		if near, ok := nearest.Name(name, known); ok {
			return nil, 0, fmt.Errorf("%s; did you mean %q?", what, strings.Join(append(slices.Clone(names[:i]), near), "."))
		}
		return nil, 0, fmt.Errorf("%s, and values.yaml does not have it", what)
	}
	return n, len(names), nil
}

// has reports whether values.yaml has a value.
func (a *Analysis) has(names []string) bool {
	_, ok := (&builder{Analysis: a}).defaultOf(names)
	return ok
}

// keys returns the known fields of a value.
func (a *Analysis) keys(n *reads.Node, path []string) []string {
	all := map[string]bool{}
	for name := range n.Fields {
		all[name] = true
	}
	var table any = a.usage.Defaults
	if len(path) > 0 {
		table, _ = (&builder{Analysis: a}).defaultOf(path)
	}
	if fields, ok := table.(map[string]any); ok {
		for name := range fields {
			all[name] = true
		}
	}
	return sortedKeys(all)
}

// namesIn returns the names in a path. An index of an item is one.
func namesIn(path string) (names []string) {
	path = strings.NewReplacer("[", ".", "]", "").Replace(strings.TrimPrefix(path, "."))
	for name := range strings.SplitSeq(path, ".") {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// DefaultText returns the default value in one line.
func (d *Description) DefaultText() string {
	written, err := json.Marshal(d.Default)
	if err != nil {
		return ""
	}
	return string(written)
}
