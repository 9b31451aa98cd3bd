package catalog

import (
	"fmt"
	"strings"
	"testing"
)

// A source may have a kind once for each range of Kubernetes versions. A catalog is of one version.
func TestACatalogHasTheKindsOfItsKubernetesVersion(t *testing.T) {
	entry := func(version string, first, last int) *Entry {
		return &Entry{Group: "example.com", Name: "Widget", ListName: "WidgetList", Versions: []string{version}, Kubernetes: Releases{first, last}}
	}
	kinds := Source{entry("v1alpha1", 0, 29), entry("v1beta1", 30, 33), entry("v1", 34, 0)}
	for minor, want := range map[int]string{1: "v1alpha1", 29: "v1alpha1", 30: "v1beta1", 33: "v1beta1", 34: "v1", 99: "v1", 0: "v1"} {
		e, ok := For(minor, kinds).Entry("example.com", "Widget")
		if !ok || strings.Join(e.Versions, " ") != want {
			t.Errorf("1.%d: have %v, %v, want %s", minor, e, ok, want)
		}
	}
	if c := For(34, kinds[:2]); len(c.Entries()) > 0 {
		t.Errorf("1.34 has %s", fmt.Sprint(c.Entries()))
	}
	if e, ok := New(kinds).Entry("example.com", "WidgetList"); !ok || e.Versions[0] != "v1" {
		t.Errorf("the newest version has %v, %v", e, ok)
	}
}
