package workspace

import (
	"bytes"
	"fmt"
	"github.com/kindvet/kindvet/internal/find"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
)

// costlyCRD defines a kind with a rule that compares each item of a list with all others. cel-go has to count its cost
// for a few hundred items.
const costlyCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
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
            x-kubernetes-validations:
            - rule: self.items.all(a, self.items.all(b, a >= 0 || b >= 0))
            - rule: self.items.size() != 1
            properties:
              items: {type: array, maxItems: 300, items: {type: integer}}
`

func widget(name string, items int) string {
	return fmt.Sprintf("---\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: %s}\nspec: {items: [0%s]}\n",
		name, strings.Repeat(",1", items-1))
}

// widgets returns the findings about documents with a rule, as "file: name: message".
func widgets(t *testing.T, jobs int, files map[string]string) (found []string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	result, err := runHere(t.Context(), Options{Files: find.Options{Paths: []string{dir}, NoConfig: true}, Jobs: jobs})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range result.Report.Violations {
		if v.Rule == diag.ReaderLimit || v.Rule == diag.CEL {
			found = append(found, v.Object.Name+": "+v.Message)
		}
	}
	return found
}

// If the rules of all documents cost too much, the rules of costly documents are not evaluated, whichever documents
// come first. Those of all others are.
func TestWhatIsEvaluatedDoesNotDependOnTheNumberOfWorkers(t *testing.T) {
	files := map[string]string{"crd.yaml": costlyCRD, "many.yaml": widget("z", 1)}
	var want []string
	for i := range 12 {
		name := fmt.Sprintf("w%02d", i)
		if i%2 == 0 {
			files[name+".yaml"] = widget(name, 290)
		} else {
			files["many.yaml"] = widget(name, 290) + files["many.yaml"]
		}
		want = append(want, name+": "+"the rules of this run need too many steps, so not all rules of this document are evaluated")
	}
	want = append(want, "z: failed rule: self.items.size() != 1")
	for _, jobs := range []int{1, 2, 4} {
		have := widgets(t, jobs, files)
		slices.Sort(have)
		if !slices.Equal(have, want) {
			t.Errorf("%d workers:\nhave %q\nwant %q", jobs, have, want)
		}
	}
}

// A single document at the limits of an API server is evaluated, and so is a costly one next to it.
func TestOneCostlyDocumentIsEvaluated(t *testing.T) {
	have := widgets(t, 2, map[string]string{
		"crd.yaml": costlyCRD, "a.yaml": widget("a", 290), "b.yaml": widget("b", 100), "c.yaml": widget("c", 1),
	})
	if want := []string{"c: failed rule: self.items.size() != 1"}; !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
}

// A stream that can only be read once is checked once.
func TestTheAllowanceLimitsAStream(t *testing.T) {
	skipIfShort(t)
	var stream bytes.Buffer
	stream.WriteString(costlyCRD)
	for i := range 12 {
		stream.WriteString(widget(fmt.Sprint("w", i), 290))
	}
	result, err := runHere(t.Context(), Options{Files: find.Options{Paths: []string{"-"}, NoConfig: true}, Stdin: &stream, Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	limited := 0
	for _, v := range result.Report.Violations {
		if v.Rule == diag.ReaderLimit {
			limited++
		}
	}
	if limited == 0 || limited > 12 {
		t.Errorf("%d documents are not evaluated", limited)
	}
}
