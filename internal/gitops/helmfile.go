package gitops

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// IsHelmfile reports whether helmfile reads a file with such a path, which has slashes, if no flag names another one.
func IsHelmfile(name string) bool {
	dir, base := path.Split(name)
	base = strings.TrimSuffix(base, templateExtension)
	if ext := path.Ext(base); ext != ".yaml" && ext != ".yml" {
		return false
	}
	return strings.HasPrefix(base, "helmfile") || path.Base(dir) == "helmfile.d"
}

// templateExtension is that of files that helmfile reads as templates.
const templateExtension = ".gotmpl"

// Value is a part of the values of a release of helmfile: a file or an input.
type Value struct {
	Input chart.Input
	File  ValueFile
	// Hidden are the keys whose values are not known, each from the outermost. IsHidden means that none of them is.
	Hidden   [][]string
	IsHidden bool
}

// Helmfile returns the releases in a helmfile whose charts may be directories of the repository, and the paths of the other
// helmfiles that it includes. dir is its directory. All paths are relative to the top of the repository.
//
// Statements such as {{ .Environment.Name }} are not evaluated: what they write is not known. See
// https://helmfile.readthedocs.io/en/stable/ and pkg/state of github.com/helmfile/helmfile.
func Helmfile(src *source.Source, dir string) (releases []Source, others []string) {
	h := helmfile{dir: dir}
	text := h.withoutStatements(src)
	for part := range manifest.Parts(text) {
		tree := &manifest.Tree{}
		tree.Read(text, part)
		root := tree.Root()
		if !root.Valid() || root.Type() != manifest.Map {
			continue
		}
		h.defaultInherit = h.defaultInherit || len(field("defaultInherit").items(root)) > 0
		for _, n := range field("releases").items(root) {
			if s, ok := h.release(root, n); ok {
				releases = append(releases, s)
			}
		}
		for _, n := range field("helmfiles").items(root) {
			if n.Type() == manifest.Map {
				n = n.At("path")
			}
			if n.Valid() && n.Type() == manifest.String && !isHidden(n.Text()) && !strings.Contains(n.Text(), "::") {
				others = append(others, path.Join(dir, n.Text()))
			}
		}
	}
	return releases, others
}

type helmfile struct {
	dir string
	// lines are the offsets of statements that are lines of their own, which were replaced by spaces, writing those of them that
	// write something.
	lines, writing []int
	defaultInherit bool
}

// hidden is a character in the place of a statement.
const hidden = "\ue000"

// isHidden reports whether a text is not known. A reference such as ref+vault://... is replaced by a secret.
func isHidden(text string) bool {
	return strings.Contains(text, hidden) || strings.Contains(text, "ref+")
}

// withoutStatements returns the text with something of the same length in the place of each statement.
func (h *helmfile) withoutStatements(src *source.Source) *source.Source {
	if !strings.Contains(src.Text, "{{") {
		return src
	}
	text := []byte(src.Text)
	isLine, lineEnd := false, -1 // of the line of the last statement
	for at := 0; ; {
		next := strings.Index(src.Text[at:], "{{")
		if next < 0 {
			break
		}
		start := at + next
		at = endOfStatement(src.Text, start)
		if start >= lineEnd {
			before := src.Text[strings.LastIndexByte(src.Text[:start], '\n')+1 : start]
			line, _, _ := strings.Cut(src.Text[at:], "\n")
			isLine, lineEnd = isBlank(before) && isOfStatements(line), at+len(line)
		}
		if !isLine {
			blank(text[start:at], hidden)
			continue
		}
		h.lines = append(h.lines, start)
		if !control().MatchString(src.Text[start:at]) {
			h.writing = append(h.writing, start)
		}
		blank(text[start:at], "")
	}
	return &source.Source{
		Name: src.Name, Text: string(text), FirstLine: src.FirstLine, FirstByte: src.FirstByte,
		Written: func(sp source.Span) source.Origin { return source.Origin{Source: src, Span: sp, IsCopy: true} },
	}
}

