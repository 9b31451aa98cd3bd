package cel

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"

	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

// Every schema of the kinds and of the laboratory has the same sizes that upstream's code derives.
func TestSizesAreThoseOfUpstreamsCode(t *testing.T) {
	compared := 0
	for _, dir := range []string{"../../rules/kinds", "../oracle/testdata/schemas", "../oracle/testdata/definitions"} {
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
			spec, _ := readTree(t, &source.Source{Name: path, Text: string(text)}).Root().Field("spec")
			versions, _ := spec.Field("versions")
			for version := range versions.Children() {
				n, _ := version.Field("schema")
				n, _ = n.Field("openAPIV3Schema")
				s, _ := schema.Compile(n, false)
				compared += compareSizes(t, path, sizer{}.typeOf(s, true), common.SchemaDeclType(declSchema{s}, true))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if compared < 800 {
		t.Errorf("only %d sizes were compared", compared)
	}
}

// compareSizes compares two types and all types below them, and returns their number.
func compareSizes(t *testing.T, path string, have, want *apiservercel.DeclType) int {
	t.Helper()
	if have == nil || want == nil {
		if have != want {
			t.Errorf("%s: have %v, want %v", path, have, want)
		}
		return 0
	}
	if have.TypeName() != want.TypeName() || have.MaxElements != want.MaxElements ||
		have.MinSerializedSize != want.MinSerializedSize {
		t.Errorf("%s: have a %s of %d to %d, want a %s of %d to %d", path, have.TypeName(), have.MinSerializedSize,
			have.MaxElements, want.TypeName(), want.MinSerializedSize, want.MaxElements)
	}
	if len(have.Fields) != len(want.Fields) {
		t.Errorf("%s: have %d fields, want %d", path, len(have.Fields), len(want.Fields))
		return 1
	}
	compared := 1
	for name, f := range have.Fields {
		if other, ok := want.Fields[name]; ok {
			compared += compareSizes(t, path+"."+name, f.Type, other.Type)
		}
	}
	return compared + compareSizes(t, path+"[]", have.ElemType, want.ElemType)
}
