package rule

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// grouping reads what makes the rule one about a set of documents.
func (p *parser) grouping() {
	p.rule.Key = p.texts(p.root, "key")
	if len(p.rule.Key) == 0 {
		for _, name := range []string{"keep", "target", "selector"} {
			if f, ok := p.root.Field(name); ok {
				p.reject(f, name+" requires key", "")
			}
		}
		return
	}
	p.rule.Keep = p.texts(p.root, "keep")
	p.paths("key", p.rule.Key)
	p.paths("keep", p.rule.Keep)
	if to, ok := p.root.Field("target"); ok {
		p.target(to)
	}
	selector, hasSelector := p.root.Field("selector")
	if p.rule.Selector = p.text(p.root, "selector"); hasSelector {
		p.paths("selector", []string{p.rule.Selector})
	}
	if hasSelector != (p.rule.Target.Labels != "") {
		if !hasSelector {
			selector = p.root
		}
		p.reject(selector, "selector and labels of target require each other", "")
	}
}

// target reads the targets of references.
func (p *parser) target(to manifest.Node) {
	p.onlyFields(to, []string{"kinds", "type", "each", "key", "labels", "among", "conflicts"})
	t := &p.rule.Target
	t.Kinds, t.Each, t.Key = p.texts(to, "kinds"), p.texts(to, "each"), p.texts(to, "key")
	t.Type, t.Labels, t.Among = p.text(to, "type"), p.text(to, "labels"), p.text(to, "among")
	if f, ok := to.Field("conflicts"); ok {
		if t.Conflicts = f.Type() == manifest.Boolean && f.Boolean(); !t.Conflicts || t.Among != "" {
			p.reject(f, "must be true, without among", "")
		}
	}
	if !p.rule.IsReference() || len(t.Key) != len(p.rule.Key) {
		message := fmt.Sprintf("a target requires kinds or type, and a key with %d parts, as many as the key of the rule",
			len(p.rule.Key))
		p.reject(to, message, "")
	}
	for _, path := range slices.Concat(t.Each, t.Key, strings.Fields(t.Labels)) {
		if _, err := ParsePath(path); err != nil {
			p.reject(to, err.Error(),
				"separate field names with dots; [] matches each item of a list, * each field, ** any depth")
		}
	}
	if _, isKnown := types()[t.Type]; t.Type != "" && !isKnown {
		p.reject(to, "unknown type: "+diag.Quote(t.Type), "use "+strings.Join(slices.Sorted(maps.Keys(types())), ", "))
	}
	if t.Among != "" && !slices.Contains(AmongValues, t.Among) {
		p.reject(to, "unknown value of among: "+diag.Quote(t.Among), "use run, directory or file")
	}
}
