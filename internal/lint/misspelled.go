package lint

import (
	"iter"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/nearest"
	"github.com/kindvet/kindvet/internal/schema"
)

// mostUndeclared is the maximum number of undeclared fields of one object that are compared with the declared ones.
// Each is compared with each declared one. Objects of CRDs in 29 public repositories declare up to 131 fields.
const mostUndeclared = 1000

// Misspelled finds undeclared fields that are probably misspellings of declared fields that the object lacks. Pass
// the document as the schema check has left it: where the schema does not allow undeclared fields, that check has
// already reported and removed them.
func (s *Set) Misspelled(d *Document, kindSchema *schema.Schema) Result {
	if !s.HasRules() || d.OnlyDetails || !kindSchema.HasOpen() {
		return Result{}
	}
	p := s.planOf(d.planKey())
	if len(p.misspelled) == 0 {
		return Result{}
	}
	var result Result
	work := nearest.WorkFor(d.Root.Size())
	kindSchema.EachOpen(d.Root, func(n manifest.Node, declared *schema.Schema) {
		for f, name := range slips(n, declared, &work) {
			for _, e := range p.misspelled {
				result.Violations = append(result.Violations, misspelled(e, f, name))
			}
		}
	})
	return result
}

// misspelled returns the violation for a misspelled field.
func misspelled(e *rule.Entry, f manifest.Node, name declaredName) diag.Violation {
	v := diag.Violation{
		Rule: e.ID, Severity: e.Severity, Message: e.Rule().Title + " " + diag.Quote(f.Key()), Place: f.KeyPlace(),
	}
	if name.isSet {
		v.Help = "remove it: " + diag.Quote(name.text) + " is set"
	} else {
		v.Help, v.Fixes = "use "+diag.Quote(name.text), f.KeyFix(name.text)
	}
	return f.Finding(v)
}

// declaredName is the name of a declared field of an object.
type declaredName struct {
	text  string
	isSet bool
}

// slips yields the undeclared fields of an object that are probably misspelled, each with the declared name that
// was meant. It yields none once the work is used up.
func slips(n manifest.Node, declared *schema.Schema, work *nearest.Work) iter.Seq2[manifest.Node, declaredName] {
	return func(yield func(manifest.Node, declaredName) bool) {
		var set, unset []string
		seen := 0
		for f := range n.Children() {
			if _, ok := declared.Property(f.Key()); ok || declared.IsResource(n) && isMetaField(f.Key()) {
				continue
			}
			if seen++; seen > mostUndeclared {
				return
			}
			if seen == 1 {
				set, unset = declaredFields(n, declared)
			}
			if name, ok := work.Slip(f.Key(), unset); ok {
				if !yield(f, declaredName{text: name}) {
					return
				}
			} else if name, ok := work.Twin(f.Key(), set); ok && !yield(f, declaredName{text: name, isSet: true}) {
				return
			}
		}
	}
}

// declaredFields returns the declared fields that an object sets, and those that it does not set.
func declaredFields(n manifest.Node, declared *schema.Schema) (set, unset []string) {
	for i := range declared.Properties {
		name := declared.Properties[i].Name
		if f, ok := n.Field(name); ok && !f.Defaulted() {
			set = append(set, name)
		} else {
			unset = append(unset, name)
		}
	}
	return set, unset
}

func isMetaField(name string) bool {
	return name == "apiVersion" || name == "kind" || name == "metadata"
}
