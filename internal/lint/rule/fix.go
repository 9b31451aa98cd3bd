package rule

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// Fix is an edit that resolves the findings of a rule, as its file describes it. All its parts are made together.
type Fix struct {
	Applicability diag.Applicability
	// Title says what the edit does; "" if that is derived from its parts.
	Title string
	// Quote is what gets quotes: value or key. If it is escaped, the value is written in double quotes with escapes.
	Quote string
	// Remove is what is removed: a path from the value that the rule checks, [Self] for what the finding marks, or
	// [Item] for the list item with it. It is "" if nothing is removed. With IsRepeated, it must equal an earlier item.
	Remove     string
	IsRepeated bool
	// Set are fields that get a value. Missing ones are added, with the objects that contain them.
	Set []Assignment
	// Nearest means that the rule itself finds the name that was meant: that of a declared field or of a target.
	Nearest bool

	// Typed means that the fix is a choice for a value whose type no schema states.
	Typed bool

	// when is true if the fix is possible. replace returns another text, rename another key, and raw another notation of
	// what is marked, and between what is between its key and its value.
	when, replace, rename, raw, between *expression
}

// Assignment is a field that gets a value.
type Assignment struct {
	// Path leads to the field from the value that the rule checks. It is empty for the value itself.
	Path []string
	// Value is a node of the rule file.
	Value manifest.Node
}

// JSON returns the value.
func (a *Assignment) JSON() string { return string(a.Value.AppendJSON(nil)) }

// String says what is set.
func (a *Assignment) String() string {
	if len(a.Path) == 0 {
		return "set it to " + a.JSON()
	}
	return "set " + strings.Join(a.Path, ".") + " to " + a.JSON()
}

// Item is the word by which a fix refers to the list item that contains what the finding marks.
const Item = "item"

// Describe says what the fix changes, in the words of a help.
func (f *Fix) Describe() string {
	var parts []string
	add := func(is bool, text string) {
		if is {
			parts = append(parts, text)
		}
	}
	add(f.Quote == "value", "put quotes around the value")
	add(f.Quote == "key", "put quotes around the key")
	add(f.Quote == "escaped", "write the value with escape sequences")
	add(f.rename != nil, "rename the field"+literal(f.rename, " to "))
	add(f.replace != nil, "replace the value"+literal(f.replace, " by "))
	add(f.raw != nil, "write the value in another notation")
	add(f.between != nil, "use spaces")
	add(f.Nearest, "use the nearest name")
	switch {
	case f.IsRepeated:
		add(true, "remove the second of two equal items")
	case f.Remove == Item:
		add(true, "remove the item")
	case f.Remove == Self:
		add(true, "remove it")
	case f.Remove != "":
		add(true, "remove "+f.Remove)
	}
	for i := range f.Set {
		add(true, f.Set[i].String())
	}
	text := strings.Join(parts, ", ")
	if f.Title != "" {
		text = f.Title
	}
	if f.when != nil {
		text += ", in some cases"
	}
	return text
}

// literal returns the text of an expression that is a string literal, after some words; otherwise "".
func literal(e *expression, words string) string {
	if e == nil || len(e.text) < 2 || strings.Count(e.text, "'") != 2 || e.text[0] != '\'' || !strings.HasSuffix(e.text, "'") {
		return ""
	}
	return words + diag.Quote(e.text[1:len(e.text)-1])
}

// fixExpressions returns the expressions of all fixes in a fixed order.
func (r *Rule) fixExpressions() (list []*expression) {
	for i := range r.Fixes {
		f := &r.Fixes[i]
		for _, e := range []*expression{f.when, f.replace, f.rename, f.raw, f.between} {
			if e != nil {
				list = append(list, e)
			}
		}
	}
	return list
}

// Applies reports whether a fix is possible for the value that the variables describe.
func (v *Variables) Applies(f *Fix) bool {
	if f.when == nil {
		return true
	}
	e := f.when.compile()
	if e == nil || NamesOld(e) && !v.arguments[variableOldObject].Node.Valid() {
		return false
	}
	ok, err := v.IsTrue(e)
	return ok && err == nil
}

// Texts are the texts that the expressions of a fix return; nil for those that it does not have.
type Texts struct{ Replace, Rename, Raw, Between *string }

