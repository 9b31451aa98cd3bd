package chart

import (
	"encoding/json"
	"iter"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/chart/reads"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/nearest"
	"github.com/kindvet/kindvet/internal/source"
)

// Unread is a value that no template reads.
type Unread struct {
	Violation diag.Violation
	// Origin identifies what sets it: a file, a part of an object, or a flag.
	Origin string
	// path leads to it from the values of the chart; nil for a value of a subchart.
	path []any
	by   *readValues
}

// claim is a value that nothing reads, according to the text of the templates.
type claim struct {
	source int   // of the sources of the values
	path   []any // names of fields and indexes of items
	value  any
	nodes  []*reads.Node // of the map that it is in
	isOwn  bool          // in values.yaml of the chart or a subchart
	// siblings is the map that it is in; nil for a setting.
	siblings map[string]any
	off      *Dependency // that it is for, if the subchart is off by default; otherwise nil
}

// UnreadValues are the values of a render that no template reads.
type UnreadValues struct {
	List []Unread
	// Origins are those of all values.
	Origins []string
	// Unknown is why there may be more; "" if there are not.
	Unknown string
}

// Unread returns the values that no template reads. They are found in the text of the templates, and proven: the chart writes the
// same with other values in their place, and without them. The chart must not have been rendered again.
//
// Reads are not recorded while templates are executed. A record would hold the reads of the branches that run, which the text has
// as well; what it would add is a read that the table of functions misses, and that changes the output, or it has no effect.
func (r *Rendered) Unread() (u UnreadValues) {
	if r.IsFailed || len(r.Outputs) == 0 || r.Outputs[0].suppliers == nil {
		return u
	}
	s := r.Outputs[0].suppliers
	by := s.loaded.readBy(s.values)
	s.prepare()
	var origins []string
	var claims []claim
	for i := range s.sources {
		claims = by.claims(claims, s, i)
		origins = append(origins, s.origin(i))
	}
	if !r.isPartial {
		claims = by.claimsOff(claims, s)
	}
	proven, isKnown := s.proven(claims, r.Outputs)
	for i := range proven {
		if v, ok := by.violation(s, &proven[i]); ok {
			one := Unread{Violation: v, Origin: origins[proven[i].source], by: by}
			if c := &proven[i]; !c.isOwn || s.sources[c.source].src == s.loaded.chart.valuesSrc {
				one.path = c.path
			}
			u.List = append(u.List, one)
		}
	}
	switch {
	case !by.isKnown:
		u.Unknown = "the templates are too large to tell which values they read"
	case len(claims) == mostClaims || !isKnown:
		u.Unknown = "there are too many values that no template seems to read"
	}
	slices.Sort(origins)
	u.Origins = slices.Compact(origins)
	return u
}

// origin identifies a source among those of all renders of a chart.
func (s *suppliers) origin(number int) string {
	from := &s.sources[number]
	if from.src == nil {
		return from.setting.flag + " " + from.setting.key + from.setting.at.String()
	}
	if from.layer >= 0 {
		if roots := s.values.layers[from.layer].roots; len(roots) > 0 {
			return roots[0].Place().String()
		}
	}
	return from.src.Place(source.Span{}).String()
}

// mostClaims is the maximum number of values of a render that are looked at. A public chart has fewer than a hundred that
// nothing reads.
const mostClaims = 500

// readValues is what the templates of a chart read.
type readValues struct {
	top     *Chart // with its subcharts under their aliases
	all     *reads.Node
	isKnown bool // no limit was reached
	// byFile are the values of the charts that have a file of values.
	byFile map[*source.Source][]*reads.Node
	texts  string // of the values of a user that may be templates
	// aliases are those of subcharts, by name.
	aliases map[string]string
	// schemas are those of the charts, and anchors the names that aliases of YAML use in the files of values, as they are needed.
	schemas map[*Chart]any
	anchors map[*source.Source]map[string]bool
	// names is the work that is left for the search for near names, and visits for that of keys elsewhere.
	names  nearest.Work
	visits int
}

// maxVisits is the maximum number of values that are looked at to find keys elsewhere. The templates of a public chart read at most
// a few thousand.
const maxVisits = 1_000_000

