package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// composite returns a definition of a composite resource and a claim, whose CRDs are much longer.
func composite(i, versions int) string {
	return fmt.Sprintf(`{"apiVersion": "apiextensions.crossplane.io/v1", "kind": "CompositeResourceDefinition",
		"spec": {"group": "example.com", "names": {"kind": "X%[1]d", "plural": "x%[1]d"},
		"claimNames": {"kind": "C%[1]d", "plural": "c%[1]d"}, "versions": [{"name": "v1"}%[2]s]}}`,
		i, strings.Repeat(`, {"name": "v2"}`, versions-1))
}

func TestTheSizeOfDiscoveredKindsHasTheCRDsThatControllersMake(t *testing.T) {
	text := composite(0, 40)
	kinds, size := DiscoverCRDs(&source.Source{Name: "a.yaml", Text: text})
	made := len(kinds[0].src.Text) + len(kinds[1].src.Text)
	if want := len(text) + made + 2*entrySize; len(kinds) != 2 || made < 40*2000 || size != want {
		t.Errorf("%d kinds of %d bytes, want %d", len(kinds), size, want)
	}
}

// 1,200 definitions yield more than 200 MB, whether they are items or documents.
func TestCRDsThatControllersMakeHaveALimit(t *testing.T) {
	var list []string
	for i := range 1200 {
		list = append(list, composite(i, 50))
	}
	for name, text := range map[string]string{
		"a List":    `{"apiVersion": "v1", "kind": "List", "items": [` + strings.Join(list, ",") + "]}",
		"documents": strings.Join(list, "\n---\n"),
	} {
		kinds, size := DiscoverCRDs(&source.Source{Name: "a.yaml", Text: text})
		made := 0
		for _, e := range kinds {
			made += len(e.src.Text)
		}
		if made > maxMade+1<<20 || size < maxMade {
			t.Errorf("%s: %d kinds of %d bytes have %d MiB", name, len(kinds), size, made>>20)
		}
	}
}
