//lint:file-ignore SA1019 deprecated fields are built too

package kustomize

import (
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/kindvet/kindvet/internal/manifest"
)

// supplier returns a value of the kustomization. path leads to it in what the library gets.
func (l *layer) supplier(n manifest.Node, isCertain bool, path ...any) supplier {
	return supplier{found{doc: &document{src: n.Tree().Source}, node: n}, &change{file: l.file, path: path, was: n}, isCertain}
}

// roots returns the roots of the changes of an object, and of the file. The former win.
func (l *layer) roots() []manifest.Node {
	if l.edit != nil && l.edit.root.Valid() {
		return []manifest.Node{l.edit.root, l.root}
	}
	return []manifest.Node{l.root}
}

// hasKey reports whether the last step is a field with one of the keys.
func hasKey(steps []step, keys ...string) bool {
	return len(steps) > 0 && slices.Contains(keys, steps[len(steps)-1].key)
}

// namespace returns the namespace of a kustomization.
func (l *layer) namespace(o *origins, n manifest.Node, steps []step) (list []supplier) {
	if l.fields.Namespace == "" || n.Text() != l.fields.Namespace || !hasKey(steps, "namespace", "name") {
		return nil
	}
	isCertain := hasKey(steps, "namespace") && len(steps) == 2 || o.kind == "Namespace"
	for _, root := range l.roots() {
		if f := fieldOf(root, "namespace"); f != root && f.Text() == n.Text() {
			return []supplier{l.supplier(f, isCertain, "namespace")}
		}
	}
	return nil
}

// pair returns the labels and annotations of a kustomization, the last one that is applied first.
func (l *layer) pair(_ *origins, n manifest.Node, steps []step) (list []supplier) {
	if len(steps) < 2 || steps[len(steps)-1].key == "" {
		return nil
	}
	key, in := steps[len(steps)-1].key, steps[len(steps)-2].key
	add := func(pairs manifest.Node, isCertain bool, path ...any) {
		if f, ok := followField(pairs, key); ok && isScalar(f) && f.Text() == n.Text() {
			list = append(list, l.supplier(f, isCertain, append(path, key)...))
		}
	}
	isLabel := in == "labels" || in == "matchLabels" || in == "selector"
	for _, root := range l.roots() {
		if f := fieldOf(root, "commonAnnotations"); f != root {
			add(f, in == "annotations", "commonAnnotations")
		}
	}
	for i := range slices.Backward(l.fields.Labels) {
		if item := l.at("labels", i); item != l.root {
			add(fieldOf(item, "pairs"), isLabel, "labels", i, "pairs")
		}
	}
	for _, root := range l.roots() {
		if f := fieldOf(root, "commonLabels"); f != root {
			add(f, isLabel, "commonLabels")
		}
	}
	return list
}

// itemWith returns the item of a list of the kustomization that the library gets at an index: the one there, if it has
// the fields, otherwise the first one with them.
func (l *layer) itemWith(index int, has func(item manifest.Node) bool, lists ...string) (none manifest.Node) {
	if item := l.at(lists[0], index); item != l.root && has(item) {
		return item
	}
	for _, root := range l.roots() {
		for _, name := range lists {
			if list := fieldOf(root, name); list != root {
				for item := range list.Children() {
					if has(item) {
						return item
					}
				}
			}
		}
	}
	return none
}

// replicas returns the numbers of replicas of a kustomization, the last one that is applied first.
func (l *layer) replicas(o *origins, n manifest.Node, steps []step) (list []supplier) {
	if !hasKey(steps, "replicas") || n.Type() != manifest.Integer {
		return nil
	}
	for i, r := range slices.Backward(l.fields.Replicas) {
		if r.Count != n.Integer() || !o.mayHaveName(r.Name) {
			continue
		}
		item := l.itemWith(i, func(item manifest.Node) bool {
			count := fieldOf(item, "count")
			return textAt(item, "name") == r.Name && count.Type() == manifest.Integer && count.Integer() == r.Count
		}, "replicas")
		if item.Valid() {
			list = append(list, l.supplier(fieldOf(item, "count"), o.hadName(r.Name), "replicas", i, "count"))
		}
	}
	return list
}

