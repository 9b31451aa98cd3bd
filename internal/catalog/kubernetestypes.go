package catalog

import (
	"io/fs"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/rules"
)

// find returns the type with the given name, with the changes of its overlay.
func (t *kubernetesTypes) find(name string) (manifest.Node, bool) {
	if n, ok := t.nodes[name]; ok {
		return n, true
	}
	types := typesFile()
	start, ok := types.starts[name]
	if !ok {
		return manifest.Node{}, false
	}
	n := readType(types.src, start)
	if over, ok := overlay(name); ok {
		merge(n, over)
		t.overlays[n] = over
	}
	t.nodes[name] = n
	return n, true
}

// rulesOf returns the overlay of a type. Its rules are not merged, because they are large and not changed.
func (t *kubernetesTypes) rulesOf(n manifest.Node) (manifest.Node, bool) {
	over, ok := t.overlays[n]
	return over, ok
}

// types is the text of a file with a part for each type, and the offsets of these parts.
type types struct {
	src    *source.Source
	starts map[string]int
}

var (
	typesFile        = sync.OnceValue(func() types { return readTypes("types.yaml") })
	descriptionsFile = sync.OnceValue(func() types { return readTypes("descriptions.yaml") })
)

func readTypes(name string) types {
	t := types{src: &source.Source{Name: kubernetesDir + name, Text: kubernetesFile(name)}, starts: map[string]int{}}
	at := 0
	for line := range strings.Lines(t.src.Text) {
		if name, ok := strings.CutSuffix(line, ":\n"); ok && line[0] != ' ' && line[0] != '#' {
			t.starts[name] = at
		}
		at += len(line)
	}
	return t
}

// describeField returns the description of a field of a type, or "".
func describeField(name, field string) string {
	descriptions := descriptionsFile()
	start, ok := descriptions.starts[name]
	if !ok {
		return ""
	}
	return readType(descriptions.src, start).TextAt(field)
}

// readType reads the type that starts at an offset. Its lines after the first one start with a space.
func readType(src *source.Source, start int) manifest.Node {
	end := start
	for line := range strings.Lines(src.Text[start:]) {
		if end > start && line[0] != ' ' {
			break
		}
		end += len(line)
	}
	return readPart(src, manifest.Part{Span: source.Span{Start: start, End: end}}).First()
}

// overlay returns what we add to a type. It has the form of a type. Comments say which code of upstream a keyword
// stands for.
func overlay(name string) (manifest.Node, bool) {
	file := kubernetesDir + "overlay/" + name + ".yaml"
	text, err := fs.ReadFile(rules.Kinds, file)
	if err != nil {
		return manifest.Node{}, false
	}
	src := &source.Source{Name: file, Text: string(text)}
	return readPart(src, manifest.Part{Span: source.Span{End: len(text)}}), true
}

func readPart(src *source.Source, part manifest.Part) manifest.Node {
	tree := &manifest.Tree{}
	if vs := tree.Read(src, part); len(vs) > 0 {
		panic("the types of Kubernetes can be read: " + src.Name + ": " + vs[0].Message)
	}
	return tree.Root()
}

// merge changes a type as its overlay says: schemas are merged keyword by keyword, and any other value of the overlay
// replaces that of the type. A null removes the value.
func merge(n, over manifest.Node) {
	for change := range over.Children() {
		f, ok := n.Field(change.Key())
		switch {
		case over.Key() == "metadata" && change.Key() == "properties": // see Entry.resource
		case !over.Parent().Valid() && schema.IsRules(change.Key()): // see rulesOf
		case !ok && change.Type() != manifest.Null:
			n.AddDefault(change.Key(), change)
		case !ok:
		case change.Type() == manifest.Null:
			n.DropField(f)
		case f.Type() == manifest.Map && change.Type() == manifest.Map && holdsSchemas(change.Key()):
			merge(f, change)
		case f.Type() == manifest.Map && change.Type() == manifest.Map && over.Key() == "properties":
			merge(f, change)
		default:
			f.ReplaceByDefault(change)
		}
	}
}

// holdsSchemas reports whether the value of a keyword is a schema, or holds schemas by name.
func holdsSchemas(keyword string) bool {
	return keyword == "properties" || keyword == "items" || keyword == "additionalProperties"
}

// resource returns what the overlay of a type says about the metadata of its documents: format, minLength and maxLength
// of the name, whether generateName and generation are validated, and whether finalizers need a domain.
func (e *Entry) resource(name string) schema.Resource {
	r := schema.Resource{Namespaced: e.Namespaced, Native: true}
	over, ok := overlay(name)
	if !ok {
		return r
	}
	meta := over.At("properties", "metadata", "properties")
	if of := meta.At("name"); of.Valid() {
		r.Name, _ = schema.ParseNameFormat(of.TextAt("format"))
		least := of.At("minLength")
		r.NoName = least.Valid() && least.Integer() == 0
		if most := of.At("maxLength"); most.Valid() {
			r.LongestName = int(most.Integer())
		}
	}
	r.AnyGenerateName = meta.At("generateName").TextAt("format") == string(schema.AnyName)
	r.AnyFinalizer = meta.At("finalizers").TextAt("format") == string(schema.AnyName)
	r.Generation = meta.At("generation", "minimum").Valid()
	return r
}

// gatesOff returns a function that reports whether a feature gate is off by default in a version of Kubernetes. gates.tsv
// has a line for each gate that a field depends on: its name and the first version in which it is on.
func gatesOff(minor int) func(gate string) bool {
	gates := sync.OnceValue(func() map[string]int {
		all := map[string]int{}
		for line := range strings.Lines(kubernetesFile("gates.tsv")) {
			if name, on, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok && line[0] != '#' {
				all[name] = minorIn(on)
			}
		}
		return all
	})
	return func(gate string) bool {
		on, ok := gates()[gate]
		return ok && (on == 0 || minor < on)
	}
}
