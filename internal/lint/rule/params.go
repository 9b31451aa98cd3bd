package rule

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/nearest"
)

// Param is a parameter of a rule. Its expressions read the value as params.NAME.
type Param struct {
	Name string
	// Default is the value that a configuration can replace.
	Default ParamValue
}

// ParamValue is the value of a parameter.
type ParamValue struct {
	// Type is boolean, integer, string or list of strings. It is "" if no parameter can have the value.
	Type string
	// Literal is the value as a CEL literal.
	Literal string
}

// ListOfStrings is the type of a parameter that is a list.
const ListOfStrings = "list of strings"

// ParamValueOf returns the value of a parameter as it is written in a rule or a configuration.
func ParamValueOf(n manifest.Node) ParamValue {
	switch t := n.Type(); t {
	case manifest.Boolean, manifest.Integer:
		return ParamValue{t.String(), string(n.AppendJSON(nil))}
	case manifest.String:
		return ParamValue{t.String(), strconv.Quote(n.Text())}
	case manifest.List:
		var items []string
		for item := range n.Children() {
			if item.Type() != manifest.String {
				return ParamValue{}
			}
			items = append(items, strconv.Quote(item.Text()))
		}
		return ParamValue{ListOfStrings, "[" + strings.Join(items, ", ") + "]"}
	}
	return ParamValue{}
}

// Setting is a value that a configuration gives to a parameter of a rule.
type Setting struct {
	Rule, Param string
	Value       ParamValue
}

// CheckSetting returns an error if no rule has the parameter, or if the parameter has another type.
func CheckSetting(s Setting, own []*Rule) error {
	r, ok := Lookup(s.Rule, own)
	if !ok {
		if near, ok := Nearest(s.Rule, own); ok {
			return fmt.Errorf("unknown rule %q; did you mean %s?", s.Rule, near)
		}
		return fmt.Errorf("unknown rule %q; see 'kindvet rules'", s.Rule)
	}
	var names []string
	for _, p := range r.Params {
		if p.Name == s.Param && p.Default.Type == s.Value.Type {
			return nil
		}
		if p.Name == s.Param {
			return fmt.Errorf("%s of %s must be of type %s", p.Name, r.ID, p.Default.Type)
		}
		names = append(names, p.Name)
	}
	if len(names) == 0 {
		return fmt.Errorf("%s has no parameters", r.ID)
	}
	if near, ok := nearest.Name(s.Param, names); ok {
		return fmt.Errorf("unknown parameter %q of %s; did you mean %s?", s.Param, r.ID, near)
	}
	return fmt.Errorf("unknown parameter %q of %s; it has %s", s.Param, r.ID, strings.Join(names, ", "))
}

// with returns the rule with other values of its parameters.
func (r *Rule) with(settings []Setting) *Rule {
	set := *r
	set.Params = nil
	for _, p := range r.Params {
		for _, s := range settings {
			if s.Param == p.Name && s.Value.Type == p.Default.Type {
				p.Default = s.Value
			}
		}
		set.Params = append(set.Params, p)
	}
	set.check, set.message = r.check.with(set.Params), r.message.with(set.Params)
	set.Fixes = slices.Clone(r.Fixes)
	for i := range set.Fixes {
		f := &set.Fixes[i]
		for _, e := range []**expression{&f.when, &f.replace, &f.rename, &f.raw, &f.between} {
			*e = (*e).with(set.Params)
		}
	}
	return &set
}

var validParam = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z]\w*$`) })

// params reads the parameters of a rule.
func (p *parser) params() {
	all, ok := p.root.Field("params")
	if !ok {
		return
	}
	if all.Type() != manifest.Map {
		p.reject(all, "must be an object, got "+all.Type().String(), "")
		return
	}
	for f := range all.Children() {
		value := ParamValueOf(f)
		switch {
		case !validParam().MatchString(f.Key()):
			p.violations = append(p.violations, f.Finding(diag.Violation{
				Rule: diag.BrokenRule, Message: "the name of a parameter must consist of letters, digits and _",
				Place: f.KeyPlace(),
			}))
		case value.Type == "":
			p.reject(f, "must be a boolean, an integer, a string or a list of strings", "")
		default:
			p.rule.Params = append(p.rule.Params, Param{f.Key(), value})
		}
	}
	p.rule.NeedsParams = len(p.rule.Params) > 0 &&
		!slices.ContainsFunc(p.rule.Params, func(of Param) bool { return of.Default.Literal != "[]" })
}

// exampleParams reads the values that the parameters of a rule have in its examples.
func (p *parser) exampleParams() {
	all, _ := p.root.Field("exampleParams")
	for f := range all.Children() {
		s := Setting{string(p.rule.ID), f.Key(), ParamValueOf(f)}
		if !slices.ContainsFunc(p.rule.Params, func(of Param) bool {
			return of.Name == s.Param && of.Default.Type == s.Value.Type
		}) {
			p.reject(f, "the rule has no parameter with this name and type", "")
		}
		p.rule.ExampleParams = append(p.rule.ExampleParams, s)
	}
}
