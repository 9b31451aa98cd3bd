//lint:file-ignore SA1019 deprecated fields are built too

package kustomize

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// identity is the kind and name of an object.
type identity struct{ kind, name string }

// written is where an object is written first: a file, or a kustomization that generates it.
type written struct {
	file        string
	isGenerated bool
}

// dearAnnotations is the number of annotations from which on objects are found by their names. The library can
// annotate each object with its file, but then also with each transformer that it passes, and it reads the list each
// time.
const dearAnnotations = 1000

// annotations is about how many annotations the library would write or read for a build. An object gets one for each
// transformer that it passes.
func (l *layer) annotations() int {
	n := l.passed(map[*layer]int{})
	return sum(0, min(n, maxLoads)*min(n, maxLoads)/2*max(l.cost.documents, 1))
}

// passed returns how many transformers an object may pass up to a layer. known holds those of other layers.
func (l *layer) passed(known map[*layer]int) int {
	n, ok := known[l]
	if ok {
		return n
	}
	k, components := &l.fields, 0
	n = len(l.patches) + len(k.Images) + len(k.Replicas) + len(k.Labels) + 3
	for _, doc := range l.configs {
		n += len(doc.objects())
	}
	inner := 0
	for _, b := range l.bases {
		if b.isComponent {
			components = sum(components, b.passed(known))
		} else {
			inner = max(inner, b.passed(known))
		}
	}
	known[l] = sum(sum(n, components), inner)
	return known[l]
}

// names returns where the objects of a build are written, by their kinds and names in the output. It returns false if
// two places could have written an object, or if the names are not known.
func (r *Repository) names(root *layer) (map[identity]written, bool) {
	if slices.Contains(root.fields.BuildMetadata, types.OriginAnnotations) || root.edit != nil {
		return nil, false
	}
	n := &names{repository: r, found: map[identity]written{}}
	return n.found, n.add(root, nil)
}

// names collects objects.
type names struct {
	repository *Repository
	found      map[identity]written
	visits     int
}

// affix is the prefix and suffix that a layer adds.
type affix struct{ prefix, suffix string }

// add adds the objects of a layer, given the prefixes and suffixes of those above it, from the innermost.
func (n *names) add(l *layer, above []affix) bool {
	hasOther := len(l.fields.Transformers) > len(l.configs) || slices.ContainsFunc(l.configs, mayRename)
	if n.visits++; n.visits > maxLoads || hasOther {
		return false
	}
	own := affix{l.fields.NamePrefix, l.fields.NameSuffix}
	if own != (affix{}) {
		if l.fields.Kind == types.ComponentKind {
			return false // it changes objects of others too
		}
		above = append([]affix{own}, above...)
	}
	for _, b := range l.bases {
		if !n.add(b.layer, above) {
			return false
		}
	}
	for _, file := range l.resources {
		text, err := n.repository.reader.Read(file.path)
		if err != nil || !n.addAll(n.repository.identities(file.path, text), written{file: file.path}, above) {
			return false
		}
	}
	for name, in := range l.inflations { // order does not matter
		if !n.addAll(n.repository.identities(name, in.stream.Source.Text), written{file: name}, above) {
			return false
		}
	}
	return n.addGenerated(l, above)
}

// metadataName matches the end of a path to the name or to the whole metadata.
var metadataName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)metadata(/name)?["']?\s*($|[,}])`)
})

// mayRename reports whether the configuration of a transformer may change the names of objects.
func mayRename(config *document) bool {
	text := config.src.Text
	return !isPlain(config) || strings.Contains(text, "allowNameChange") || metadataName().MatchString(text)
}

func (n *names) addAll(list []identity, at written, above []affix) bool {
	for _, id := range list {
		if !n.put(id, at, above) {
			return false
		}
	}
	return true
}

// put adds an object under its name and under that with all prefixes and suffixes, which some kinds do not get.
func (n *names) put(id identity, at written, above []affix) bool {
	full := id
	for _, a := range above {
		full.name = a.prefix + full.name + a.suffix
	}
	for _, id := range []identity{id, full} {
		if known, ok := n.found[id]; ok && known != at {
			return false
		}
		n.found[id] = at
	}
	return true
}

func (n *names) addGenerated(l *layer, above []affix) bool {
	at := written{l.file, true}
	add := func(kind string, g types.GeneratorArgs) bool {
		switch types.NewGenerationBehavior(g.Behavior) {
		case types.BehaviorMerge:
			return true // the object is still where it is written first
		case types.BehaviorReplace:
			return false
		}
		return n.put(identity{kind, g.Name}, at, above)
	}
	for _, g := range l.fields.ConfigMapGenerator {
		if !add("ConfigMap", g.GeneratorArgs) {
			return false
		}
	}
	for _, g := range l.fields.SecretGenerator {
		if !add("Secret", g.GeneratorArgs) {
			return false
		}
	}
	return len(l.fields.Generators) == 0
}

// hashed matches the hash that the library adds to the name of a generated object.
var hashed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`-[a-z0-9]{10}$`) })

// locate sets where an object is written. It returns false if that is not known.
func (o *object) locate(found map[identity]written) bool {
	at, ok := found[identity{o.kind, o.name}]
	if short := hashed().ReplaceAllString(o.name, ""); !ok && (o.kind == "ConfigMap" || o.kind == "Secret") {
		if at, ok = found[identity{o.kind, short}]; ok && !at.isGenerated {
			return false
		}
	}
	o.file, o.isGenerated = at.file, at.isGenerated
	return ok
}

// identities returns the kinds and names of the objects in a file.
func (r *Repository) identities(name, text string) []identity {
	known, ok := r.contents[name]
	if ok {
		return known
	}
	src := &source.Source{Text: text}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
		if !tree.Root().Valid() {
			continue
		}
		for _, root := range itemsOf([]manifest.Node{tree.Root()}) {
			known = append(known,
				identity{strings.Clone(textAt(root, "kind")), strings.Clone(textAt(root, "metadata", "name"))})
		}
	}
	r.contents[name] = known
	return known
}
