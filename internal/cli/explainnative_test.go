package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/schema"
)

// Each type of each kind of Kubernetes has a page that is short, and says what the server decodes.
func TestPagesOfKubernetesKindsAreShort(t *testing.T) {
	pages := 0
	for _, minor := range []int{catalog.OldestKubernetes, catalog.NewestKubernetes} {
		seen := map[*schema.Schema]bool{}
		for _, e := range catalog.KubernetesKinds(minor) {
			for _, version := range e.Versions {
				root, err := rootField(e, version, false)
				if err != nil {
					t.Fatal(err)
				}
				eachPage(root, seen, func(f field) {
					pages++
					checkPage(t, f)
				})
			}
		}
	}
	if pages < 3000 {
		t.Errorf("%d pages were written", pages)
	}
}

// eachPage calls visit for a field and all fields below it. It enters each schema once.
func eachPage(f field, seen map[*schema.Schema]bool, visit func(field)) {
	visit(f)
	s := object(f.schema)
	if seen[s] {
		return
	}
	seen[s] = true
	for f.schema.Items != nil {
		f = f.item()
	}
	for _, p := range s.Properties {
		if next, err := f.child(p.Name); err == nil {
			eachPage(next, seen, visit)
		}
	}
}

func checkPage(t *testing.T, f field) {
	t.Helper()
	var b strings.Builder
	if err := explainField(&b, f); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if strings.Contains(text, notSpecified) || strings.Contains(text, "(int") || strings.Contains(text, "<>") {
		t.Errorf("%s: the page is for kinds of other authors:\n%s", f.title(), text)
	}
	if n := strings.Count(text, "\n"); n > 120 {
		t.Errorf("%s: the page has %d lines", f.title(), n)
	}
	for line := range strings.Lines(text) {
		isPath := strings.HasPrefix(line, "field ") || strings.Contains(line, "kindvet explain ") ||
			!strings.Contains(strings.TrimSpace(line), " ")
		if utf8.RuneCountInString(line) > pageWidth+1 && !isPath {
			t.Errorf("%s: a line is too long: %s", f.title(), line)
		}
	}
}
