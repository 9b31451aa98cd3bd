package sets

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/source"
)

// Detail describes one of the documents to a rule about a set of documents.
type Detail struct {
	// Object is the document.
	Object diag.Object
	// Unit is the number of what was checked as a whole, such as a file or the objects that a kustomization builds.
	Unit int
	// IsServerSide means that the document is applied on the server.
	IsServerSide bool

	rule  *setRule
	key   string // its parts, with a NUL after each
	place source.Place
	path  diag.Path
	kept  map[string]any

	// target identifies the target that is described; 0 for all other details. fault is what is known about a
	// reference without a target, and fixes are the edits that resolve a finding: of a reference, those that make it one to the
	// nearest target.
	target uint64
	fault  fault
	fixes  []diag.Fix
}

// Detach detaches the places of the detail from the text of its file.
func (d *Detail) Detach() {
	d.place.Detach()
	for _, fix := range d.fixes {
		for i := range fix.Edits {
			fix.Edits[i].Place.Detach()
		}
	}
}

func (d *Detail) violation(vars *rule.Variables) diag.Violation {
	r := d.rule.Rule()
	v := diag.Violation{
		Rule: r.ID, Severity: d.rule.Severity, Message: r.Say(vars), Help: r.Help, Place: d.place, Path: d.path,
		Object: d.Object, Fixes: d.fixes,
	}
	if other := r.ServerSide; d.IsServerSide && other.Message != "" {
		v.Message = other.Message
		if v.Severity == r.Severity { // nobody has set another one
			v.Severity = other.Severity
		}
	}
	return v
}

// native returns the object in the form in which a check sees it in objects.
func (d *Detail) native() map[string]any {
	object := map[string]any{
		"apiVersion": d.Object.APIVersion, "kind": d.Object.Kind, "namespace": d.Object.Namespace, "name": d.Object.Name,
		"file": d.place.File, "key": keyTexts(d.key),
	}
	for name, value := range d.kept {
		object[name] = value
	}
	return object
}

// targetKind returns the kind of the target of a reference.
func (e *setRule) targetKind(key string) string {
	if i := slices.Index(e.Target.Key, "kind"); i >= 0 {
		return keyTexts(key)[i]
	}
	kind, _, _ := strings.Cut(slices.Concat(e.Target.Kinds, []string{e.Target.Type})[0], ".")
	return kind
}

func (d *Detail) lastPart() string {
	parts := keyTexts(d.key)
	return parts[len(parts)-1]
}