// readBy returns what the templates read. It is found once for all values of users without templates.
func (l *Loaded) readBy(own Values) *readValues {
	var texts []string
	for _, layer := range own.layers {
		if layer.src == nil {
			texts = templatesIn(texts, layer.setting.value)
		} else {
			texts = templatesIn(texts, layer.values)
		}
	}
	key := strings.Join(texts, "\x00")
	if l.reads != nil && l.reads.texts == key {
		return l.reads
	}
	u := &readValues{
		top: l.chart.clone(), byFile: map[*source.Source][]*reads.Node{}, texts: key, aliases: map[string]string{},
		schemas: map[*Chart]any{}, anchors: map[*source.Source]map[string]bool{}, names: nearest.WorkFor(l.size), visits: maxVisits,
	}
	for _, d := range l.chart.metadata.Dependencies {
		if d.Alias != "" {
			u.aliases[d.Name] = d.Alias
		}
	}
	analyzed := u.top.analyzed()
	analyzed.Texts = append(analyzed.Texts, texts...)
	u.all, u.isKnown = reads.Of(analyzed)
	u.add(u.top, u.all)
	l.reads = u
	return u
}

// analyzed returns the chart for the analysis of what it reads. Its subcharts get their aliases.
func (c *Chart) analyzed() *reads.Chart {
	full := c.fullPath()
	a := &reads.Chart{Name: c.name(), IsLibrary: c.isLibrary(), Base: path.Join(full, "templates")}
	for _, t := range c.templates {
		a.Templates = append(a.Templates, reads.Template{Name: path.Join(full, t.Name), Text: t.Source.Text})
	}
	for _, f := range c.files {
		if strings.Contains(f.Text, "{{") {
			a.Files = append(a.Files, reads.Template{Name: f.Name, Text: f.Text})
		}
	}
	a.Texts = templatesIn(a.Texts, c.values)
	if c.metadata.Dependencies != nil {
		c.setSubcharts(c.named())
	}
	for _, sub := range c.subcharts {
		a.Subcharts = append(a.Subcharts, sub.analyzed())
	}
	return a
}

// templatesIn adds the texts in a value that may be templates.
func templatesIn(list []string, value any) []string {
	switch v := value.(type) {
	case string:
		if strings.Contains(v, "{{") {
			list = append(list, v)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			list = templatesIn(list, v[key])
		}
	case []any:
		for _, item := range v {
			list = templatesIn(list, item)
		}
	}
	return list
}

// add adds what Helm itself reads, and records the values of each chart.
func (u *readValues) add(c *Chart, n *reads.Node) {
	n.Read(globalKey)
	n.Read("tags")
	if c.valuesSrc != nil {
		u.byFile[c.valuesSrc] = append(u.byFile[c.valuesSrc], n)
	}
	for _, d := range c.metadata.Dependencies {
		for _, condition := range d.conditions() {
			n.Read(strings.Split(condition, ".")...)
		}
		sub, ok := c.subchart(d.Name)
		if !ok || sub.isLibrary() {
			n.Read(d.Name)
		}
		for _, wanted := range d.ImportValues {
			switch w := wanted.(type) {
			case map[string]any:
				child, _ := w["child"].(string)
				n.Read(append([]string{d.Name}, strings.Split(child, ".")...)...)
			case string:
				n.Read(append([]string{d.Name, "exports"}, strings.Split(w, ".")...)...)
			}
		}
	}
	for _, sub := range c.subcharts {
		u.add(sub, n.Below(sub.name()))
	}
}

func (c *Chart) subchart(name string) (*Chart, bool) {
	for _, sub := range c.subcharts {
		if sub.name() == name {
			return sub, true
		}
	}
	return nil, false
}

// claims adds the values of a source that nothing reads.
func (u *readValues) claims(list []claim, s *suppliers, number int) []claim {
	from := &s.sources[number]
	if u.top.isLibrary() {
		return list
	}
	if from.src == nil {
		return u.claimSetting(list, number, from)
	}
	nodes, isOwn := []*reads.Node{u.all}, from.layer < 0
	if isOwn {
		nodes = u.byFile[from.src]
		if strings.Contains(from.src.Name, ".tgz/") || len(nodes) == 0 {
			return list
		}
	}
	values, _ := from.values.(map[string]any)
	w := walk{number: number, isOwn: isOwn, list: list}
	if !isOwn || from.src == s.loaded.chart.valuesSrc {
		w.merged = s.top["Values"]
	}
	w.table(nodes, values, nil)
	return w.list
}

