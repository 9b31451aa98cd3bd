package check

import (
	"reflect"
	"slices"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/suppress"
)

// The text of a stream is not kept as long as its findings. After Detach, no place refers to it.
func TestADetachedResultRefersToNoSource(t *testing.T) {
	src := &source.Source{Name: "a.yaml", Text: "kind: x\nkind: y\n# kindvet:ignore[cel]\n---\n" +
		"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresource: [a]\n"}
	var m Memory
	r := New(Options{Catalog: catalog.Embedded(), Objects: true}).Check(&m, src, File{})
	hasFix := func(v diag.Violation) bool { return len(v.Fixes) > 0 }
	place := src.Place(source.Span{End: 4})
	r.NotEvaluated = append(r.NotEvaluated, diag.NotEvaluated{Place: place})
	r.Suppressions = append(r.Suppressions, suppress.Suppression{Place: place})
	if len(r.Violations) == 0 || len(r.Violations[0].Related) == 0 || len(r.Objects) == 0 ||
		!slices.ContainsFunc(r.Violations, hasFix) {
		t.Fatalf("have %+v", r)
	}
	if !refersToSource(reflect.ValueOf(r)) {
		t.Error("lines are computed before anybody asks")
	}
	r.Detach()
	if refersToSource(reflect.ValueOf(r)) {
		t.Errorf("a place still has its source: %+v", r)
	}
}

func refersToSource(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer:
		return !v.IsNil() && (v.Type() == reflect.TypeFor[*source.Source]() || refersToSource(v.Elem()))
	case reflect.Slice:
		for i := range v.Len() {
			if refersToSource(v.Index(i)) {
				return true
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if refersToSource(v.Field(i)) {
				return true
			}
		}
	}
	return false
}
