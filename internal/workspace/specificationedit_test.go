package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// document is an edited document of objects.yaml.
type document struct {
	text string
	root *yaml.Node // with its lines, parsed from text
}

// readObjects returns the documents of objects.yaml by kind and version.
func readObjects(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(specification, "objects.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	objects := map[string]string{}
	for part := range strings.SplitSeq(string(text), "\n---\n") {
		var o struct {
			APIVersion string `yaml:"apiVersion"`
			Kind       string
		}
		if err := yaml.Unmarshal([]byte(part), &o); err != nil {
			t.Fatal(err)
		}
		objects[o.Kind+" "+o.APIVersion[strings.IndexByte(o.APIVersion, '/')+1:]] = part
	}
	return objects
}

// edit makes the edits of an example. The comment at the top of statements.tsv explains them.
func edit(text, example string) (document, error) {
	var read yaml.Node
	if err := yaml.Unmarshal([]byte(text), &read); err != nil {
		return document{}, err
	}
	root := read.Content[0]
	if rest, ok := strings.CutPrefix(example, "(list)"); ok {
		root, example = listOf(root), strings.TrimSpace(rest)
	}
	if example != "(as is)" && example != "" {
		for change := range strings.SplitSeq(example, "; ") {
			if err := editOnce(root, change); err != nil {
				return document{}, err
			}
		}
	}
	out, err := yaml.Marshal(root)
	if err != nil {
		return document{}, err
	}
	var again yaml.Node
	if err := yaml.Unmarshal(out, &again); err != nil {
		return document{}, err
	}
	return document{string(out), again.Content[0]}, nil
}

func listOf(item *yaml.Node) *yaml.Node {
	block(item)
	list := &yaml.Node{Kind: yaml.MappingNode}
	set(list, "apiVersion", field(item, "apiVersion"))
	set(list, "kind", scalar(field(item, "kind").Value+"List"))
	set(list, "items", &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{item}})
	return list
}

// block changes a node and all nodes below it to block style, so each field has its own line.
func block(n *yaml.Node) {
	n.Style &^= yaml.FlowStyle
	for _, c := range n.Content {
		block(c)
	}
}

func editOnce(root *yaml.Node, change string) error {
	block(root)
	if path, ok := strings.CutPrefix(change, "-"); ok {
		return remove(root, path)
	}
	path, text, ok := strings.Cut(change, " = ")
	if !ok {
		return fmt.Errorf("%q is not an edit", change)
	}
	v, err := value(text)
	if err != nil {
		return err
	}
	block(v)
	parent, last, err := walk(root, path)
	if err != nil {
		return err
	}
	if i, err := strconv.Atoi(last); err == nil && parent.Kind == yaml.SequenceNode && i < len(parent.Content) {
		parent.Content[i] = v
		return nil
	}
	set(parent, last, v)
	return nil
}

// value parses the value of an edit.
func value(text string) (*yaml.Node, error) {
	if inner, n, rest, ok := call(text, "repeat"); ok {
		return scalar(strings.Repeat(inner, n) + rest), nil
	}
	inner, n, _, ok := call(text, "items")
	if ok {
		text = inner
	}
	var v yaml.Node
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		return nil, err
	}
	if !ok {
		return v.Content[0], nil
	}
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for range n {
		list.Content = append(list.Content, v.Content[0])
	}
	return list, nil
}

// call splits name(ARGUMENT, N)REST into its parts.
func call(text, name string) (argument string, n int, rest string, ok bool) {
	inside, ok := strings.CutPrefix(text, name+"(")
	if !ok {
		return "", 0, "", false
	}
	end := strings.LastIndexByte(inside, ')')
	comma := strings.LastIndex(inside[:end], ", ")
	n, err := strconv.Atoi(inside[comma+2 : end])
	return inside[:comma], n, inside[end+1:], err == nil
}

func scalar(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

// steps splits spec.ports[0].port into its fields and indexes.
func steps(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
}

// walk returns the parent of the node at a path, and the last step. It creates missing fields on the way.
func walk(n *yaml.Node, path string) (*yaml.Node, string, error) {
	all := steps(path)
	for _, step := range all[:len(all)-1] {
		next := below(n, step)
		if next == nil {
			if n.Kind != yaml.MappingNode {
				return nil, "", fmt.Errorf("%s: there is no %q", path, step)
			}
			next = &yaml.Node{Kind: yaml.MappingNode}
			set(n, step, next)
		}
		n = next
	}
	return n, all[len(all)-1], nil
}

// below returns a field or an item of a node, or nil.
func below(n *yaml.Node, step string) *yaml.Node {
	if n.Kind == yaml.SequenceNode {
		if i, err := strconv.Atoi(step); err == nil && i < len(n.Content) {
			return n.Content[i]
		}
		return nil
	}
	return field(n, step)
}

func field(n *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Kind == yaml.MappingNode && n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

func set(n *yaml.Node, name string, v *yaml.Node) {
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			n.Content[i+1] = v
			return
		}
	}
	n.Content = append(n.Content, scalar(name), v)
}

func remove(root *yaml.Node, path string) error {
	n, last, err := walk(root, path)
	if err != nil {
		return err
	}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == last {
			n.Content = append(n.Content[:i:i], n.Content[i+2:]...)
			return nil
		}
	}
	return fmt.Errorf("%s: there is no such field", path)
}

// line returns the line of the key or dash at a path, or the first line if the path is empty.
func (d document) line(path string) int {
	n, line := d.root, d.root.Line
	for _, step := range steps(path) {
		switch n.Kind {
		case yaml.MappingNode:
			for i := 0; i < len(n.Content); i += 2 {
				if n.Content[i].Value == step {
					line = n.Content[i].Line
				}
			}
		case yaml.SequenceNode:
			if item := below(n, step); item != nil {
				line = item.Line
			}
		}
		if n = below(n, step); n == nil {
			break
		}
	}
	return line
}
