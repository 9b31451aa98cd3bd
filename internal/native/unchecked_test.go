package native

import (
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/test/manifesttest"
)

func TestUncheckedFieldsDependOnTheOldObject(t *testing.T) {
	s := &schema.Schema{}
	s.Unchecked = []schema.Unchecked{
		{Object: []string{"spec"}, Field: "always"},
		{Object: []string{"spec"}, Field: "same", IfSame: []string{"same", "other"}},
		{Object: []string{"spec"}, Field: "template", IfInvalid: true},
	}
	const object = "spec: {always: 1, same: 1, other: 1, template: 1}\n"
	for _, c := range []struct {
		name, old                     string
		isInvalid                     bool
		always, same, template, other bool
	}{
		{name: "a new object"},
		{name: "no change", old: object, always: true, same: true},
		{name: "an invalid object", old: object, isInvalid: true, always: true, same: true, template: true},
		{name: "a change of the field", old: "spec: {same: 2, other: 1}\n", always: true},
		{name: "a change of a field next to it", old: "spec: {same: 1}\n", always: true},
		{name: "no such object before", old: "kind: A\n"},
	} {
		root, old := manifesttest.Root(t, object), manifest.Node{}
		if c.old != "" {
			old = manifesttest.Root(t, c.old)
		}
		if c.isInvalid {
			old.At("spec").Block()
		}
		fields := UncheckedFieldsOf(s, root, old)
		for name, want := range map[string]bool{
			"always": c.always, "same": c.same, "template": c.template, "other": c.other,
		} {
			if have := fields.Has(root.At("spec"), name); have != want {
				t.Errorf("%s: %s: have %v, want %v", c.name, name, have, want)
			}
		}
		if fields.Has(root, "always") {
			t.Errorf("%s: the field of another object is unchecked", c.name)
		}
	}
}

func TestAbsentValuesAreTheSame(t *testing.T) {
	s := &schema.Schema{}
	s.Unchecked = []schema.Unchecked{{Field: "a", IfSame: []string{"a"}}}
	for old, want := range map[string]bool{"b: 1\n": true, "a: 1\n": false} {
		root := manifesttest.Root(t, "b: 1\n")
		if have := UncheckedFieldsOf(s, root, manifesttest.Root(t, old)).Has(root, "a"); have != want {
			t.Errorf("%s have %v, want %v", old, have, want)
		}
	}
}

func TestAcceptedFieldsAreNotValidatedInNewObjectsEither(t *testing.T) {
	const text = "servers accept this"
	s := &schema.Schema{}
	s.Unchecked = []schema.Unchecked{{Object: []string{"spec"}, Field: "template", Accepted: text}}
	root := manifesttest.Root(t, "spec: {template: 1, other: 1}\nother: {template: 1}\n")
	for _, old := range []manifest.Node{{}, manifesttest.Root(t, "spec: {template: 1}\n"), manifesttest.Root(t, "kind: A\n")} {
		fields := UncheckedFieldsOf(s, root, old)
		if have := fields.Accepted(root.At("spec"), "template"); have != text {
			t.Errorf("have %q, want %q", have, text)
		}
		if fields.Has(root.At("spec"), "template") {
			t.Error("findings about an accepted field are left out")
		}
		for _, other := range []string{fields.Accepted(root.At("spec"), "other"), fields.Accepted(root.At("other"), "template")} {
			if other != "" {
				t.Errorf("another field: have %q", other)
			}
		}
	}
	if len(UncheckedFieldsOf(s, root.At("other"), manifest.Node{})) > 0 {
		t.Error("a document without the object has the field")
	}
}
