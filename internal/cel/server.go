package cel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/kindvet/kindvet/internal/cel/library"
)

// Server is the API server whose CEL an expression has to use. The zero value allows everything.
type Server struct {
	Minor int                    // of Kubernetes 1
	IsOff func(gate string) bool // whether a feature gate is off
}

// Absent returns a fault for each library of which the expression uses something that a server does not allow, at the first
// use, in the order of the text. A server allows more in expressions that it has stored, which an update keeps, than in new ones: it could be
// replaced by an older one at any time (k8s.io/apiserver, cel/environment.EnvSet).
//
// This is the verdict of a server that has older libraries, because no library has taken the place of another one: where an
// argument can have any type, a call is allowed if one of the functions is.
func (c *Checked) Absent(s Server, isStored bool) []Fault {
	if s.Minor == 0 {
		return nil
	}
	f := absence{checked: c, server: s, isStored: isStored}
	ast.PostOrderVisit(c.ast.NativeRep().Expr(), ast.NewExprVisitor(f.visit))
	slices.SortStableFunc(f.found, func(a, b absent) int { return cmp.Compare(a.fault.Offset, b.fault.Offset) })
	var faults []Fault
	seen := map[string]bool{}
	for _, a := range f.found {
		if !seen[a.library] {
			faults = append(faults, a.fault)
		}
		seen[a.library] = true
	}
	return faults
}

// absent is the use of something of a library that the server does not allow.
type absent struct {
	library string
	fault   Fault
}

// absence collects what a server does not allow.
type absence struct {
	checked  *Checked
	server   Server
	isStored bool
	found    []absent
}

func (f *absence) visit(e ast.Expr) {
	switch e.Kind() {
	case ast.CallKind, ast.IdentKind:
		f.reference(e)
	case ast.SelectKind:
		f.reference(e)
		f.field(e)
	case ast.ComprehensionKind:
		if e.AsComprehension().HasIterVar2() {
			name := f.word(e)
			if isMacro(name) {
				name += " with two variables"
			}
			f.require(library.TwoVariables, e, name)
		}
	}
}

// reference checks a function or a type.
func (f *absence) reference(e ast.Expr) {
	to, ok := f.checked.ast.NativeRep().ReferenceMap()[e.ID()]
	if !ok {
		return
	}
	if len(to.OverloadIDs) == 0 {
		f.require(to.Name, e, to.Name)
		return
	}
	for _, overload := range to.OverloadIDs {
		if l, ok := library.LifetimeOf(overload); !ok || f.allows(l) {
			return
		}
	}
	name := f.word(e)
	if e.Kind() == ast.CallKind && strings.HasSuffix(e.AsCall().FunctionName(), "."+name) {
		name = e.AsCall().FunctionName() // such as sets.contains
	}
	if to.OverloadIDs[0] == library.IntegerDuration {
		name += " of an integer"
	}
	f.require(to.OverloadIDs[0], e, name)
}

// field checks a field that is named like a keyword, such as namespace. Older servers only know its escaped name, unless
// the field is declared as it is, which is so in all types but those of schemas.
func (f *absence) field(e ast.Expr) {
	of, name := e.AsSelect().Operand(), e.AsSelect().FieldName()
	if f.checked.ast.NativeRep().GetType(of.ID()).Kind() != cel.StructKind || len(f.checked.signature.Environment.variables) == 0 {
		return
	}
	if escaped, ok := apiservercel.Escape(name); ok && escaped != name && !strings.Contains(name, "__") {
		f.require(library.Keyword, e, "the keyword "+name+" as the name of a field")
	}
}

func (f *absence) allows(l library.Lifetime) bool {
	switch {
	case l.Last > 0 && f.server.Minor > l.Last, f.server.Minor < l.Stored:
		return false
	case f.isStored:
		return true
	case l.Gate != "":
		return f.server.IsOff == nil || !f.server.IsOff(l.Gate)
	}
	return f.server.Minor >= l.New
}

// require adds a fault at an expression unless the server allows what has a lifetime.
func (f *absence) require(what string, e ast.Expr, name string) {
	l, ok := library.LifetimeOf(what)
	if !ok || f.allows(l) {
		return
	}
	fault := Fault{Offset: f.offset(e)}
	has := fmt.Sprintf("Kubernetes 1.%d does not have %s", f.server.Minor, name)
	hasNew := fmt.Sprintf("Kubernetes 1.%d does not allow %s in new expressions", f.server.Minor, name)
	switch {
	case l.Last > 0 && f.server.Minor > l.Last:
		fault.Message, fault.Help = has, fmt.Sprintf("it was removed in 1.%d", l.Last+1)
	case f.server.Minor < l.Stored:
		fault.Message, fault.Help = has, fmt.Sprintf("it is new in 1.%d", l.New)
	case l.Gate != "":
		fault.Message, fault.Gate = hasNew, l.Gate
	default:
		fault.Message, fault.Help = hasNew, fmt.Sprintf("it is new in 1.%d", l.New)
	}
	if what == library.Keyword {
		escaped, _ := apiservercel.Escape(e.AsSelect().FieldName())
		fault.Message = fmt.Sprintf("Kubernetes 1.%d does not allow %s", f.server.Minor, name)
		fault.Help = "use " + escaped + ", which all versions have"
	}
	f.found = append(f.found, absent{l.Library, fault})
}

// isMacro reports whether there is a macro with one variable of this name.
func isMacro(name string) bool { return slices.Contains([]string{"all", "exists", "exists_one"}, name) }

// offset returns where the name of a call is, or the expression itself. The place of a call is its bracket.
func (f *absence) offset(e ast.Expr) int {
	text := f.checked.ast.Source().Content()
	at := offsetOf(text, f.checked.ast.NativeRep().SourceInfo().GetStartLocation(e.ID()))
	if at < 0 || at >= len(text) || text[at] != '(' {
		return at
	}
	before := strings.TrimRight(text[:at], " \t\r\n")
	if name := strings.LastIndexFunc(before, func(r rune) bool { return !isWordRune(r) }) + 1; name < len(before) {
		return name
	}
	return at
}

// word returns the word in the text at the place of an expression.
func (f *absence) word(e ast.Expr) string {
	at := f.offset(e)
	if at < 0 {
		return ""
	}
	text := f.checked.ast.Source().Content()[at:]
	if end := strings.IndexFunc(text, func(r rune) bool { return !isWordRune(r) }); end >= 0 {
		return text[:end]
	}
	return text
}
