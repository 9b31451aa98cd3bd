package upstream

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// lifetime is the first and the last minor version that has something.
type lifetime struct{ first, last int }

func (l lifetime) has(minor int) bool { return l.first <= minor && minor <= l.last }

// within returns the part of a lifetime that the given marks leave. "" and "-" are open ends.
func (l lifetime) within(since, until string) lifetime {
	first, _ := strconv.Atoi(strings.TrimPrefix(since, "1."))
	last, _ := strconv.Atoi(strings.TrimPrefix(until, "1."))
	return lifetime{max(l.first, first), min(l.last, cmp.Or(last, l.last))}
}

// A change is between two versions, of which only one has a kind, a field or a value.
type change struct{ with, without int }

// changes are those at the ends of a lifetime, inside another one.
func (l lifetime) changes(in lifetime) []change {
	var found []change
	if l.first > in.first {
		found = append(found, change{l.first, l.first - 1})
	}
	if l.last < in.last {
		found = append(found, change{l.last, l.last + 1})
	}
	return found
}

// help says when something appeared or disappeared.
func (c change) help() string {
	if c.with > c.without {
		return fmt.Sprintf("it is new in 1.%d", c.with)
	}
	return fmt.Sprintf("it was removed in 1.%d", c.without)
}

// servedKind is a version of a kind.
type servedKind struct {
	group, version, name, typeName string
	lifetime
}

func (k *servedKind) apiVersion() string {
	if k.group == "" {
		return k.version
	}
	return k.group + "/" + k.version
}

func servedKinds(t *testing.T) []servedKind {
	all := lifetime{Releases[0].Minor, last(Releases[:]).Minor}
	var kinds []servedKind
	for _, k := range readTSV(t, "kinds.tsv", 11) {
		kinds = append(kinds, servedKind{strings.TrimPrefix(k[0], "-"), k[1], k[2], k[7], all.within(k[8], k[9])})
	}
	return kinds
}

// place is a field of a kind, reached by the fields above it.
type place struct {
	above *place // nil for a field of the document
	name  string
	node  manifest.Node // in types.yaml
	lifetime
}

// places returns the fields of a kind. The fields of a type occur once, unless another way to the type was there
// longer.
func places(types manifest.Node, k *servedKind) []*place {
	var found []*place
	reached := map[string][]lifetime{}
	type visit struct {
		typeName string
		above    *place
		lifetime
	}
	queue := []visit{{k.typeName, nil, k.lifetime}}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		if isReached(reached[v.typeName], v.lifetime) {
			continue
		}
		reached[v.typeName] = append(reached[v.typeName], v.lifetime)
		for f := range types.At(v.typeName, "properties").Children() {
			l := v.within(f.TextAt("since"), f.TextAt("until"))
			if l.first > l.last || v.above == nil && isEnvelope(f.Key()) {
				continue
			}
			p := &place{v.above, f.Key(), f, l}
			found = append(found, p)
			if name := innermost(f).TextAt("$ref"); name != "" {
				queue = append(queue, visit{name, p, l})
			}
		}
	}
	return found
}

func isReached(before []lifetime, l lifetime) bool {
	for _, b := range before {
		if b.first <= l.first && l.last <= b.last {
			return true
		}
	}
	return false
}

// isEnvelope reports whether a field of a document has checks of its own.
func isEnvelope(name string) bool {
	return name == "apiVersion" || name == "kind" || name == "metadata"
}

// innermost returns the schema of the items of a list or a map, or of any other value the schema itself.
func innermost(schema manifest.Node) manifest.Node {
	for _, keyword := range []string{"items", "additionalProperties"} {
		if inner := schema.At(keyword); inner.Valid() {
			return innermost(inner)
		}
	}
	return schema
}

// document returns a document of a kind in which the field has a value of its type, or the given value. It also
// returns the path of the field.
func (p *place) document(k *servedKind, value any) (text, path string) {
	inside := map[string]any{p.name: wrap(p.node, cmp.Or(value, sample(innermost(p.node))))}
	path = p.name
	for above := p.above; above != nil; above = above.above {
		inside = map[string]any{above.name: wrap(above.node, inside)}
		path = above.name + steps(above.node) + "." + path
	}
	inside["apiVersion"], inside["kind"], inside["metadata"] = k.apiVersion(), k.name, map[string]any{"name": "a"}
	b, err := json.Marshal(inside)
	if err != nil {
		panic(err)
	}
	return string(b), path
}

// overlay returns what the overlay of its type says about a field.
func (p *place) overlay() manifest.Node {
	text, err := os.ReadFile(filepath.Join(directory, "overlay", p.node.Parent().Parent().Key()+".yaml"))
	if err != nil {
		return manifest.Node{}
	}
	tree := &manifest.Tree{}
	tree.Read(&source.Source{Text: string(text)}, manifest.Part{Span: source.Span{End: len(text)}})
	return tree.Root().At("properties", p.name)
}

// droppedSince returns the first minor version that drops a field while its gate is off.
func (p *place) droppedSince() int {
	minor, _ := strconv.Atoi(strings.TrimPrefix(p.overlay().TextAt("gateSince"), "1."))
	return minor
}

// disabled returns the fields on the way whose feature gate is off, from the inside out.
func (p *place) disabled(k *servedKind, gates map[string]int, minor int) (off []*place) {
	for ; p != nil; p = p.above {
		if only := p.overlay().At("gateOf", "kind").Text(); only != "" && only != k.name {
			continue
		}
		if on, isGated := gates[p.node.TextAt("gate")]; isGated && (on == 0 || minor < on) && minor >= p.droppedSince() {
			off = append(off, p)
		}
	}
	return off
}

// isInStatus reports whether the value is decoded, but not validated.
func (p *place) isInStatus() bool {
	return p.name == "status" || p.above != nil && p.above.isInStatus()
}

// gatesOn returns the first minor version in which each gate is on by default, 0 if there is none.
func gatesOn(t *testing.T) map[string]int {
	on := map[string]int{}
	for _, line := range readTSV(t, "gates.tsv", 4) {
		on[line[0]], _ = strconv.Atoi(line[1])
	}
	return on
}

// wrap returns a value of a schema that has one item or value, which is given.
func wrap(schema manifest.Node, inside any) any {
	switch items, values := schema.At("items"), schema.At("additionalProperties"); {
	case items.Valid():
		return []any{wrap(items, inside)}
	case values.Valid():
		return map[string]any{"key": wrap(values, inside)}
	}
	return inside
}

// steps returns the part of a path that leads to what wrap wraps.
func steps(schema manifest.Node) string {
	switch items, values := schema.At("items"), schema.At("additionalProperties"); {
	case items.Valid():
		return "[0]" + steps(items)
	case values.Valid():
		return ".key" + steps(values)
	}
	return ""
}

// sample returns a value that decodes.
func sample(schema manifest.Node) any {
	if enum := schema.At("enum"); enum.Valid() {
		return last(texts(enum))
	}
	switch schema.TextAt("format") {
	case "time":
		return "2024-01-01T00:00:00Z"
	case "micro-time":
		return "2024-01-01T00:00:00.000000Z"
	case "byte":
		return "YQ=="
	case "quantity":
		return "1"
	}
	switch schema.TextAt("type") {
	case "string":
		return "a"
	case "boolean":
		return true
	case "integer", "number":
		return 1
	}
	if schema.At("x-kubernetes-int-or-string").Valid() {
		return 1
	}
	return map[string]any{}
}
