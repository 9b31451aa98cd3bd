package schema

import (
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// checkGenerateName checks generateName, and the name that the server generates from it if there is none. For a few
// kinds the server validates only the generated name.
func (m objectMeta) checkGenerateName() {
	format := m.resource.Name
	m.checkName("generateName", func(prefix string) (faults []string) {
		if !m.resource.AnyGenerateName {
			faults = format.Check(prefix, true)
		}
		if len(faults) == 0 && !m.has("name") {
			faults = format.Check(generatedName(prefix), false)
		}
		return faults
	})
}

// checkNameLength reports a name, given or generated, that is too long for the kind.
func (m objectMeta) checkNameLength() {
	most := m.resource.LongestName
	if f, ok := m.field("name", manifest.String); ok && most > 0 && len(f.Text()) > most {
		fault := "must be no more than " + number(int64(most)) + " characters"
		m.badName(diag.BadName, f, f.Place(), f.Text(), "name", []string{fault})
	}
}

// placeholderName is a name that a user replaces.
const placeholderName = "todo"

// noName reports metadata without a name, or a document without metadata.
func (m objectMeta) noName(root manifest.Node) {
	at, names := m.node, []string{"name", "generateName"}
	if !m.node.Valid() {
		at, names = root, []string{"metadata"}
	}
	v := diag.Violation{
		Rule:    diag.MissingField,
		Message: "required field \"name\" is missing",
		Help:    "set name or generateName",
		Place:   at.HeadPlace(),
		Path:    root.Path().Field("metadata").Field("name"),
	}
	if null, ok := root.DroppedNull("metadata"); ok {
		v.Place = null.HeadPlace()
	} else if null, ok := at.DroppedNull("name"); ok {
		v.Place = null.HeadPlace()
	}
	if m.isMisspelled(at, names...) {
		m.follows(at, v.Rule, true)
		return
	}
	if m.mayFix() {
		if m.node.Valid() {
			v.Fixes = diag.Choices(at.AddFix(manifest.Node{}, "name", quote(placeholderName)))
		} else if kind, ok := root.Field("kind"); ok {
			v.Fixes = diag.Choices(root.AddFix(kind, "metadata", `{"name":`+quote(placeholderName)+`}`))
		}
	}
	m.AddBlocking(at, v)
}

// generatedName returns a name such as the server makes before it evaluates any rule (k8s.io/apiserver,
// storage/names.SimpleNameGenerator): the base, cut to 58 characters, and five more from a set of consonants and
// digits.
func generatedName(base string) string { return base[:min(len(base), 58)] + "x2x4x" }
