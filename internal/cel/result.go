package cel

import (
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
)

// Result is the type of the value that an expression must return.
type Result uint8

const (
	// Bool is a boolean.
	Bool Result = iota
	// String is a string.
	String
	// StringOrNull is a string or null.
	StringOrNull
	// BoolOrAny is a boolean, or a value whose type is known only at evaluation time, such as an attribute of a device.
	BoolOrAny
	// Object is an object of the type Object, which an expression of a MutatingAdmissionPolicy can create.
	Object
	// JSONPatches is a list of objects of the type JSONPatch, which such an expression can create as well.
	JSONPatches
	// Any is a value of any type.
	Any
)

// resultTypes are the types of each result. A result without types has any type.
var resultTypes = [...][]*cel.Type{
	Bool:         {cel.BoolType},
	String:       {cel.StringType},
	StringOrNull: {cel.StringType, cel.NullType},
	BoolOrAny:    {cel.BoolType, cel.AnyType},
	Object:       {cel.ObjectType(objectTypeName)},
	JSONPatches:  {cel.ListType(cel.ObjectType(jsonPatchTypeName))},
	Any:          {},
}

// resultNames are the names of the results in declarations.
var resultNames = [...]string{"bool", "string", "string or null", "bool or any", "Object", "list(JSONPatch)", "any"}

// ParseResult returns the result with a name: bool, string, string or null, bool or any, Object, list(JSONPatch), any.
func ParseResult(name string) (Result, bool) {
	i := slices.Index(resultNames[:], name)
	return Result(max(i, 0)), i >= 0
}

func (r Result) String() string { return strings.TrimSuffix(resultNames[r], " or any") }

// allows reports whether an expression of a type may return the result.
func (r Result) allows(t *cel.Type) bool {
	allowed := resultTypes[r]
	return len(allowed) == 0 || slices.ContainsFunc(allowed, t.IsExactType)
}

// isPatch reports whether the expression can create a patch.
func (r Result) isPatch() bool { return r == Object || r == JSONPatches }
