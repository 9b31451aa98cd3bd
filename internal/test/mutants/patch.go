package mutants

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// patch returns the text of a file with breaks. For each, the body of its function begins with
//
//	if mutant_name { return func(...) ... { broken body }(...) }
//
// A function literal keeps what := and return mean for parameters and named results.
func patch(file, text string, breaks []mutant) (string, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	type insertion struct {
		at   int
		text string
	}
	var list []insertion
	for _, m := range breaks {
		start, end, err := m.find(text)
		if err != nil {
			return "", err
		}
		of := functionAround(f, fset, start, end)
		if of == nil {
			return "", fmt.Errorf("%s: %s: the text is not in the body of a function", m.at, m.name)
		}
		first, last := fset.Position(of.Body.Lbrace).Offset+1, fset.Position(of.Body.Rbrace).Offset
		broken := text[first:start] + m.is + text[end:last]
		list = append(list, insertion{first, detour(of, fset, text, m.switchName(), broken)})
	}
	slices.SortStableFunc(list, func(a, b insertion) int { return a.at - b.at })
	var out strings.Builder
	from := 0
	for _, in := range list {
		out.WriteString(text[from:in.at] + in.text)
		from = in.at
	}
	out.WriteString(text[from:])
	return out.String(), nil
}

// functionAround returns the function whose body contains a span.
func functionAround(f *ast.File, fset *token.FileSet, start, end int) *ast.FuncDecl {
	for _, d := range f.Decls {
		if of, ok := d.(*ast.FuncDecl); ok && of.Body != nil &&
			fset.Position(of.Body.Lbrace).Offset < start && end <= fset.Position(of.Body.Rbrace).Offset {
			return of
		}
	}
	return nil
}

// detour returns the statement that calls a broken body instead of the rest of a function.
func detour(of *ast.FuncDecl, fset *token.FileSet, text, name, body string) string {
	span := func(n ast.Node) string { return text[fset.Position(n.Pos()).Offset:fset.Position(n.End()).Offset] }
	var params, args []string
	for _, field := range of.Type.Params.List {
		for _, param := range field.Names {
			if param.Name == "_" {
				continue
			}
			params = append(params, param.Name+" "+span(field.Type))
			arg := param.Name
			if _, ok := field.Type.(*ast.Ellipsis); ok {
				arg += "..."
			}
			args = append(args, arg)
		}
	}
	results, before, after := "", "", "\nreturn"
	if of.Type.Results != nil {
		results, before, after = " "+span(of.Type.Results), "return ", ""
	}
	return fmt.Sprintf("\nif %s { %sfunc(%s)%s {%s}(%s)%s }\n",
		name, before, strings.Join(params, ", "), results, body, strings.Join(args, ", "), after)
}

// switches returns a file of a package with a variable for each break. A break is on if a file has its name. It is not
// an environment variable because tests run programs in environments of their own.
func switches(pkg string, active string, breaks []mutant) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport mutant_os \"os\"\n\n", pkg)
	fmt.Fprintf(&b, "var mutant_on = func() string { text, _ := mutant_os.ReadFile(%s); return string(text) }()\n",
		strconv.Quote(active))
	for _, m := range breaks {
		fmt.Fprintf(&b, "var %s = mutant_on == %q\n", m.switchName(), m.name)
	}
	return b.String()
}
