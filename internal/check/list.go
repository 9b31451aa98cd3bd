package check

import (
	"iter"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// resourceList is the kind of the input of KRM functions.
const resourceList = "ResourceList"

// isList reports whether a document is a list of resources of any kind: a core List or a ResourceList.
func isList(o diag.Object) bool {
	return o.APIVersion == "v1" && o.Kind == "List" ||
		o.Kind == resourceList && strings.HasPrefix(o.APIVersion, "config.kubernetes.io/v1")
}

// ignored makes warnings of the violations of a List itself. No server sees it: kubectl validates and sends only its items
// (k8s.io/kubectl, pkg/validation, validateList).
func ignored(violations []diag.Violation) {
	for i := range violations {
		violations[i].Severity = diag.Warning
		violations[i].Help = "remove it: only the items of a List are applied"
	}
}

// appliedItems returns the items of a document that kubectl reads as a list, whatever its kind is: it has a kind, and
// items (k8s.io/apimachinery, pkg/apis/meta/v1/unstructured, unstructuredJSONScheme.decode).
func appliedItems(n manifest.Node) iter.Seq2[int, manifest.Node] {
	return func(yield func(int, manifest.Node) bool) {
		items, ok := n.Field("items")
		if !ok || n.TextAt("kind") == "" || items.Type() != manifest.List {
			return
		}
		index := 0
		for item := range items.Children() {
			if !yield(index, item) {
				return
			}
			index++
		}
	}
}

// checkItems checks the objects among the items of a document whose kind is not that of a list. kubectl applies them and
// not the document. kind is nil if it is not known; otherwise it is that of items without apiVersion and kind.
func (c *checker) checkItems(n manifest.Node, d *document, kind *catalog.Kind) {
	if c.file.Use != 0 && c.file.Use != kustomization.Source && c.file.Use != kustomization.Applied ||
		len(c.file.Formats) > 0 {
		return
	}
	outer := c.encryptItems(n)
	defer func() { c.isEncrypted = outer }()
	for index, item := range appliedItems(n) {
		in := document{Object: diag.Object{Document: d.Document}, inList: true, isNested: d.inList, item: index}
		switch hasVersion, hasKind := isSet(item, "apiVersion"), isSet(item, "kind"); {
		case hasVersion && hasKind, isLikeManifest(item):
		case kind != nil && !hasVersion && !hasKind && item.At("metadata", "name").Valid():
			in.in = kind
		default:
			continue
		}
		c.check(item, in, nil)
	}
}

// checkList checks a list item by item. kind is nil for a List of any kind.
func (c *checker) checkList(n manifest.Node, d document, kind *catalog.Kind, violations []diag.Violation) {
	outer := c.encryptItems(n)
	defer func() { c.isEncrypted = outer }()
	dropSOPS(n)
	isCore := d.Kind == "List"
	inList := schema.CheckListMeta(n)
	var items manifest.Node
	for f := range n.Children() {
		switch key := f.Key(); {
		case key == "apiVersion" || key == "kind" || key == "metadata":
		case key == "items":
			if !f.Shadowed() {
				items = f
			}
		case d.Kind == resourceList && (key == "functionConfig" || key == "results"):
		default:
			v := violation(f, diag.UnknownField, "unknown field "+diag.Quote(f.Key()),
				"a list can only have apiVersion, kind, metadata and items")
			v.Place = f.KeyPlace()
			inList = append(inList, v)
		}
	}
	if isCore {
		ignored(inList)
	}
	violations = append(violations, inList...)
	switch {
	case items.Valid() && items.Type() == manifest.Null:
		violations = append(violations, violation(items, diag.MissingField, "required field \"items\" is null", ""))
	case !items.Valid():
		v := violation(n, diag.MissingField, "required field \"items\" is missing", "")
		v.Path = n.Path().Field("items")
		violations = append(violations, v)
	case items.Type() != manifest.List:
		violations = append(violations, violation(items, diag.WrongType, "must be an array, got "+items.Type().String(), ""))
	default:
		index := 0
		for item := range items.Children() {
			if n.Tree().IsCanceled() {
				break
			}
			c.check(item,
				document{Object: diag.Object{Document: d.Document}, in: kind, inList: true, isNested: d.inList, item: index}, nil)
			index++
		}
	}
	if len(violations) > 0 || !items.Valid() || items.Len() == 0 {
		c.finish(n, d.Object, violations)
	}
}
