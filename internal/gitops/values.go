package gitops

import (
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
)

// ValuesTexts returns the strings of an object that are files of values for charts, such as spec.source.helm.values of an
// Application. Those of an ApplicationSet with template expressions are left out.
func ValuesTexts(object manifest.Node) (texts []manifest.Node) {
	group, _, _ := strings.Cut(object.TextAt("apiVersion"), "/")
	kind, root := object.TextAt("kind"), object
	isSet := kind == "ApplicationSet"
	if isSet {
		var ok bool
		if root, ok = field("spec.template").at(object); !ok {
			return nil
		}
		kind = "Application"
	}
	for i := range layouts {
		l := &layouts[i]
		if l.group != group || l.kind != kind {
			continue
		}
		for _, sources := range l.sources {
			for _, of := range sources.items(root) {
				for _, f := range l.values {
					values, ok := f.at(of)
					if !ok {
						continue
					}
					if values.Type() == manifest.String && !(isSet && strings.Contains(values.Text(), "{{")) {
						texts = append(texts, values)
					}
					break
				}
			}
		}
	}
	return texts
}
