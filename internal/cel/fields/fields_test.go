package fields_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/cel/fields"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

const resource = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boxes.example.com}
spec:
  group: example.com
  names: {kind: Box, plural: boxes}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              inner: {type: object, x-kubernetes-embedded-resource: true, properties: {size: {type: integer}}}
              open: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

// checkerFor returns a checker for kinds of Kubernetes by name, Box, and "" for others.
func checkerFor(t *testing.T, names ...string) *fields.Checker {
	t.Helper()
	boxes, _, violations := catalog.ReadCRDs(&source.Source{Name: "box.yaml", Text: resource})
	if len(violations) > 0 {
		t.Fatal(violations)
	}
	known := catalog.New(catalog.KubernetesKinds(0), boxes)
	schemaOf := func(group, kind string) *schema.Schema {
		k, _, ok := known.Lookup(group, "v1", kind)
		if !ok {
			t.Fatal(kind)
		}
		k.Schema.Ready()
		return k.Schema
	}
	groups := map[string]string{"Deployment": "apps", "CronJob": "batch", "Box": "example.com"}
	var kinds []fields.Kind
	for _, name := range names {
		k := fields.Kind{Group: groups[name], Version: "v1", Plural: strings.ToLower(name) + "s", Name: name}
		if name != "" {
			k.Schema = schemaOf(k.Group, name)
		}
		kinds = append(kinds, k)
	}
	meta, _ := schemaOf("", "ConfigMap").Property("metadata")
	return fields.NewChecker(kinds, meta, nil)
}

func TestFieldsThatNoKindHasAreUnknown(t *testing.T) {
	for _, one := range []struct {
		kinds, expression string
		want              string // the fields, each with what stands before it
	}{
		{"Pod", "object.spec.containers.all(c, c.imagee != '')", "containers.all(c, c.|imagee"},
		{"ConfigMap", "object.data.a.b == ''", "object.data.a.|b"},
		{"ConfigMap", "object.data.a == object.metadata.labels['b']", ""},
		{"Pod Deployment", "(object.kind == 'Pod' ? object : object.spec.template).spec.replicas == 1", "object.spec.template).spec.|replicas"},
		{"Pod Deployment", "(object.kind == 'Pod' ? object : object.spec.template).spec.hostNetwork == true", ""},
		{"Pod", "object.metadata.labels.exists(k, k.a == '')", ""},
		{"Pod", "object.spec[params.name].a == '' && object.spec['größe'] == 1", "object.spec['|größe"},
		{"Pod", "object.spec.containers.all(port, has(port.port))", "has(port.|port"},
		{"Deployment", "has(object.spec.template.spec.spec)", ""}, // of another version, perhaps
		{"Pod Deployment", "object.?spec.?template.hasValue() && object.spec.template.replicas == 1", "object.spec.template.|replicas"},
		{"Deployment ", "object.kind == 'Pod' || object.spec.template.replicas == 1", ""},
		{"Pod ", "object.kind != 'Pod' || object.spec.template == null", "object.spec.|template"},
		{"Pod Deployment CronJob", "object.kind in ['Pod', 'CronJob'] || object.spec.schedule == ''", "object.spec.|schedule"},
		{"Pod Deployment", "!(object.kind == 'Pod') && object.spec.nodeName == ''", "object.spec.|nodeName"},
		{"Pod", "(object.spec.containers + object.spec.ephemeralContainers).all(c, c.targetContainerName == '' && c.targett == '')", "c.|targett"},
		{"Pod", "object.spec.containers.map(c, c.ports).flatten().all(p, p.a == 1)", "p.|a"},
		{"Box", "object.spec.inner.metadata.nam == '' && object.spec.inner.kind == '' && object.spec.inner.siz == 1",
			"object.spec.inner.metadata.|nam object.spec.inner.|siz"},
		{"Box", "object.spec.open.a.b == 1", ""},
		{"Pod", "object.spec.a == 1 && object.spec.a == 2", "object.spec.|a && object.spec.|a"},
	} {
		c := checkerFor(t, strings.Split(one.kinds, " ")...)
		rest := one.want
		for _, u := range c.Parse(one.expression).Check(c.All) {
			before, isNamed := one.expression[:max(u.Offset, 0)], strings.HasPrefix(one.expression[max(u.Offset, 0):], u.Name)
			at := strings.Index(rest, "|"+u.Name)
			if u.Offset < 0 || !isNamed || at < 0 || !strings.HasSuffix(before, strings.TrimPrefix(strings.TrimLeft(rest[:at], " "), "&& ")) {
				t.Errorf("%s: %s: unknown %s at %d", one.kinds, one.expression, u.Name, u.Offset)
				continue
			}
			rest = rest[at+1+len(u.Name):]
		}
		if rest != "" {
			t.Errorf("%s: %s: %q is not unknown", one.kinds, one.expression, rest)
		}
	}
}

func TestAVariableMayNameItself(t *testing.T) {
	c := checkerFor(t, "Pod")
	c.Define("a", c.Parse("variables.b.c"))
	c.Define("b", c.Parse("variables.a.c ? variables.b : variables.a"))
	for _, text := range []string{"variables.a.x", "variables.b", "variables.a == 'b' || object.spec == null"} {
		if found := c.Parse(text).Check(c.All); len(found) > 0 {
			t.Errorf("%s: %v", text, found)
		}
	}
	if c.IsExhausted() {
		t.Error("variables that name each other take all steps")
	}
}

// The limit of steps is for all expressions of a policy; ordinary ones take some hundreds.
func TestStepsAreLimited(t *testing.T) {
	kinds := slices.Repeat([]string{"Pod"}, fields.MostKinds)
	c := checkerFor(t, kinds...)
	if c.All != ^fields.Set(0) {
		t.Errorf("all kinds are %b", c.All)
	}
	long := "object.spec.a == 1" + strings.Repeat(" || object.spec.a == 1", 1000)
	for i := 0; !c.IsExhausted(); i++ {
		if i == 100 {
			t.Fatal("a hundred thousand comparisons do not reach the limit")
		}
		found := c.Parse(long).Check(c.All)
		if i == 0 && len(found) != 1001 {
			t.Errorf("%d unknown fields", len(found))
		}
	}
	if found := c.Parse("object.spec.a == 1").Check(c.All); len(found) > 0 {
		t.Error("there are findings beyond the limit")
	}
}
