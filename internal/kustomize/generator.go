package kustomize

import (
	"encoding/base64"
	"path"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// generates returns the entries of generators that may have set a value of a ConfigMap or Secret, the last one that is
// applied first.
func (l *layer) generates(o *origins, n manifest.Node, steps []step) (list []supplier) {
	generators, field := l.generatorsOf(o.kind)
	if len(generators) == 0 || len(steps) < 2 {
		return nil
	}
	key := steps[len(steps)-1].key
	for i, g := range slices.Backward(generators) {
		if !o.hadName(g.Name) {
			continue
		}
		item := l.at(field, i)
		if steps[0].key == "metadata" {
			list = append(list, l.optionSuppliers(item, field, i, n, steps)...)
			continue
		}
		for j, literal := range g.LiteralSources {
			own, value, _ := strings.Cut(literal, "=")
			entry, ok := fieldOf(item, "literals").Item(j)
			if ok && own == key && unquoted(value) == dataText(o.kind, n, steps) {
				s := l.supplier(entry, true, field, i, "literals", j)
				s.change.before = own + "="
				list = append(list, s)
			}
		}
		for j, file := range g.FileSources {
			own, _, _ := strings.Cut(file, "=") // the library gets it with a key
			if entry, ok := fieldOf(item, "files").Item(j); ok && own == key {
				s := l.supplier(entry, true)
				s.change = nil
				list = append(list, s)
			}
		}
	}
	return list
}

// optionSuppliers returns the labels, annotations and namespaces of a generator and of all generators.
func (l *layer) optionSuppliers(item manifest.Node, field string, i int, n manifest.Node, steps []step) (list []supplier) {
	add := func(in manifest.Node, key string, path ...any) {
		if f, ok := followField(in, key); ok && isScalar(f) && f.Text() == n.Text() {
			list = append(list, l.supplier(f, true, append(path, key)...))
		}
	}
	if last := steps[len(steps)-1].key; len(steps) == 3 {
		pairs := steps[1].key
		if f, ok := followField(fieldOf(item, "options"), pairs); ok {
			add(f, last, field, i, "options", pairs)
		}
		if f, ok := followField(fieldOf(l.root, "generatorOptions"), pairs); ok {
			add(f, last, "generatorOptions", pairs)
		}
	} else if last == "namespace" {
		add(item, last, field, i)
	}
	return list
}

// dataText returns the text of a value in the data of an object. That of a Secret is encoded.
func dataText(kind string, n manifest.Node, steps []step) string {
	if kind != "Secret" || steps[0].key != "data" {
		return n.Text()
	}
	text, _ := base64.StdEncoding.DecodeString(n.Text())
	return string(text)
}

// unquoted returns the value of a literal without quotes around it, as the library does (api/kv.removeQuotes).
func unquoted(value string) string {
	for _, quote := range []string{`"`, "'"} {
		if len(value) >= 2 && strings.HasPrefix(value, quote) && strings.HasSuffix(value, quote) {
			return value[1 : len(value)-1]
		}
	}
	return value
}

// generator returns where a generated object has the value at the end of steps.
func (o *origins) generator(steps []step) source.Origin {
	l, key := o.chain[len(o.chain)-1], ""
	for _, x := range o.chain {
		if x.file == o.object.file {
			l = x
		}
	}
	if len(steps) == 2 && steps[0].key != "metadata" {
		key = steps[1].key
	}
	n := o.generated(l, key)
	if len(steps) == 2 && steps[0].key == "metadata" && steps[1].key == "name" {
		if f, ok := o.affix(steps[1].node, found{doc: &document{src: l.src}, node: fieldOf(n, "name")}); ok {
			return f.doc.origin(f.node.MarkSpan())
		}
	}
	return source.Origin{Source: l.src, Span: n.MarkSpan()}
}

// generated returns the item of a generator for the object, and the entry for a key of its data.
func (o *origins) generated(l *layer, key string) manifest.Node {
	list, field := l.generatorsOf(o.kind)
	best, longest := l.root, -1
	for i, g := range list {
		size := len(g.Name)
		if o.hadName(g.Name) {
			size += len(o.name) // longer than any other
		}
		if strings.Contains(o.name, g.Name) && size > longest {
			best, longest = l.at(field, i), size
		}
	}
	for _, name := range []string{"literals", "files"} {
		for entry := range fieldOf(best, name).Children() {
			own, _, hasKey := strings.Cut(entry.Text(), "=")
			if !hasKey {
				own = path.Base(own)
			}
			if entry.Type() == manifest.String && own == key && key != "" {
				return entry
			}
		}
	}
	return best
}

// generatorName returns the name of a generated object in its generator; "" if it is not known.
func (o *origins) generatorName() string {
	name := short(o.kind, o.name)
	for i, l := range o.merged(o.chain) {
		list, _ := l.generatorsOf(o.kind)
		for _, g := range list {
			if l.file == o.file && slices.Contains(namesOf(o.kind, g.Name, o.merged(o.chain)[:i+1]), name) {
				return g.Name
			}
		}
	}
	return ""
}
