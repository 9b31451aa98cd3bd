package check

import (
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
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

// checkList checks a list item by item. kind is nil for a List of any kind.
func (c *checker) checkList(n manifest.Node, d document, kind *catalog.Kind, violations []diag.Violation) {
	violations = append(violations, schema.CheckListMeta(n)...)
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
			violations = append(violations, v)
		}
	}
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
			c.check(item,
				document{Object: diag.Object{Document: d.Document}, in: kind, inList: true, isNested: d.inList, item: index}, nil)
			index++
		}
	}
	if len(violations) > 0 || !items.Valid() || items.Len() == 0 {
		c.finish(n, d.Object, violations)
	}
}
