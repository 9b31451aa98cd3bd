package check

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/source"
)

// A kind must be looked up again if another engine has another catalog, and if more kinds came in between than are
// kept.
func TestTheKindOfADocumentDoesNotDependOnEarlierOnes(t *testing.T) {
	const params = "apiVersion: elbv2.platform.cloud/v1beta1\nkind: IngressClassParams\nmetadata: {name: a}\n"
	const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	var kinds string
	for _, e := range catalog.New(catalog.KubernetesKinds(0)).Entries() {
		kinds += "---\napiVersion: " + e.Group + "/" + e.Versions[0] + "\nkind: " + e.Name + "\nmetadata: {name: a}\n"
	}
	both := New(Options{Catalog: catalog.New(catalog.KubernetesKinds(0), catalog.BuiltInKinds()), UnknownKinds: Skip})
	platform := New(Options{Catalog: catalog.New(catalog.BuiltInKinds()), UnknownKinds: Skip})
	memory := &Memory{}
	skipped := func(e *Engine, text string) int {
		result := e.Check(memory, &source.Source{Name: "a.yaml", Text: text}, File{})
		return result.Summary.Skipped
	}
	for _, c := range []struct {
		text    string
		engine  *Engine
		skipped int
	}{
		{configMap, both, 0}, {configMap, platform, 1}, {params, platform, 0}, {configMap, both, 0}, {params, both, 0},
		{configMap, platform, 1},
	} {
		for range 2 {
			if have := skipped(c.engine, c.text); have != c.skipped {
				t.Errorf("%q: %d documents skipped, want %d", c.text, have, c.skipped)
			}
		}
	}
	buffer := []byte(configMap)
	overwritten := unsafe.String(unsafe.SliceData(buffer), len(buffer))
	if have := skipped(both, overwritten); have != 0 {
		t.Errorf("%d documents skipped, want 0", have)
	}
	copy(buffer, strings.Replace(configMap, "ConfigMap", "ConfigMop", 1))
	if have := skipped(both, overwritten); have != 1 {
		t.Errorf("after the text was overwritten: %d documents skipped, want 1", have)
	}
	if first, again := skipped(both, kinds), skipped(both, kinds+configMap); first != again || first > 20 {
		t.Errorf("%d documents skipped, then %d", first, again)
	}
}
