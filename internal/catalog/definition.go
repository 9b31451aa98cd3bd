package catalog

import (
	"fmt"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/expr"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// defined is a CustomResourceDefinition that was read.
type defined struct {
	entry *Entry
	kinds []*Kind
	notes []note
}

// noMetadata is the annotation of a definition whose kind has no metadata, which no cluster would install as it stands.
const noMetadata = "kindvet/metadata"

// IsDefinition says whether a document is a CustomResourceDefinition of any version.
func IsDefinition(n manifest.Node) bool {
	group, _ := SplitAPIVersion(n.TextAt("apiVersion"))
	return group == kubernetesGroup && n.TextAt("kind") == "CustomResourceDefinition"
}

// parseDefinition reads a CustomResourceDefinition, a trusted one without a look at its patterns. With violations of severity Error
// that leave no kind, the definition has none.
func parseDefinition(n manifest.Node, trusted bool) (defined, []diag.Violation) {
	p := definitionParser{root: n, trusted: trusted}
	if v := n.TextAt("apiVersion"); v != "apiextensions.k8s.io/v1" {
		f, _ := n.Field("apiVersion")
		p.reject(f, diag.UnknownVersion, "only apiextensions.k8s.io/v1 can be used, found "+fmt.Sprintf("%q", v),
			"convert the file: v1beta1 is not served since Kubernetes 1.22")
		return defined{}, p.violations
	}
	spec := p.need(n, "spec", manifest.Map)
	if !spec.Valid() {
		return defined{}, p.violations
	}
	names := p.need(spec, "names", manifest.Map)
	versions := p.need(spec, "versions", manifest.List)
	if !names.Valid() || !versions.Valid() {
		return defined{}, p.violations
	}
	e := &Entry{
		Group: p.needText(spec, "group"), Name: p.needText(names, "kind"), Plural: p.needText(names, "plural"),
		ListName: names.TextAt("listKind"), Namespaced: spec.TextAt("scope") != "Cluster",
	}
	if e.ListName == "" {
		e.ListName = e.Name + "List"
	}
	d := defined{entry: e, notes: p.notes()}
	for version := range versions.Children() {
		if k, ok := p.version(e, version); ok {
			d.kinds = append(d.kinds, k)
			e.Versions = append(e.Versions, k.Version)
		}
	}
	return d, p.violations
}

type definitionParser struct {
	root       manifest.Node
	trusted    bool
	violations []diag.Violation
}

func (p *definitionParser) version(e *Entry, n manifest.Node) (*Kind, bool) {
	if served, ok := n.Field("served"); ok && served.Type() == manifest.Boolean && !served.Boolean() {
		return nil, false
	}
	k := &Kind{
		Group: e.Group, Version: p.needText(n, "name"), Name: e.Name, Plural: e.Plural, ListName: e.ListName,
		DeprecationWarning: n.TextAt("deprecationWarning"), embedded: p.trusted,
		Resource: schema.Resource{
			Namespaced: e.Namespaced,
			NoMetadata: p.root.At("metadata", "annotations").TextAt(noMetadata) == "none",
		},
	}
	deprecated := n.At("deprecated")
	k.Deprecated = deprecated.Valid() && deprecated.Boolean()
	if scale := n.At("subresources", "scale"); scale.Valid() {
		k.Resource.Scale = schema.Scale{
			SpecReplicas: scale.TextAt("specReplicasPath"), StatusReplicas: scale.TextAt("statusReplicasPath"),
			LabelSelector: scale.TextAt("labelSelectorPath"),
		}
	}
	open := n.At("schema", "openAPIV3Schema")
	if !open.Valid() {
		p.reject(n, diag.MissingField, "version has no schema.openAPIV3Schema", "write a structural schema; v1 requires one")
		return nil, false
	}
	k.secrets = p.secretMembers()
	s, violations := schema.Compile(open, p.trusted)
	p.violations = append(p.violations, violations...)
	k.Schema, k.Rules = s, expr.NewRules(s)
	return k, k.Version != ""
}

func (p *definitionParser) reject(n manifest.Node, rule diag.Rule, message, help string) {
	if !n.Valid() {
		n = p.root
	}
	sp := n.Span()
	if n.Type() == manifest.Map || n.Type() == manifest.List {
		sp = n.HeadSpan()
	}
	p.violations = append(p.violations, diag.Violation{
		Rule: rule, Severity: diag.Error, Message: message, Help: help, Place: n.Tree().Source.Place(sp), Path: n.Path(),
	})
}

func (p *definitionParser) need(n manifest.Node, name string, want manifest.Type) manifest.Node {
	f, ok := n.Field(name)
	switch {
	case !ok:
		p.reject(n, diag.MissingField, fmt.Sprintf("required field %q is missing", name), "")
	case f.Type() != want:
		p.reject(f, diag.WrongType, "must be "+want.String()+", is "+f.Type().String(), "")
	default:
		return f
	}
	return manifest.Node{}
}

func (p *definitionParser) needText(n manifest.Node, name string) string {
	f := p.need(n, name, manifest.String)
	if !f.Valid() {
		return ""
	}
	return f.Text()
}
