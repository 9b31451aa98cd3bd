package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// Each start of the program pays for what packages initialize. sync.OnceValue compiles an expression when it is
// needed.
func TestNoPackageCompilesRegularExpressionsAtStart(t *testing.T) {
	eachFileOfAPackage(t, func(path string) {
		if p := filepath.ToSlash(path); strings.HasPrefix(p, "test/") || strings.HasPrefix(p, "generate/") {
			return // which are not in the program
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if variables, ok := d.(*ast.GenDecl); ok {
				ast.Inspect(variables, func(n ast.Node) bool {
					if call, ok := n.(*ast.SelectorExpr); ok && call.Sel.Name == "MustCompile" {
						t.Errorf("%s: the expression is compiled at each start", files.Position(n.Pos()))
					}
					_, isFunc := n.(*ast.FuncLit)
					return !isFunc
				})
			}
		}
	})
}
