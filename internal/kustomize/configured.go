package kustomize

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
)

// mostConfigured is the maximum number of values in the configurations of a layer that are compared with a scalar.
// They may fill megabytes, for each scalar of the output. A kustomization of 29 public repositories has at most one
// configuration.
const mostConfigured = 10_000

// configured returns the values in the configurations of transformers that a scalar of the output may come from, the
// last one that is applied first.
func (l *layer) configured(_ *origins, n manifest.Node, steps []step) (list []supplier) {
	left := mostConfigured
	for _, doc := range slices.Backward(l.configs) {
		for i, root := range slices.Backward(doc.objects()) {
			for _, f := range configuredIn(nil, root, n, steps[len(steps)-1].key, &left) {
				c := &change{file: doc.vetted, document: i, path: pathTo(f), was: f}
				if doc.vettedRoots != len(doc.objects()) {
					c = nil
				}
				list = append(list, supplier{found{doc: doc, node: f}, c, false})
			}
		}
	}
	return list
}

// pathTo returns the keys and indices that lead to a node.
func pathTo(n manifest.Node) (path []any) {
	for _, s := range stepsTo(n) {
		if s.isItem() {
			path = append(path, s.index)
		} else {
			path = append(path, s.key)
		}
	}
	return path
}

// notSupplied are the fields of configurations whose values are not written to objects.
var notSupplied = []string{"apiVersion", "kind", "fieldSpecs", "name", "target", "targets", "options"}

// configuredIn appends the scalars below a node of a configuration that a scalar of the output may come from. key is
// that of the scalar of the output. left is how many more values it may compare.
func configuredIn(list []manifest.Node, config, n manifest.Node, key string, left *int) []manifest.Node {
	for child := range config.Children() {
		if *left--; *left < 0 {
			return list
		}
		switch {
		case child.Key() == "metadata":
			if f := fieldOf(child, "namespace"); key == "namespace" && manifest.Equal(f, n) {
				list = append(list, f)
			}
		case slices.Contains(notSupplied, child.Key()) && child.Key() != key:
		case !isScalar(child):
			list = configuredIn(list, child, n, key, left)
		case supplies(child, n, key):
			list = append(list, child)
		}
	}
	return list
}

// supplies reports whether a scalar of the output comes from one of the configuration of a transformer of kustomize
// (api/internal/builtins).
func supplies(config, n manifest.Node, key string) bool {
	text, isAll := config.Text(), manifest.Equal(config, n)
	switch config.Key() {
	case "count":
		return key == "replicas" && isAll
	case "newTag":
		return strings.HasSuffix(n.Text(), ":"+text)
	case "digest":
		return strings.HasSuffix(n.Text(), "@"+text)
	case "newName":
		return strings.HasPrefix(n.Text(), text) && !validName().MatchString(text)
	case "prefix":
		return key == "name" && strings.HasPrefix(n.Text(), text) && !validName().MatchString(text)
	case "suffix":
		return key == "name" && strings.HasSuffix(n.Text(), text) && !validName().MatchString(text)
	}
	return key != "" && config.Key() == key && isAll
}