// control matches a statement that writes nothing itself.
var control = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\{\{-?\s*(?:/\*|(?:if|else|end|range|with|define|block|break|continue)\b|\$\w+\s*:?=)`)
})

// isOfStatements reports whether the rest of a line has only statements, or a comment after them.
func isOfStatements(rest string) bool {
	for {
		rest = strings.TrimSpace(rest)
		if rest == "" || rest[0] == '#' {
			return true
		}
		if !strings.HasPrefix(rest, "{{") {
			return false
		}
		rest = rest[endOfStatement(rest, 0):]
	}
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// blank overwrites a statement with a text and what fills it up. Lines stay lines.
func blank(statement []byte, text string) {
	fill := byte(' ')
	if text != "" {
		fill = '_'
	}
	for i := range statement {
		if statement[i] != '\n' || text != "" {
			statement[i] = fill
		}
	}
	copy(statement, text)
}

// endOfStatement returns the offset after a statement, which may have strings with }} in it.
func endOfStatement(text string, start int) int {
	quote := byte(0)
	for i := start + len("{{"); i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\' && quote != '`':
			i++
		case c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '`'):
			quote = c
		case quote == 0 && strings.HasPrefix(text[i:], "}}"):
			return i + len("}}")
		}
	}
	return len(text)
}

// release returns a release. It returns false if its chart is not a directory, or not known, or if it is not installed.
func (h *helmfile) release(root, n manifest.Node) (s Source, ok bool) {
	if n.Type() != manifest.Map {
		return s, false
	}
	at := n.At("chart")
	if !at.Valid() || at.Type() != manifest.String || !isLocal(at.Text()) {
		return s, false
	}
	if installed := n.At("installed"); installed.Valid() && installed.Type() == manifest.Boolean && !installed.Boolean() {
		return s, false
	}
	known := func(text string) string {
		if isHidden(text) {
			return ""
		}
		return text
	}
	s = Source{
		Kind: "release", Name: known(n.TextAt("name")), Namespace: known(n.TextAt("namespace")), IsLocal: true,
		Path: path.Join(h.dir, at.Text()), At: at.Place(), Only: Chart,
	}
	s.Set = chart.Set{
		Name: strings.TrimSpace("release " + s.Name), At: s.At, Release: s.Name, KubeVersion: known(n.TextAt("kubeVersion")),
		SkipsSchema: field("skipSchemaValidation").isSet(n),
	}
	if s.Set.Namespace = s.Namespace; root.TextAt("namespace") != "" {
		s.Set.Namespace = known(root.TextAt("namespace")) // it replaces those of releases
	}
	for _, holder := range []manifest.Node{root, n} {
		for _, item := range field("apiVersions").items(holder) {
			s.Set.APIVersions = append(s.Set.APIVersions, scalar(item))
		}
	}
	for _, name := range []field{"dependencies", "forceNamespace"} {
		if unknown, ok := name.at(n); ok {
			s.Unknown = unknown
		}
	}
	for _, name := range laterOfRelease {
		if later, ok := name.at(n); ok {
			s.Later = later
		}
	}
	h.values(&s, root, n)
	return s, true
}

// laterOfRelease are the fields of a release that change what the chart writes.
var laterOfRelease = []field{"strategicMergePatches", "jsonPatches", "transformers", "postRenderer"}

// isLocal reports whether a chart may be a directory: pkg/state/util.go of helmfile, isLocalChart. A directory may also have
// the form of REPOSITORY/CHART.
func isLocal(name string) bool {
	return name != "" && !isHidden(name) && !strings.Contains(name, "://") && !path.IsAbs(name)
}

