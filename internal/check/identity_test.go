package check

import (
	"fmt"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

// An item of a typed list of kinds of Kubernetes has the kind of the list only if it names neither apiVersion nor kind
// (k8s.io/apimachinery, unstructuredJSONScheme.decodeToList). Items of lists of custom resources have it always.
func TestTheKindOfAnItemOfATypedList(t *testing.T) {
	list := catalog.Kind{Group: "apps", Version: "v1", Name: "Deployment", ListName: "DeploymentList"}
	for _, c := range []struct {
		item, native, custom string
	}{
		{"{}", "apps/v1 Deployment 0", "apps/v1 Deployment 0"},
		{"{apiVersion: null, kind: null}", "apps/v1 Deployment 0", "apps/v1 Deployment 0"},
		{"{apiVersion: v1, kind: Service}", "v1 Service 0", "apps/v1 Deployment 2"},
		{"{apiVersion: apps/v1, kind: DaemonSet}", "apps/v1 DaemonSet 0", "apps/v1 Deployment 1"},
		{"{kind: Deployment}", " Deployment 1", "apps/v1 Deployment 0"},
		{"{apiVersion: apps/v1}", "apps/v1  1", "apps/v1 Deployment 0"},
	} {
		for _, native := range []bool{true, false} {
			src, tree := &source.Source{Name: "a.yaml", Text: c.item}, &manifest.Tree{}
			for part := range manifest.Parts(src) {
				tree.Read(src, part)
			}
			list.Resource = schema.Resource{Native: native}
			want := c.custom
			if native {
				want = c.native
			}
			d := document{in: &list, inList: true}
			violations, _ := (&checker{src: src}).identify(tree.Root(), &d)
			if have := fmt.Sprint(d.APIVersion, " ", d.Kind, " ", len(violations)); have != want {
				t.Errorf("%s, native %v: have %q, want %q", c.item, native, have, want)
			}
		}
	}
}
