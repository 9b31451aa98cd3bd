package config

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/kindvet/kindvet/internal/manifest"
)

// schemaURL is where the JSON Schema of the configuration file is published.
const schemaURL = "https://raw.githubusercontent.com/kindvet/kindvet/main/docs/kindvet.schema.json"

// JSONSchema returns the schema of a configuration file as a JSON Schema (draft-07), for editors.
func JSONSchema() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"$schema": "http://json-schema.org/draft-07/schema#", "$id": %q, "title": "kindvet configuration", `, schemaURL)
	writeMembers(&b, fileSchema().Node, true)
	b.WriteString("}")
	var indented bytes.Buffer
	if err := json.Indent(&indented, b.Bytes(), "", "  "); err != nil {
		panic("the JSON Schema is JSON: " + err.Error())
	}
	return indented.String() + "\n"
}

// writeMembers writes the members of an object. Those of a schema are as they are, but that an object with properties is said to have
// no others.
func writeMembers(b *bytes.Buffer, n manifest.Node, isSchema bool) {
	comma := ""
	for f := range n.Children() {
		b.WriteString(comma)
		writeString(b, f.Key())
		b.WriteString(": ")
		writeValue(b, f, f.Key() != "properties")
		comma = ", "
	}
	if _, ok := n.Field("properties"); ok && isSchema {
		b.WriteString(comma + `"additionalProperties": false`)
	}
}

func writeValue(b *bytes.Buffer, n manifest.Node, isSchema bool) {
	switch n.Type() {
	case manifest.Map:
		b.WriteString("{")
		writeMembers(b, n, isSchema)
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
	b.Truncate(b.Len() - 1) // the line break that ends it
}
