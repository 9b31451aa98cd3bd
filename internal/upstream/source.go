package upstream

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// typesFile is what types.go of a package of k8s.io/api says about its types beyond OpenAPI.
type typesFile struct {
	constants map[string]string              // string constants
	gates     map[string]map[string][]string // the feature gates of fields, by type and field
}

// readTypesFile reads types.go of a package, such as core/v1.
func readTypesFile(m Modules, pkg string) (typesFile, error) {
	f, err := parseGo(filepath.Join(m.API, filepath.FromSlash(pkg), "types.go"))
	if err != nil {
		return typesFile{}, err
	}
	t := typesFile{map[string]string{}, map[string]map[string][]string{}}
	structs := map[string]*ast.StructType{}
	for _, d := range f.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range group.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				t.addConstant(spec)
			case *ast.TypeSpec:
				if s, ok := spec.Type.(*ast.StructType); ok {
					structs[spec.Name.Name] = s
				}
			}
		}
	}
	for name, s := range structs {
		t.gates[name] = map[string][]string{}
		addGates(t.gates[name], s, structs)
	}
	return t, nil
}

func (t typesFile) addConstant(spec *ast.ValueSpec) {
	if len(spec.Values) != 1 {
		return
	}
	if value, ok := spec.Values[0].(*ast.BasicLit); ok && value.Kind == token.STRING {
		t.constants[spec.Names[0].Name], _ = strconv.Unquote(value.Value)
	}
}

// addGates adds the gates of the fields of a struct, with those of the structs of the package that are inline in it.
func addGates(gates map[string][]string, s *ast.StructType, structs map[string]*ast.StructType) {
	for _, field := range s.Fields.List {
		if field.Tag == nil {
			continue
		}
		tag, _ := strconv.Unquote(field.Tag.Value)
		name, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		if inline, ok := field.Type.(*ast.Ident); ok && strings.Contains(options, "inline") && structs[inline.Name] != nil {
			addGates(gates, structs[inline.Name], structs)
			continue
		}
		for line := range strings.Lines(comments(field.Doc)) {
			if _, list, ok := strings.Cut(line, "+featureGate="); ok {
				gates[name] = append(gates[name], strings.Split(strings.TrimSpace(list), ",")...)
			}
		}
	}
}

// comments returns the text of a comment with its markers, which [ast.CommentGroup.Text] may leave out.
func comments(group *ast.CommentGroup) string {
	if group == nil {
		return ""
	}
	var text strings.Builder
	for _, c := range group.List {
		text.WriteString(c.Text + "\n")
	}
	return text.String()
}

// addSources adds to types of OpenAPI what the Go sources say about them: feature gates, and the values of constants.
func addSources(types map[string]*object, m Modules) error {
	files := map[string]typesFile{}
	for name, o := range types {
		pkg, version, _ := strings.Cut(name, ".")
		version, typeName, _ := strings.Cut(version, ".")
		if pkg == "meta" || pkg == "apiregistration" {
			continue // not in k8s.io/api, and without gates
		}
		dir := pkg + "/" + version
		if _, ok := files[dir]; !ok {
			f, err := readTypesFile(m, dir)
			if err != nil {
				return err
			}
			files[dir] = f
		}
		o.addSource(files[dir], typeName)
	}
	return nil
}

func (o *object) addSource(f typesFile, name string) {
	for field, p := range o.properties {
		p.gates = f.gates[name][field]
		if c, ok := p.def.(constant); ok {
			p.def = f.constants[c.name]
		}
	}
}
