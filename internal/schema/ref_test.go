package schema

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/test/manifesttest"
)

// definitions are schemas that refer to each other, such as those in an OpenAPI document.
const definitions = `
Pod:
  type: object
  properties:
    name: {type: string, maxLength: 3}
    owner: {$ref: Group}
Deployment: {type: object, properties: {pod: {$ref: Pod}}}
Job: {type: object, properties: {pod: {$ref: Pod}, pods: {type: array, items: {$ref: Pod}}}}
Group:
  type: object
  properties:
    parent: {$ref: Group}
    members: {type: array, x-kubernetes-list-type: set, items: {$ref: Member}}
Member:
  type: object
  properties:
    of: {$ref: Group}
    key: {type: string, format: password}
Lost: {type: object, properties: {a: {$ref: Nothing}}}
`

func TestWhatIsReferredToIsMadeOnce(t *testing.T) {
	root := manifesttest.Root(t, definitions)
	c := &Compiler{Referred: root.Field}
	make := func(name string) *Schema {
		s, violations := c.Compile(root.At(name))
		if len(violations) > 0 {
			t.Fatalf("%s: %s", name, violations[0].Message)
		}
		return s
	}
	property := func(s *Schema, name string) *Schema {
		p, ok := s.Property(name)
		if !ok {
			t.Fatalf("there is no %s", name)
		}
		return p
	}
	deployment, job := make("Deployment"), make("Job")
	pod := property(deployment, "pod")
	if property(job, "pod") != pod || property(job, "pods").Items != pod {
		t.Error("the pod of a job is another schema")
	}
	group := property(pod, "owner")
	if property(group, "parent") != group || property(property(group, "members").Items, "of") != group {
		t.Error("a group does not lead back to itself")
	}
	for name, s := range map[string]*Schema{"job": job, "group": group, "member": property(group, "members").Items} {
		if !s.HasSecrets() || !s.hasListType {
			t.Errorf("%s: secrets %v, list types %v; both are below", name, s.HasSecrets(), s.hasListType)
		}
	}
}

func TestDocumentsOfASchemaThatRefersToItself(t *testing.T) {
	root := manifesttest.Root(t, definitions)
	c := &Compiler{Referred: root.Field}
	s, _ := c.Compile(root.At("Group"))
	object := manifesttest.Root(t,
		"{apiVersion: v1, kind: Group, metadata: {name: a}, parent: {parent: {parents: {}, members: [{of: {parent: 1}}]}}}")
	var have []string
	for _, v := range Check(object, s, Resource{}, manifest.Node{}) {
		have = append(have, v.Path.String()+" "+string(v.Rule))
	}
	want := "parent.parent.parents unknown-field, parent.parent.members[0].of.parent wrong-type"
	if strings.Join(have, ", ") != want {
		t.Errorf("have %s\nwant %s", strings.Join(have, ", "), want)
	}
}

func TestAReferenceToNothing(t *testing.T) {
	root := manifesttest.Root(t, definitions)
	c := &Compiler{Referred: root.Field}
	_, violations := c.Compile(root.At("Lost"))
	if len(violations) != 1 || violations[0].Path.String() != "Lost.properties.a.$ref" ||
		!strings.Contains(violations[0].Message, `"Nothing"`) {
		t.Errorf("have %+v", violations)
	}
	if _, violations := Compile(root.At("Lost"), false); len(violations) > 0 {
		t.Errorf("in a CRD a $ref means nothing: have %+v", violations)
	}
}

func TestFormatsOfKubernetesAreNotEnforcedForCRDs(t *testing.T) {
	root := manifesttest.Root(t, "{type: string, format: qualified-name}")
	for _, c := range []struct {
		compiler *Compiler
		enforced bool
	}{
		{&Compiler{}, false},
		{&Compiler{Native: true}, true},
		{&Compiler{Native: true, decodeOnly: true}, false},
	} {
		s, _ := c.compiler.Compile(root)
		if have := s.format != nil; have != c.enforced {
			t.Errorf("native %v, only decoded %v: enforced %v", c.compiler.Native, c.compiler.decodeOnly, have)
		}
	}
}
