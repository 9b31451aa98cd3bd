package check

import (
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/nearest"
)

// identify reads apiVersion and kind, and name and namespace if they are strings. It returns false if the kind cannot
// be looked up.
func (c *checker) identify(n manifest.Node, d *document) ([]diag.Violation, bool) {
	if n.Type() != manifest.Map {
		rule := diag.MissingKind
		if d.inList {
			rule = diag.WrongType
		}
		return []diag.Violation{
			violation(n, rule, "a document must be an object with apiVersion and kind, got "+n.Type().String(), ""),
		}, false
	}
	isKustomization := c.isKustomization(n)
	if d.in == nil && !hasValue(n, "apiVersion") && !hasValue(n, "kind") && !isKustomization && !isMisspelled(n) {
		v := violation(n, diag.MissingKind, "not a Kubernetes manifest: apiVersion and kind are missing", "")
		return []diag.Violation{v}, false
	}
	if d.in != nil && d.in.Resource.Native && (isSet(n, "apiVersion") || isSet(n, "kind")) {
		d.in = nil // kubectl sends each item by itself, so it may be of another kind than the list
	}
	var violations []diag.Violation
	apiVersion, vs := c.identityField(n, "apiVersion", d)
	violations = append(violations, vs...)
	kind, vs := c.identityField(n, "kind", d)
	violations = append(violations, vs...)
	if isKustomization {
		violations = nil
		apiVersion, kind = kustomization.Identity(n.TextAt("apiVersion"), n.TextAt("kind"))
	}
	d.APIVersion, d.Kind = apiVersion, kind
	if meta, ok := n.Field("metadata"); ok {
		d.Name, d.Namespace = meta.TextAt("name"), meta.TextAt("namespace")
		if d.Name == "" {
			d.Name = meta.TextAt("generateName")
		}
	}
	if d.in != nil && len(violations) == 0 {
		violations = c.fitsList(n, d)
	}
	return violations, len(violations) == 0
}

// isMisspelled reports whether a document has both apiVersion and kind, but in another spelling.
func isMisspelled(n manifest.Node) bool {
	has := func(name string) bool {
		for f := range n.Children() {
			if f.Key() != name && nearest.IsSpelling(f.Key(), name, nil) {
				return true
			}
		}
		return false
	}
	return n.Len() <= mostTopFields && has("apiVersion") && has("kind")
}

// mostTopFields is the maximum number of fields of a document without apiVersion and kind that are compared with these.
const mostTopFields = 20

// hasValue reports whether a field has a value that is not null.
func hasValue(n manifest.Node, name string) bool {
	f, ok := n.Field(name)
	return ok && f.Type() != manifest.Null
}

// isSet reports whether a field has a value that is neither null nor an empty string.
func isSet(n manifest.Node, name string) bool {
	return hasValue(n, name) && (n.At(name).Type() != manifest.String || n.TextAt(name) != "")
}

// isKustomization reports whether a document of a kustomization file is a Kustomization or Component. Both may omit
// apiVersion and kind. The file may also hold another kind, such as Flux's Kustomization.
func (c *checker) isKustomization(n manifest.Node) bool {
	if !c.isKustomizationFile || !hasValue(n, "apiVersion") && hasValue(n, "spec") {
		return false
	}
	group, _ := catalog.SplitAPIVersion(n.TextAt("apiVersion"))
	return !hasValue(n, "apiVersion") || group == kustomization.Group && !hasValue(n, "kind")
}

func (c *checker) identityField(n manifest.Node, name string, d *document) (string, []diag.Violation) {
	f, ok := n.Field(name)
	switch {
	case ok && f.Type() == manifest.String && f.Text() != "" &&
		(name != "apiVersion" || strings.Count(f.Text(), "/") < 2):
		return f.Text(), nil
	case (!ok || f.Type() == manifest.Null) && d.in != nil:
		return "", nil
	case !ok:
		v := violation(n, diag.MissingKind, "required field "+diag.Quote(name)+" is missing",
			"add it; apiVersion and kind say what the document is")
		v.Path = n.Path().Field(name)
		for f := range n.Children() {
			if _, isNear := nearest.Name(f.Key(), []string{name}); isNear {
				v.Place, v.Help = f.KeyPlace(), "rename "+diag.Quote(f.Key())+" to "+name
				v.Fixes = diag.Safely(nearest.IsSpelling(f.Key(), name, nil), f.KeyFix(name))
				break
			}
		}
		return "", []diag.Violation{v}
	case f.Type() != manifest.String:
		return "", []diag.Violation{violation(f, diag.WrongType, "must be a string, got "+f.Type().String(), "")}
	case f.Text() == "":
		return "", []diag.Violation{violation(f, diag.MissingKind, name+" must not be empty", "")}
	}
	return "", []diag.Violation{violation(f, diag.MissingKind, diag.Quote(f.Text())+" has more than one slash",
		"use GROUP/VERSION")}
}

// fitsList compares the apiVersion and kind of an item with those of the enclosing list.
func (c *checker) fitsList(n manifest.Node, d *document) []diag.Violation {
	var violations []diag.Violation
	if d.APIVersion != "" && d.APIVersion != d.in.APIVersion() {
		f, _ := n.Field("apiVersion")
		violations = append(violations, violation(f, diag.UnknownVersion,
			"an item of "+diag.Article(d.in.ListName)+" must have apiVersion "+d.in.APIVersion()+", got "+
				diag.Quote(d.APIVersion), ""))
	}
	if d.Kind != "" && d.Kind != d.in.Name {
		f, _ := n.Field("kind")
		violations = append(violations, violation(f, diag.UnknownKind,
			"an item of "+diag.Article(d.in.ListName)+" must be "+diag.Article(d.in.Name)+", got "+diag.Quote(d.Kind), ""))
	}
	d.APIVersion, d.Kind = d.in.APIVersion(), d.in.Name
	return violations
}
