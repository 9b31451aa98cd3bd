package rule

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/nearest"
	"github.com/kindvet/kindvet/internal/source"
)

var validID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*/[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
})

// IsID reports whether a text is a valid rule id: a family, a slash and a fault, in lowercase letters and hyphens.
func IsID(text string) bool { return validID().MatchString(text) }

// Parse parses a rule file and compiles its expressions. If there are violations, the rule is nil.
func Parse(src *source.Source) (*Rule, []diag.Violation) {
	r, p := parseRule(src)
	if r == nil {
		return nil, p.violations
	}
	for _, w := range p.expressed {
		p.compile(w.node, w.expression)
	}
	if check := r.check; check != nil && check.compiled != nil &&
		check.compiled.Names(variableObjects) != (len(r.Key) > 0) {
		f, _ := p.root.Field("check")
		p.reject(f, "objects requires key: only a cross-file rule can use objects", "")
	}
	if len(p.violations) > 0 {
		return nil, p.violations
	}
	return r, nil
}

// parseRule parses a rule file without compiling its expressions. If there are violations, the rule is nil.
func parseRule(src *source.Source) (*Rule, *parser) {
	p := &parser{rule: &Rule{File: src.Name}}
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		if p.violations = tree.Read(src, part); len(p.violations) > 0 {
			return nil, p
		}
		if p.root.Valid() {
			p.reject(tree.Root(), "a rule file must have one document", "move the second rule to its own file")
			return nil, p
		}
		p.root = tree.Root()
	}
	switch {
	case !p.root.Valid():
		p.violations = []diag.Violation{{
			Rule: diag.BrokenRule, Severity: diag.Error, Message: "the file has no rule", Place: src.Place(source.Span{}),
		}}
		return nil, p
	case p.root.Type() != manifest.Map:
		p.reject(p.root, "a rule must be an object, got "+p.root.Type().String(), "")
		return nil, p
	}
	p.parse()
	if len(p.violations) > 0 {
		return nil, p
	}
	return p.rule, p
}

type parser struct {
	rule       *Rule
	root       manifest.Node
	expressed  []expressed
	violations []diag.Violation
}

// expressed is an expression and the field that has it.
type expressed struct {
	node       manifest.Node
	expression *expression
}

func (p *parser) reject(n manifest.Node, message, help string) {
	p.violations = append(p.violations, n.Finding(diag.Violation{Rule: diag.BrokenRule, Message: message, Help: help}))
}

// fields are the fields of a rule file in the recommended order.
var fields = []string{"id", "title", "severity", "recommended", "tags", "kinds", "type", "exclude", "contains", "each",
	"lacks", "items", "unique", "written", "misspelled", "key",
	"selector", "target", "keep", "params", "exampleParams", "check", "message", "messageExpression", "serverSide", "help", "fix", "why",
	"source", "secret"}

