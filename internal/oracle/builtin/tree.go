package builtin

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// Objects are trees of YAML nodes. A plain scalar is written as it is spelled; a key may occur twice.

func plain(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: text} }

func quoted(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: text}
}

func list(items ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Content: items}
}

// mapping returns an object of alternating keys and values.
func mapping(content ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle, Content: content}
}

func clone(n *yaml.Node) *yaml.Node {
	c := *n
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		c.Content[i] = clone(child)
	}
	return &c
}

// parse returns the value of a text with one document.
func parse(text string) (*yaml.Node, error) {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		return nil, err
	}
	return document.Content[0], nil
}

// field returns the value of a key; nil if there is none.
func field(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// text returns a tree as JSON or YAML.
func text(n *yaml.Node, isJSON bool) string {
	if isJSON {
		var b strings.Builder
		writeJSON(&b, n)
		b.WriteByte('\n')
		return b.String()
	}
	out, err := yaml.Marshal(n)
	if err != nil {
		panic(err) // the tree consists of maps, lists and scalars
	}
	return string(out)
}

func writeJSON(b *strings.Builder, n *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode:
		b.WriteByte('{')
		for i := 0; i < len(n.Content); i += 2 {
			if i > 0 {
				b.WriteString(", ")
			}
			writeString(b, n.Content[i].Value)
			b.WriteString(": ")
			writeJSON(b, n.Content[i+1])
		}
		b.WriteByte('}')
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				b.WriteString(", ")
			}
			writeJSON(b, item)
		}
		b.WriteByte(']')
	default:
		if isPlain(n) && json.Valid([]byte(n.Value)) {
			b.WriteString(n.Value)
			return
		}
		writeString(b, n.Value)
	}
}

func isPlain(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Style == 0 }

func writeString(b *strings.Builder, s string) {
	out, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	b.Write(out)
}

// site is a value in a tree: a field of an object, or an item of a list.
type site struct {
	parent *yaml.Node
	index  int    // of the value in parent.Content
	path   string // such as spec.ports[0].port
	schema *spec.Schema
	field  string // such as k8s.io/api/core/v1.ServiceSpec.ports[].port
	inMap  bool   // it is a value of a map, so that its key is no field
}

func (s site) value() *yaml.Node     { return s.parent.Content[s.index] }
func (s site) set(n *yaml.Node)      { s.parent.Content[s.index] = n }
func (s site) isField() bool         { return s.parent.Kind == yaml.MappingNode }
func (s site) key() string           { return s.parent.Content[s.index-1].Value }
func (s site) setKey(key *yaml.Node) { s.parent.Content[s.index-1] = key }

// insert inserts nodes after the value.
func (s site) insert(nodes ...*yaml.Node) {
	s.parent.Content = slices.Insert(s.parent.Content, s.index+1, nodes...)
}

// remove removes the value, and the key of a field.
func (s site) remove() {
	from := s.index
	if s.isField() {
		from--
	}
	s.parent.Content = slices.Delete(s.parent.Content, from, s.index+1)
}

// sites returns all values of a tree below n, parents first, except the apiVersion and kind of the object.
func (d definitions) sites(n *yaml.Node, path string, schema *spec.Schema) []site {
	return d.sitesOf(n, site{path: path, schema: schema})
}

// sitesOf returns the sites below a node that is the value of a site.
func (d definitions) sitesOf(n *yaml.Node, of site) []site {
	if name := typeName(of.schema); name != "" {
		of.field = name
	}
	schema := d.resolve(of.schema)
	var found []site
	switch n.Kind {
	case yaml.MappingNode:
		inMap := schema.AdditionalProperties != nil
		for i := 1; i < len(n.Content); i += 2 {
			key := n.Content[i-1].Value
			if of.path == "" && (key == "apiVersion" || key == "kind") {
				continue
			}
			s := site{
				parent: n, index: i, path: strings.TrimPrefix(of.path+"."+key, "."), schema: d.fieldSchema(schema, key),
				field: of.field + "." + key,
			}
			if inMap {
				s.field, s.inMap = of.field+"{}", true
			}
			found = append(append(found, s), d.sitesOf(s.value(), s)...)
		}
	case yaml.SequenceNode:
		for i := range n.Content {
			s := site{
				parent: n, index: i, path: of.path + "[" + strconv.Itoa(i) + "]", schema: itemSchema(schema),
				field: of.field + "[]",
			}
			found = append(append(found, s), d.sitesOf(s.value(), s)...)
		}
	}
	return found
}
