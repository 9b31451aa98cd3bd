package manifest

import (
	"math"
	"strconv"
	"strings"

	yamlnode "go.yaml.in/yaml/v3"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/kindvet/kindvet/internal/diag"
)

// readByLibrary reads a part with two libraries. The value is that of sigs.k8s.io/yaml. The places come from the nodes
// of go.yaml.in/yaml/v3; its values, which differ (booleans of YAML 1.2, times), are not used.
func (t *Tree) readByLibrary(p Part) []diag.Violation {
	if v := t.beyondLimits(p); v != nil {
		return []diag.Violation{*v}
	}
	text := []byte(t.Source.Text[p.Span.Start:p.Span.End] + "\n") // kubectl adds a final newline
	if strings.HasSuffix(t.Source.Text[p.Span.Start:p.Span.End], "\n") {
		text = text[:len(text)-1]
	}
	var twice error // error of the strict reader about duplicate keys
	v, err := decodeYAML(text, yaml.YAMLToJSONStrict)
	if err != nil && strings.Contains(err.Error(), "already set in map") {
		twice = err
		v, err = decodeYAML(text, yaml.YAMLToJSON)
	}
	r := libraryReader{tree: t, part: p, lines: yamlLines(t.Source.Text, p.Span), twice: twice}
	if err != nil && strings.Contains(err.Error(), notFinite) {
		text = r.finite(text)
		var again error
		if v, again = decodeYAML(text, yaml.YAMLToJSON); again == nil {
			err = nil
		}
	}
	if err != nil {
		return []diag.Violation{t.syntaxFault(p, err)}
	}
	var root yamlnode.Node
	if err := yamlnode.Unmarshal(text, &root); err != nil || len(root.Content) == 0 {
		r.unplaced(v)
		return r.duplicateViolations()
	}
	r.build(root.Content[0], v, -1)
	if len(r.infinite) > 0 {
		return append(r.infiniteViolations(), r.duplicateViolations()...)
	}
	if len(r.ambiguous) > 0 {
		r.tellApart(&root, text)
	}
	return r.duplicateViolations()
}

// decodeYAML returns the value that the API server reads, with one of the conversions of sigs.k8s.io/yaml.
func decodeYAML(text []byte, toJSON func([]byte) ([]byte, error)) (v any, err error) {
	j, err := toJSON(text)
	if err != nil {
		return nil, err
	}
	return v, kjson.UnmarshalCaseSensitivePreserveInts(j, &v)
}

type libraryReader struct {
	tree       *Tree
	part       Part
	lines      []yamlLine
	twice      error // error of the strict reader about duplicate keys
	duplicates [][2]int32
	overridden [][2]int32 // keys from a merge key, and those that override them
	ambiguous  [][2]int32 // different keys that become the same string
	hasMerged  bool       // a merge key has added a field
	aliases    int        // nesting depth of aliases
	// infiniteEnd holds the end of each value that is infinity or NaN, by its offset, and infinite the nodes.
	infiniteEnd map[int]int
	infinite    []int32
	plainKeys   map[string]string
	standIns    map[keyValue]string // the keys that tellApart has substituted for keys that are not strings
}

// unplaced builds a tree for a text that only one of the libraries can read. Every node gets the place of the first
// line.
func (r *libraryReader) unplaced(v any) {
	start := skipBlank(r.tree.Source.Text, r.part.Span.Start)
	r.build(&yamlnode.Node{Kind: yamlnode.ScalarNode, Line: 1, Column: 1 + start - r.part.Span.Start, Value: ""}, v, -1)
}

