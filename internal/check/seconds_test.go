package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// check checks a text, and returns its findings as "LINE RULE".
func findingsOf(t *testing.T, text string) (Result, string) {
	t.Helper()
	var m Memory
	engine := New(Options{Catalog: catalog.Embedded(), UnknownKinds: Auto})
	r := engine.Check(&m, &source.Source{Name: "a.yaml", Text: text}, File{})
	var list []string
	for _, v := range r.Violations {
		list = append(list, fmt.Sprint(v.Place.Start().Line, " ", v.Rule))
	}
	return r, strings.Join(list, ", ")
}

func TestIdentitiesOfDocuments(t *testing.T) {
	const item = "items:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, date: {}}\n"
	for text, want := range map[string]string{
		"apiVersion: v1\nkind: List\n" + item:       "4 unknown-field",
		"apiVersion: apps/v1/x\nkind: Deployment\n": "1 missing-kind",
		"apiVersion: apps/v1/\nkind: Deployment\n":  "1 missing-kind",
		"apiVersion: a.example/v1\nkind: Thing\n":   "",
	} {
		if _, have := findingsOf(t, text); have != want {
			t.Errorf("%shave %q, want %q", text, have, want)
		}
	}
}

// The rules of all documents that have no old object are counted.
func TestTransitionRulesOfAllDocumentsAreCounted(t *testing.T) {
	const claim = "apiVersion: agentcorecontrol.services.platform.cloud/v1alpha1\nkind: Browser\nmetadata: {name: a}\nspec: {name: a}\n---\n"
	one, _ := findingsOf(t, claim)
	three, _ := findingsOf(t, strings.Repeat(claim, 3))
	if one.Transitions == 0 || three.Transitions != 3*one.Transitions {
		t.Errorf("one document has %d, three have %d", one.Transitions, three.Transitions)
	}
}

// A file lists at most its share, also if another chunk of it comes later, and errors come first.
func TestEachFileHasItsShare(t *testing.T) {
	counts := func(errors, warnings int) (c Counts) {
		c[diag.Error], c[diag.Warning] = errors, warnings
		return c
	}
	all := []Counts{counts(3, 3), counts(3, 3), counts(2, 2), counts(0, 9)}
	files := []int{0, 0, 1, 2}
	have := Share(all, 4, 100, func(i int) int { return files[i] })
	if want := []Counts{counts(3, 0), counts(1, 0), counts(2, 2), counts(0, 4)}; !slices.Equal(have, want) {
		t.Errorf("have %v, want %v", have, want)
	}
	have = Share(all, 4, 7, func(i int) int { return files[i] })
	if want := []Counts{counts(3, 0), counts(1, 0), counts(2, 1), counts(0, 0)}; !slices.Equal(have, want) {
		t.Errorf("with 7 in total: have %v, want %v", have, want)
	}
}
