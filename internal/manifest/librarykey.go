package manifest

import (
	"slices"
	"strconv"
	"strings"

	yamlnode "go.yaml.in/yaml/v3"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/kindvet/kindvet/internal/source"
)

// Keys that are not strings, as the libraries read them. sigs.k8s.io/yaml turns booleans and numbers into strings, so
// two different keys, such as 1 and "1", may become the same string. The strict reader of an API server does not
// report them as duplicates, and one of the two values is kept at random (convertToJSONableObject ranges over a Go
// map).

func isQuoted(n *yamlnode.Node) bool {
	return n.Style&(yamlnode.DoubleQuotedStyle|yamlnode.SingleQuotedStyle) != 0
}

// keyName returns the string that sigs.k8s.io/yaml makes of a key. Plain booleans and numbers are normalized.
func (r *libraryReader) keyName(n *yamlnode.Node) string {
	if n.Kind == yamlnode.AliasNode {
		n = n.Alias
	}
	start := r.offset(n)
	raw := r.tree.Source.Text[start:r.scalarEnd(n, start, -1)]
	if raw == "" || raw[0] != '!' && raw[0] != '&' && (isQuoted(n) || !mayConvert(n.Value)) {
		return n.Value
	}
	if name, ok := r.plainKeys[raw]; ok {
		return name
	}
	name := n.Value
	var m map[string]any
	if j, err := yaml.YAMLToJSON([]byte(raw + ": 0\n")); err == nil &&
		kjson.UnmarshalCaseSensitivePreserveInts(j, &m) == nil && len(m) == 1 {
		for key := range m {
			name = key
		}
	}
	if r.plainKeys == nil {
		r.plainKeys = map[string]string{}
	}
	r.plainKeys[raw] = name
	return name
}

// mayConvert reports whether a plain key could be read as something other than a string.
func mayConvert(key string) bool {
	switch key {
	case "y", "Y", "n", "N", "~", "":
		return true
	}
	if len(key) <= 5 {
		switch strings.ToLower(key) {
		case "yes", "no", "on", "off", "true", "false", "null":
			return true
		}
	}
	return strings.IndexByte("0123456789.+-", key[0]) >= 0
}

// keyValue is a key as the library sees it before it becomes a string. Two keys with the same name but different
// values are different keys.
type keyValue struct {
	scalar
	tagged string // the text of a key with a tag; its value is not examined
	name   string // name of a key that is not a string
}

// keyValue returns the value of a key. It is the zero value for every string.
func (r *libraryReader) keyValue(n *yamlnode.Node) keyValue {
	if n.Kind == yamlnode.AliasNode {
		n = n.Alias
	}
	switch {
	case n.Style&yamlnode.TaggedStyle != 0:
		start := r.offset(n)
		return keyValue{tagged: r.tree.Source.Text[start:r.scalarEnd(n, start, -1)], name: r.keyName(n)}
	case isQuoted(n) || n.Value == "" || !mayConvert(n.Value):
		return keyValue{}
	}
	if v := resolve(n.Value); v.typ != String {
		return keyValue{scalar: v, name: r.keyName(n)}
	}
	return keyValue{}
}

// heldUnder returns the key under which the decoded value of a field is found.
func (r *libraryReader) heldUnder(f yamlField) string {
	if key, ok := r.standIns[f.id]; ok {
		return key
	}
	return f.name
}

// tellApart builds the tree again from a text in which every key that is not a string is replaced with a stand-in
// string, so that the value of each is known.
func (r *libraryReader) tellApart(root *yamlnode.Node, text []byte) {
	prefix := "key"
	for strings.Contains(string(text), prefix) {
		prefix += strconv.Itoa(len(prefix))
	}
	r.standIns = map[keyValue]string{}
	keys := r.keysWithoutString(root, prefix, nil)
	slices.SortFunc(keys, func(a, b *yamlnode.Node) int { return r.offset(a) - r.offset(b) })
	var edited []byte
	base, end := r.part.Span.Start, 0
	for _, key := range keys {
		start := r.offset(key) - base
		edited = append(edited, text[end:start]...)
		if key.Anchor != "" {
			edited = append(append(append(edited, '&'), key.Anchor...), ' ')
		}
		edited = strconv.AppendQuote(edited, r.standIns[r.keyValue(key)])
		end = r.scalarEnd(key, start+base, -1) - base
	}
	v, err := decodeYAML(append(edited, text[end:]...), yaml.YAMLToJSON)
	if err != nil {
		return // the keys are not where the library reads them
	}
	again := libraryReader{
		tree: r.tree, part: r.part, lines: r.lines, twice: r.twice, plainKeys: r.plainKeys, standIns: r.standIns,
	}
	r.tree.Reset(r.tree.Source)
	again.build(root.Content[0], v, -1)
	*r = again
}

// keysWithoutString appends the keys below a node that are not strings, and assigns a stand-in key to each distinct
// value.
func (r *libraryReader) keysWithoutString(n *yamlnode.Node, prefix string, keys []*yamlnode.Node) []*yamlnode.Node {
	for i, child := range n.Content {
		if n.Kind == yamlnode.MappingNode && i%2 == 0 && child.Tag != "!!merge" {
			if id := r.keyValue(child); id != (keyValue{}) {
				keys = append(keys, child)
				if _, ok := r.standIns[id]; !ok {
					r.standIns[id] = prefix + strconv.Itoa(len(r.standIns))
				}
			}
		}
		keys = r.keysWithoutString(child, prefix, keys)
	}
	return keys
}

// oddKey returns the span of the first key that is a map, a list or null, which the library rejects without a line. In
// a map such as {{a}}, it is the span of that map. If there is no such key, it returns otherwise.
func (t *Tree) oddKey(p Part, otherwise source.Span) source.Span {
	var root yamlnode.Node
	if err := yamlnode.Unmarshal([]byte(t.Source.Text[p.Span.Start:p.Span.End]), &root); err != nil {
		return otherwise
	}
	n := withOddKey(&root)
	if n == nil {
		return otherwise
	}
	r := libraryReader{tree: t, part: p, lines: yamlLines(t.Source.Text, p.Span)}
	start := r.offset(n)
	line := strings.TrimRight(lineOf(t.Source.Text[start:p.Span.End]), " \r\n")
	end := start + len(line)
	if opening := len(line) - len(strings.TrimLeft(line, "{")); opening > 0 {
		closed := start
		for range opening {
			closed = r.flowEnd(closed, '}')
		}
		end = min(end, closed)
	}
	return source.Span{Start: start, End: end}
}

// withOddKey returns the first key below a node that is a map, a list or null, or the map around it if that starts with
// two braces. It returns nil if there is none.
func withOddKey(n *yamlnode.Node) *yamlnode.Node {
	for i, child := range n.Content {
		if n.Kind == yamlnode.MappingNode && i%2 == 0 &&
			(child.Kind != yamlnode.ScalarNode && child.Kind != yamlnode.AliasNode || child.Tag == "!!null") {
			if i == 0 && n.Style&child.Style&yamlnode.FlowStyle != 0 && child.Line == n.Line && child.Column == n.Column+1 {
				return n
			}
			return child
		}
		if found := withOddKey(child); found != nil {
			return found
		}
	}
	return nil
}