func (p *parser) parse() {
	p.onlyFields(p.root, fields)
	r := p.rule
	r.ID = diag.Rule(p.text(p.root, "id"))
	r.Title, r.Message, r.Help = p.text(p.root, "title"), p.text(p.root, "message"), p.text(p.root, "help")
	r.Why, r.Origin = p.text(p.root, "why"), p.text(p.root, "source")
	r.Tags, r.Kinds, r.Each = p.texts(p.root, "tags"), p.texts(p.root, "kinds"), p.texts(p.root, "each")
	r.Exclude = p.texts(p.root, "exclude")
	r.Contains, r.Lacks = p.texts(p.root, "contains"), p.texts(p.root, "lacks")
	required := []string{"id", "title", "severity", "kinds", "why"}
	if p.isTyped() {
		required = slices.DeleteFunc(required, func(name string) bool { return name == "kinds" })
	}
	for _, name := range required {
		if f, ok := p.root.Field(name); !ok || f.Type() == manifest.Null {
			p.reject(p.root, "required field "+diag.Quote(name)+" is missing", "")
		}
	}
	if f, ok := p.root.Field("id"); ok && !IsID(string(r.ID)) {
		p.reject(f, "must have the form FAMILY/MISTAKE, in lower case with hyphens", "use an id such as binding/open-cidr")
	}
	if f, ok := p.root.Field("severity"); ok {
		if r.Severity, ok = diag.ParseSeverity(f.Text()); !ok {
			p.reject(f, "must be info, warning or error", "use info, warning or error")
		}
	}
	if f, ok := p.root.Field("secret"); ok {
		r.Secret = f.Boolean()
	}
	if f, ok := p.root.Field("misspelled"); ok {
		if r.Misspelled = f.Boolean(); !r.Misspelled {
			p.reject(f, "must be true", "")
		}
	}
	if f, ok := p.root.Field("recommended"); ok {
		if r.NotRecommended = f.Type() == manifest.Boolean && !f.Boolean(); !r.NotRecommended {
			p.reject(f, "must be false", "")
		}
	}
	if f, ok := p.root.Field("items"); ok {
		if r.Items = int(f.Integer()); f.Type() != manifest.Integer || r.Items < 1 {
			p.reject(f, "must be a positive integer", "")
		}
	}
	p.serverSide()
	p.unique()
	p.paths("each", r.Each)
	p.paths("lacks", r.Lacks)
	p.written()
	p.grouping()
	p.params()
	p.exampleParams()
	p.expressions()
	p.fixes()
}

// serverSide reads what a violation is in an object that is applied on the server.
func (p *parser) serverSide() {
	f, ok := p.root.Field("serverSide")
	if !ok {
		return
	}
	if f.Type() != manifest.Map {
		p.reject(f, "must be an object with severity and message", "")
		return
	}
	p.onlyFields(f, []string{"severity", "message"})
	severity, ok := diag.ParseSeverity(p.text(f, "severity"))
	if p.rule.ServerSide = (ServerSide{severity, p.text(f, "message")}); !ok || p.rule.ServerSide.Message == "" {
		p.reject(f, "must have a severity (info, warning or error) and a message", "")
	}
}

// isTyped reads the type whose values the rule checks. It reports whether there is one.
func (p *parser) isTyped() bool {
	p.rule.Type = p.text(p.root, "type")
	f, ok := p.root.Field("type")
	if _, isKnown := types()[p.rule.Type]; ok && !isKnown {
		known := slices.Sorted(maps.Keys(types()))
		p.reject(f, "unknown type: "+diag.Quote(f.Text()), "use "+strings.Join(known, ", "))
	}
	return ok
}

// onlyFields rejects unknown fields of a map.
func (p *parser) onlyFields(n manifest.Node, known []string) {
	for f := range n.Children() {
		if slices.Contains(known, f.Key()) {
			continue
		}
		help, fixes := "known fields: "+strings.Join(known, ", "), []diag.Fix(nil)
		if near, ok := nearest.Name(f.Key(), known); ok {
			help, fixes = "use "+diag.Quote(near), f.KeyFix(near)
		}
		p.violations = append(p.violations, f.Finding(diag.Violation{
			Rule: diag.BrokenRule, Message: "unknown field " + diag.Quote(f.Key()), Help: help, Fixes: fixes,
			Place: f.KeyPlace(),
		}))
	}
}

// text returns the value of a string field, or "" if the field is absent.
func (p *parser) text(n manifest.Node, name string) string {
	f, ok := n.Field(name)
	if !ok {
		return ""
	}
	if f.Type() != manifest.String {
		p.reject(f, "must be a string, got "+f.Type().String(), "")
		return ""
	}
	return strings.TrimSpace(f.Text())
}

// texts returns the value of a field that holds a string or a list of strings.
func (p *parser) texts(n manifest.Node, name string) []string {
	f, ok := n.Field(name)
	if !ok {
		return nil
	}
	if f.Type() == manifest.String {
		return []string{f.Text()}
	}
	if f.Type() != manifest.List {
		p.reject(f, "must be a string or a list of strings, got "+f.Type().String(), "")
		return nil
	}
	var list []string
	for item := range f.Children() {
		if item.Type() != manifest.String {
			p.reject(item, "must be a string, got "+item.Type().String(), "")
			continue
		}
		list = append(list, item.Text())
	}
	return list
}

