package example

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/config"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/export"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/source"
)

// If names map the built-in kinds to CRDs, the lint rules find the same violations in both.
func TestRulesFindTheSameInKindsOfCRDs(t *testing.T) {
	file, err := here(t).Read(filepath.Join("..", "export", "testdata", "platform.yaml"), disk.Configuration)
	if err != nil {
		t.Fatal(err)
	}
	c, violations := config.Parse(file)
	if len(violations) > 0 {
		t.Fatal(violations[0].Message)
	}
	renamed, violations := catalog.Renamed(catalog.BuiltInKinds(), c.Names)
	if len(violations) > 0 {
		t.Fatal(violations[0].Message)
	}
	var crds bytes.Buffer
	if _, err := export.Definitions(&crds, catalog.New(catalog.BuiltInKinds(), renamed)); err != nil {
		t.Fatal(err)
	}
	kinds, _, violations := catalog.ReadCRDs(&source.Source{Name: "crds.yaml", Text: crds.String()})
	if len(violations) > 0 {
		t.Fatal(violations[0].Message)
	}
	compareRules(t, catalog.New(catalog.BuiltInKinds(), renamed, kinds))
}

// compareRules compares what rules find in their examples with the built-in names and with the names of a registry.
func compareRules(t *testing.T, registry *catalog.Catalog) {
	t.Helper()
	compared := 0
	for _, r := range rule.All(nil) {
		if slices.Contains(r.Kinds, "*") {
			continue
		}
		for _, sort := range []string{rule.BadExample, rule.GoodExample} {
			texts, old, err := Texts(here(t), r, sort)
			if err != nil {
				t.Fatal(err)
			}
			want := lines(t, catalog.Embedded(), r, texts, old)
			for i := range texts {
				texts[i] = &source.Source{Name: texts[i].Name, Text: registry.InOwnNames(texts[i].Text)}
			}
			if have := lines(t, registry, r, texts, registry.InOwnNames(old)); !slices.Equal(have, want) {
				t.Errorf("%s, %s: have %q, want %q", r.ID, sort, have, want)
			}
		}
		compared++
	}
	if compared < 100 {
		t.Errorf("%d rules were compared", compared)
	}
}

// lines returns the lines in which a rule finds a violation.
func lines(t *testing.T, registry *catalog.Catalog, r *rule.Rule, texts []*source.Source, old string) []string {
	t.Helper()
	report, err := Check(registry, r, texts, old)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, v := range report.Violations {
		if v.Rule == r.ID {
			found = append(found, fmt.Sprintf("%s:%d", v.Place.File, v.Place.Start().Line))
		}
	}
	return found
}
