package evaluate

import (
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/policy"
	"github.com/kindvet/kindvet/internal/policy/match"
)

// params are the parameters of a binding for a request. A policy is evaluated once with each of them; one that is not valid is
// null. fault says why the binding cannot be used, and missing on which parameters the result also depends.
type params struct {
	list    []manifest.Node
	fault   string
	missing []string
}

// params finds the parameters (k8s.io/apiserver, admission/plugin/policy/generic.CollectParams).
func (e *evaluation) params() params {
	c, ref := e.compiled, e.binding.Ref
	kind := c.policy.Params
	isClosed := e.request.evaluator.options.IsClosed
	if !c.hasKnownScope && !isClosed {
		return params{missing: []string{"the kind " + kind.Kind + ", which has no schema"}}
	}
	namespace := ref.Namespace
	isNamespaced := c.isNamespaced || !c.hasKnownScope
	switch {
	case isNamespaced && namespace == "":
		if namespace = e.request.in.Namespace; namespace == "" {
			return params{fault: "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"}
		}
	case !isNamespaced && namespace != "":
		return params{fault: "paramRef.namespace must not be provided for a cluster-scoped `paramKind`"}
	}
	var found params
	objects := e.request.evaluator.set.ObjectsOf(kind)
	e.share.SpendWork(int64(len(objects)))
	for _, n := range objects {
		meta := n.At("metadata")
		switch {
		case isNamespaced && namespaceOf(meta) != namespace:
		case ref.IsSelector && ref.Selector.Matches(match.LabelsOf(n)) == policy.True,
			!ref.IsSelector && meta.TextAt("name") == ref.Name:
			found.list = append(found.list, n)
		}
	}
	switch {
	case len(found.list) > 0:
	case !isClosed:
		found.missing = []string{missing(kind, ref, namespace)}
	case ref.DeniesMissing:
		found.fault = "no params found for policy binding with `Deny` parameterNotFoundAction"
	}
	return found
}

// missing names a parameter that is not at hand.
func missing(kind policy.ParamKind, ref *policy.ParamRef, namespace string) string {
	name := "the " + kind.Kind + " " + ref.Name
	if ref.IsSelector {
		name = "a " + kind.Kind + " that the binding selects"
	}
	if namespace != "" {
		name += " in the namespace " + namespace
	}
	return name
}

// namespaceOf returns the namespace of an object of a namespaced kind.
func namespaceOf(meta manifest.Node) string {
	if namespace := meta.TextAt("namespace"); namespace != "" {
		return namespace
	}
	return "default"
}
