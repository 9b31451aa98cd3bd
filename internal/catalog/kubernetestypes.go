package catalog

import (
	"io/fs"
	"sort"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/formats"
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
	n, ok := typesFile().read(name)
	if !ok {
		return manifest.Node{}, false
	}
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

// types is a file with a part for each type, sorted by their names. A part starts with a line that has the name. The
// other lines of it start with a space.
type types struct{ src *source.Source }

var (
	typesFile        = sync.OnceValue(func() types { return newTypes("types.yaml", rules.KubernetesTypes) })
	descriptionsFile = sync.OnceValue(func() types {
		return newTypes("descriptions.yaml", kubernetesFile("descriptions.yaml"))
	})
)

func newTypes(name, text string) types {
	return types{&source.Source{Name: kubernetesDir + name, Text: text}}
}

// read reads the part of a type. It searches for it instead of reading all names: a run needs few.
func (t types) read(name string) (manifest.Node, bool) {
	text, head := t.src.Text, name+":\n"
	start := t.partFrom(sort.Search(len(text), func(i int) bool {
		at := t.partFrom(i)
		return at == len(text) || text[at:at+strings.IndexByte(text[at:], ':')] >= name
	}))
	if !strings.HasPrefix(text[start:], head) {
		return manifest.Node{}, false
	}
	part := manifest.Part{Span: source.Span{Start: start, End: t.partFrom(start + 1)}}
	return readPart(t.src, part).First(), true
}

// partFrom returns the start of the first part at or after an offset, and the length of the text if there is none.
func (t types) partFrom(at int) int {
	text := t.src.Text
	for at = lineFrom(text, at); at < len(text) && (text[at] == ' ' || text[at] == '#'); {
		at = lineFrom(text, at+1)
	}
	return at
}

// lineFrom returns the start of the first line at or after an offset, and the length of the text if there is none.
func lineFrom(text string, at int) int {
	if at == 0 || text[at-1] == '\n' {
		return at
	}
	length := strings.IndexByte(text[at:], '\n')
	if length < 0 {
		return len(text)
	}
	return at + length + 1
}

// describeField returns the description of a field of a type, or "".
func describeField(name, field string) string {
	fields, ok := descriptionsFile().read(name)
	if !ok {
		if stable, ok := stableType(name); ok {
			return describeField(stable, field)
		}
		return ""
	}
	return fields.TextAt(field)
}

// overlay returns what we add to a type. It has the form of a type. Comments say which code of upstream a keyword
// stands for.
func overlay(name string) (manifest.Node, bool) {
	file := kubernetesDir + "overlay/" + name + ".yaml"
	text, err := fs.ReadFile(rules.Kinds, file)
	if err != nil {
		if stable, ok := stableType(name); ok {
			return overlay(stable)
		}
		return manifest.Node{}, false
	}
	src := &source.Source{Name: file, Text: string(text)}
	return readPart(src, manifest.Part{Span: source.Span{End: len(text)}}), true
}

// stableType returns the name that a type of a prerelease version has in the first stable version. A server converts objects
// of all versions to one internal form before it validates them, so what we add to the stable type holds for both. The
// prereleases of resource.k8s.io and of flowcontrol.apiserver.k8s.io differ, and have no rules yet.
func stableType(name string) (stable string, ok bool) {
	f := strings.Split(name, ".")
	if len(f) != 3 || !isPrerelease(f[1]) || f[0] == "resource" || f[0] == "flowcontrol" {
		return "", false
	}
	return f[0] + ".v1." + f[2], true
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

// resource returns what the overlay of a type says about the metadata of its documents: format, minLength and
// maxLength of the name, whether generateName and generation are validated, and whether finalizers need a domain.
func (e *Entry) resource(name string, minor int) schema.Resource {
	r := schema.Resource{Namespaced: e.Namespaced, Native: true, Kind: e.Name, KnownFinalizers: true, InvalidOwners: minor < 37}
	over, ok := overlay(name)
	if !ok {
		return r
	}
	meta := over.At("properties", "metadata", "properties")
	if of := meta.At("name"); of.Valid() {
		r.Name, _ = formats.ParseName(of.TextAt("format"))
		least := of.At("minLength")
		r.NoName = least.Valid() && least.Integer() == 0
		if most := of.At("maxLength"); most.Valid() {
			r.LongestName = int(most.Integer())
		}
	}
	generated := meta.At("generateName")
	r.AnyGenerateName = generated.TextAt("format") == string(formats.AnyName) && minorIn(generated.TextAt("since")) <= minor
	r.KnownFinalizers = meta.At("finalizers").TextAt("format") != string(formats.AnyName)
	generation := meta.At("generation")
	r.Generation = generation.At("minimum").Valid() && lives("", generation.TextAt("until"), minor)
	return r
}