// claimSetting adds the value of a setting if nothing reads it.
func (u *readValues) claimSetting(list []claim, number int, from *valueSource) []claim {
	nodes := []*reads.Node{u.all}
	for i, step := range from.setting.steps {
		name := stepName(step)
		next, isRead := readBelow(nodes, name)
		if isRead {
			return list
		}
		if len(next) == 0 {
			if _, isItem := step.(int); isItem || isReserved(name) {
				return list
			}
			return append(list, claim{source: number, path: from.setting.steps[:i+1], value: from.values, nodes: nodes})
		}
		nodes = next
	}
	return list
}

// stepName returns the name of a field, or the number of an item.
func stepName(step any) string {
	if name, ok := step.(string); ok {
		return name
	}
	return strconv.Itoa(step.(int))
}

// walk looks for values that nothing reads.
type walk struct {
	number int
	isOwn  bool
	list   []claim
	// merged are the values that the templates see; nil if the walk is not from their root.
	merged any
}

func (w *walk) value(nodes []*reads.Node, value any, path []any) {
	switch v := value.(type) {
	case map[string]any:
		w.table(nodes, v, path)
	case []any:
		for i, item := range v {
			if next, isRead := readBelow(nodes, strconv.Itoa(i)); !isRead && len(next) > 0 {
				w.value(next, item, append(slices.Clip(path), i))
			}
		}
	}
}

func (w *walk) table(nodes []*reads.Node, table map[string]any, path []any) {
	isTested := w.isOnly(table, path) && slices.ContainsFunc(nodes, func(n *reads.Node) bool { return n.IsTested })
	for _, key := range slices.Sorted(maps.Keys(table)) {
		next, isRead := readBelow(nodes, key)
		switch {
		case isRead || len(w.list) >= mostClaims || len(path) > maxDepth:
		case len(next) > 0:
			w.value(next, table[key], append(slices.Clip(path), key))
		case !isTested && !isReserved(key):
			w.list = append(w.list, claim{
				source: w.number, path: append(slices.Clip(path), key), value: table[key], nodes: nodes, isOwn: w.isOwn, siblings: table,
			})
		}
	}
}

// isOnly reports whether the map that the templates see at a path has at most one key: without it, the map is empty.
func (w *walk) isOnly(table map[string]any, path []any) bool {
	if len(table) > 1 {
		return false
	}
	value := w.merged
	for _, step := range path {
		name, _ := step.(string)
		below, _ := value.(map[string]any)
		value = below[name]
	}
	merged, _ := value.(map[string]any)
	return len(merged) < 2
}

// isReserved reports whether a key is not for templates: anchors are often kept below x- keys.
func isReserved(key string) bool { return strings.HasPrefix(key, "x-") }

// readBelow returns what is read below nodes at a key. isRead means that all of it is read, or that the key is.
func readBelow(nodes []*reads.Node, key string) (next []*reads.Node, isRead bool) {
	hasKeys := false
	for _, n := range nodes {
		if n.IsAll {
			return nil, true
		}
		hasKeys = hasKeys || n.HasKeys
		if field := n.Fields[key]; field != nil {
			next = append(next, field)
		}
		if n.Any != nil {
			next = append(next, n.Any)
		}
	}
	return next, hasKeys && len(next) == 0
}

