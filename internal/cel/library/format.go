package library

import (
	"net/url"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/util/validation"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/kindvet/kindvet/internal/formats"
)

// Format returns the named formats, such as format.uuid(), and the functions format.named and validate
// (k8s.io/apiserver, cel/library/format.go).
func Format() cel.EnvOption {
	format := apiservercel.FormatType
	options := []cel.EnvOption{
		method("validate", "format-validate", cel.OptionalType(cel.ListType(cel.StringType)), binary(validate),
			format, cel.StringType),
		global("format.named", "format-named", cel.OptionalType(format), unary(named), cel.StringType),
	}
	for _, f := range namedFormats() {
		name, value := "format."+f.name, func(...ref.Val) ref.Val { return f.value }
		options = append(options, global(name, name, format, cel.FunctionBinding(value)))
	}
	return newLibrary("kubernetes.format", options...)
}

// validate returns why a string does not have a format, or nothing if it has.
func validate(f apiservercel.Format, text string) ref.Val {
	faults := f.ValidateFunc(text)
	if len(faults) == 0 {
		return types.OptionalNone
	}
	return types.OptionalOf(types.NewStringList(types.DefaultTypeAdapter, faults))
}

// named returns the format with a name, or nothing if there is none.
func named(name string) ref.Val {
	for _, f := range namedFormats() {
		if f.name == name {
			return types.OptionalOf(f.value)
		}
	}
	return types.OptionalNone
}

// namedFormats returns the named formats (k8s.io/apiserver, cel/library.ConstantFormats). The numbers are the lengths
// of regular expressions, or of expressions that would do the same. The cost of validate depends on them.
func namedFormats() []namedFormat {
	label, subdomain := validation.IsDNS1123Label, validation.IsDNS1123Subdomain
	of := func(name, title string, length int, validate func(string) []string) namedFormat {
		return namedFormat{name, apiservercel.Format{Name: title, ValidateFunc: validate, MaxRegexSize: length}}
	}
	return []namedFormat{
		of("dns1123Label", "DNS1123Label", 30, label),
		of("dns1123Subdomain", "DNS1123Subdomain", 60, subdomain),
		of("dns1035Label", "DNS1035Label", 30, validation.IsDNS1035Label),
		of("qualifiedName", "QualifiedName", 60, validation.IsQualifiedName),
		of("dns1123LabelPrefix", "DNS1123LabelPrefix", 30, prefix(label)),
		of("dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60, prefix(subdomain)),
		of("dns1035LabelPrefix", "DNS1035LabelPrefix", 30, prefix(validation.IsDNS1035Label)),
		of("labelValue", "LabelValue", 40, validation.IsValidLabelValue),
		of("uri", "URI", 1103, validateURI),
		of("uuid", "uuid", 70, checks("uuid", "does not match the UUID format")),
		of("byte", "byte", 84, checks("byte", "invalid base64")),
		of("date", "date", 71, checks("date", "invalid date")),
		of("datetime", "datetime", 71, checks("datetime", "invalid datetime")),
	}
}

// namedFormat is a format with the name that expressions have for it.
type namedFormat struct {
	name  string
	value apiservercel.Format
}

func validateURI(text string) []string {
	if _, err := url.ParseRequestURI(text); err != nil {
		return []string{err.Error()}
	}
	return nil
}

// checks returns a function that returns a message if a string does not have the format of a schema.
func checks(name, message string) func(string) []string {
	format, _ := formats.ForCRDs(name)
	return func(text string) []string {
		if !format.Check(text) {
			return []string{message}
		}
		return nil
	}
}

// prefix returns a function that checks a prefix of a name: it may end with a hyphen (k8s.io/apimachinery,
// api/validation.maskTrailingDash).
func prefix(check func(string) []string) func(string) []string {
	return func(text string) []string {
		if len(text) > 1 && strings.HasSuffix(text, "-") {
			text = text[:len(text)-2] + "a"
		}
		return check(text)
	}
}
