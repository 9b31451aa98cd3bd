package catalog

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/formats"
	"github.com/kindvet/kindvet/internal/source"
)

const copied = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shops.example.com, labels: {app: "{{ .Release.Name }}"}}
spec:
  group: example.com
  names: {kind: Shop, plural: shops}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
`

func TestTheMetadataOfACopyDoesNotMatter(t *testing.T) {
	kinds, violations := ReadStored(&source.Source{Name: "a.yaml", Text: copied}, Copy{Name: "shop", Source: "shop@v1"})
	if len(kinds) != 1 || len(violations) > 0 || len(kinds[0].Violations()) > 0 {
		t.Fatalf("%d kinds: %v", len(kinds), violations)
	}
	if k, ok := kinds[0].Kind("v1"); !ok || k.Stored.Source != "shop@v1" {
		t.Errorf("%+v, %v", k, ok)
	}
}

// Names such as kube:admin are those of objects of an aggregated API server.
func TestACopyMayStateTheFormatOfNames(t *testing.T) {
	text := strings.Replace(copied, "labels:", "annotations: {kindvet/names: path-segment}, labels:", 1)
	kinds, _ := ReadStored(&source.Source{Name: "a.yaml", Text: text}, Copy{Name: "shop"})
	if k, ok := kinds[0].Kind("v1"); !ok || k.Resource.Name != formats.PathSegment {
		t.Errorf("%+v, %v", k, ok)
	}
	kinds, _ = DiscoverCRDs(&source.Source{Name: "crds/a.yaml", Text: text})
	if k, ok := kinds[0].Kind("v1"); !ok || k.Resource.Name != "" {
		t.Errorf("%+v, %v", k, ok)
	}
}

// Only then may the document be of another release, whose versions a server has.
func TestAnUnknownVersionIsNoErrorIfNobodyHasChosenTheRelease(t *testing.T) {
	for _, isNewest := range []bool{true, false} {
		from := Copy{Name: "shop", Source: "shop@v1", IsNewest: isNewest}
		kinds, _ := ReadStored(&source.Source{Name: "a.yaml", Text: copied}, from)
		u := New(kinds).Explain("example.com", "v1beta1", "Shop")
		if u.Rule != diag.UnknownVersion || u.IsCopy != isNewest || strings.Contains(u.Help, "shop@v1") != isNewest {
			t.Errorf("%v: %+v", isNewest, u)
		}
	}
}

func TestOnlyACopyWithAnotherSchemaIsStale(t *testing.T) {
	stored, _ := ReadStored(&source.Source{Name: "a.yaml", Text: copied}, Copy{Name: "shop", Source: "shop@v1"})
	c := New(stored)
	for text, want := range map[string]int{
		copied:       0,
		copied + "#": 0,
		strings.Replace(copied, "type: object}", "type: object, description: x}", 1):                                                                                 0,
		strings.Replace(copied, "type: object}", "type: object, properties: {a: {type: string}}}", 1):                                                                1,
		strings.Replace(copied, "scope: Namespaced", "scope: Cluster", 1):                                                                                            1,
		strings.Replace(copied, "kind: Shop, plural: shops", "kind: Other, plural: others", 1):                                                                       0,
		strings.Replace(copied, "served: true", "served: false", 1) + "  - " + `{name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}`: 1,
	} {
		kinds, _ := DiscoverCRDs(&source.Source{Name: "crds/a.yaml", Text: text})
		if have := c.NewLayer(NewDiscovered(kinds)).Stale(); len(have) != want {
			t.Errorf("%s: %v", text, have)
		}
	}
}
