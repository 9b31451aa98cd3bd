package kustomize

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
)

// mostConfigured is the maximum number of values in the configurations of a layer that are compared with a scalar.
const mostConfigured = 10_000

// configured returns the value in the configuration of a transformer that a scalar of the output comes from.
func (l *layer) configured(n manifest.Node, steps []step) (found, bool) {
	left := mostConfigured
	for _, doc := range l.configs {
		for _, root := range doc.objects() {
			if f := configuredIn(root, n, steps[len(steps)-1].key, &left); f.Valid() {
				return found{doc, f}, true
			}
		}
	}
	return found{}, false
}

// notSupplied are the fields of configurations whose values are not written to objects.
var notSupplied = []string{"apiVersion", "kind", "fieldSpecs", "name", "target", "targets", "options"}

// configuredIn returns the scalar below a node of a configuration that a scalar of the output comes from; not valid if
// there is none. key is that of the scalar of the output. left is how many more values it may compare.
func configuredIn(config, n manifest.Node, key string, left *int) (none manifest.Node) {
	for child := range config.Children() {
		if *left--; *left < 0 {
			return none
		}
		switch {
		case child.Key() == "metadata":
			if f := fieldOf(child, "namespace"); key == "namespace" && manifest.Equal(f, n) {
				return f
			}
		case slices.Contains(notSupplied, child.Key()) && child.Key() != key:
		case isScalar(child) && supplies(child, n, key):
			return child
		default:
			if f := configuredIn(child, n, key, left); f.Valid() {
				return f
			}
		}
	}
	return none
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
