package expr

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	celast "github.com/google/cel-go/common/ast"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/kindvet/kindvet/internal/schema"
)

// site is a node of a schema that has rules. Its environments and programs are made when a document first reaches it.
type site struct {
	rules []schema.Rule
	self  *schema.Schema // what the rules see; for rules under allOf the schema that holds it
	root  bool           // self is a resource

	once  sync.Once
	decl  *apiservercel.DeclType
	envs  [2]func() (*cel.Env, error) // without and with an optional oldSelf
	ready []*rule
}

// rule is one compiled rule of a site.
type rule struct {
	*schema.Rule
	program cel.Program
	ast     *celast.AST
	env     *cel.Env
	usesOld bool
	message cel.Program // of the messageExpression; nil where there is none, or it does not compile
	path    []string    // of the fieldPath
	err     error       // why there is no program
	parts   sync.Map    // programs of subexpressions, by expression id
	isBlank bool
}

// compiled returns the rules of a site, compiling them on first use.
func (s *site) compiled() []*rule {
	s.once.Do(func() {
		s.decl = declType(s.self, s.root)
		for i := range s.envs {
			s.envs[i] = sync.OnceValues(func() (*cel.Env, error) { return siteEnv(s.decl, i == 1) })
		}
		for i := range s.rules {
			s.ready = append(s.ready, s.compile(&s.rules[i]))
		}
	})
	return s.ready
}

// compile makes the programs of one rule (apiextensions-apiserver, schema/cel.compileRule).
func (s *site) compile(r *schema.Rule) *rule {
	c := &rule{Rule: r, path: parseFieldPath(r.FieldPath)}
	if strings.TrimSpace(r.Rule) == "" {
		c.isBlank = true
		return c
	}
	which := 0
	if r.OptionalOldSelf {
		which = 1
	}
	if c.env, c.err = s.envs[which](); c.err != nil {
		return c
	}
	ast, issues := c.env.Compile(r.Rule)
	switch {
	case issues.Err() != nil:
		c.err = issuesError(issues)
		return c
	case ast.OutputType() != cel.BoolType:
		c.err = fmt.Errorf("the rule must give true or false, gives %s", ast.OutputType())
		return c
	}
	c.ast = ast.NativeRep()
	for _, ref := range c.ast.ReferenceMap() {
		if ref.Name == "oldSelf" {
			c.usesOld = true
		}
	}
	estimator := &library.CostEstimator{}
	if c.program, c.err = c.env.Program(ast, limits(estimator)...); c.err != nil {
		return c
	}
	if r.MessageExpression == "" {
		return c
	}
	// One that does not compile is refused with the CustomResourceDefinition; here the message stands in for it.
	if ast, issues := c.env.Compile(r.MessageExpression); issues.Err() == nil && ast.OutputType() == cel.StringType {
		c.message, _ = c.env.Program(ast, limits(estimator)...)
	}
	return c
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
