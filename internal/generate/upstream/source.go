package upstream

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// typesFile is what types.go of a package of k8s.io/api says about its types beyond OpenAPI.
type typesFile struct {
	constants map[string]string                 // string constants
	fields    map[string]map[string]sourceField // by type and field
}

// sourceField is a field of a Go struct.
type sourceField struct {
	gates     []string // of +featureGate
	isPointer bool
}

// readTypesFile reads types.go of a package, such as core/v1.
func readTypesFile(m Modules, pkg string) (typesFile, error) {
	f, err := parseGo(filepath.Join(m.API, filepath.FromSlash(pkg), "types.go"))
	if err != nil {
		return typesFile{}, err
	}
	t := typesFile{map[string]string{}, map[string]map[string]sourceField{}}
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
		t.fields[name] = map[string]sourceField{}
		addFields(t.fields[name], s, structs)
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

// addFields adds the fields of a struct, with those of the structs of the package that are embedded in it. Upstream
// tagged these as inline until 1.36.
func addFields(fields map[string]sourceField, s *ast.StructType, structs map[string]*ast.StructType) {
	for _, field := range s.Fields.List {
		if field.Tag == nil {
			continue
		}
		tag, _ := strconv.Unquote(field.Tag.Value)
		name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		if embedded, ok := field.Type.(*ast.Ident); ok && name == "" && structs[embedded.Name] != nil {
			addFields(fields, structs[embedded.Name], structs)
			continue
		}
		_, isPointer := field.Type.(*ast.StarExpr)
		found := sourceField{isPointer: isPointer}
		for line := range strings.Lines(comments(field.Doc)) {
			if _, list, ok := strings.Cut(line, "+featureGate="); ok {
				found.gates = append(found.gates, strings.Split(strings.TrimSpace(list), ",")...)
			}
		}
		fields[name] = found
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

// addSources adds to types of OpenAPI what the Go sources say about them: feature gates, the values of
// constants, and whether an enum allows an empty string.
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
		source := f.fields[name][field]
		p.gates = source.gates
		if len(p.enum) > 0 && !source.isPointer && !slices.Contains(o.required, field) && !slices.Contains(p.enum, "") {
			p.enum = append([]string{""}, p.enum...) // an empty string is an absent one, unless it has a pointer
		}
		if c, ok := p.def.(constant); ok {
			p.def = f.constants[c.name]
		}
	}
}
