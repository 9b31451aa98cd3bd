package cel

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

// Renamer returns the new name of a field of the objects that a schema describes. It returns false if the field
// keeps its name.
type Renamer func(holder *schema.Schema, field string) (string, bool)

type fieldRenamer struct {
	self    *schema.Schema
	renamed Renamer
}

// selection is the selection of a field in a rule: the offset of its dot, in runes, and the new name of the field.
type selection struct {
	dot  int
	name string
}

// RenameFields returns the text of an expression in which the fields of self, and of everything below it, are
// renamed.
func (e *Environment) RenameFields(text string, self *schema.Schema, renamed Renamer) (string, error) {
	if strings.TrimSpace(text) == "" {
		return text, nil
	}
	env, err := e.celEnv()
	if err != nil {
		return "", err
	}
	// Without tracking, the position of the argument of has() is lost.
	if env, err = env.Extend(cel.EnableMacroCallTracking()); err != nil {
		return "", err
	}
	m := fieldRenamer{self, renamed}
	checked, issues := env.Compile(text)
	if issues.Err() != nil {
		return "", faultError(faultsOf(text, issues))
	}
	ast := checked.NativeRep()
	var selections []selection
	var failure error
	celast.PostOrderVisit(ast.Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		operand, field, at, ok := selected(ast, e)
		if !ok {
			return
		}
		name, ok := m.name(ast.GetType(operand.ID()), field)
		if !ok {
			return
		}
		escaped, ok := apiservercel.Escape(name)
		if !ok {
			failure = fmt.Errorf("%q is not a valid name in a CEL rule", name)
			return
		}
		offset, found := ast.SourceInfo().GetOffsetRange(at)
		if !found {
			failure = fmt.Errorf("the position of %q is unknown", field)
			return
		}
		selections = append(selections, selection{int(offset.Start), escaped})
	}))
	if failure != nil {
		return "", failure
	}
	return replaceSelected(text, selections), nil
}

// selected returns the object and the field that an expression selects, and the id of the expression whose position
// is the dot.
func selected(ast *celast.AST, e celast.Expr) (operand celast.Expr, field string, at int64, ok bool) {
	switch e.Kind() {
	case celast.SelectKind:
		s := e.AsSelect()
		at = e.ID()
		if call, isMacro := ast.SourceInfo().GetMacroCall(e.ID()); isMacro { // has(a.b) is at has, a.b at its dot
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

// name returns the new name of a field in objects of a type. The name of the type is the path from self to the
// object's schema.
func (m fieldRenamer) name(t *cel.Type, field string) (string, bool) {
	if t.Kind() == cel.OpaqueKind && len(t.Parameters()) == 1 { // an optional
		t = t.Parameters()[0]
	}
	if t.Kind() != cel.StructKind {
		return "", false
	}
	path, ok := strings.CutPrefix(t.TypeName()+".", "self"+typeSuffix+".")
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
	if plain, ok := apiservercel.Unescape(field); ok {
		field = plain
	}
	return m.renamed(holder, field)
}

// replaceSelected inserts the new names after their dots.
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
