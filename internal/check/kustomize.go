package check

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// Presence is what exists at a path.
type Presence uint8

// Unknown, the zero value, means that the path was not looked up. Base means a directory with a kustomization.
const (
	Unknown Presence = iota
	Missing
	Regular
	Directory
	Base
)

// references finds the missing files that a kustomization names.
func (c *checker) references(n manifest.Node, d *document) (violations []diag.Violation) {
	group, _ := catalog.SplitAPIVersion(d.APIVersion)
	if c.file.Lookup == nil || group != kustomization.Group {
		return nil
	}
	inMissing := map[string]int{} // the violation about what is in a missing directory
	for _, r := range kustomization.References(n) {
		switch presence := c.file.Lookup(r.Path); {
		case presence == Missing:
			v := violation(r.Node, diag.MissingFile, diag.Quote(r.Path)+" does not exist",
				"create it, or remove it from the list")
			if template := c.templateOf(r.Path); template != "" {
				v.Severity, v.Help = diag.Warning, "create it from "+diag.Quote(template)+" before 'kustomize build'"
			} else if r.Use == kustomization.Input {
				v.Severity, v.Help = diag.Warning, "create it before 'kustomize build'"
			} else if dir := c.missingDirectory(r.Path); dir != "" {
				if i, ok := inMissing[dir]; ok {
					violations[i].AddPlace(v.Place, "also "+diag.Quote(r.Path))
					continue
				}
				inMissing[dir] = len(violations)
				v.Help = "the directory " + diag.Quote(dir) + " does not exist: create it, or remove what is in it from the list"
			}
			violations = append(violations, v)
		case presence == Directory && (r.Use == kustomization.Source || r.Use == kustomization.Base):
			violations = append(violations,
				violation(r.Node, diag.MissingFile, "directory "+diag.Quote(r.Path)+" has no kustomization file",
					"create a kustomization.yaml there, or name files"))
		}
	}
	return violations
}

// missingDirectory returns the outermost directory of a path that does not exist; "" if the path is in one that does.
func (c *checker) missingDirectory(path string) string {
	for i := range len(path) {
		if dir := path[:i]; path[i] == '/' && dir != "" && strings.Trim(dir, "./") != "" && c.file.Lookup(dir) == Missing {
			return dir
		}
	}
	return ""
}

// withoutNamespaces drops the violations about missing namespaces of the subjects of a ClusterRoleBinding from those
// of a resource of a kustomization or component that is not built. kustomize sets them (sigs.k8s.io/kustomize/api,
// filters/namespace, Filter.roleBindingHack, and filters/nameref).
func (c *checker) withoutNamespaces(violations []diag.Violation, d *document) []diag.Violation {
	group, _ := catalog.SplitAPIVersion(d.APIVersion)
	if c.file.Use != kustomization.Source || !c.file.IsSearched || group != "rbac.authorization.k8s.io" {
		return violations
	}
	return slices.DeleteFunc(violations, func(v diag.Violation) bool {
		return v.Rule == diag.MissingField && len(v.Path) == 3 && v.Path[0].Name == "subjects" &&
			v.Path[2].Name == "namespace"
	})
}

// templateOf returns the template next to a missing file that it is written from, "" without one.
func (c *checker) templateOf(path string) string {
	for _, ending := range [...]string{".in", ".tmpl", ".template", ".tpl", ".j2"} {
		if c.file.Lookup(path+ending) == Regular {
			return path + ending
		}
	}
	return ""
}

// foldKeys renames fields to the names in the schema, ignoring case. kustomize reads its files with encoding/json,
// which matches keys without regard to case.
func foldKeys(n manifest.Node, s *schema.Schema) {
	for child := range n.Children() {
		switch {
		case n.Type() == manifest.List && s.Items != nil:
			foldKeys(child, s.Items)
		case n.Type() == manifest.Map:
			i := slices.IndexFunc(s.Properties, func(p schema.Property) bool { return strings.EqualFold(p.Name, child.Key()) })
			if i < 0 {
				continue
			}
			if p := &s.Properties[i]; p.Name != child.Key() {
				child.Rename(p.Name)
			}
			foldKeys(child, s.Properties[i].Schema)
		}
	}
}

// checkReplacements reports the unknown fields of the replacements in a file that a kustomization names: of replacements,
// or of a ReplacementTransformer. kustomize ignores such fields there, and a source without a field path is the name of
// the object.
func (c *checker) checkReplacements(n manifest.Node, d *document) {
	isTransformer := n.TextAt("apiVersion") == "builtin" && n.TextAt("kind") == "ReplacementTransformer"
	if isTransformer {
		n = n.At("replacements")
	}
	if !n.Valid() {
		return
	}
	items := []manifest.Node{n}
	if n.Type() == manifest.List {
		items = slices.Collect(n.Children())
	}
	kind, _, ok := c.engine.options.Catalog.Lookup(kustomization.Group, "v1beta1", "Kustomization")
	if !ok {
		return
	}
	list, _ := kind.Schema.Property("replacements")
	var violations []diag.Violation
	for _, item := range items {
		if !isTransformer && !isReplacement(item) {
			continue
		}
		foldKeys(item, list.Items)
		for _, v := range schema.Check(item, list.Items, schema.Resource{Plain: true, NoMetadata: true}, manifest.Node{}) {
			if v.Rule == diag.UnknownField && len(violations) < diag.MaxDescribed {
				v.Severity, v.Message = diag.Warning, v.Message+", which kustomize ignores"
				violations = append(violations, v)
			}
		}
	}
	if len(violations) > 0 {
		d.Object = kept(d.Object)
		violations, _ = c.withoutKnown(d.Object, violations)
		c.take(d.Object, violations)
	}
}

// isReplacement reports whether a value is a replacement. A file that a kustomization names may hold any configuration.
func isReplacement(n manifest.Node) bool {
	has := func(name string) bool { _, ok := n.Field(name); return ok }
	return n.Type() == manifest.Map && !has("kind") && has("targets") && (has("source") || has("sourceValue"))
}
