package expr

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/overloads"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/schema"
)

// site is a node of a schema that has rules. They are compiled when a document first reaches it.
type site struct {
	declared []schema.Rule
	self     *schema.Schema // what the rules see; for rules under allOf the schema that holds it
	root     bool           // self is a resource
	shipped  []string       // the rules in the flat form, if they came with the program

	rules func() []*rule
	envs  [2]func() (*cel.Env, error) // without and with an optional oldSelf
}

func newSite(declared []schema.Rule, self *schema.Schema, root bool, shipped []string) *site {
	s := &site{declared: declared, self: self, root: root, shipped: shipped}
	s.rules = sync.OnceValue(s.compile)
	for i := range s.envs {
		s.envs[i] = sync.OnceValues(func() (*cel.Env, error) { return siteEnv(declType(self, root), i == 1) })
	}
	return s
}

// seen is the schema by which the rules see self.
func (s *site) seen() *schema.Schema {
	if s.root {
		return s.self.WithTypeAndObjectMeta()
	}
	return adapter.Seen(s.self)
}

// The numbers of the variables of rules.
const (
	slotSelf = iota
	slotOld
)

func (s *site) variables(declared *schema.Rule) []closure.Variable {
	list := []closure.Variable{slotSelf: {Name: "self", Schema: s.seen()}, slotOld: {Name: "oldSelf", Schema: s.seen()}}
	if declared.OptionalOldSelf {
		list[slotOld].Schema = nil
	}
	return list
}

func (s *site) compile() []*rule {
	list := make([]*rule, len(s.declared))
	for i := range s.declared {
		shipped := ""
		if i < len(s.shipped) {
			shipped = s.shipped[i]
		}
		list[i] = s.compileRule(&s.declared[i], shipped)
	}
	return list
}

// rule is one compiled rule of a site.
type rule struct {
	*schema.Rule
	site    *site
	code    *closure.Code // nil where closures do not cover the rule
	usesOld bool
	isBlank bool
	err     error // why the rule cannot be evaluated

	judge func() *judge
}

// judge is cel-go's part of a rule.
type judge struct {
	env     *cel.Env
	ast     *ast.AST
	program cel.Program
	message cel.Program // of the messageExpression; nil where there is none, or it does not compile
	parts   sync.Map    // programs of subexpressions, by expression id
	err     error       // why there is no program
}

// compileRule makes closures of a rule: of its shipped form, or of what cel-go makes of its text.
func (s *site) compileRule(declared *schema.Rule, shipped string) *rule {
	r := &rule{Rule: declared, site: s}
	r.judge = sync.OnceValue(r.compileJudge)
	switch {
	case strings.TrimSpace(declared.Rule) == "":
		r.isBlank = true
		return r
	case shipped != "":
		if r.code, _ = closure.Compile(shipped, s.variables(declared)); r.code != nil {
			r.usesOld = r.code.Named().Has(slotOld)
			return r
		}
	}
	env, checked, err := r.check()
	if err != nil {
		r.err = err
		return r
	}
	native := checked.NativeRep()
	r.usesOld = namesOld(native)
	if flat, err := closure.Encode(native); err == nil {
		r.code, _ = closure.Compile(flat, s.variables(declared))
	}
	r.judge = sync.OnceValue(func() *judge { return r.program(env, checked) })
	if r.code == nil || isFolded(native) {
		r.err = r.judge().err
	}
	return r
}

// check has cel-go parse and check a rule (apiextensions-apiserver, schema/cel.compileRule).
func (r *rule) check() (*cel.Env, *cel.Ast, error) {
	which := 0
	if r.OptionalOldSelf {
		which = 1
	}
	env, err := r.site.envs[which]()
	if err != nil {
		return nil, nil, err
	}
	checked, issues := env.Compile(r.Rule.Rule)
	switch {
	case issues.Err() != nil:
		return nil, nil, issuesError(issues)
	case checked.OutputType() != cel.BoolType:
		return nil, nil, fmt.Errorf("the rule must give true or false, gives %s", checked.OutputType())
	}
	return env, checked, nil
}

func (r *rule) compileJudge() *judge {
	env, checked, err := r.check()
	if err != nil {
		return &judge{err: err}
	}
	return r.program(env, checked)
}

// program makes cel-go's programs of a checked rule.
func (r *rule) program(env *cel.Env, checked *cel.Ast) *judge {
	j := &judge{env: env, ast: checked.NativeRep()}
	estimator := &library.CostEstimator{}
	if j.program, j.err = env.Program(checked, environment.Limits(estimator)...); j.err != nil || r.MessageExpression == "" {
		return j
	}
	// One that does not compile is refused with the CustomResourceDefinition; here the message stands in for it.
	if message, issues := env.Compile(r.MessageExpression); issues.Err() == nil && message.OutputType() == cel.StringType {
		j.message, _ = env.Program(message, environment.Limits(estimator)...)
	}
	return j
}

// namesOld says that a rule is a transition rule.
func namesOld(a *ast.AST) bool {
	for _, ref := range a.ReferenceMap() {
		if ref.Name == "oldSelf" {
			return true
		}
	}
	return false
}

// isFolded says that planning a program may evaluate a part of the rule, and find the rule wrong: a conversion of a literal, or a search
// for a literal pattern (cel-go, interpreter/decorators.go). Those of matches, duration and timestamp are checked with the rule.
func isFolded(a *ast.AST) bool {
	found := false
	ast.PostOrderVisit(a.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind {
			return
		}
		switch name := e.AsCall().FunctionName(); name {
		case "find", "findAll":
			found = true
		case overloads.TypeConvertDuration, overloads.TypeConvertTimestamp, overloads.TypeConvertDyn, overloads.TypeConvertType:
		default:
			found = found || overloads.IsTypeConversionFunction(name)
		}
	}))
	return found
}

// issuesError says in one line what the compiler has to say.
func issuesError(issues *cel.Issues) error {
	var lines []string
	for _, e := range issues.Errors() {
		lines = append(lines, e.Message)
	}
	return errors.New(strings.Join(lines, "; "))
}

// text is the rule in one line, as a message would name it.
func (r *rule) text() string {
	if r.Message != "" {
		return strings.TrimSpace(r.Message)
	}
	return strings.Join(strings.Fields(r.Rule.Rule), " ")
}

// parseFieldPath splits a fieldPath, as .spec.ports or .labels['a.b'], into names (apiextensions-apiserver,
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
