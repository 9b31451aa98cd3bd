package upstream

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"
)

// goFile is a parsed Go file.
type goFile struct {
	*ast.File
	imports map[string]string // import path by package name
}

// constant is a constant of another package, such as {"k8s.io/api/core/v1", "ProtocolTCP"}.
type constant struct{ path, name string }

// model is the name of a type in OpenAPI: the type's package and name.
type model struct{ path, name string }

func parseGo(name string) (goFile, error) {
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return goFile{}, err
	}
	imports := map[string]string{}
	for _, spec := range f.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		alias := path.Base(p)
		if spec.Name != nil {
			alias = spec.Name.Name
		}
		imports[alias] = p
	}
	return goFile{f, imports}, nil
}

// value evaluates the literals that generated code consists of. Structs and maps with string keys become
// map[string]any, slices []any; a constant of another package becomes a constant, and a reference to a type a model.
func (f goFile) value(e ast.Expr) (any, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return basic(e)
	case *ast.Ident:
		switch e.Name {
		case "true", "false":
			return e.Name == "true", nil
		}
	case *ast.SelectorExpr:
		if pkg, ok := e.X.(*ast.Ident); ok {
			return constant{f.imports[pkg.Name], e.Sel.Name}, nil
		}
	case *ast.UnaryExpr:
		return f.value(e.X)
	case *ast.CompositeLit:
		return f.composite(e)
	case *ast.CallExpr:
		return f.call(e)
	}
	return nil, fmt.Errorf("unexpected expression %T", e)
}

func basic(e *ast.BasicLit) (any, error) {
	switch e.Kind {
	case token.STRING:
		return strconv.Unquote(e.Value)
	case token.INT:
		return strconv.Atoi(e.Value)
	}
	return nil, fmt.Errorf("unexpected literal %s", e.Value)
}

func (f goFile) composite(e *ast.CompositeLit) (any, error) {
	if len(e.Elts) == 0 {
		return nil, nil
	}
	if _, ok := e.Elts[0].(*ast.KeyValueExpr); !ok {
		var list []any
		for _, item := range e.Elts {
			v, err := f.value(item)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	}
	object := map[string]any{}
	for _, item := range e.Elts {
		pair, ok := item.(*ast.KeyValueExpr)
		if !ok {
			return nil, fmt.Errorf("unexpected element %T", item)
		}
		key, err := f.key(pair.Key)
		if err != nil {
			return nil, err
		}
		if object[key], err = f.value(pair.Value); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
	}
	return object, nil
}

func (f goFile) key(e ast.Expr) (string, error) {
	if name, ok := e.(*ast.Ident); ok {
		return name.Name, nil
	}
	v, err := f.value(e)
	if s, ok := v.(string); ok {
		return s, nil
	}
	return "", fmt.Errorf("unexpected key %T: %v", e, err)
}

// call evaluates ref("k8s.io/api/core/v1.Pod"), ref(v1.Pod{}.OpenAPIModelName()), v1.Pod{}.OpenAPIModelName() and
// version.MustParse("1.30").
func (f goFile) call(e *ast.CallExpr) (any, error) {
	if fn, ok := e.Fun.(*ast.Ident); ok && fn.Name == "ref" && len(e.Args) == 1 {
		v, err := f.value(e.Args[0])
		if s, ok := v.(string); ok {
			return modelOf(s), nil
		}
		return v, err
	}
	method, ok := e.Fun.(*ast.SelectorExpr)
	if ok && method.Sel.Name == "MustParse" && len(e.Args) == 1 {
		return f.value(e.Args[0])
	}
	if ok && method.Sel.Name == "OpenAPIModelName" {
		if of, ok := method.X.(*ast.CompositeLit); ok {
			c, err := f.value(of.Type)
			if c, ok := c.(constant); ok {
				return model(c), nil
			}
			return nil, err
		}
	}
	return nil, fmt.Errorf("unexpected call")
}

// modelOf splits a name such as "k8s.io/api/core/v1.Pod" at its last dot.
func modelOf(s string) model {
	i := strings.LastIndexByte(s, '.')
	return model{s[:i], s[i+1:]}
}
