package library

import (
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// JSONPatch returns the function jsonpatch.escapeKey, which escapes a key for the path of a JSON patch
// (k8s.io/apiserver, cel/library/jsonpatch.go).
func JSONPatch() cel.EnvOption {
	replacer := strings.NewReplacer("/", "~1", "~", "~0")
	return newLibrary("kubernetes.jsonpatch",
		global("jsonpatch.escapeKey", "string_jsonpatch_escapeKey_string", cel.StringType,
			unary(func(text string) ref.Val { return types.String(replacer.Replace(text)) }), cel.StringType))
}
