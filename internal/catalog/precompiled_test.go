package catalog

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/rules"
)

// A file whose rule was edited does not run with the old precompiled rule.
func TestEditedRulesDoNotRunInTheirOldForm(t *testing.T) {
	const name = "kinds/agentcorecontrol.services.platform.cloud/browserprofiles.yaml"
	text, err := fs.ReadFile(rules.Kinds, name)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.ReplaceAll(string(text), "rule: self == oldSelf", "rule: self == self")
	if edited == string(text) {
		t.Fatalf("%s has no such rule", name)
	}
	for _, c := range []struct {
		text        string
		transitions int
	}{{string(text), 1}, {edited, 0}} {
		tree := &manifest.Tree{}
		src := &source.Source{Name: name, Text: c.text}
		for part := range manifest.Parts(src) {
			tree.Read(src, part)
		}
		kinds, _ := parseCRD(tree.Root(), BuiltIn)
		ship(kinds, name, c.text)
		object := &manifest.Tree{}
		src = &source.Source{Name: "a.yaml", Text: "spec: {name: a}\n"}
		for part := range manifest.Parts(src) {
			object.Read(src, part)
		}
		have := kinds[0].Rules.Check(nil, object.Root(), manifest.Node{})
		if have.Transitions != c.transitions || len(have.Violations) > 0 {
			t.Errorf("have %+v, want %d transition rules without an old value", have, c.transitions)
		}
	}
}