func (p *parser) paths(name string, paths []string) {
	for _, path := range paths {
		if _, err := ParsePath(path); err != nil {
			f, _ := p.root.Field(name)
			p.reject(f, err.Error(),
				"separate field names with dots; [] matches each item of a list, * each field, ** any depth")
		}
	}
}

// unique reads what the items of a list must not have in common. A rule with unique needs no check, and cannot be
// about a set of documents.
func (p *parser) unique() {
	p.rule.Unique = p.text(p.root, "unique")
	f, ok := p.root.Field("unique")
	if !ok {
		return
	}
	if steps, err := ParsePath(p.rule.Unique); err != nil ||
		slices.ContainsFunc(steps, func(s step) bool { return s.kind != stepField }) {
		p.reject(f, "must be self or a path of field names", "")
	}
	for _, name := range []string{"check", "written", "key"} {
		if other, ok := p.root.Field(name); ok {
			p.reject(other, name+" cannot be combined with unique", "")
		}
	}
}

func (p *parser) written() {
	f, ok := p.root.Field("written")
	if !ok {
		return
	}
	if f.Type() != manifest.Map {
		p.reject(f, "must be an object, got "+f.Type().String(), "")
		return
	}
	p.onlyFields(f, []string{"type", "style", "raw", "key"})
	w := &p.rule.Written
	w.Types, w.Style = p.texts(f, "type"), p.text(f, "style")
	w.Raw, w.Key = p.pattern(f, "raw"), p.pattern(f, "key")
	for _, t := range w.Types {
		if !slices.Contains(typeNames[:], t) {
			p.reject(f, "unknown type: "+diag.Quote(t), "use null, boolean, integer, number or string")
		}
	}
	if w.Style != "" && !slices.Contains(styleNames[:], w.Style) {
		p.reject(f, "unknown style: "+diag.Quote(w.Style), "use "+strings.Join(styleNames[:], ", "))
	}
}

func (p *parser) pattern(n manifest.Node, name string) string {
	text := p.text(n, name)
	if _, err := regexp.Compile(text); err != nil {
		f, _ := n.Field(name)
		p.reject(f, strings.TrimPrefix(err.Error(), "error parsing regexp: "), "")
	}
	return text
}

func (p *parser) expressions() {
	r := p.rule
	r.check, r.message = p.expression("check", checkSignature), p.expression("messageExpression", messageSignature)
	_, hasCheck := p.root.Field("check")
	if r.Misspelled && (hasCheck || len(r.Key) > 0 || !r.Written.IsZero() ||
		len(r.Each)+len(r.Lacks)+len(r.Contains) > 0) {
		p.reject(p.root, "misspelled cannot be combined with other conditions",
			"remove each, lacks, contains, written, key and check")
	}
	if !hasCheck && !r.Misspelled && len(r.Key) == 0 && r.Written.IsZero() && len(r.Each)+len(r.Lacks) == 0 {
		p.reject(p.root, "a rule requires check, each, lacks, written, misspelled or key", "")
	}
}

func (p *parser) expression(name string, s cel.Signature) *expression {
	return p.expressionIn(p.root, name, s)
}

// expressionIn reads an expression in a field of n.
func (p *parser) expressionIn(n manifest.Node, name string, s cel.Signature) *expression {
	f, ok := n.Field(name)
	if !ok || p.text(n, name) == "" {
		return nil
	}
	e := newExpression(f.Text(), p.rule.Params, s)
	p.expressed = append(p.expressed, expressed{f, e})
	return e
}

// compile compiles an expression and reports each fault at its position in the file.
func (p *parser) compile(f manifest.Node, e *expression) {
	e.compile()
	for _, fault := range e.faults {
		p.violations = append(p.violations, f.Finding(diag.Violation{
			Rule: diag.BrokenRule, Message: fault.Message, Place: textPlace(f, e.writtenOffset(fault.Offset)),
		}))
	}
}
