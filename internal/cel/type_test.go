package cel

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"

	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

// Every schema of the kinds and of the laboratory has the same type that upstream's code derives.
func TestTypesAreThoseOfUpstreamsCode(t *testing.T) {
	compared := 0
	for _, dir := range []string{"../../rules/kinds", "../oracle/testdata/schemas"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.Name() == "kubernetes": // its types are not in CRDs
				return filepath.SkipDir
			case filepath.Ext(path) != ".yaml":
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			root := readTree(t, &source.Source{Name: path, Text: string(text)}).Root()
			spec, _ := root.Field("spec")
			versions, _ := spec.Field("versions")
			for version := range versions.Children() {
				n, _ := version.Field("schema")
				n, _ = n.Field("openAPIV3Schema")
				s, _ := schema.Compile(n, false)
				compared += compareTypes(t, path, s, true)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile("testdata/schema.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, _ := schema.Compile(readTree(t, &source.Source{Name: "schema.yaml", Text: string(text)}).Root(), false)
	compared += compareTypes(t, "expressions", s, true)
	if compared < 800 {
		t.Errorf("only %d types were compared", compared)
	}
}

// compareTypes compares the types of a schema and of all schemas below it, and returns their number.
func compareTypes(t *testing.T, path string, s *schema.Schema, resource bool) int {
	if s == nil {
		return 0
	}
	have, want := declType(s, resource), common.SchemaDeclType(declSchema{s}, resource)
	if !isSameType(have, want) {
		t.Errorf("%s: have %v, want %v", path, have, want)
	}
	if HasType(s) != (want != nil) {
		t.Errorf("%s: HasType is %v", path, HasType(s))
	}
	compared := 1
	for _, p := range s.Properties {
		compared += compareTypes(t, path+"."+p.Name, p.Schema, p.Schema.Embedded)
	}
	return compared + compareTypes(t, path+"[]", s.Items, s.Items != nil && s.Items.Embedded) +
		compareTypes(t, path+".*", s.Additional, s.Additional != nil && s.Additional.Embedded)
}

func isSameType(a, b *apiservercel.DeclType) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.TypeName() != b.TypeName() || !a.CelType().IsExactType(b.CelType()) || len(a.Fields) != len(b.Fields) ||
		!isSameType(a.KeyType, b.KeyType) || !isSameType(a.ElemType, b.ElemType) {
		return false
	}
	for _, name := range slices.Sorted(maps.Keys(a.Fields)) {
		if f, ok := b.Fields[name]; !ok || !isSameType(a.Fields[name].Type, f.Type) {
			return false
		}
	}
	return true
}

// declSchema presents a schema to the upstream code that derives types and sizes from it.
type declSchema struct{ s *schema.Schema }

var _ common.Schema = declSchema{}

func (d declSchema) Type() string   { return d.s.Type }
func (d declSchema) Format() string { return d.s.Format }
func (d declSchema) Items() common.Schema {
	if d.s.Items == nil {
		return nil
	}
	return declSchema{d.s.Items}
}

func (d declSchema) Properties() map[string]common.Schema {
	if len(d.s.Properties) == 0 {
		return nil
	}
	m := make(map[string]common.Schema, len(d.s.Properties))
	for _, p := range d.s.Properties {
		m[p.Name] = declSchema{p.Schema}
	}
	return m
}

func (d declSchema) AdditionalProperties() common.SchemaOrBool {
	if !d.s.AdditionalSet {
		return nil
	}
	return declAdditional(d)
}

type declAdditional struct{ s *schema.Schema }

func (d declAdditional) Allows() bool { return d.s.AdditionalAllowed }
func (d declAdditional) Schema() common.Schema {
	if d.s.Additional == nil {
		return nil
	}
	return declSchema{d.s.Additional}
}

func (d declSchema) Default() any {
	if !d.s.Default.Valid() {
		return nil
	}
	return adapter.Native(d.s.Default)
}

func (d declSchema) Enum() []any {
	var values []any
	for _, v := range d.s.Enum {
		values = append(values, adapter.Native(v))
	}
	return values
}

func (d declSchema) Pattern() string                       { return d.s.Pattern }
func (d declSchema) Minimum() *float64                     { return d.s.Minimum }
func (d declSchema) IsExclusiveMinimum() bool              { return d.s.ExclusiveMinimum }
func (d declSchema) Maximum() *float64                     { return d.s.Maximum }
func (d declSchema) IsExclusiveMaximum() bool              { return d.s.ExclusiveMaximum }
func (d declSchema) MultipleOf() *float64                  { return d.s.MultipleOf }
func (d declSchema) MinItems() *int64                      { return d.s.MinItems }
func (d declSchema) MaxItems() *int64                      { return d.s.MaxItems }
func (d declSchema) MinLength() *int64                     { return d.s.MinLength }
func (d declSchema) MaxLength() *int64                     { return d.s.MaxLength }
func (d declSchema) MinProperties() *int64                 { return d.s.MinProperties }
func (d declSchema) MaxProperties() *int64                 { return d.s.MaxProperties }
func (d declSchema) Required() []string                    { return d.s.Required }
func (d declSchema) Nullable() bool                        { return d.s.Nullable }
func (d declSchema) UniqueItems() bool                     { return false }
func (d declSchema) AllOf() []common.Schema                { return declSchemas(d.s.AllOf) }
func (d declSchema) OneOf() []common.Schema                { return declSchemas(d.s.OneOf) }
func (d declSchema) AnyOf() []common.Schema                { return declSchemas(d.s.AnyOf) }
func (d declSchema) IsXIntOrString() bool                  { return d.s.IntOrString }
func (d declSchema) IsXEmbeddedResource() bool             { return d.s.Embedded }
func (d declSchema) IsXPreserveUnknownFields() bool        { return d.s.PreserveUnknown }
func (d declSchema) XListType() string                     { return d.s.ListType }
func (d declSchema) XListMapKeys() []string                { return d.s.ListMapKeys }
func (d declSchema) XMapType() string                      { return d.s.MapType }
func (d declSchema) XValidations() []common.ValidationRule { return nil }
func (d declSchema) WithTypeAndObjectMeta() common.Schema {
	return declSchema{d.s.WithTypeAndObjectMeta()}
}

func (d declSchema) Not() common.Schema {
	if d.s.Not == nil {
		return nil
	}
	return declSchema{d.s.Not}
}

func declSchemas(list []*schema.Schema) []common.Schema {
	var out []common.Schema
	for _, s := range list {
		out = append(out, declSchema{s})
	}
	return out
}

func readTree(t testing.TB, src *source.Source) *manifest.Tree {
	t.Helper()
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if vs := tree.Read(src, part); len(vs) > 0 {
			t.Fatalf("%s: %s", src.Name, vs[0].Message)
		}
	}
	return tree
}
