package chart

import (
	"maps"
	"path"
	"strings"

	"github.com/kindvet/kindvet/internal/chart/engine"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// suppliers finds the values that supplied a part of the output, by experiment: one value is changed, the template is
// rendered again, and the change must be printed at that part. So it does not matter how the templates lead the value
// there, and a value that is overridden supplies nothing.
type suppliers struct {
	loaded *Loaded
	// selected is the chart with the subcharts that the values select, and with the values that it imports.
	selected *Chart
	values   Values
	top      map[string]any

	// isReleaseKnown means that the user or an object names the release.
	isReleaseKnown bool

	parsed *engine.Templates
	// isAlone reports whether a template writes the same if the templates before it are not rendered. They may change
	// the values.
	isAlone map[string]bool
	// known are earlier results; "" means that the template fails or does not print the leaf.
	known map[trial]string
	kept  int // bytes of them

	sources []valueSource
	leaves  []leaf
	isReady bool
}

// maxTrials is the maximum number of templates that are rendered again for the findings in a chart. Without it, a
// chart would be rendered again for each of any number of findings. Raise it if a chart that people use has more.
const maxTrials = 1000

// trial is a changed leaf and the template that is rendered.
type trial struct {
	template string
	leaf     *leaf
	marked   string
}

// maxKept is the maximum number of bytes of results that are kept. Without it, findings in a chart with large outputs
// would fill the memory. What is not kept is rendered again.
const maxKept = 4 << 20

// prepare lists the values.
func (s *suppliers) prepare() {
	if s.isReady {
		return
	}
	s.isReady, s.known = true, map[trial]string{}
	s.sources = s.loaded.chart.sources(s.values)
	for i := range s.sources {
		s.leaves = leavesOf(s.leaves, i, nil, s.sources[i].values)
	}
}

// valueOf returns the value that a leaf is a part of.
func (s *suppliers) valueOf(l *leaf) any {
	value := s.sources[l.source].values
	for _, step := range l.path {
		switch step := step.(type) {
		case string:
			value = value.(map[string]any)[step]
		case int:
			value = value.([]any)[step]
		}
	}
	return value
}

// try returns what a template writes if a leaf is changed.
func (s *suppliers) try(o *Output, l *leaf, c *change) (string, bool) {
	one := trial{o.Name, l, c.marked[0]}
	if text, ok := s.known[one]; ok {
		return text, text != ""
	}
	text, ok := s.changed(o, l, c)
	if !ok || text == o.Source.Text {
		text = ""
	}
	if s.kept += len(text); s.kept <= maxKept {
		s.known[one] = text
	}
	return text, text != ""
}

func (s *suppliers) changed(o *Output, l *leaf, c *change) (string, bool) {
	alone := s.rendersAlone(o)
	from := &s.sources[l.source]
	changed := with(from.values, l.path, c.value, l.isKey)
	own, ch := s.values, s.loaded.chart.clone()
	if from.layer < 0 {
		ch.setValues(from.src, changed.(map[string]any))
	} else {
		own = own.with(from.layer, changed)
	}
	return s.render(ch, own, o.Name, alone)
}

// rendersAlone reports whether a template writes the same if the templates before it are not rendered.
func (s *suppliers) rendersAlone(o *Output) bool {
	alone, ok := s.isAlone[o.Name]
	if !ok {
		text, ok := s.render(s.selected, s.values, o.Name, true)
		alone = ok && text == o.Source.Text
		s.isAlone[o.Name] = alone
	}
	return alone
}

// render renders a template again, or all templates up to it. It leaves nothing in the engine. c is a copy of the loaded
// chart or, if the values select the same subcharts, the selected one.
func (s *suppliers) render(c *Chart, own Values, name string, alone bool) (text string, ok bool) {
	if s.loaded.allowance.IsUsedUp() {
		return "", false
	}
	var values map[string]any
	var err error
	if c == s.selected {
		values, err = c.coalesced(own.merged(), false)
	} else {
		values, err = c.effective(own)
	}
	if err != nil {
		return "", false
	}
	top := maps.Clone(s.top)
	top["Values"] = values
	list := map[string]engine.Template{}
	c.scopes(top, list)
	defer s.exchangeBudget()()
	s.loaded.budget.Share(values)
	defer s.parsed.Keep()()
	for _, one := range s.parsed.Names {
		if t, known := list[one]; known && (one == name || !alone && !strings.HasPrefix(path.Base(one), "_")) {
			if s.loaded.trials++; s.loaded.trials > maxTrials {
				return "", false
			}
			out, _, err := s.parsed.Execute(one, t)
			if err != nil {
				return "", false
			}
			if one == name {
				return out.Source.Text, true
			}
		}
	}
	return "", false
}

// exchangeBudget gives the engine the budget of trials. It returns a function that gives its own one back.
func (s *suppliers) exchangeBudget() func() {
	b, before := s.loaded.budget, s.loaded.ofTrials
	giveBack := b.Use(&s.loaded.ofTrials)
	return func() {
		s.loaded.allowance.spend(s.loaded.name, b.Spent(&before))
		giveBack()
	}
}

// read returns the maps with the values of the file. There are none if it has a syntax error.
func (v *valueSource) read() []manifest.Node {
	if !v.isRead {
		v.isRead = true
		tree := &manifest.Tree{}
		for part := range manifest.Parts(v.src) {
			if len(tree.Read(v.src, part)) == 0 && tree.Root().Valid() {
				v.roots = []manifest.Node{tree.Root()}
			}
			break
		}
	}
	return v.roots
}

// place returns where a leaf is in its file, if the file has the same value there.
func (v *valueSource) place(l *leaf) (source.Place, bool) {
	for _, root := range v.read() {
		if n, ok := l.in(root); ok {
			return l.placeAt(n)
		}
	}
	return source.Place{}, false
}

// in returns the node of a leaf below a root.
func (l *leaf) in(root manifest.Node) (n manifest.Node, ok bool) {
	n, ok = root, true
	for _, step := range l.path {
		switch step := step.(type) {
		case string:
			if ok = n.Type() == manifest.Map; ok {
				n, ok = n.Field(step)
			}
		case int:
			if ok = n.Type() == manifest.List; ok {
				n, ok = n.Item(step)
			}
		}
		if !ok {
			break
		}
	}
	return n, ok
}

// placeAt returns the place of a leaf in its node.
func (l *leaf) placeAt(n manifest.Node) (source.Place, bool) {
	src := n.Tree().Source
	switch {
	case l.isKey:
		return n.KeyPlace(), true
	case n.Type() != manifest.String:
		return src.Place(n.Span()), n.Type() != manifest.Map && n.Type() != manifest.List
	}
	text := n.Text()
	if len(text) < l.start+len(l.text) || text[l.start:l.start+len(l.text)] != l.text {
		return source.Place{}, false
	}
	if l.start == 0 && len(text) == len(l.text) {
		return src.Place(n.Span()), true
	}
	start := n.TextOffset(l.start)
	return src.Place(source.Span{Start: start, End: min(start+len(l.text), src.Line(start).End)}), true
}
