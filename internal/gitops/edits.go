package gitops

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// edit says which field of a kustomization a field of a source sets.
type edit struct {
	to   string
	from field
	form form
}

// form is how a field of a source differs from that of a kustomization.
type form uint8

const (
	same       form = iota
	imageTexts      // images are strings such as name=new:tag
	labels          // a map of labels, with options next to it
	metadata        // a map of labels that selectors do not have
)

// editsOf returns a kustomization with the changes that a source makes; nil if it makes none. Its places move to the
// object.
func (l *layout) editsOf(n manifest.Node) *source.Source {
	w := &copier{}
	for _, e := range l.edits {
		from, ok := e.from.at(n)
		if !ok || isScalar(from) && scalar(from) == "" || !isScalar(from) && from.Len() == 0 {
			continue
		}
		w.between(len(w.text) > 0)
		switch e.form {
		case same:
			w.key(e.to, from)
			w.value(from)
		case imageTexts:
			w.key(e.to, from)
			w.images(from)
		case labels:
			w.labels(from)
		case metadata:
			w.add(`"labels":[{"pairs":`)
			w.value(from)
			w.add(`}]`)
		}
	}
	if len(w.text) == 0 {
		return nil
	}
	return w.source(n)
}

func isScalar(n manifest.Node) bool { return n.Type() != manifest.Map && n.Type() != manifest.List }

// copier writes nodes as JSON, and knows which node wrote what.
type copier struct {
	text   []byte
	copies []copied
}

type copied struct {
	span  source.Span
	node  manifest.Node
	isKey bool
}

func (w *copier) add(text string) { w.text = append(w.text, text...) }

// between adds a comma, except before the first item.
func (w *copier) between(isLater bool) {
	if isLater {
		w.add(",")
	}
}

func (w *copier) string(text string, n manifest.Node, isKey bool) {
	start := len(w.text)
	quoted, _ := json.Marshal(text)
	w.text = append(w.text, quoted...)
	w.copies = append(w.copies, copied{source.Span{Start: start, End: len(w.text)}, n, isKey})
}

func (w *copier) key(key string, n manifest.Node) {
	w.string(key, n, true)
	w.add(":")
}

// value copies a node.
func (w *copier) value(n manifest.Node) {
	switch n.Type() {
	case manifest.String:
		w.string(n.Text(), n, false)
	case manifest.Map, manifest.List:
		isMap, isLater := n.Type() == manifest.Map, false
		w.copies = append(w.copies, copied{span: source.Span{Start: len(w.text), End: len(w.text) + 1}, node: n})
		w.add(map[bool]string{true: "{", false: "["}[isMap])
		for child := range n.Children() {
			if child.Shadowed() {
				continue
			}
			w.between(isLater)
			isLater = true
			if isMap {
				w.key(child.Key(), child)
			}
			w.value(child)
		}
		w.add(map[bool]string{true: "}", false: "]"}[isMap])
	default:
		start := len(w.text)
		w.text = n.AppendJSON(w.text)
		w.copies = append(w.copies, copied{source.Span{Start: start, End: len(w.text)}, n, false})
	}
}

// labels writes commonLabels of Argo CD, which options next to it keep out of selectors.
func (w *copier) labels(n manifest.Node) {
	if !field("labelWithoutSelector").isSet(n.Parent()) {
		w.key("commonLabels", n)
		w.value(n)
		return
	}
	includes := strconv.FormatBool(field("labelIncludeTemplates").isSet(n.Parent()))
	w.add(`"labels":[{"includeTemplates":` + includes + `,"pairs":`)
	w.value(n)
	w.add(`}]`)
}

// images writes a list of images such as name:tag or name=new@digest.
func (w *copier) images(list manifest.Node) {
	w.add("[")
	isLater := false
	for n := range list.Children() {
		name, renamed, hasName := strings.Cut(scalar(n), "=")
		if !hasName {
			name, renamed = "", name
		}
		renamed, digest, _ := strings.Cut(renamed, "@")
		tag := ""
		if i := strings.LastIndexByte(renamed, ':'); i > strings.LastIndexByte(renamed, '/') {
			renamed, tag = renamed[:i], renamed[i+1:]
		}
		if !hasName {
			name, renamed = renamed, ""
		}
		w.between(isLater)
		isLater = true
		w.add(`{"name":`)
		w.string(name, n, false)
		for key, text := range pairs("newName", renamed, "newTag", tag, "digest", digest) {
			if text != "" && text != "*" {
				w.add(",")
				w.key(key, n)
				w.string(text, n, false)
			}
		}
		w.add("}")
	}
	w.add("]")
}

// pairs returns the pairs of a list, in order.
func pairs(list ...string) func(yield func(string, string) bool) {
	return func(yield func(string, string) bool) {
		for i := 0; i < len(list) && yield(list[i], list[i+1]); i += 2 {
		}
	}
}

// source returns the copy, whose places move to the nodes.
func (w *copier) source(n manifest.Node) *source.Source {
	outer := n.Tree().Source
	const open = "{"
	src := &source.Source{Name: outer.Name, Text: open + string(w.text) + "}"}
	src.Written = func(sp source.Span) source.Origin {
		sp = source.Span{Start: sp.Start - len(open), End: sp.End - len(open)}
		best := copied{node: n}
		for _, c := range w.copies {
			if c.span.Start > sp.Start {
				break
			}
			best = c
		}
		span, reserved := best.origin(src.Text[len(open):], sp)
		return source.Origin{Source: outer, Span: span, Reserved: reserved}
	}
	return src
}

// origin returns where a span is written that starts in a copy, and the characters that cannot be written there.
func (c *copied) origin(text string, sp source.Span) (span source.Span, reserved string) {
	if c.isKey {
		return c.node.KeySpan(), ""
	}
	if c.node.Type() != manifest.String || sp.Start <= c.span.Start || sp.End >= c.span.End {
		return c.node.MarkSpan(), ""
	}
	offset := func(end int) int {
		var before string
		if json.Unmarshal([]byte(text[c.span.Start:end]+`"`), &before) != nil {
			return 0
		}
		return len(before)
	}
	if len(c.node.Text()) <= offset(c.span.End-1)-1 {
		return c.node.MarkSpan(), ""
	}
	start, end := c.node.TextOffset(offset(sp.Start)), c.node.TextOffset(max(offset(sp.End)-1, offset(sp.Start)))
	return source.Span{Start: start, End: end + 1}, c.node.Reserved()
}
