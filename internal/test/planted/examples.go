package planted

import (
	"fmt"
	"math/rand/v2"
	"reflect"

	"github.com/kindvet/kindvet/internal/edit"
	"github.com/kindvet/kindvet/internal/example"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Example is the bad example of a lint rule with a fix.
type Example struct {
	rule    *rule.Rule
	checker *checker
	bad     []map[string]any // the objects of its documents
	fixed   any              // in the simplest style, after the fixes
	found   int              // findings with a fix
	unfixed int              // findings that stay
}

// Examples returns those of all rules. Examples of updates and of rules about several files are left out. dir is an empty directory.
func Examples(dir string) (list []*Example, err error) {
	for _, r := range rule.All(nil) {
		if len(r.Fixes) == 0 {
			continue
		}
		bad, old, err := example.Texts(find.OnDisk(dir), r, rule.BadExample)
		if err != nil {
			return nil, err
		}
		if old != "" || len(bad) != 1 {
			continue
		}
		e := &Example{rule: r, bad: objectsOf(bad[0].Text)}
		if len(e.bad) == 0 {
			continue
		}
		if e.checker, err = newChecker(dir, rule.Options{Own: []*rule.Rule{r}, Params: r.ExampleParams}); err != nil {
			return nil, err
		}
		o := e.fix("a.yaml", documents(e.bad, style{step: "  ", lineBreak: "\n"}))
		if e.found, e.unfixed, e.fixed = o.found, o.unfixed, withoutEmpty(objectsOf(o.text)); o.found > 0 {
			list = append(list, e)
		}
	}
	return list, nil
}

// objectsOf returns the objects of a text; nil if one of its documents cannot be written in another style.
func objectsOf(text string) (list []map[string]any) {
	src := &source.Source{Name: "a.yaml", Text: text}
	for part := range manifest.Parts(src) {
		object, ok := Read(text[part.Span.Start:part.Span.End])
		if !ok {
			return nil
		}
		list = append(list, object)
	}
	return list
}

// edits returns the first fix of each finding of the rule, how many of its findings have none, and how many other findings there are.
func (e *Example) edits(name, text string) (groups [][]edit.Edit, unfixed, others int) {
	for _, v := range e.checker.check(name, text) {
		switch {
		case v.Rule != e.rule.ID:
			others++
		case len(v.Fixes) > 0:
			groups = append(groups, v.Fixes[0].Bytes())
		default:
			unfixed++
		}
	}
	return groups, unfixed, others
}

// outcome is a text after the first fix of each finding.
type outcome struct {
	text           string
	found          int    // findings with a fix before
	fixes, unfixed int    // how many were made, and findings without one afterwards
	wrong          string // a finding stays, or is new
}

func (e *Example) fix(name, text string) (o outcome) {
	groups, unfixed, others := e.edits(name, text)
	o = outcome{text: text, found: len(groups), unfixed: unfixed}
	for pass := 0; len(groups) > 0; pass++ {
		if pass == maxPasses {
			o.wrong = "findings stay"
			return o
		}
		applied := edit.Apply(o.text, groups...)
		o.text, o.fixes = applied.Text, o.fixes+len(groups)-len(applied.Left)
		now := 0
		if groups, o.unfixed, now = e.edits(name, o.text); now > others {
			o.wrong = "a fix leads to a finding"
			return o
		}
	}
	return o
}

// Fix writes the bad example in a style that is drawn, and fixes it. It returns how many fixes those are, and what is wrong: a finding
// that stays, a new one, or other objects than in another style.
func (e *Example) Fix(r *rand.Rand) (fixes int, wrong string) {
	name, bad, styles := restyled(r, e.bad)
	o := e.fix(name, bad)
	switch {
	case o.found != e.found, o.wrong == "" && o.unfixed > e.unfixed:
		return 0, "" // no finding in this style, such as that of a comment, or one that has no fix
	case o.wrong != "":
		return o.fixes, e.wrong(o.wrong, styles, bad, o.text)
	case !reflect.DeepEqual(withoutEmpty(objectsOf(o.text)), e.fixed):
		return o.fixes, e.wrong("other objects than in another style", styles, bad, o.text)
	}
	return o.fixes, ""
}

// withoutEmpty returns objects without nulls and empty collections: what is left of a field whose children are removed.
func withoutEmpty(objects []map[string]any) any {
	all := make([]any, len(objects))
	for i, object := range objects {
		all[i] = object
	}
	return filled(all)
}

func filled(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for key, child := range v {
			if child = filled(child); child != nil {
				m[key] = child
			}
		}
		if len(m) > 0 {
			return m
		}
		return nil
	case []any:
		var list []any
		for _, child := range v {
			list = append(list, filled(child))
		}
		if len(list) > 0 {
			return list
		}
		return nil
	}
	return v
}

func (e *Example) wrong(what, styles, bad, text string) string {
	return fmt.Sprintf("%s: %s [%s]: have %q, bad %q", e.rule.ID, what, styles, around(text, bad), around(bad, text))
}

// restyled writes objects in a style that is drawn: several as documents of YAML.
func restyled(r *rand.Rand, objects []map[string]any) (name, text, styles string) {
	s := drawStyle(r)
	s.before, s.after = nil, nil
	name = "a.yaml"
	isJSON := s.form == jsonLine || s.form == indentedJSON
	if isJSON && len(objects) > 1 {
		s.form = flow
	} else if isJSON {
		name = "a.json"
	}
	return name, documents(objects, s), s.String()
}

// documents writes objects as documents of a text.
func documents(objects []map[string]any, s style) (text string) {
	for i, object := range objects {
		one := s
		if i > 0 {
			one.before, one.hasMark = []string{"---"}, false
		}
		if i < len(objects)-1 {
			one.isCut = false
		}
		text += write(object, one).text
	}
	return text
}