// duplicateViolations reports the duplicate keys that were found.
func (r *libraryReader) duplicateViolations() []diag.Violation {
	violations := r.tree.duplicateKeys(r.duplicates, []keyFixes{})
	var overflow diag.Overflow
	add := func(pairs [][2]int32, s diag.Severity, violation func(first, again int32) diag.Violation) {
		for _, pair := range pairs {
			if !overflow.Counts(violations, diag.DuplicateKey, s) {
				violations = append(violations, violation(pair[0], pair[1]))
			}
		}
	}
	add(r.overridden, diag.Info, r.tree.overriddenKey)
	add(r.ambiguous, diag.Warning, r.tree.ambiguousKey)
	if r.twice == nil || len(r.duplicates) > 0 || len(r.overridden) > 0 {
		return violations
	}
	line := 1 // for a key that comes from a merge key, or whose place is unknown
	if m := lineOfError().FindStringSubmatch(r.twice.Error()); m != nil {
		line, _ = strconv.Atoi(m[1])
	}
	v := diag.Violation{
		Rule: diag.DuplicateKey, Severity: diag.Error, Message: "duplicate key", Help: "keep one of the two",
		Place: r.tree.Source.Place(r.tree.faultSpan(r.part, line, "")),
	}
	if r.hasMerged {
		v.Severity, v.Message, v.Help = diag.Info, "a key overrides one from <<", overriddenHelp
	}
	return append(violations, v)
}

// build adds the node of a value and all nodes below it. indent is the column of the map or list that contains it,
// from 0; it is -1 for the root.
func (r *libraryReader) build(n *yamlnode.Node, v any, indent int) int32 {
	if n.Kind == yamlnode.AliasNode {
		return r.alias(n, v, indent)
	}
	start := r.offset(n)
	i := r.tree.add(0, Plain, start, start)
	if n.Anchor != "" || n.Style&yamlnode.TaggedStyle != 0 {
		r.tree.nodes[i].flags |= tagged
	}
	switch v := v.(type) {
	case map[string]any:
		r.buildMap(i, n, v)
	case []any:
		r.buildList(i, n, v)
	default:
		r.tree.setScalar(i, v)
		r.placeScalar(i, n, indent)
		if end, ok := r.infiniteEnd[start]; ok {
			r.tree.nodes[i].end = uint32(end)
			r.infinite = append(r.infinite, i)
		}
	}
	return i
}

// alias adds the value of an alias, with the place of the alias. Nodes below it have the places of the anchored text.
func (r *libraryReader) alias(n *yamlnode.Node, v any, indent int) int32 {
	start := r.offset(n)
	r.aliases++
	i := r.build(n.Alias, v, indent)
	r.aliases--
	d := &r.tree.nodes[i]
	d.flags |= tagged
	d.start, d.end = uint32(start), uint32(min(start+1+len(n.Value), r.part.Span.End))
	return i
}

// setScalar sets a scalar as decoded by encoding/json, except that integers are int64.
func (t *Tree) setScalar(i int32, v any) {
	d := &t.nodes[i]
	switch v := v.(type) {
	case bool:
		d.typ = Boolean
		if v {
			d.data = 1
		}
	case int64:
		d.typ, d.data = Integer, uint64(v)
	case float64:
		d.typ, d.data = Float, math.Float64bits(v)
	case string:
		d.typ = String
		t.setText(i, v)
	default:
		d.typ = Null
	}
}

func (r *libraryReader) buildMap(i int32, n *yamlnode.Node, v map[string]any) {
	r.tree.nodes[i].typ = Map
	if n.Kind != yamlnode.MappingNode { // the libraries disagree about the type
		last := int32(0)
		for _, key := range sortedKeys(v) {
			c := r.build(&yamlnode.Node{Kind: yamlnode.ScalarNode, Line: n.Line, Column: n.Column}, v[key], -1)
			r.tree.setKey(c, key)
			last = r.tree.linkAfter(i, last, c)
		}
		return
	}
	last, end := int32(0), int(r.tree.nodes[i].start)
	keys := r.tree.keysOf(i)
	merged := map[int32]bool{}
	for _, f := range r.fields(n) {
		value, ok := v[r.heldUnder(f)]
		if !ok {
			continue
		}
		if f.shadowed {
			value = nil
		}
		c := r.build(f.value, value, n.Column-1)
		keyStart := r.offset(f.key)
		keyEnd := r.scalarEnd(f.key, keyStart, n.Column-1)
		r.tree.placeKey(c, f.name, keyStart, keyEnd, styleOf(f.key))
		last = r.tree.linkAfter(i, last, c)
		first, again := keys.add(c)
		switch {
		case again && f.ambiguous:
			r.ambiguous = append(r.ambiguous, [2]int32{first, c})
			if f.shadowed {
				keys.keep(first, c)
			}
		case again && merged[first]:
			r.overridden = append(r.overridden, [2]int32{first, c})
		case again && !f.merged:
			r.duplicates = append(r.duplicates, [2]int32{first, c})
		}
		if f.merged {
			merged[c], r.hasMerged = true, true
		} else {
			end = max(end, keyEnd, int(r.tree.nodes[c].end))
		}
	}
	r.closeCollection(i, n, end, '}')
}