// violation returns the finding about a value that nothing reads.
func (u *readValues) violation(s *suppliers, c *claim) (diag.Violation, bool) {
	key := keyOf(c.path)
	if c.off == nil && u.isDescribed(s, c) {
		return diag.Violation{}, false
	}
	v := diag.Violation{Rule: diag.UnreadValue, Severity: diag.Warning, Message: "no template reads " + diag.Quote(key)}
	from := &s.sources[c.source]
	var near string
	if c.off != nil {
		v.Message, v.Help = c.off.violationOff()
	} else {
		v.Help, near = u.help(c)
	}
	if c.isOwn && near == "" {
		v.Severity = diag.Info
	}
	if from.src == nil {
		v.Place = from.setting.at
		if v.Place.IsZero() {
			v.Place = u.top.src.Place(source.Span{})
			v.Message = from.setting.flag + " " + from.setting.key + ": " + v.Message
		}
		return v, true
	}
	l := &leaf{path: c.path}
	for _, root := range from.read() {
		if n, ok := l.in(root); ok {
			if u.isAnchored(n.Tree().Source, source.Span{Start: n.KeySpan().Start, End: n.Span().End}) {
				return v, false
			}
			v.Place = n.KeyPlace()
			if key, sp := n.Key(), n.KeySpan(); (key == "true" || key == "false") && n.Tree().Source.Text[sp.Start:sp.End] != key {
				return v, false // yaml/boolean-key tells that a word such as "on" is another key
			}
			if near != "" && from.src.Written == nil {
				v.Fixes = n.KeyFix(near)
			}
			return v, true
		}
	}
	return v, false
}

// isAnchored reports whether a part of a text has an anchor that an alias uses, which may be elsewhere.
func (u *readValues) isAnchored(src *source.Source, part source.Span) bool {
	used, ok := u.anchors[src]
	if !ok {
		used = map[string]bool{}
		for name := range namesAfter(src.Text, "*") {
			used[name] = true
		}
		u.anchors[src] = used
	}
	for name := range namesAfter(src.Text[part.Start:min(part.End, len(src.Text))], "&") {
		if used[name] {
			return true
		}
	}
	return false
}

// namesAfter returns what may be the names of anchors or aliases of YAML in a text.
func namesAfter(text, mark string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			_, after, ok := strings.Cut(text, mark)
			if !ok {
				return
			}
			text = strings.TrimLeftFunc(after, isAnchorLetter)
			if name := after[:len(after)-len(text)]; name != "" && !yield(name) {
				return
			}
		}
	}
}

func isAnchorLetter(r rune) bool { return r > ' ' && !strings.ContainsRune(",[]{}*&", r) }

// isDescribed reports whether values.schema.json of the chart, or of the subchart that the value is for, knows the value.
func (u *readValues) isDescribed(s *suppliers, c *claim) bool {
	ch := u.top
	if c.isOwn {
		ch = u.top.withValues(s.sources[c.source].src)
	}
	for i := 0; ch != nil; i++ {
		if ch.schema != "" && describes(u.schemaOf(ch), c.path[i:]) {
			return true
		}
		name, _ := c.path[i].(string)
		sub, ok := ch.subchart(name)
		if !ok || i+1 == len(c.path) {
			return false
		}
		ch = sub
	}
	return false
}

// withValues returns the chart or subchart that has a file of values; nil for none.
func (c *Chart) withValues(src *source.Source) *Chart {
	if c.valuesSrc == src {
		return c
	}
	for _, sub := range c.subcharts {
		if found := sub.withValues(src); found != nil {
			return found
		}
	}
	return nil
}

// schemaOf returns values.schema.json of a chart.
func (u *readValues) schemaOf(c *Chart) any {
	schema, ok := u.schemas[c]
	if !ok {
		if json.Unmarshal([]byte(c.schema), &schema) != nil {
			schema = nil // the chart is not rendered then
		}
		u.schemas[c] = schema
	}
	return schema
}

// describes reports whether a schema knows the value at a path. If it is composed of others, it may.
func describes(schema any, path []any) bool {
	s, ok := schema.(map[string]any)
	if !ok {
		return false
	}
	for _, word := range []string{"$ref", "allOf", "anyOf", "oneOf", "if", "patternProperties"} {
		if _, ok := s[word]; ok {
			return true
		}
	}
	if len(path) == 0 {
		return true
	}
	switch step := path[0].(type) {
	case string:
		if properties, ok := s["properties"].(map[string]any); ok {
			if below, ok := properties[step]; ok {
				return len(path) == 1 || describes(below, path[1:])
			}
		}
		_, isMap := s["additionalProperties"].(map[string]any)
		return isMap
	case int:
		return describes(s["items"], path[1:])
	}
	return false
}
