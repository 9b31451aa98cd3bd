package typecheck

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/cel/fields"
	"github.com/kindvet/kindvet/internal/expressions"
	"github.com/kindvet/kindvet/internal/policy"
	"github.com/kindvet/kindvet/internal/schema"
)

// matched is a version of a kind that a policy matches.
type matched struct {
	entry   *catalog.Entry
	version string
}

// kindsOf returns the kinds that a policy matches. The last one stands for all those that are not known if there may be such, or that
// are too many: it has no name. Of too many kinds, those stay that an expression names.
func kindsOf(p *policy.Policy, known []*catalog.Entry) []fields.Kind {
	var list []matched
	hasOthers := false
	for i := range p.Match.Rules {
		hasOthers = addMatched(&list, &p.Match.Rules[i], known) || hasOthers
	}
	if most := fields.MostKinds - 1; len(list) > most {
		words := wordsOf(p)
		list = slices.DeleteFunc(list, func(m matched) bool { return !words[m.entry.Name] && !words[m.entry.Plural] })
		list, hasOthers = list[:min(len(list), most)], true
	}
	kinds := make([]fields.Kind, 0, len(list)+1)
	for _, m := range list {
		e := m.entry
		kinds = append(kinds, fields.Kind{Group: e.Group, Version: m.version, Plural: e.Plural, Name: e.Name, Schema: schemaOf(e, m.version)})
	}
	if hasOthers {
		kinds = append(kinds, fields.Kind{})
	}
	return kinds
}

// schemaOf returns the schema of a kind, or nil if its definition has none.
func schemaOf(e *catalog.Entry, version string) *schema.Schema {
	k, ok := e.Kind(version)
	if !ok {
		return nil
	}
	k.Schema.Ready()
	return k.Schema
}

// find returns the schemas of a kind, which several definitions may have.
func find(known []*catalog.Entry, group, version, kind string) (all []*schema.Schema) {
	for _, e := range known {
		if e.Group == group && e.Name == kind {
			if s := schemaOf(e, version); s != nil {
				all = append(all, s)
			}
		}
	}
	return all
}

// subresources are those that have the kind of the resource itself.
var subresources = []string{"status", "ephemeralcontainers", "resize"}

// addMatched adds the kinds that a rule matches. It reports whether the rule may match others.
func addMatched(list *[]matched, rule *policy.Rule, known []*catalog.Entry) (hasOthers bool) {
	areKnown := !slices.ContainsFunc(rule.Groups, func(group string) bool { return !catalog.IsKubernetesGroup(group) })
	for _, resource := range rule.Resources {
		plural, sub, _ := strings.Cut(resource, "/")
		if sub != "" && sub != "*" && !slices.Contains(subresources, sub) {
			hasOthers = true // the object is of another kind
			continue
		}
		found := false
		for _, e := range known {
			// Names that a platform gives to kinds of Kubernetes do not count unless the rule names their group.
			if plural != "*" && plural != e.Plural || !matches(rule.Groups, e.Group) ||
				e.Origin == catalog.BuiltIn && !slices.Contains(rule.Groups, e.Group) {
				continue
			}
			for _, version := range e.Versions {
				if m := (matched{e, version}); matches(rule.Versions, version) {
					if found = true; !slices.Contains(*list, m) {
						*list = append(*list, m)
					}
				}
			}
		}
		hasOthers = hasOthers || sub == "*" || plural == "*" || !found && !areKnown
	}
	return hasOthers
}

func matches(list []string, value string) bool {
	return slices.Contains(list, "*") || slices.Contains(list, value)
}

// wordsOf returns the texts in the expressions of a policy.
func wordsOf(p *policy.Policy) map[string]bool {
	c := checker{Checker: fields.NewChecker(nil, nil, nil), left: expressions.MostWork}
	words := map[string]bool{}
	add := func(list ...policy.Expression) {
		for i := range list {
			for _, text := range c.parse(&list[i]).Texts() {
				words[text] = true
			}
		}
	}
	add(p.Variables...)
	add(p.Conditions...)
	add(p.Annotations...)
	for i := range p.Validations {
		add(p.Validations[i].Expression, p.Validations[i].MessageExpression)
	}
	return words
}
