package lint

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/manifest"
)

// The schema check edits the tree, and a view of a platform has other keys. So fixes are planned on a tree that is read
// again from the same text, at the nodes with the same numbers.

// fixes plans the fixes of a finding: n is the value that the rule checks, marked the part of it that the finding marks.
func (c *checker) fixes(r *rule.Rule, n, marked manifest.Node) (list []diag.Fix) {
	for i := range r.Fixes {
		f := &r.Fixes[i]
		if !c.vars.Applies(f) {
			continue
		}
		p := plannedFix{checker: c}
		if !p.plan(f, n, marked) || len(p.fix.Edits) == 0 {
			continue
		}
		isChoice := f.Applicability == diag.ChoiceFix || f.Typed && !c.isTyped(marked)
		p.fix.Safe, p.fix.Choice = f.Applicability == diag.SafeFix && !isChoice, isChoice
		if f.Title != "" {
			p.fix.Title = f.Title
		}
		list = append(list, p.fix)
	}
	return list
}

// plannedFix is a fix to which the parts of a rule's fix are added.
type plannedFix struct {
	*checker
	fix diag.Fix
}

// plan adds all parts. It returns false if one is not possible.
func (p *plannedFix) plan(f *rule.Fix, n, marked manifest.Node) bool {
	at, isWritten := p.written(marked)
	texts, ok := p.vars.Texts(f)
	switch isAt := f.Quote != "" || texts != (rule.Texts{}); {
	case !ok, isAt && !isWritten:
		return false
	case f.Quote == "value" && !p.addFix(at.QuotePlainFix()), f.Quote == "key" && !p.addFix(at.QuoteKeyFix()),
		f.Quote == "escaped" && !p.addFix(at.EscapeFix()), f.Remove != "" && !p.remove(f, n, marked):
		return false
	case texts.Replace != nil && !p.replace(at, *texts.Replace):
		return false
	case texts.Rename != nil && !p.addFix(at.KeyFix(p.ownKey(marked.Parent(), *texts.Rename))):
		return false
	case texts.Raw != nil && !p.add("use "+diag.Quote(*texts.Raw), at.RawEdits(*texts.Raw)):
		return false
	case texts.Between != nil && !p.add("use spaces", at.BetweenEdits(*texts.Between)):
		return false
	}
	for _, a := range f.Set {
		if !p.set(n, a) {
			return false
		}
	}
	return true
}

// replace gives a scalar another text.
func (p *plannedFix) replace(at manifest.Node, text string) bool {
	if key := at.Key(); key == "apiVersion" || key == "kind" {
		text = p.document.Names.Text(text)
	}
	if at.Type() == manifest.String && at.Text() == text {
		return false
	}
	value, err := json.Marshal(text)
	return err == nil && p.add("use "+diag.Quote(text), at.ValueEdits(string(value)))
}

func (p *plannedFix) addFix(fixes []diag.Fix) bool {
	if len(fixes) == 0 {
		return false
	}
	return p.add(fixes[0].Title, fixes[0].Edits)
}

func (p *plannedFix) add(title string, edits []diag.Edit) bool {
	if len(edits) == 0 {
		return false
	}
	if p.fix.Title != "" {
		title = p.fix.Title + ", " + title
	}
	p.fix.Title, p.fix.Edits = title, append(p.fix.Edits, edits...)
	return true
}

// written returns the node of the document as it is written. It returns false for a node that is not written.
func (c *checker) written(n manifest.Node) (manifest.Node, bool) {
	if n.Defaulted() || n.Tree() != c.document.Root.Tree() {
		return n, false
	}
	if !c.isFresh {
		c.isFresh = true
		c.fresh.Read(n.Tree().Source, c.document.Part)
	}
	if n.Index() >= c.fresh.Len() {
		return n, false
	}
	at := n.In(&c.fresh)
	return at, at.Span() == n.Span() && at.KeySpan() == n.KeySpan()
}

// isTyped reports whether the schema of the kind states the type of a value.
func (c *checker) isTyped(n manifest.Node) bool {
	at, ok := c.written(n)
	if !ok || n.Index() == c.document.Root.Index() {
		return false
	}
	var steps []manifest.Node
	for root := c.document.Root.Index(); at.Index() != root; at = at.Parent() {
		steps = append(steps, at)
	}
	s := c.document.Schema
	for _, step := range slices.Backward(steps) {
		switch {
		case s == nil:
			return false
		case step.Parent().Type() == manifest.List:
			s = s.Items
		default:
			s = s.Field(step)
		}
	}
	return s != nil && s.Type != ""
}

// remove removes what a rule says.
func (p *plannedFix) remove(f *rule.Fix, n, marked manifest.Node) bool {
	at, title := marked, "remove it"
	switch f.Remove {
	case rule.Self:
	case rule.Item:
		for at.Valid() && at.Parent().Valid() && at.Parent().Type() != manifest.List && at != p.document.Root {
			at = at.Parent()
		}
		if at == p.document.Root {
			return false
		}
	default:
		at, title = n.At(strings.Split(f.Remove, ".")...), "remove "+f.Remove
	}
	if !at.Valid() || f.IsRepeated && !isRepeated(at) || at.Parent().Type() == manifest.List && at.Parent().Len() == 1 {
		return false // an empty list often means something else, or is not allowed
	}
	written, ok := p.written(at)
	return ok && p.add(title, written.RemoveEdits())
}

// isRepeated reports whether an item of a list is equal to one before it.
func isRepeated(item manifest.Node) bool {
	for other := item.Parent().First(); other.Valid() && other != item; other = other.Next() {
		if isSame(other, item) {
			return true
		}
	}
	return false
}

// set gives a field a value. If objects are missing that contain it, they are added.
func (p *plannedFix) set(n manifest.Node, a rule.Assignment) bool {
	title := a.String()
	at, ok := p.written(n)
	if !ok {
		return false
	}
	for i, name := range a.Path {
		own := p.ownKey(n, name)
		if below, ok := at.Field(own); ok {
			at = below
			if n, ok = n.Field(name); ok {
				continue
			}
			return false // a null, or what the schema check has dropped
		}
		return p.add(title, at.AddPathEdits(manifest.Node{}, append([]string{own}, a.Path[i+1:]...), a.Value))
	}
	return p.add(title, at.ValueEdits(a.JSON()))
}

// ownKey returns the platform's name of a field of n.
func (c *checker) ownKey(n manifest.Node, key string) string {
	if c.document.Names == nil {
		return key
	}
	path := []string{key}
	for ; n.Valid() && n != c.document.Root; n = n.Parent() {
		if n.Parent().Type() == manifest.Map {
			path = append(path, n.Key())
		}
	}
	slices.Reverse(path)
	path = c.document.Names.Fields(path)
	return path[len(path)-1]
}