// values adds the values of a release, in the order in which they win: files and maps, then single ones.
func (h *helmfile) values(s *Source, root, n manifest.Node) {
	start, end := n.Span().Start, n.Span().End
	if h.defaultInherit || len(field("inherit").items(n)) > 0 || isIn(start, end, h.lines) || n.At("valuesTemplate").Valid() {
		s.Values = append(s.Values, Value{IsHidden: true})
	}
	handler := n.TextAt("missingFileHandler")
	if handler == "" {
		handler = root.TextAt("missingFileHandler")
	}
	for _, item := range field("values").items(n) {
		switch {
		case item.Type() == manifest.Map:
			s.Values = append(s.Values, mapOf(item))
		case item.Type() == manifest.String && !isHidden(item.Text()) && path.Ext(item.Text()) != templateExtension:
			s.Values = append(s.Values, Value{File: ValueFile{
				Path: path.Join(h.dir, item.Text()), IsFromTop: true, At: item.Place(), MayBeMissing: handler != "" && handler != "Error",
			}})
		case item.Type() != manifest.Null:
			s.Values = append(s.Values, Value{IsHidden: true})
		}
	}
	if len(field("secrets").items(n)) > 0 {
		s.Values = append(s.Values, Value{IsHidden: true})
	}
	for _, list := range []struct {
		field    field
		isString bool
	}{{"set", false}, {"setString", true}, {"setTemplate", false}} {
		for _, item := range list.field.items(n) {
			s.Values = append(s.Values, settingOf(item, list.isString))
		}
	}
	if next := n.Next(); next.Valid() {
		end = next.Span().Start
	} else {
		end = len(n.Tree().Source.Text)
	}
	if isIn(start, end, h.writing) {
		s.Values = append(s.Values, Value{IsHidden: true})
	}
}

// isIn reports whether one of some offsets, which are sorted, is in a span.
func isIn(start, end int, offsets []int) bool {
	i, _ := slices.BinarySearch(offsets, start)
	return i < len(offsets) && offsets[i] < end
}

// settingOf returns an item of set.
func settingOf(item manifest.Node, isString bool) Value {
	name, at := field("name").text(item), item.At("value")
	if item.Type() != manifest.Map || isHidden(name) || name == "" {
		return Value{IsHidden: true}
	}
	in := chart.Input{Key: name, Value: at, IsString: isString}
	if list := item.At("values"); list.Valid() && list.Type() == manifest.List {
		var items []string
		for child := range list.Children() {
			items = append(items, strings.ReplaceAll(scalar(child), ",", `\,`))
		}
		in.Value, in.Text = list, "{"+strings.Join(items, ",")+"}"
	} else if at.Valid() && at.Type() != manifest.Map && at.Type() != manifest.List {
		in.Text = scalar(at)
	}
	if !in.Value.Valid() || isHidden(in.Text) {
		return Value{Hidden: [][]string{strings.Split(strings.ReplaceAll(name, "[", "."), ".")}}
	}
	return Value{Input: in}
}

// mapOf returns the values of a map, without those that are not known.
func mapOf(n manifest.Node) (v Value) {
	v.Input.Value = n
	if has(n, isHidden) {
		v.Input.Values, _ = knownOf(n, isHidden, nil, &v.Hidden).(map[string]any)
		if v.Input.Values == nil {
			v.Input.Values = map[string]any{}
		}
	}
	return v
}

// has reports whether a key or a string below a node is hidden.
func has(n manifest.Node, isHidden func(string) bool) bool {
	if isHidden(n.Key()) || n.Type() == manifest.String && isHidden(n.Text()) {
		return true
	}
	for child := range n.Children() {
		if has(child, isHidden) {
			return true
		}
	}
	return false
}

// knownOf returns a value without what is hidden in maps, whose keys it adds to a list; nil if nothing is known.
func knownOf(n manifest.Node, isHidden func(string) bool, keys []string, to *[][]string) any {
	hides := has(n, isHidden)
	if n.Type() != manifest.Map || !hides {
		var value any
		if hides || json.Unmarshal(n.AppendJSON(nil), &value) != nil {
			*to = append(*to, keys)
			return nil
		}
		return value
	}
	known := map[string]any{}
	for child := range n.Children() {
		if isHidden(child.Key()) {
			*to = append(*to, keys) // it may have any key
			continue
		}
		before := len(*to)
		value := knownOf(child, isHidden, append(slices.Clip(keys), child.Key()), to)
		if value != nil || len(*to) == before {
			known[child.Key()] = value
		}
	}
	if len(known) == 0 {
		return nil
	}
	return known
}
