package check

import (
	"context"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// The size of a request is the size of its text from the first key to the last value.
func TestADocumentMayBeAsLargeAsARequest(t *testing.T) {
	start, end := "apiVersion: elbv2.platform.cloud/v1beta1\n# ", "\nkind: IngressClassParams\nmetadata: {name: a}"
	engine := New(Options{Catalog: catalog.Embedded(), UnknownKinds: Fail})
	for more, want := range map[int]int{0: 0, 1: 1} {
		text := start + strings.Repeat("x", maxRequest-len(start)-len(end)+more) + end + "\n"
		limits := 0
		for _, v := range engine.Check(&Memory{}, &source.Source{Name: "a.yaml", Text: text}, File{}).Violations {
			if v.Rule == diag.ReaderLimit {
				limits++
			}
		}
		if limits != want {
			t.Errorf("%d bytes more than the limit: have %d findings about it, want %d", more, limits, want)
		}
	}
}

// Of several documents with one variable, only the first has a finding. A server rejects them all.
func TestADocumentWhoseVariableIsAlreadyReportedIsInvalid(t *testing.T) {
	one := "apiVersion: elbv2.platform.cloud/v1beta1\nkind: IngressClassParams\nmetadata: {name: a}\nspec: {scheme: $SCHEME}\n"
	result := New(Options{Catalog: catalog.Embedded()}).Check(&Memory{},
		&source.Source{Name: "a.yaml", Text: one + "---\n" + one}, File{})
	if s := result.Summary; len(result.Violations) != 1 || s.Invalid != 2 || s.Valid != 0 {
		t.Errorf("have %d findings and %+v, want 1 finding and 2 invalid documents", len(result.Violations), s)
	}
}

// A check whose context has ended does not go on to the next document.
func TestACheckEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	src := &source.Source{Name: "a.yaml", Text: strings.Repeat("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", 3)}
	m := &Memory{}
	m.Until(ctx)
	engine := New(Options{Catalog: catalog.Embedded()})
	if have := engine.Check(m, src, File{}).Summary.Documents; have != 3 {
		t.Errorf("%d documents are checked, want 3", have)
	}
	if cancel(); engine.Check(m, src, File{}).Summary.Documents != 0 {
		t.Error("documents are checked after the context has ended")
	}
}
