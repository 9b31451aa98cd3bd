package upstream

import (
	"errors"
	"fmt"
	"go/ast"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// object is a type with properties.
type object struct {
	properties map[string]*property
	required   []string
	mapType    string
}

// property is a field of an object, and the minor versions that have it; 0 is an open end.
type property struct {
	schema
	since, until int
	gates        []string // the feature gates that must be on
	gate         string   // the one of them that is on last; "" if it is on in all versions
}

// schema is the schema of a value.
type schema struct {
	kind            string // the keyword type
	format          string
	ref             string
	intOrString     bool
	preserve        bool // unknown fields
	def             any  // the default: a string, an int, true or an object
	enum            []string
	enumSince       map[string]int
	enumUntil       map[string]int
	listType        string
	listMapKeys     []string
	patchMergeKey   string
	patchStrategy   string // of a list with a merge key, unless it is merge
	mapType         string
	items, elements *schema // of a list, and of a map
}

// scalars are the types with a decoding of their own. They are inlined as formats.
var scalars = map[model]schema{
	{"k8s.io/apimachinery/pkg/api/resource", "Quantity"}:   {format: "quantity"},
	{"k8s.io/apimachinery/pkg/apis/meta/v1", "Time"}:       {format: "time"},
	{"k8s.io/apimachinery/pkg/apis/meta/v1", "MicroTime"}:  {format: "micro-time"},
	{"k8s.io/apimachinery/pkg/apis/meta/v1", "FieldsV1"}:   {preserve: true},
	{"k8s.io/apimachinery/pkg/util/intstr", "IntOrString"}: {intOrString: true},
	{"k8s.io/apimachinery/pkg/runtime", "RawExtension"}:    {kind: "object", preserve: true},
}

// packages are the parents of the packages with types.
var packages = []string{"k8s.io/api/", "k8s.io/apimachinery/pkg/apis/", "k8s.io/kube-aggregator/pkg/apis/"}

// typeName returns the name of a type in types.yaml, such as core.v1.Pod.
func (m model) typeName() (string, bool) {
	for _, parent := range packages {
		if rest, ok := strings.CutPrefix(m.path, parent); ok {
			return strings.ReplaceAll(rest, "/", ".") + "." + m.name, true
		}
	}
	return "", false
}

// readTypes returns the types that the kinds consist of. It reads pkg/generated/openapi, which has more than the
// published OpenAPI documents: enums and defaults.
func readTypes(m Modules, kinds []kind) (map[string]*object, error) {
	f, err := parseGo(filepath.Join(m.Kubernetes, "pkg/generated/openapi/zz_generated.openapi.go"))
	if err != nil {
		return nil, err
	}
	definitions, err := f.definitions()
	if err != nil {
		return nil, err
	}
	types := map[string]*object{}
	var wanted []string
	for _, k := range kinds {
		wanted = append(wanted, k.typeName)
	}
	for len(wanted) > 0 {
		name := wanted[len(wanted)-1]
		wanted = wanted[:len(wanted)-1]
		if _, ok := types[name]; ok {
			continue
		}
		if definitions[name] == nil {
			return nil, fmt.Errorf("unknown type %s", name)
		}
		if types[name], err = f.object(definitions[name]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		wanted = append(wanted, types[name].refs()...)
	}
	return types, nil
}

// definitions returns the functions with the definitions of types, by type.
func (f goFile) definitions() (map[string]*ast.FuncDecl, error) {
	functions := map[string]*ast.FuncDecl{}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			functions[fn.Name.Name] = fn
		}
	}
	list, ok := returned(functions["GetOpenAPIDefinitions"]).(*ast.CompositeLit)
	if !ok {
		return nil, errors.New("no function GetOpenAPIDefinitions")
	}
	definitions := map[string]*ast.FuncDecl{}
	for _, e := range list.Elts {
		pair := e.(*ast.KeyValueExpr)
		key, err := f.value(pair.Key)
		if err != nil {
			return nil, err
		}
		m, ok := key.(model)
		if !ok {
			m = modelOf(key.(string))
		}
		if name, ok := m.typeName(); ok {
			definitions[name] = functions[pair.Value.(*ast.CallExpr).Fun.(*ast.Ident).Name]
		}
	}
	return definitions, nil
}

