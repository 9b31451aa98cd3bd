package cel

import (
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
)

// These are the names of the types that the mutations of a MutatingAdmissionPolicy create (k8s.io/apiserver,
// cel/mutation.DynamicTypeResolver). The fields of an Object are again of such a type, whose name ends with the path
// of the field: Object.spec.template.
const (
	objectTypeName    = "Object"
	jsonPatchTypeName = "JSONPatch"
)

// patchTypes adds the types of patches to those of another provider. Values are never created, because mutations are
// only checked.
type patchTypes struct{ types.Provider }

// providePatchTypes adds the types of patches to an environment.
func providePatchTypes(e *cel.Env) (*cel.Env, error) {
	return cel.CustomTypeProvider(patchTypes{e.CELTypeProvider()})(e)
}

func isPatchType(name string) bool {
	return name == jsonPatchTypeName || name == objectTypeName || strings.HasPrefix(name, objectTypeName+".")
}

// FindStructType returns the type with a name.
func (p patchTypes) FindStructType(name string) (*types.Type, bool) {
	if !isPatchType(name) {
		return p.Provider.FindStructType(name)
	}
	return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
}

// FindStructFieldNames returns the known fields of a type. An Object may have any fields.
func (p patchTypes) FindStructFieldNames(name string) ([]string, bool) {
	switch {
	case name == jsonPatchTypeName:
		return []string{"op", "from", "path", "value"}, true
	case isPatchType(name):
		return nil, true
	}
	return p.Provider.FindStructFieldNames(name)
}

// FindStructFieldType returns the type of a field.
func (p patchTypes) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	if !isPatchType(name) {
		return p.Provider.FindStructFieldType(name, field)
	}
	if name == jsonPatchTypeName {
		switch field {
		case "op", "from", "path":
			return &types.FieldType{Type: cel.StringType}, true
		case "value":
		default:
			return nil, false
		}
	}
	return &types.FieldType{Type: cel.DynType}, true
}
