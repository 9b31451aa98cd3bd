package catalog

import (
	"fmt"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/formats"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/validations"
)

// crdVersion is the apiVersion of CRDs.
const crdVersion = kubernetesGroup + "/v1"

// schemaField is the field of a version that holds its schema.
const schemaField = "openAPIV3Schema"

// noMetadata is the annotation of a definition whose kind has no metadata. No cluster would install such a definition
// unchanged.
const noMetadata = "kindvet/metadata"

// namesAnnotation is the annotation of a stored CRD that states the format of the names of its objects: an aggregated API
// server does not validate them as those of custom resources. It does not count in a CRD among the checked files.
const namesAnnotation = "kindvet/names"

// IsDefinition reports whether a document is a CustomResourceDefinition of any version.
func IsDefinition(n manifest.Node) bool {
	group, _ := SplitAPIVersion(n.TextAt("apiVersion"))
	return group == kubernetesGroup && n.TextAt("kind") == "CustomResourceDefinition"
}

// parseHead reads what a CRD states about its kind, without the schemas. If the entry has no versions, its kind cannot
// be used, and the violations say why.
func parseHead(n manifest.Node, origin Origin) (*Entry, []diag.Violation) {
	p := crdParser{root: n, origin: origin}
	return p.head(), p.violations
}

// parseCRD reads the kinds of a CRD, one for each served version. The patterns of CRDs that come with kindvet are
// known to be valid.
func parseCRD(n manifest.Node, origin Origin) ([]*Kind, []diag.Violation) {
	p := crdParser{root: n, origin: origin}
	e := p.head()
	var kinds []*Kind
	for version := range n.At("spec", "versions").Children() {
		if isServed(version) {
			if k, ok := p.version(e, version); ok {
				kinds = append(kinds, k)
			}
		}
	}
	return kinds, p.violations
}

type crdParser struct {
	root       manifest.Node
	origin     Origin
	violations []diag.Violation
}

func (p *crdParser) head() *Entry {
	e := &Entry{Origin: p.origin}
	n := p.root
	if v := n.TextAt("apiVersion"); v != crdVersion {
		f, _ := n.Field("apiVersion")
		p.reject(f, diag.UnknownVersion, "must be apiextensions.k8s.io/v1, got "+fmt.Sprintf("%q", v),
			"convert it to v1: Kubernetes 1.22 removed v1beta1")
		return e
	}
	spec := p.need(n, "spec", manifest.Map)
	if !spec.Valid() {
		return e
	}
	names, versions := p.need(spec, "names", manifest.Map), p.need(spec, "versions", manifest.List)
	if !names.Valid() || !versions.Valid() {
		return e
	}
	e.Group, e.Name, e.Plural = p.needText(spec, "group"), p.needText(names, "kind"), p.needText(names, "plural")
	e.ListName, e.Namespaced = names.TextAt("listKind"), spec.TextAt("scope") != "Cluster"
	if e.ListName == "" {
		e.ListName = e.Name + "List"
	}
	e.names, _ = formats.ParseName(n.At("metadata", "annotations").TextAt(namesAnnotation))
	if short := names.At("shortNames"); short.Valid() && short.Type() == manifest.List {
		for name := range short.Children() {
			e.ShortNames = append(e.ShortNames, strings.Clone(name.Text()))
		}
	}
	for version := range versions.Children() {
		if name := version.TextAt("name"); name != "" && isServed(version) && version.At("schema", schemaField).Valid() {
			e.Versions = append(e.Versions, name)
		}
	}
	return e
}

func isServed(version manifest.Node) bool {
	served := version.At("served")
	return !served.Valid() || served.Type() != manifest.Boolean || served.Boolean()
}

func (p *crdParser) version(e *Entry, n manifest.Node) (*Kind, bool) {
	k := &Kind{
		Group: e.Group, Version: p.needText(n, "name"), Name: e.Name, Plural: e.Plural, ListName: e.ListName,
		DeprecationWarning: n.TextAt("deprecationWarning"), Origin: p.origin,
		Resource: schema.Resource{
			Namespaced: e.Namespaced,
			NoMetadata: p.root.At("metadata", "annotations").TextAt(noMetadata) == "none",
			ExactTypes: p.origin == BuiltIn,
		},
	}
	if k.Deprecated = isDeprecated(n); k.Deprecated && k.DeprecationWarning == "" {
		k.Replacement = p.newer(e.Group, k.Version)
	}
	if scale := n.At("subresources", "scale"); scale.Valid() {
		k.Resource.Scale = schema.Scale{
			SpecReplicas: scale.TextAt("specReplicasPath"), StatusReplicas: scale.TextAt("statusReplicasPath"),
			LabelSelector: scale.TextAt("labelSelectorPath"),
		}
	}
	open := n.At("schema", schemaField)
	if !open.Valid() {
		p.reject(n, diag.MissingField, "the version has no schema.openAPIV3Schema",
			"add a structural schema; v1 requires it")
		return nil, false
	}
	k.secrets = p.secretFields()
	s, violations := schema.Compile(open, p.origin == BuiltIn)
	p.violations = append(p.violations, violations...)
	k.Schema, k.Rules = s, validations.NewRules(s)
	k.IsUnspecified = p.origin == BuiltIn && isUnspecified(s)
	return k, k.Version != ""
}

// isUnspecified reports whether a schema allows any fields in spec.
func isUnspecified(s *schema.Schema) bool {
	if s == nil {
		return false
	}
	spec, ok := s.Property("spec")
	return ok && spec.PreserveUnknown && !spec.IntOrString && len(spec.Properties) == 0
}

func (p *crdParser) reject(n manifest.Node, rule diag.Rule, message, help string) {
	if !n.Valid() {
		n = p.root
	}
	p.violations = append(p.violations, n.Finding(diag.Violation{Rule: rule, Message: message, Help: help}))
}

func (p *crdParser) need(n manifest.Node, name string, want manifest.Type) manifest.Node {
	f, ok := n.Field(name)
	switch {
	case !ok:
		p.reject(n, diag.MissingField, fmt.Sprintf("required field %q is missing", name), "")
	case f.Type() != want:
		p.reject(f, diag.WrongType, "must be "+want.String()+", got "+f.Type().String(), "")
	default:
		return f
	}
	return manifest.Node{}
}

func (p *crdParser) needText(n manifest.Node, name string) string {
	f := p.need(n, name, manifest.String)
	if !f.Valid() {
		return ""
	}
	return f.Text()
}
