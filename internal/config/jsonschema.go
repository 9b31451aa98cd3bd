package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/manifest"
)

// schemaURL is the URL at which the JSON Schema of the configuration file is published.
const schemaURL = "https://raw.githubusercontent.com/kindvet/kindvet/main/docs/kindvet.schema.json"

// JSONSchema returns the schema of a configuration file as a JSON Schema (draft-07), for editors.
func JSONSchema() string {
	var b bytes.Buffer
	fmt.Fprintf(&b,
		`{"$schema": "http://json-schema.org/draft-07/schema#", "$id": %q, "title": "kindvet configuration", `, schemaURL)
	writeFields(&b, fileSchema().Node, true)
	b.WriteString("}")
	var indented bytes.Buffer
	if err := json.Indent(&indented, b.Bytes(), "", "  "); err != nil {
		panic("the JSON Schema is JSON: " + err.Error())
	}
	return indented.String() + "\n"
}

// writeFields writes the fields of an object. A schema with properties gets additionalProperties: false, and one whose
// description starts with Deprecated gets deprecated: true.
func writeFields(b *bytes.Buffer, n manifest.Node, isSchema bool) {
	comma := ""
	for f := range n.Children() {
		isOfVersion := isSchema && n.Key() == kubernetesVersion
		if isOfVersion && f.Key() == "type" {
			continue
		}
		b.WriteString(comma)
		comma = ", "
		if isOfVersion && f.Key() == "enum" {
			writeVersions(b, f)
			continue
		}
		writeString(b, f.Key())
		b.WriteString(": ")
		writeValue(b, f, f.Key() != "properties")
	}
	if isSchema && n.Key() == "params" {
		b.WriteString(comma)
		writeParams(b)
	}
	if text, ok := n.Field("description"); ok && isSchema && strings.HasPrefix(text.Text(), "Deprecated ") {
		b.WriteString(comma + `"deprecated": true`)
	}
	if _, ok := n.Field("properties"); ok && isSchema {
		b.WriteString(comma + `"additionalProperties": false`)
	}
}

// writeVersions writes the versions of Kubernetes: minor versions, for completion, and longer forms of them, alone or in a list.
func writeVersions(b *bytes.Buffer, enum manifest.Node) {
	var one bytes.Buffer
	one.WriteString(`{"type": "string", "enum": `)
	writeValue(&one, enum, true)
	var minors []string
	for v := range enum.Children() {
		minors = append(minors, regexp.QuoteMeta(v.Text()))
	}
	one.WriteString(`}, {"type": "string", "pattern": `)
	writeString(&one, "^v?("+strings.Join(minors, "|")+")([.+-].+)?$")
	one.WriteString("}")
	fmt.Fprintf(b, `"anyOf": [%s, {"type": "array", "minItems": 1, "uniqueItems": true, "items": {"anyOf": [%s]}}]`, one.String(), one.String())
}

// writeParams writes the properties of params: the rules that have parameters, for completion.
func writeParams(b *bytes.Buffer) {
	b.WriteString(`"properties": {`)
	comma := ""
	for _, r := range rule.All(nil) {
		if len(r.Params) == 0 {
			continue
		}
		b.WriteString(comma)
		writeString(b, string(r.ID))
		b.WriteString(`: {"type": "object", "description": `)
		writeString(b, r.Title)
		b.WriteString(`, "additionalProperties": false, "properties": {`)
		for i, p := range r.Params {
			if i > 0 {
				b.WriteString(", ")
			}
			writeString(b, p.Name)
			b.WriteString(": " + paramSchema(p.Default))
		}
		b.WriteString("}}")
		comma = ", "
	}
	b.WriteString("}")
}

func paramSchema(value rule.ParamValue) string {
	if value.Type == rule.ListOfStrings {
		return `{"type": "array", "items": {"type": "string"}}`
	}
	return `{"type": "` + value.Type + `"}`
}

func writeValue(b *bytes.Buffer, n manifest.Node, isSchema bool) {
	switch n.Type() {
	case manifest.Map:
		b.WriteString("{")
		writeFields(b, n, isSchema)
		b.WriteString("}")
	case manifest.List:
		b.WriteString("[")
		comma := ""
		for item := range n.Children() {
			b.WriteString(comma)
			writeValue(b, item, isSchema)
			comma = ", "
		}
		b.WriteString("]")
	case manifest.String:
		writeString(b, n.Text())
	default:
		b.WriteString(n.Raw())
	}
}

func writeString(b *bytes.Buffer, text string) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic("a string can be written as JSON: " + err.Error())
	}
	b.Truncate(b.Len() - 1) // the final line break
}
