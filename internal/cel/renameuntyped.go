package cel

import (
	"fmt"
	"maps"

	"github.com/google/cel-go/cel"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/schema"
)

// RenameUntypedFields renames the fields in the text of an expression without declared types, such as that of an
// admission policy. variables contains the schemas of the variables. Fields are followed from the variables through
// selections, indexes, macros and lists, but not through the results of functions.
func RenameUntypedFields(text string, variables map[string]*schema.Schema, renamed Renamer) (string, error) {
	base, err := environment.Base()
	if err != nil {
		return "", err
	}
	env, err := base.Extend(cel.EnableMacroCallTracking())
	if err != nil {
		return "", err
	}
	parsed, issues := env.Parse(text)
	if issues.Err() != nil {
		return "", faultError(faultsOf(text, issues))
	}
	f := follower{ast: parsed.NativeRep(), renamed: renamed}
	f.follow(f.ast.Expr(), variables)
	if f.failure != nil {
		return "", f.failure
	}
	return replaceSelected(text, f.selections), nil
}

// follower tracks the schemas of the values in an expression.
type follower struct {
	ast        *celast.AST
	renamed    Renamer
	selections []selection
	failure    error
}

// follow returns the schema of the value of an expression, or nil if it is not known.
func (f *follower) follow(e celast.Expr, variables map[string]*schema.Schema) *schema.Schema {
	if operand, field, at, ok := selected(f.ast, e); ok {
		return f.field(f.follow(operand, variables), field, at)
	}
	switch e.Kind() {
	case celast.IdentKind:
		return variables[e.AsIdent()]
	case celast.CallKind:
		return f.call(e.AsCall(), variables)
	case celast.ListKind:
		var items *schema.Schema
		for _, item := range e.AsList().Elements() {
			items = either(items, f.follow(item, variables))
		}
		return &schema.Schema{Keywords: schema.Keywords{ListKeywords: schema.ListKeywords{Items: items}}}
	case celast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			f.follow(entry.AsMapEntry().Key(), variables)
			f.follow(entry.AsMapEntry().Value(), variables)
		}
	case celast.ComprehensionKind:
		return f.comprehension(e.AsComprehension(), variables)
	}
	return nil
}

// field records the selection of a field and returns the schema of the field.
func (f *follower) field(holder *schema.Schema, field string, at int64) *schema.Schema {
	if holder == nil {
		return nil
	}
	if plain, ok := apiservercel.Unescape(field); ok {
		field = plain
	}
	if name, ok := f.renamed(holder, field); ok {
		escaped, canBe := apiservercel.Escape(name)
		offset, found := f.ast.SourceInfo().GetOffsetRange(at)
		if !canBe || !found {
			f.failure = fmt.Errorf("%q cannot be written in an expression", name)
			return nil
		}
		f.selections = append(f.selections, selection{int(offset.Start), escaped})
	}
	if p, ok := holder.Property(field); ok {
		return p
	}
	return holder.Additional
}

func (f *follower) call(c celast.CallExpr, variables map[string]*schema.Schema) *schema.Schema {
	var target *schema.Schema
	if c.IsMemberFunction() {
		target = f.follow(c.Target(), variables)
	}
	arguments := make([]*schema.Schema, len(c.Args()))
	for i, argument := range c.Args() {
		arguments[i] = f.follow(argument, variables)
	}
	switch c.FunctionName() {
	case operators.Index, operators.OptIndex:
		if arguments[0] != nil {
			return either(arguments[0].Items, arguments[0].Additional)
		}
	case operators.Conditional:
		return either(arguments[1], arguments[2])
	case operators.Add:
		return either(arguments[0], arguments[1])
	case "orValue", "or", "value": // of an optional
		return target
	}
	return nil
}

// comprehension follows a macro, such as all, exists, filter, map and bind.
func (f *follower) comprehension(c celast.ComprehensionExpr, variables map[string]*schema.Schema) *schema.Schema {
	within := maps.Clone(variables)
	values := f.follow(c.IterRange(), variables)
	within[c.IterVar()] = nil
	if values != nil && values.Items != nil {
		within[c.IterVar()] = values.Items
	}
	if c.HasIterVar2() {
		within[c.IterVar()] = nil
		if values != nil {
			within[c.IterVar2()] = either(values.Items, values.Additional)
		}
	}
	within[c.AccuVar()] = f.follow(c.AccuInit(), variables)
	f.follow(c.LoopCondition(), within)
	if step := f.follow(c.LoopStep(), within); step != nil && step.Items != nil {
		within[c.AccuVar()] = step
	}
	return f.follow(c.Result(), within)
}

// either returns the first of the two schemas that describes the contents of its values.
func either(a, b *schema.Schema) *schema.Schema {
	if a == nil || a.Items == nil && a.Additional == nil && len(a.Properties) == 0 {
		return b
	}
	return a
}