func (r *libraryReader) buildList(i int32, n *yamlnode.Node, v []any) {
	r.tree.nodes[i].typ = List
	last, end := int32(0), int(r.tree.nodes[i].start)
	for at, value := range v {
		item := &yamlnode.Node{Kind: yamlnode.ScalarNode, Line: n.Line, Column: n.Column}
		if n.Kind == yamlnode.SequenceNode && at < len(n.Content) {
			item = n.Content[at]
		}
		c := r.build(item, value, n.Column-1)
		last = r.tree.linkAfter(i, last, c)
		end = max(end, int(r.tree.nodes[c].end))
	}
	r.closeCollection(i, n, end, ']')
}

// closeCollection sets the end of a map or list: after its last child, or after its closing bracket.
func (r *libraryReader) closeCollection(i int32, n *yamlnode.Node, end int, closing byte) {
	d := &r.tree.nodes[i]
	if n.Style&yamlnode.FlowStyle != 0 {
		d.style = Flow
		end = r.flowEnd(max(end, int(d.start)+1), closing)
	}
	d.end = uint32(max(min(end, r.part.Span.End), int(d.start)))
}

// yamlField is a field of a mapping or of a mapping merged into it.
type yamlField struct {
	name       string
	id         keyValue
	key, value *yamlnode.Node
	merged     bool
	shadowed   bool // another field that becomes the same name counts
	ambiguous  bool // an earlier field that becomes the same name has a different key
}

// fields returns the fields of a mapping in the order in which they are set. Merge keys are replaced with their
// fields.
func (r *libraryReader) fields(n *yamlnode.Node) []yamlField {
	var fields []yamlField
	for k := 0; k+1 < len(n.Content); k += 2 {
		key, value := n.Content[k], n.Content[k+1]
		if key.Tag == "!!merge" {
			fields = append(fields, r.mergedFields(value)...)
			continue
		}
		fields = append(fields, yamlField{name: r.keyName(key), id: r.keyValue(key), key: key, value: value})
	}
	seen := make(map[string]int, len(fields))
	for i := range fields {
		j, ok := seen[fields[i].name]
		fields[i].ambiguous = ok && (fields[j].id != fields[i].id ||
			r.twice == nil && !fields[j].merged && !fields[i].merged)
		if fields[i].ambiguous && r.part.FirstKey {
			fields[i].shadowed = true
			continue
		}
		if ok {
			fields[j].shadowed = true
		}
		seen[fields[i].name] = i
	}
	return fields
}

// mergedFields returns the fields of a merge key. If it merges several mappings, the first is set last, so it wins.
func (r *libraryReader) mergedFields(value *yamlnode.Node) []yamlField {
	if value.Kind == yamlnode.AliasNode {
		value = value.Alias
	}
	var fields []yamlField
	switch value.Kind {
	case yamlnode.MappingNode:
		fields = r.fields(value)
	case yamlnode.SequenceNode:
		for i := len(value.Content) - 1; i >= 0; i-- {
			fields = append(fields, r.mergedFields(value.Content[i])...)
		}
	}
	for i := range fields {
		fields[i].merged = true
	}
	return fields
}
