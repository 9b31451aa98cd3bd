package kustomize

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// transformed returns the field of a kustomization that supplied a scalar. first is the nearest node in the file of
// the object.
func (o *origins) transformed(n manifest.Node, steps []step, first manifest.Node) (found, bool) {
	if !isScalar(n) || len(steps) == 0 {
		return found{}, false
	}
	for _, l := range o.chain {
		for _, find := range []func(*origins, manifest.Node, []step) manifest.Node{
			l.replacement, l.image, l.replicas, l.pair, l.namespace,
		} {
			if f := find(o, n, steps); f.Valid() {
				return found{&document{src: l.src}, f}, true
			}
		}
		if f, ok := l.configured(n, steps); ok {
			return f, true
		}
	}
	if o.object.isGenerated || !first.Valid() {
		return found{}, false
	}
	return o.affix(n, found{o.doc, first})
}

// validName is what most names consist of.
var validName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9.:/-]*$`) })

// affix returns the prefix or suffix that makes a name invalid, or the name itself.
func (o *origins) affix(n manifest.Node, name found) (found, bool) {
	if n.Type() != manifest.String || name.node.Type() != manifest.String || name.node.Text() == "" {
		return found{}, false
	}
	first := name.node.Text()
	prefix, _ := o.affixes()
	before, after, ok := strings.Cut(n.Text(), first)
	if rest, hasPrefix := strings.CutPrefix(n.Text(), prefix+first); hasPrefix { // a prefix may contain the name
		before, after, ok = prefix, rest, true
	}
	if !ok {
		return found{}, false
	}
	if !validName().MatchString(first) {
		return name, true
	}
	for _, l := range o.chain {
		for _, x := range []struct{ field, text, in string }{
			{"namePrefix", l.fields.NamePrefix, before}, {"nameSuffix", l.fields.NameSuffix, after},
		} {
			if x.text == "" || !strings.Contains(x.in, x.text) {
				continue
			}
			if f := fieldOf(l.root, x.field); f.Key() != "" && (!validName().MatchString(x.text) || isLong(n.Text())) {
				return found{&document{src: l.src}, f}, true
			}
		}
	}
	return name, true
}

// isLong reports whether a name is too long for most kinds.
func isLong(name string) bool { return len(name) > 63 }

// namespace returns the namespace of a kustomization.
func (l *layer) namespace(_ *origins, n manifest.Node, steps []step) (none manifest.Node) {
	if last := steps[len(steps)-1].key; last != "namespace" && last != "name" {
		return none
	}
	return equalField(l.root, "namespace", n)
}

// equalField returns a field with the same value as n.
func equalField(of manifest.Node, name string, n manifest.Node) (none manifest.Node) {
	if f := fieldOf(of, name); f.Index() != of.Index() && manifest.Equal(f, n) {
		return f
	}
	return none
}

// pair returns the label or annotation of a kustomization.
func (l *layer) pair(_ *origins, n manifest.Node, steps []step) (none manifest.Node) {
	key := steps[len(steps)-1].key
	if key == "" {
		return none
	}
	maps := []manifest.Node{fieldOf(l.root, "commonAnnotations"), fieldOf(l.root, "commonLabels")}
	for item := range fieldOf(l.root, "labels").Children() {
		maps = append(maps, fieldOf(item, "pairs"))
	}
	for _, pairs := range maps {
		if pairs.Index() == l.root.Index() {
			continue
		}
		if f, ok := followField(pairs, key); ok && isScalar(f) && f.Text() == n.Text() {
			return f
		}
	}
	return none
}

// replicas returns the number of replicas that a kustomization sets.
func (l *layer) replicas(o *origins, n manifest.Node, steps []step) (none manifest.Node) {
	if steps[len(steps)-1].key != "replicas" {
		return none
	}
	hadName := func(name string) bool { // between two layers that add prefixes
		return strings.Contains(o.name, name) && strings.Contains(name, o.firstName)
	}
	hasName := func(name string) bool { return name == o.firstName || name == o.name }
	for _, isOf := range []func(string) bool{hasName, hadName} {
		for i, r := range slices.Backward(l.fields.Replicas) { // the last one is applied last
			if !isOf(r.Name) {
				continue
			}
			if f := equalField(l.at("replicas", i), "count", n); f.Valid() {
				return f
			}
		}
	}
	return none
}

// image returns the name, tag or digest of an image that a kustomization sets.
func (l *layer) image(_ *origins, n manifest.Node, _ []step) (none manifest.Node) {
	if n.Type() != manifest.String {
		return none
	}
	for i, image := range l.fields.Images {
		item := l.at("images", i)
		if len(l.fields.Images) != fieldOf(l.root, "images").Len() {
			continue // some are in imageTags
		}
		name := image.Name
		if image.NewName != "" {
			name = image.NewName
		}
		rest, ok := strings.CutPrefix(n.Text(), name)
		switch {
		case !ok:
		case image.NewName != "" && (!validName().MatchString(name) || image.NewTag == "" && image.Digest == ""):
			return fieldOf(item, "newName")
		case image.Digest != "" && strings.HasSuffix(rest, "@"+image.Digest):
			return fieldOf(item, "digest")
		case image.NewTag != "" && rest == ":"+image.NewTag:
			return fieldOf(item, "newTag")
		}
	}
	return none
}

// replacement returns the source of the replacement that sets a value.
func (l *layer) replacement(o *origins, _ manifest.Node, steps []step) (none manifest.Node) {
	for i, r := range slices.Backward(l.fields.Replacements) { // the last one is applied last
		item := l.keptAt("replacements", i)
		for _, target := range r.Targets {
			isRejected := func(s *types.Selector) bool {
				return s.Kind+s.Name != "" && (s.Kind == "" || s.Kind == o.kind) &&
					(s.Name == "" || s.Name == o.firstName || s.Name == o.name)
			}
			if target.Select != nil && !o.isTarget(newTarget(target.Select)) || slices.ContainsFunc(target.Reject, isRejected) {
				continue
			}
			for _, field := range target.FieldPaths {
				if isFieldPath(field, steps) {
					return fieldOf(item, "source")
				}
			}
		}
	}
	return none
}

// isFieldPath reports whether a field path of a replacement leads where steps lead. An item in brackets or an asterisk
// may be any item.
func isFieldPath(field string, steps []step) bool {
	var names []string
	for _, name := range brackets().Split(field, -1) {
		names = append(names, strings.FieldsFunc(name, func(r rune) bool { return r == '.' })...)
	}
	i := 0
	for _, s := range steps {
		if s.isItem() {
			continue
		}
		if i < len(names) && isIndex().MatchString(names[i]) {
			i++
		}
		if i < len(names) && names[i] == "*" {
			i++
		}
		if i >= len(names) || !strings.HasPrefix(s.key, names[i]) {
			return strings.Contains(field, "["+s.key+"]") && i >= len(names)
		}
		i++
	}
	return true
}

var (
	brackets = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[[^\]]*\]`) })
	isIndex  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+$`) })
)

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
	n := l.generated(o.kind, o.name, key)
	if len(steps) == 2 && steps[0].key == "metadata" && steps[1].key == "name" {
		if f, ok := o.affix(steps[1].node, found{&document{src: l.src}, fieldOf(n, "name")}); ok {
			return f.doc.origin(f.node.MarkSpan())
		}
	}
	return source.Origin{Source: l.src, Span: n.MarkSpan()}
}

// generated returns the item of a generator for an object, and the entry for a key of its data.
func (l *layer) generated(kind, name, key string) manifest.Node {
	list, field := []types.GeneratorArgs{}, "configMapGenerator"
	for _, g := range l.fields.ConfigMapGenerator {
		list = append(list, g.GeneratorArgs)
	}
	if kind == "Secret" {
		list, field = nil, "secretGenerator"
		for _, g := range l.fields.SecretGenerator {
			list = append(list, g.GeneratorArgs)
		}
	}
	best, longest := l.root, -1
	for i, g := range list {
		if strings.Contains(name, g.Name) && len(g.Name) > longest {
			best, longest = l.at(field, i), len(g.Name)
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
