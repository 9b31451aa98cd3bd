//lint:file-ignore SA1019 deprecated fields are built too

package kustomize

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/kustomize/api/types"
)

// mayReachSchemas reports whether anything in a build may read or change the schema of a CRD. It is strict: what is
// rare in repositories counts as if it did.
func (l *layer) mayReachSchemas() (may bool) {
	l.each(func(l *layer) {
		k := &l.fields
		isRare := len(k.Vars)+len(k.Validators)+len(k.Crds)+len(k.OpenAPI) > 0
		names := func(text string) bool { return namesSchemas(text) || strings.Contains(text, "*") }
		patches := l.patches
		if l.edit != nil {
			patches = slices.Concat(patches, l.edit.patches)
		}
		may = may || isRare || slices.ContainsFunc(patches, patch.mayReachSchemas) ||
			slices.ContainsFunc(l.configurations, names) ||
			slices.ContainsFunc(l.replacements, replacement.mayReachSchemas) ||
			len(k.Transformers) > len(l.configs) || slices.ContainsFunc(l.configs, mayReachSchemas) ||
			slices.ContainsFunc(k.Labels, func(x types.Label) bool { return len(x.FieldSpecs) > 0 })
	})
	return may
}

// mayReachSchemas reports whether a field path may lead to a schema.
func (r replacement) mayReachSchemas() bool {
	return slices.ContainsFunc(append([]string{r.source}, r.targets...), func(path string) bool {
		steps := strings.FieldsFunc(path, func(c rune) bool { return c == '.' })
		if len(steps) == 0 || strings.ContainsAny(steps[0], "*[") {
			return true
		}
		return steps[0] == "spec" && (len(steps) == 1 || strings.ContainsAny(steps[1], "*[") || steps[1] == "versions")
	})
}

// plainTransformers are the transformers that change nothing but what their configuration names.
var plainTransformers = []string{
	"AnnotationsTransformer", "ImageTagTransformer", "LabelTransformer", "NamespaceTransformer",
	"PatchJson6902Transformer", "PatchStrategicMergeTransformer", "PatchTransformer", "PrefixSuffixTransformer",
	"PrefixTransformer", "ReplicaCountTransformer", "SuffixTransformer",
}

// isPlain reports whether the text of a configuration names everything that its transformers may change.
func isPlain(config *document) bool {
	for _, root := range config.objects() {
		hasFile := fieldOf(root, "path") != root || fieldOf(root, "paths") != root
		if hasFile || !slices.Contains(plainTransformers, textAt(root, "kind")) {
			return false
		}
	}
	return len(config.faults()) == 0 && !strings.ContainsAny(config.src.Text, `*\`)
}

// mayReachSchemas reports whether the configuration of a transformer may read or change the schema of a CRD.
func mayReachSchemas(config *document) bool {
	text := config.src.Text
	return !isPlain(config) || namesSchemas(text) || wholeSpec().MatchString(text)
}

// wholeSpec matches the end of a path to the spec or to the whole object.
var wholeSpec = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/(spec)?["']?\s*($|[,}\n])`) })

// mayReachSchemas reports whether a patch may read or change the schema of a CRD.
func (p patch) mayReachSchemas() bool {
	if t := p.target; t != nil && t.kind != nil && !t.kind.MatchString(definitionKind) {
		return false
	}
	if p.target == nil {
		isOther := true
		for _, root := range p.doc.objects() {
			isOther = isOther && textAt(root, "kind") != definitionKind
		}
		if isOther && len(p.doc.faults()) == 0 {
			return false
		}
	}
	text := p.doc.src.Text
	return namesSchemas(text) || wholeSpec().MatchString(text)
}

// namesSchemas reports whether a text may name the schemas of CRDs.
func namesSchemas(text string) bool {
	return strings.Contains(text, "versions") || strings.Contains(text, "chema")
}
