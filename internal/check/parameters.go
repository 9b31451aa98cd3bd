package check

import (
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// templateGroup is the API group of a Template of OpenShift, which older ones have in the core group.
const templateGroup = "template.openshift.io"

// isTemplate reports whether a document is a Template of OpenShift: it has objects, which 'oc process' writes.
func isTemplate(n manifest.Node, o diag.Object) bool {
	group, _ := catalog.SplitAPIVersion(o.APIVersion)
	if o.Kind != "Template" || group != templateGroup && o.APIVersion != "v1" {
		return false
	}
	objects, ok := n.Field("objects")
	return ok && objects.Type() == manifest.List
}

// checkTemplate checks the objects of a Template as 'oc process' writes them. The values of its parameters are not known:
// a user may set each of them. The Template itself is checked if its kind has a schema.
func (c *checker) checkTemplate(n manifest.Node, d document, violations []diag.Violation) {
	outer, isEncrypted := c.parameters, c.encryptItems(n)
	c.parameters = parametersOf(n)
	index := 0
	for object := range n.At("objects").Children() {
		// As an item of a list in a list, an object is found again only with all of its part.
		c.check(object, document{
			Object: diag.Object{Document: d.Document}, inList: true, isNested: true, item: index,
		}, nil)
		index++
	}
	c.parameters, c.isEncrypted = outer, isEncrypted
	if d.APIVersion == "v1" {
		d.APIVersion = templateGroup + "/v1"
	}
	if found := c.lookup(n, &d); found.kind != nil && !found.isList {
		c.checkObject(n, &d, &found, violations)
	} else {
		c.unknown(n, d, found.unknown, violations)
	}
}

// parametersOf returns the names of the parameters of a Template. The result is not nil.
func parametersOf(n manifest.Node) map[string]bool {
	names := map[string]bool{}
	list := n.At("parameters")
	if !list.Valid() || list.Type() != manifest.List {
		return names
	}
	for item := range list.Children() {
		if item.Type() == manifest.Map {
			names[item.TextAt("name")] = true
		}
	}
	return names
}

// isParameter reports whether a variable such as ${NAME}, or {{NAME}} of ${{NAME}}, is a parameter of the Template with
// the object. 'oc process' keeps the text of any other.
func (c *checker) isParameter(variable string) bool {
	if c.parameters == nil {
		return false
	}
	name := strings.TrimPrefix(variable, "$")
	return c.parameters[strings.Trim(name, "{}")]
}
