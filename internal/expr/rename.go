package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/kindvet/kindvet/internal/schema"
)

// Renamer gives the new name of a member of the objects that a schema describes; false where it keeps the one it has.
type Renamer func(holder *schema.Schema, member string) (string, bool)

// Rename returns the texts of a rule in which members have other names: its rule, messageExpression and fieldPath. self is the schema
// that has the rule, root says that it is a resource's. Which member is meant is known from the types of the checked rule; the rest of the
// text stays as it is written.
func Rename(r *schema.Rule, self *schema.Schema, root bool, renamed Renamer) (rule, message, fieldPath string, err error) {
	env, err := siteEnv(declType(self, root), r.OptionalOldSelf)
	if err != nil {
		return "", "", "", err
	}
	if env, err = env.Extend(cel.EnableMacroCallTracking()); err != nil { // without it, the place of what has() tests is lost
		return "", "", "", err
	}
	m := memberRenamer{env: env, self: self, renamed: renamed}
	if rule, err = m.expression(r.Rule); err != nil {
		return "", "", "", err
	}
	if message, err = m.expression(r.MessageExpression); err != nil {
		return "", "", "", err
	}
	return rule, message, RenameFieldPath(r.FieldPath, self, renamed), nil
}

type memberRenamer struct {
	env     *cel.Env
	self    *schema.Schema
	renamed Renamer
}

// selection is a place in a rule where a member is selected: the offset of its dot, in runes, and the new name.
type selection struct {
	dot  int
	name string
}

func (m memberRenamer) expression(text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return text, nil
	}
	checked, issues := m.env.Compile(text)
	if issues.Err() != nil {
		return "", issuesError(issues)
	}
	ast := checked.NativeRep()
	var selections []selection
	var failure error
	celast.PostOrderVisit(ast.Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		operand, member, at, ok := selected(ast, e)
		if !ok {
			return
		}
		name, ok := m.name(ast.GetType(operand.ID()), member)
		if !ok {
			return
		}
		escaped, ok := apiservercel.Escape(name)
		if !ok {
			failure = fmt.Errorf("%q cannot be written in a rule", name)
			return
		}
		offset, found := ast.SourceInfo().GetOffsetRange(at)
		if !found {
			failure = fmt.Errorf("the place of %q is not known", member)
			return
		}
		selections = append(selections, selection{int(offset.Start), escaped})
	}))
	if failure != nil {
		return "", failure
	}
	return replaceSelected(text, selections), nil
}

// selected returns the object and the member that an expression selects, and the id of the expression that stands at its dot.
func selected(ast *celast.AST, e celast.Expr) (operand celast.Expr, member string, at int64, ok bool) {
	switch e.Kind() {
	case celast.SelectKind:
		s := e.AsSelect()
		at = e.ID()
		if call, isMacro := ast.SourceInfo().GetMacroCall(e.ID()); isMacro { // has(a.b) stands at has, a.b at its dot
			at = call.AsCall().Args()[0].ID()
		}
		return s.Operand(), s.FieldName(), at, true
	case celast.CallKind:
		c := e.AsCall()
		if c.FunctionName() != operators.OptSelect {
			return nil, "", 0, false
		}
		name, isText := c.Args()[1].AsLiteral().Value().(string)
		return c.Args()[0], name, e.ID(), isText
	}
	return nil, "", 0, false
}

// name returns the new name of a member of an object of a type, whose name is the path from self to the object's schema.
func (m memberRenamer) name(t *cel.Type, member string) (string, bool) {
	if t.Kind() == cel.OpaqueKind && len(t.Parameters()) == 1 { // an optional
		t = t.Parameters()[0]
	}
	if t.Kind() != cel.StructKind {
		return "", false
	}
	path, ok := strings.CutPrefix(t.TypeName()+".", selfType+".")
	if !ok {
		return "", false
	}
	holder := m.self
	for step := range strings.SplitSeq(strings.TrimSuffix(path, "."), ".") {
		switch {
		case step == "":
		case step == "@idx" && holder.Items != nil:
			holder = holder.Items
		case step == "@elem" && holder.Additional != nil:
			holder = holder.Additional
		default:
			if holder, ok = holder.Property(step); !ok {
				return "", false
			}
		}
	}
	if plain, ok := apiservercel.Unescape(member); ok {
		member = plain
	}
	return m.renamed(holder, member)
}

// replaceSelected writes the new names behind their dots.
func replaceSelected(text string, selections []selection) string {
	slices.SortFunc(selections, func(a, b selection) int { return a.dot - b.dot })
	selections = slices.Compact(selections)
	runes := []rune(text)
	var out strings.Builder
	from := 0
	for _, s := range selections {
		start := s.dot + 1
		for start < len(runes) && strings.ContainsRune("? \t\r\n", runes[start]) {
			start++
		}
		end := start
		for end < len(runes) && isIdentifier(runes[end]) {
			end++
		}
		out.WriteString(string(runes[from:start]) + s.name)
		from = end
	}
	return out.String() + string(runes[from:])
}

func isIdentifier(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// RenameFieldPath returns a path of fields below a schema, as .spec.ports or .labels['a.b'], with the new names of its members.
func RenameFieldPath(path string, s *schema.Schema, renamed Renamer) string {
	if path == "" {
		return ""
	}
	var out strings.Builder
	for _, member := range parseFieldPath(path) {
		name := member
		if s != nil {
			if to, ok := renamed(s, member); ok {
				name = to
			}
			below, _ := s.Property(member)
			s = below
		}
		if strings.ContainsAny(name, ".['\\") {
			fmt.Fprintf(&out, "['%s']", strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(name))
		} else {
			out.WriteString("." + name)
		}
	}
	return out.String()
}
