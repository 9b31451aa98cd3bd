package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// The next documents overwrite the text of a document, but not the names of its kinds.
func TestTalliedNamesOutliveTheirTexts(t *testing.T) {
	engine := New(Options{Catalog: catalog.Embedded(), UnknownKinds: Auto})
	var m Memory
	buffer := make([]byte, 1000)
	for _, kind := range []string{"Thing", "Thing", "Other", "Thing"} {
		n := copy(buffer, "apiVersion: shop.example/v1\nkind: "+kind+"\nmetadata: {name: a}\n")
		engine.Check(&m, &source.Source{Name: "a.yaml", Text: unsafe.String(unsafe.SliceData(buffer), n)}, File{})
		for i := range buffer {
			buffer[i] = 'x'
		}
	}
	want := []diag.KindNote{
		{Group: "shop.example", Kind: "Other", IsSkipped: true, Documents: 1},
		{Group: "shop.example", Kind: "Thing", IsSkipped: true, Documents: 3},
	}
	if have := m.Tally().Notes(); !slices.Equal(have, want) {
		t.Errorf("have %+v", have)
	}
	twice := m.Tally().With(m.Tally()).Notes()
	if len(twice) != 2 || twice[1].Documents != 6 || m.Tally().Notes()[1].Documents != 3 {
		t.Errorf("two tallies together: have %+v", twice)
	}
}

func TestATallyIsBounded(t *testing.T) {
	engine := New(Options{Catalog: catalog.Embedded(), UnknownKinds: Auto})
	var m Memory
	var text strings.Builder
	for i := range maxTallied + 5 {
		fmt.Fprintf(&text, "---\napiVersion: shop.example/v1\nkind: Thing%d\n", i)
	}
	engine.Check(&m, &source.Source{Name: "a.yaml", Text: text.String()}, File{})
	notes := m.Tally().Notes()
	if len(notes) != maxTallied+1 || notes[0].Kind != "" || notes[0].Documents != 5 {
		t.Errorf("%d notes, the first is %+v", len(notes), notes[0])
	}
}

// A document with ambiguous keys is checked several times but counted once.
func TestADocumentIsTalliedOnce(t *testing.T) {
	engine := New(Options{Catalog: catalog.Embedded(), UnknownKinds: Auto})
	var m Memory
	engine.Check(&m,
		&source.Source{Name: "a.yaml", Text: "apiVersion: shop.example/v1\nkind: Thing\nspec: {1: a, \"1\": b}\n"}, File{})
	if notes := m.Tally().Notes(); len(notes) != 1 || notes[0].Documents != 1 {
		t.Errorf("have %+v", notes)
	}
}

// Whether a document is accepted is tried on a checker of its own: nothing that the trial finds is left, and it knows
// that an earlier document is a template.
func TestATrialLeavesNothing(t *testing.T) {
	src := &source.Source{Name: "a.yaml", Text: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: A}\n" +
		"data: {1: a, \"1\": b}\n---\nneither: ${A}\n"}
	engine := New(Options{Catalog: catalog.Embedded()})
	m := Memory{used: UsedKinds{}}
	c := newChecker(engine, &m, src, File{}, &Result{}, &Tally{})
	c.template = true
	for part := range manifest.Parts(src) {
		violations := m.tree.Read(src, part)
		c.accepts(part, violations)
	}
	if r := c.result; len(r.Violations)+len(r.Objects)+r.Summary.Documents+r.Documents > 0 || len(*c.tally) > 0 ||
		len(c.others)+len(c.variables) > 0 || c.described != (Counts{}) || !c.template {
		t.Errorf("left: %+v", c)
	}
}
