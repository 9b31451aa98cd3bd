package validations

import (
	"errors"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// ruleSet holds the rules of one schema node. They are compiled when a document first reaches the node.
type ruleSet struct {
	declared    []schema.Rule
	precompiled []string // the encoded rules, if they are embedded in the program
	self        cel.Type // for a rule under allOf: the type of the schema that contains the allOf
	rules       func() []*rule
	// descriptions are computed once, because a document may have thousands of findings about a rule.
	descriptions func() []description

	environments [2]func() *cel.Environment // without and with an optional oldSelf
}

func newRuleSet(declared []schema.Rule, self *schema.Schema, isResource bool, precompiled []string) *ruleSet {
	s := &ruleSet{declared: declared, precompiled: precompiled, self: cel.TypeOf(self, isResource)}
	s.rules = sync.OnceValue(s.compile)
	s.descriptions = sync.OnceValue(s.describe)
	for i := range s.environments {
		s.environments[i] = sync.OnceValue(func() *cel.Environment { return ruleEnvironment(s.self, i == 1) })
	}
	return s
}

// These are the numbers of the variables of rules.
const (
	variableSelf = iota
	variableOldSelf
)

// ruleEnvironment returns the variables of rules.
func ruleEnvironment(self cel.Type, isOptional bool) *cel.Environment {
	return cel.NewEnvironment(
		cel.Variable{Name: "self", Type: self},
		cel.Variable{Name: "oldSelf", Type: self, IsOptional: isOptional},
	)
}

// signature returns the signature of a rule. The signature of its messageExpression differs only in the result.
func (s *ruleSet) signature(declared *schema.Rule) cel.Signature {
	if declared.OptionalOldSelf {
		return cel.Signature{Environment: s.environments[1]()}
	}
	return cel.Signature{Environment: s.environments[0]()}
}

func (s *ruleSet) compile() []*rule {
	list := make([]*rule, len(s.declared))
	for i := range s.declared {
		precompiled := ""
		if i < len(s.precompiled) {
			precompiled = s.precompiled[i]
		}
		list[i] = s.compileRule(&s.declared[i], precompiled)
		list[i].description = func() description { return s.descriptions()[i] }
	}
	return list
}

// description is what findings say about a rule.
type description struct {
	// text is the message, or the rule on one line if it has none. It is cut if it is longer than the server allows
	// for the result of a messageExpression.
	text string
	// fieldPath holds the names in the fieldPath. A path that is too long for a finding is cut.
	fieldPath []string
}

func (s *ruleSet) describe() []description {
	list := make([]description, len(s.declared))
	for i := range s.declared {
		r := &s.declared[i]
		text := strings.TrimSpace(r.Message)
		if r.Message == "" {
			text = strings.Join(strings.Fields(r.Rule), " ")
		}
		names := parseFieldPath(r.FieldPath)
		list[i] = description{diag.Cut(text, cel.MaxMessageSize), names[:min(len(names), diag.MaxSteps)]}
	}
	return list
}

// rule is one compiled rule.
type rule struct {
	*schema.Rule
	expression *cel.Expression
	isBlank    bool
	usesOld    bool
	err        error // why the rule cannot be evaluated

	description func() description

	// messageExpression is compiled when the rule is first false. It returns nil if the rule has none or it does not
	// compile.
	messageExpression func() *cel.Expression
}

// compileRule compiles a rule: its precompiled form if there is one, otherwise its text (apiextensions-apiserver,
// schema/cel.compileRule).
func (s *ruleSet) compileRule(declared *schema.Rule, precompiled string) *rule {
	r := &rule{Rule: declared}
	if strings.TrimSpace(declared.Rule) == "" {
		r.isBlank = true
		return r
	}
	signature := s.signature(declared)
	var faults []cel.Fault
	if precompiled != "" {
		r.expression, faults = cel.Precompiled(precompiled, signature, func() string { return declared.Rule })
	} else {
		r.expression, faults = cel.Compile(declared.Rule, signature)
	}
	if len(faults) > 0 {
		r.err = errors.New(cel.JoinFaults(faults))
		return r
	}
	r.usesOld = r.expression.Names(variableOldSelf)
	r.messageExpression = sync.OnceValue(func() *cel.Expression {
		if declared.MessageExpression == "" {
			return nil
		}
		// A messageExpression that does not compile is rejected with the CRD. Here the message takes its place.
		signature.Result, signature.Unwrapped = cel.String, true
		e, _ := cel.Compile(declared.MessageExpression, signature)
		return e
	})
	return r
}

// arguments are the values of the variables of rules at a place.
type arguments [2]cel.Argument

func (p *cursor) arguments() arguments {
	a := arguments{variableSelf: {Node: p.n}}
	if p.hasOld() {
		a[variableOldSelf].Node = p.old
	}
	return a
}

// hasOld reports whether rules see an old value.
func (p *cursor) hasOld() bool { return p.old.Valid() && p.old.Type() != manifest.Null }

// verdict runs the closures of a rule.
func (r *rule) verdict(f *closure.Frame, p *cursor) closure.Outcome {
	a := p.arguments()
	return r.expression.Verdict(f, a[:])
}

// text returns the message of the rule, or the rule on one line if it has none.
func (r *rule) text() string { return r.description().text }

// parseFieldPath splits a fieldPath, such as .spec.ports or .labels['a.b'], into names (apiextensions-apiserver,
// schema/cel.ValidFieldPath).
func parseFieldPath(path string) []string {
	var names []string
	for path != "" {
		switch path[0] {
		case '.':
			end := strings.IndexAny(path[1:], ".[")
			if end < 0 {
				return append(names, path[1:])
			}
			names = append(names, path[1:end+1])
			path = path[end+1:]
		case '[':
			name, rest, ok := quotedName(path)
			if !ok {
				return names
			}
			names = append(names, name)
			path = rest
		default:
			return names
		}
	}
	return names
}

// quotedName reads ['name'] at the start of a path.
func quotedName(path string) (name, rest string, ok bool) {
	if !strings.HasPrefix(path, "['") {
		return "", "", false
	}
	var b strings.Builder
	for i := 2; i < len(path); i++ {
		switch {
		case path[i] == '\\' && i+1 < len(path):
			i++
			if escape := strings.IndexByte("abfnrtv", path[i]); escape >= 0 {
				b.WriteByte("\a\b\f\n\r\t\v"[escape])
			} else {
				b.WriteByte(path[i])
			}
		case path[i] == '\'':
			if i+1 < len(path) && path[i+1] == ']' {
				return b.String(), path[i+2:], true
			}
			return "", "", false
		default:
			b.WriteByte(path[i])
		}
	}
	return "", "", false
}