// image returns the names, tags and digests of images that a kustomization sets, the last one that is applied first.
func (l *layer) image(o *origins, n manifest.Node, steps []step) (list []supplier) {
	if n.Type() != manifest.String {
		return nil
	}
	name, tag, digest := splitImage(n.Text())
	before := ""
	if o.first.Valid() {
		if first, depth := follow(o.first, steps); depth == len(steps) && isScalar(first) {
			before, _, _ = splitImage(first.Text())
		}
	}
	for i, image := range slices.Backward(l.fields.Images) {
		if image.NewName != "" && image.NewName != name || image.NewName == "" && image.Name != name {
			continue
		}
		field := ""
		switch {
		case image.NewName != "" && !validName().MatchString(name):
			field = "newName"
		case image.Digest != "" && image.Digest == digest:
			field = "digest"
		case image.NewTag != "" && image.NewTag == tag:
			field = "newTag"
		case image.TagSuffix != "" && strings.HasSuffix(tag, image.TagSuffix):
			field = "tagSuffix"
		case image.NewName != "" && image.NewTag == "" && image.Digest == "":
			field = "newName"
		default:
			continue
		}
		item := l.itemWith(i, func(item manifest.Node) bool {
			return textAt(item, "name") == image.Name && isSame(item, "newName", image.NewName) && isSame(item, "newTag", image.NewTag) &&
				isSame(item, "digest", image.Digest)
		}, "images", "imageTags")
		if item.Valid() && fieldOf(item, field) != item {
			list = append(list, l.supplier(fieldOf(item, field), image.Name == before, "images", i, field))
		}
	}
	return list
}

// isSame reports whether a field of an item, which may be missing, has a text. The library reads numbers as strings.
func isSame(item manifest.Node, name, text string) bool {
	f := fieldOf(item, name)
	return f == item && text == "" || f != item && (f.Text() == text || f.Raw() == text)
}

// splitImage splits the name of an image as the library does (api/internal/image.Split).
func splitImage(image string) (name, tag, digest string) {
	rest, at := image, max(strings.Index(image, "/"), 0)
	if i := strings.Index(rest[at:], "@"); i >= 0 {
		rest, digest = rest[:at+i], rest[at+i+1:]
	}
	if i := strings.Index(rest[at:], ":"); i >= 0 {
		rest, tag = rest[:at+i], rest[at+i+1:]
	}
	return rest, tag, digest
}

// hadName reports whether the object has or had a name: in its file, or after a kustomization added a prefix or suffix.
func (o *origins) hadName(name string) bool { return slices.Contains(o.names, name) }

// mayHaveName reports whether the object may have had a name, for example because a patch has changed it.
func (o *origins) mayHaveName(name string) bool {
	return o.hadName(name) || name != "" && strings.Contains(o.name, name) && strings.Contains(name, o.firstName)
}

// namesOf returns the names that an object has, from the first one on, as the layers of a chain add to it.
func namesOf(kind, first string, chain []*layer) []string {
	names := []string{first}
	if isNeverRenamed(kind) {
		return names
	}
	for _, l := range slices.Backward(chain) {
		next := l.fields.NamePrefix + names[len(names)-1] + l.fields.NameSuffix
		names = append(names, next)
	}
	return names
}

// isNeverRenamed reports whether objects of a kind get neither prefixes nor suffixes (prefixFieldSpecsToSkip of
// PrefixTransformer).
func isNeverRenamed(kind string) bool {
	return kind == "CustomResourceDefinition" || kind == "APIService" || kind == "Namespace"
}

// generatorsOf returns the generators of a layer for a kind, and the name of their list.
func (l *layer) generatorsOf(kind string) (list []types.GeneratorArgs, field string) {
	switch kind {
	case "ConfigMap":
		for _, g := range l.fields.ConfigMapGenerator {
			list = append(list, g.GeneratorArgs)
		}
		return list, "configMapGenerator"
	case "Secret":
		for _, g := range l.fields.SecretGenerator {
			list = append(list, g.GeneratorArgs)
		}
		return list, "secretGenerator"
	}
	return nil, ""
}
