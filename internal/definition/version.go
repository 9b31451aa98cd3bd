package definition

import (
	"strconv"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// These are the first minor versions of Kubernetes 1 that do something in CRDs, found by comparing the sources of
// apiextensions-apiserver.
const (
	// hasSelectableFields knows the field; the gate customResourceFieldSelectors decides whether the server keeps it.
	hasSelectableFields = 30
	// checksBundles requires a certificate in the caBundle of a webhook (validation.allowInvalidCABundle).
	checksBundles = 31
	// hasObservedGeneration knows the field in the status and its conditions.
	hasObservedGeneration = 35
	// keepsSelectableFields tolerates unchanged fields in an update, even if there are too many
	// (validation.findTooManySelectableFieldsAllowed).
	keepsSelectableFields = 35
	// keepsExamples has example and externalDocs in structural schemas, which rejects them in metadata
	// (schema.newGenerics).
	keepsExamples = 36
)

// These gates decide about fields of a CRD (pkg/registry/customresourcedefinition, dropDisabledFields).
const (
	selectors  = "CustomResourceFieldSelectors"
	ratcheting = "CRDValidationRatcheting"
)

// has reports whether the selected version is at least the first one of something.
func (c *checker) has(first int) bool { return c.server.Minor == 0 || c.server.Minor >= first }

func (c *checker) isOff(gate string) bool {
	return c.server.Minor > 0 && c.server.IsOff != nil && c.server.IsOff(gate)
}

// serves reports whether the server keeps selectable fields, and reports otherwise that it does not know them or drops them.
// An installed CRD that has some keeps them.
func (c *checker) serves(fields manifest.Node, areInstalled bool) bool {
	switch {
	case !c.has(hasSelectableFields):
		c.unknown(fields, hasSelectableFields)
		return false
	case c.isOff(selectors) && !areInstalled:
		c.dropped(fields, selectors)
		return false
	}
	return true
}

// dropsOptional reports whether the server drops optionalOldSelf, which it keeps in an installed CRD that has it.
func (c *checker) dropsOptional() bool {
	if !c.isOff(ratcheting) {
		return false
	}
	c.readStored()
	return !c.storedRules.hasOptional
}

// statusOf reports fields of the status that the selected version does not know.
func (c *checker) statusOf(status manifest.Node) {
	if !status.Valid() || status.Type() != manifest.Map || c.has(hasObservedGeneration) {
		return
	}
	objects := []manifest.Node{status}
	if list := at(status, "conditions"); list.Valid() && list.Type() == manifest.List {
		for condition := range list.Children() {
			objects = append(objects, condition)
		}
	}
	for _, n := range objects {
		if n.Type() != manifest.Map {
			continue
		}
		if f, ok := n.Field("observedGeneration"); ok {
			c.unknown(f, hasObservedGeneration)
		}
	}
}

// unknown reports a field that the selected version does not have.
func (c *checker) unknown(f manifest.Node, since int) {
	c.add(f, diag.Violation{
		Rule:    diag.UnknownField,
		Message: "unknown field " + diag.Quote(f.Key()) + ": Kubernetes 1." + strconv.Itoa(c.server.Minor) + " does not have it",
		Help:    "it is new in 1." + strconv.Itoa(since), Place: f.KeyPlace(),
	})
}

// dropped reports a field that the server drops.
func (c *checker) dropped(f manifest.Node, gate string) {
	c.add(f, diag.Violation{
		Rule: diag.DisabledField, Severity: diag.Warning,
		Message: "the API server drops this field: the feature gate " + gate + " is off by default",
		Help:    "remove it, or enable " + gate + " in the cluster and in featureGates: of .kindvet.yaml",
		Place:   f.KeyPlace(),
	})
}
