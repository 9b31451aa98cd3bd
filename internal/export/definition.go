package export

import (
	"encoding/json"
	"io"
	"io/fs"
	"regexp"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/rules"
)

// Definitions writes the CustomResourceDefinitions of a registry that are embedded in kindvet, and returns those
// that no cluster can install. The kinds of Kubernetes, which every cluster has, are left out. The definitions are
// copied from their files, except where a platform uses other names for its kinds: these are written as JSON, which
// is also YAML.
func Definitions(w io.Writer, registry *catalog.Catalog) ([]Left, error) {
	var left []Left
	first := true
	for _, e := range registry.Entries() {
		k, ok := e.Kind(e.Versions[0])
		if !ok || k.Origin != catalog.BuiltIn || catalog.IsKubernetesDomain(e.Group) {
			continue
		}
		if k.Resource.NoMetadata {
			left = append(left, Left{e.Name + "." + e.Group, "a cluster does not store such objects"})
			continue
		}
		text, err := definitionText(k)
		if err != nil {
			return nil, err
		}
		if !first || k.Names != nil { // a stream that starts with a brace would be parsed as JSON only
			text = append([]byte("---\n"), text...)
		}
		first = false
		if _, err := w.Write(text); err != nil {
			return nil, err
		}
	}
	return left, nil
}

func definitionText(k *catalog.Kind) ([]byte, error) {
	tree := k.Schema.Node.Tree()
	if k.Names == nil {
		return fs.ReadFile(rules.Kinds, tree.Source.Name)
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	definition := adapter.Native(tree.Root())
	renameAnnotations(definition, k)
	err := e.Encode(definition)
	return []byte(b.String()), err
}

// renameAnnotations translates the paths in the kindvet annotations of a definition to the platform's names.
func renameAnnotations(definition any, k *catalog.Kind) {
	root, _ := definition.(map[string]any)
	metadata, _ := root["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	paths := regexp.MustCompile(`\bspec\.[\w.\[\]-]*\w`)
	for name, value := range annotations {
		if text, ok := value.(string); ok && strings.HasPrefix(name, "kindvet/") {
			annotations[name] = paths.ReplaceAllStringFunc(text, func(path string) string { return ownPath(k, path) })
		}
	}
}

// ownPath translates a path of fields to the platform's names. The path may contain [] for items and end with a
// keyword.
func ownPath(k *catalog.Kind, path string) string {
	steps := strings.Split(path, ".")
	fields := make([]string, len(steps))
	for i, step := range steps {
		fields[i] = strings.TrimRight(step, "[]")
	}
	own := k.Names.Fields(fields)
	for i, step := range steps {
		own[i] += step[len(fields[i]):]
	}
	return strings.Join(own, ".")
}
