package kustomization

import (
	"regexp"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Target is what a patch or a replacement may change: the objects of a kind with a name. "" stands for any.
type Target struct {
	Kind, Name string
	pattern    *regexp.Regexp // if the name is a regular expression
}

// targetOf returns a target. Its name may be a regular expression.
func targetOf(kind, name string) Target {
	t := Target{Kind: kind, Name: name}
	if regexp.QuoteMeta(name) != name && len(name) <= longestPattern {
		t.pattern, _ = regexp.Compile("^(?:" + name + ")$")
	}
	return t
}

// longestPattern is the maximum number of bytes of a pattern that is compiled. Targets of 29 public
// repositories have at most 56.
const longestPattern = 1000

// Matches reports whether a target may be an object with a kind and a name. Names may have got prefixes and suffixes
// before the patch, so it is enough if that of the target contains the other one.
func (t Target) Matches(kind, name string) bool {
	if t.Kind != "" && kind != "" && t.Kind != kind {
		return false
	}
	return t.Name == "" || strings.Contains(t.Name, name) || t.pattern != nil && t.pattern.MatchString(name)
}

// Targets returns what a kustomization may change of the objects that it names, apart from names, labels, images and the
// like. read returns the text of a file that it names. isAny means that it may change any object.
func Targets(root manifest.Node, read func(path string) (string, bool)) (list []Target, isAny bool) {
	for _, name := range []string{"vars", "transformers"} {
		if n, ok := root.Field(name); ok && n.Type() == manifest.List && n.Len() > 0 {
			return nil, true
		}
	}
	c := targets{read: read}
	for _, name := range []string{"patches", "patchesJson6902", "patchesStrategicMerge"} {
		for item := range items(root, name) {
			c.addPatch(item)
		}
	}
	for item := range items(root, "replacements") {
		if path := item.TextAt("path"); path != "" {
			c.addFile(path, c.addReplacements)
			continue
		}
		c.addReplacement(item)
	}
	return c.list, c.isAny
}

// targets collects targets.
type targets struct {
	read  func(string) (string, bool)
	list  []Target
	isAny bool
}

func (c *targets) addPatch(item manifest.Node) {
	if item.Type() == manifest.String { // of patchesStrategicMerge
		if isInline(item.Text()) {
			c.addDocuments(item.Text(), c.addObject)
			return
		}
		c.addFile(item.Text(), c.addObject)
		return
	}
	target := item.At("target")
	switch {
	case target.Valid() && target.Type() == manifest.Map:
		c.list = append(c.list, targetOf(target.TextAt("kind"), target.TextAt("name")))
	case item.TextAt("patch") != "":
		c.addDocuments(item.TextAt("patch"), c.addObject)
	default:
		c.addFile(item.TextAt("path"), c.addObject)
	}
}

func (c *targets) addReplacements(root manifest.Node) {
	if root.Type() != manifest.List {
		c.addReplacement(root)
		return
	}
	for item := range root.Children() {
		c.addReplacement(item)
	}
}

func (c *targets) addReplacement(item manifest.Node) {
	for target := range items(item, "targets") {
		if one := target.At("select"); one.Valid() && one.Type() == manifest.Map {
			c.list = append(c.list, targetOf(one.TextAt("kind"), one.TextAt("name")))
		}
	}
}

// addObject adds the object that a strategic merge patch changes.
func (c *targets) addObject(root manifest.Node) {
	c.list = append(c.list, targetOf(root.TextAt("kind"), root.At("metadata").TextAt("name")))
}

// addFile adds the documents of a file. If it cannot be read, it may change any object.
func (c *targets) addFile(path string, add func(manifest.Node)) {
	text, ok := c.read(path)
	if !ok {
		c.isAny = true
		return
	}
	c.addDocuments(text, add)
}

func (c *targets) addDocuments(text string, add func(manifest.Node)) {
	src := &source.Source{Text: text}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if tree.Read(src, part); tree.Root().Valid() && (tree.Root().Type() == manifest.Map || tree.Root().Type() == manifest.List) {
			add(tree.Root())
		}
	}
}

// items yields the items of a list that are maps or strings.
func items(root manifest.Node, name string) func(func(manifest.Node) bool) {
	return func(yield func(manifest.Node) bool) {
		if root.Type() != manifest.Map {
			return
		}
		n, ok := root.Field(name)
		if !ok || n.Type() != manifest.List {
			return
		}
		for item := range n.Children() {
			if (item.Type() == manifest.Map || item.Type() == manifest.String) && !yield(item) {
				return
			}
		}
	}
}