// Texts evaluates the expressions of a fix. It returns false if one has no result.
func (v *Variables) Texts(f *Fix) (t Texts, ok bool) {
	for _, x := range []struct {
		expression *expression
		to         **string
	}{{f.replace, &t.Replace}, {f.rename, &t.Rename}, {f.raw, &t.Raw}, {f.between, &t.Between}} {
		if x.expression == nil {
			continue
		}
		compiled := x.expression.compile()
		if compiled == nil {
			return t, false
		}
		text, err := v.rawText(compiled)
		if err != nil {
			return t, false
		}
		*x.to = &text
	}
	return t, true
}

// fixes reads what a rule says about its fixes: one, a list of them, or why there is none.
func (p *parser) fixes() {
	f, ok := p.root.Field("fix")
	switch {
	case !ok:
		return
	case f.Type() == manifest.Map:
		if none, ok := f.Field("none"); ok {
			p.onlyFields(f, []string{"none"})
			if p.rule.NoFix = p.text(f, "none"); p.rule.NoFix == "" {
				p.reject(none, "must say why there is no fix", "")
			}
			return
		}
		p.fix(f)
	case f.Type() == manifest.List && f.Len() > 0:
		for item := range f.Children() {
			p.fix(item)
		}
	default:
		p.reject(f, "must be an object or a list of objects", "")
	}
	if p.rule.Secret {
		p.reject(f, "a rule about secrets cannot have a fix, which would show them", "use fix: {none: REASON}")
	}
}

var fixFields = []string{"applicability", "typed", "title", "when", "quote", "replace", "rename", "raw", "between",
	"remove", "repeated", "set", "nearest"}

func (p *parser) fix(n manifest.Node) {
	if n.Type() != manifest.Map {
		p.reject(n, "must be an object, got "+n.Type().String(), "")
		return
	}
	p.onlyFields(n, fixFields)
	x := Fix{Title: p.text(n, "title")}
	at := n
	if f, ok := n.Field("applicability"); ok {
		at = f
	}
	if x.Applicability = diag.Applicability(p.text(n, "applicability")); !slices.Contains(diag.Applicabilities, x.Applicability) {
		p.reject(at, "applicability must be safe, unsafe or choice", "")
	}
	if f, ok := n.Field("quote"); ok {
		if x.Quote = p.text(n, "quote"); !slices.Contains([]string{"value", "key", "escaped"}, x.Quote) {
			p.reject(f, "must be value, key or escaped", "")
		}
	}
	x.Remove, x.IsRepeated, x.Nearest = p.text(n, "remove"), p.isTrue(n, "repeated"), p.isTrue(n, "nearest")
	x.Typed = p.isTrue(n, "typed")
	if f, ok := n.Field("remove"); ok {
		p.fieldPath(f, x.Remove)
	}
	set, _ := n.Field("set")
	for f := range set.Children() {
		p.fieldPath(f, f.Key())
		a := Assignment{Value: f}
		if f.Key() != Self {
			a.Path = strings.Split(f.Key(), ".")
		}
		x.Set = append(x.Set, a)
	}
	x.when = p.expressionIn(n, "when", checkSignature)
	x.replace, x.rename = p.expressionIn(n, "replace", messageSignature), p.expressionIn(n, "rename", messageSignature)
	x.raw, x.between = p.expressionIn(n, "raw", messageSignature), p.expressionIn(n, "between", messageSignature)
	if x.Nearest && !p.rule.Misspelled && !p.rule.IsReference() {
		p.reject(n, "nearest requires misspelled or target", "")
	}
	isExpressed := x.replace != nil || x.rename != nil || x.raw != nil || x.between != nil
	if x.Quote == "" && !x.Nearest && x.Remove == "" && len(x.Set) == 0 && !isExpressed {
		p.reject(n, "a fix requires quote, replace, rename, raw, between, remove, set or nearest", "")
	}
	p.rule.Fixes = append(p.rule.Fixes, x)
}

// fieldPath rejects a path that leads to several values.
func (p *parser) fieldPath(n manifest.Node, path string) {
	if steps, err := ParsePath(path); err != nil || slices.ContainsFunc(steps, func(s step) bool { return s.kind != stepField }) {
		p.reject(n, "must be self or a path of field names", "")
	}
}

// isTrue reads a field that can only be true.
func (p *parser) isTrue(n manifest.Node, name string) bool {
	f, ok := n.Field(name)
	if ok && (f.Type() != manifest.Boolean || !f.Boolean()) {
		p.reject(f, "must be true", "")
	}
	return ok
}
