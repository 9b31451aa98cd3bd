package kustomize

import (
	"regexp"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
)

// plain writes the identities, Go types and addresses in a message of the library in words.
func plain(text string) string {
	text = strings.ReplaceAll(text, "error unmarshaling JSON: while decoding JSON: ", "")
	text = jsonFault().ReplaceAllStringFunc(text, typeWords)
	text = writtenID().ReplaceAllStringFunc(text, objectWords)
	return cut(address().ReplaceAllString(text, ""))
}

// writtenID matches what the library writes for an object or a selector, Kind.version.group/name.namespace, and for a
// kind in the core group.
var writtenID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"?(\[noKind\]|\b[A-Z]\w*)\.(?:\[noVer\]|\w+)\.` +
		`(?:(?:\[noGrp\]|[a-z0-9.-]+)/([^\s"'\x60,]*)\.(\[noNs\]|[a-z0-9-]+)|\[noGrp\])"?`)
})

// objectWords returns the kind, name and namespace in an identity.
func objectWords(id string) string {
	of := writtenID().FindStringSubmatch(id)
	if of == nil {
		return id
	}
	kind, name, namespace := of[1], of[2], of[3]
	if kind == "[noKind]" {
		kind = "object"
	}
	if name != "" && name != "[noName]" {
		kind += " " + diag.Quote(name)
	}
	if namespace != "" && namespace != "[noNs]" {
		kind += " in namespace " + namespace
	}
	return kind
}

// jsonFault matches what encoding/json says about a value, in a file, whose type is not that of its field.
var jsonFault = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:json: )?cannot unmarshal (\w+)(?: \S+)? into Go ` +
		`(?:struct field [^.\s]+\.(\S+)|value) of type (\S+)|json: `)
})

// typeWords returns which type the field must have.
func typeWords(text string) string {
	of := jsonFault().FindStringSubmatch(text)
	got, field, goType := of[1], of[2], of[3]
	if got == "" {
		return ""
	}
	if field == "" {
		field = "the value"
	}
	if got == "bool" {
		got = "boolean"
	}
	return field + " must be " + withArticle(typeOf(goType)) + ", got " + withArticle(got)
}

// typeOf returns the type of the JSON values that encoding/json stores in a Go type.
func typeOf(goType string) string {
	switch {
	case goType == "string":
		return "string"
	case goType == "bool":
		return "boolean"
	case strings.HasPrefix(goType, "int"):
		return "integer"
	case strings.HasPrefix(goType, "[]"), strings.HasSuffix(goType, "Slice"):
		return "array"
	}
	return "object"
}

func withArticle(noun string) string {
	if strings.ContainsAny(noun[:1], "aio") {
		return "an " + noun
	}
	return "a " + noun
}
