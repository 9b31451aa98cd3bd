package kustomize

import (
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/kindvet/kindvet/internal/manifest"
)

// patch is a strategic merge patch, or a list of JSON6902 operations.
type patch struct {
	doc    *document
	node   manifest.Node // where the kustomization names or contains it
	target *target       // nil if the patch names its object itself
	// file is the patch as the library gets it. If it is "", the patch is the string in an item of a list.
	file  string
	owner string // the kustomization with the list
	list  string
	index int
}

// target is what a patch selects: patterns of the kind and the name, or nil for all. isExact means that it compares
// nothing else.
type target struct {
	kind, name *regexp.Regexp
	isExact    bool
}

func newTarget(t *types.Selector) *target {
	if t == nil {
		return nil
	}
	kind, name := patternOf(t.Kind), patternOf(t.Name)
	isExact := (kind != nil || t.Kind == "") && (name != nil || t.Name == "") &&
		t.Group+t.Version+t.Namespace+t.LabelSelector+t.AnnotationSelector == ""
	return &target{kind, name, isExact}
}

// maxPattern is the maximum number of bytes of a pattern that is compiled. Repetitions would make it larger. A target
// of 29 public repositories has at most 56.
const maxPattern = 200

// patternOf returns a pattern, or nil if it is empty, large or invalid.
func patternOf(text string) *regexp.Regexp {
	if text == "" || len(text) > maxPattern || strings.Contains(text, "{") {
		return nil
	}
	re, err := regexp.Compile("^(?:" + text + ")$")
	if err != nil {
		return nil
	}
	return re
}

// found is a node that may have supplied a value.
type found struct {
	doc  *document
	node manifest.Node
	// isGuess means that another value may have set it.
	isGuess bool
}

// suppliers returns the values of a patch that may have set a scalar of the output, the last one first. isRepeated
// means that strategic merge patches have the scalar to name an object or an item.
func (p *patch) suppliers(o *origins, n manifest.Node, steps []step, isRepeated bool) (list []supplier) {
	values, _ := p.values(o, steps)
	for _, f := range values {
		root := f.doc.rootOf(f.node)
		isMerge := root.Type() != manifest.List
		if !manifest.Equal(f.node, n) || isMerge && isRepeated {
			continue
		}
		isCertain := p.target == nil && o.hadName(textAt(root, "metadata", "name")) || p.target != nil && p.target.isExact
		if !isMerge {
			isCertain = isCertain && !slices.ContainsFunc(steps, step.isItem)
		}
		c := &change{file: p.file, span: f.node.Span(), was: f.node}
		if p.file == "" {
			c.file, c.path = p.owner, []any{p.list, p.index, "patch"}
		}
		list = append(list, supplier{f, c, isCertain})
	}
	return list
}

// rootOf returns the root of the document of a node.
func (d *document) rootOf(n manifest.Node) manifest.Node {
	for _, root := range d.objects() {
		if root.Tree() == n.Tree() {
			return root
		}
	}
	return n
}

// values returns the nodes of a patch that set the value at the end of steps, the last one first. whole reports
// whether the first one replaces everything at its place.
func (p *patch) values(o *origins, steps []step) (list []found, whole bool) {
	if p.target != nil && !o.isTarget(p.target) {
		return nil, false
	}
	for _, root := range slices.Backward(p.doc.objects()) {
		switch {
		case root.Type() == manifest.List:
			for _, op := range slices.Backward(slices.Collect(root.Children())) {
				if n, ok := operationValue(op, steps); ok {
					list, whole = append(list, found{doc: p.doc, node: n}), true
				}
			}
		case p.target != nil || o.isNamed(root):
			if n, depth := follow(root, steps); depth == len(steps) {
				list = append(list, found{doc: p.doc, node: n})
			}
		}
	}
	return list, whole
}

// operationValue returns the part of the value of an operation that it sets at the end of steps.
func operationValue(op manifest.Node, steps []step) (manifest.Node, bool) {
	kind := op.TextAt("op")
	tokens := pointer(op.TextAt("path"))
	value, ok := followField(op, "value")
	if !ok || kind != "add" && kind != "replace" || len(tokens) > len(steps) || len(tokens) == 0 {
		return op, false
	}
	for i, token := range tokens {
		if !steps[i].matches(token) {
			return op, false
		}
	}
	n, depth := follow(value, steps[len(tokens):])
	return n, depth == len(steps)-len(tokens)
}

// removal returns the node of a patch that removes a field of the object at the end of steps.
func (p *patch) removal(o *origins, steps []step, key string) (found, bool) {
	if p.target != nil && !o.isTarget(p.target) {
		return found{}, false
	}
	for _, root := range p.doc.objects() {
		if root.Type() == manifest.List {
			for op := range root.Children() {
				if op.TextAt("op") == "remove" && isPointerTo(pointer(op.TextAt("path")), steps, key) {
					return found{doc: p.doc, node: op}, true
				}
			}
			continue
		}
		if p.target == nil && !o.isNamed(root) {
			continue
		}
		n, depth := follow(root, steps)
		f, ok := followField(n, key)
		if ok && depth == len(steps) && (f.Type() == manifest.Null || textAt(f, "$patch") == "delete") {
			return found{doc: p.doc, node: f}, true
		}
	}
	return found{}, false
}

func isPointerTo(tokens []string, steps []step, key string) bool {
	if len(tokens) != len(steps)+1 || tokens[len(steps)] != key {
		return false
	}
	for i, s := range steps {
		if !s.matches(tokens[i]) {
			return false
		}
	}
	return true
}

// isTarget reports whether a patch may select the object. Labels and annotations are not compared.
func (o *origins) isTarget(t *target) bool {
	return (t.kind == nil || t.kind.MatchString(o.kind)) &&
		(t.name == nil || slices.ContainsFunc(o.names, t.name.MatchString))
}

// isNamed reports whether a strategic merge patch names the object. Its name may have got a prefix or suffix later.
func (o *origins) isNamed(root manifest.Node) bool {
	name := textAt(root, "metadata", "name")
	return root.TextAt("kind") == o.kind && name != "" && (o.hadName(name) || strings.Contains(o.name, name))
}