// returned returns the value of a function that consists of a return statement.
func returned(fn *ast.FuncDecl) ast.Expr {
	if fn == nil || len(fn.Body.List) != 1 {
		return nil
	}
	if r, ok := fn.Body.List[0].(*ast.ReturnStmt); ok && len(r.Results) == 1 {
		return r.Results[0]
	}
	return nil
}

// object reads the definition of a type.
func (f goFile) object(fn *ast.FuncDecl) (*object, error) {
	v, err := f.value(returned(fn))
	if err != nil {
		return nil, err
	}
	definition, _ := v.(map[string]any)
	all, _ := definition["Schema"].(map[string]any)
	s, err := readSchema(all)
	if err != nil {
		return nil, err
	}
	if s.kind != "object" {
		return nil, fmt.Errorf("type %q, want an object", s.kind)
	}
	o := &object{properties: map[string]*property{}, mapType: s.mapType}
	props, _ := all["SchemaProps"].(map[string]any)
	fields, _ := props["Properties"].(map[string]any)
	for name, field := range fields {
		s, err := readSchema(field)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		o.properties[name] = &property{schema: *s}
	}
	o.required = stringsOf(props["Required"])
	slices.Sort(o.required)
	return o, nil
}

// refs returns the types of the properties.
func (o *object) refs() []string {
	var names []string
	for _, p := range o.properties {
		for s := &p.schema; s != nil; {
			if s.ref != "" {
				names = append(names, s.ref)
			}
			if s.items != nil {
				s = s.items
			} else {
				s = s.elements
			}
		}
	}
	return names
}

// readSchema reads the literal of a spec.Schema.
func readSchema(v any) (*schema, error) {
	all, _ := v.(map[string]any)
	props, _ := all["SchemaProps"].(map[string]any)
	s := &schema{}
	for _, keyword := range slices.Sorted(maps.Keys(props)) {
		if err := s.set(keyword, props[keyword]); err != nil {
			return nil, fmt.Errorf("%s: %w", keyword, err)
		}
	}
	more, _ := all["VendorExtensible"].(map[string]any)
	extensions, _ := more["Extensions"].(map[string]any)
	s.listType, _ = extensions["x-kubernetes-list-type"].(string)
	s.mapType, _ = extensions["x-kubernetes-map-type"].(string)
	s.listMapKeys = stringsOf(extensions["x-kubernetes-list-map-keys"])
	s.patchMergeKey, _ = extensions["x-kubernetes-patch-merge-key"].(string)
	if strategy, _ := extensions["x-kubernetes-patch-strategy"].(string); s.patchMergeKey != "" && strategy != "merge" {
		s.patchStrategy = strategy
	}
	return s, nil
}

// set sets a keyword. An unknown one is an error, so that none gets lost when upstream starts to use it.
func (s *schema) set(keyword string, v any) (err error) {
	switch keyword {
	case "Description", "Properties", "Required":
	case "Type":
		s.kind = stringsOf(v)[0]
	case "Format":
		s.format = v.(string)
	case "Enum":
		s.enum = stringsOf(v)
	case "Default":
		s.setDefault(v)
	case "Ref":
		return s.setRef(v.(model))
	case "Items":
		s.items, err = readSchema(v.(map[string]any)["Schema"])
	case "AdditionalProperties":
		s.elements, err = readSchema(v.(map[string]any)["Schema"])
	default:
		return errors.New("unknown keyword")
	}
	return err
}

// setDefault ignores zero values: upstream states them for each field that is not a pointer.
func (s *schema) setDefault(v any) {
	if v != nil && v != "" && v != 0 && v != false {
		s.def = v
	}
}

func (s *schema) setRef(m model) error {
	if scalar, ok := scalars[m]; ok {
		scalar.listType, scalar.mapType = s.listType, s.mapType
		*s = scalar
		return nil
	}
	name, ok := m.typeName()
	if !ok {
		return fmt.Errorf("unknown package %s", m.path)
	}
	s.ref = name
	return nil
}

func stringsOf(v any) []string {
	list, _ := v.([]any)
	var all []string
	for _, item := range list {
		all = append(all, item.(string))
	}
	return all
}
