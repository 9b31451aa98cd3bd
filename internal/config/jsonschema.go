package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

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

// reference returns a table of the keys of a configuration file, in Markdown.
func reference() string {
	var b strings.Builder
	b.WriteString("| key | value | meaning |\n| --- | --- | --- |\n")
	writeKeys(&b, "", fileSchema().Node)
	return b.String()
}

// writeKeys writes a row for each key of an object, and below it those of the object that it holds.
func writeKeys(b *strings.Builder, prefix string, n manifest.Node) {
	properties, _ := n.Field("properties")
	required, _ := n.Field("required")
	for p := range properties.Children() {
		meaning := field(p, "description")
		if required.Valid() {
			for name := range required.Children() {
				if name.Text() == p.Key() {
					meaning += " Required."
				}
			}
		}
		fmt.Fprintf(b, "| `%s%s` | %s | %s |\n", prefix, p.Key(), valueWords(p), meaning)
		if _, ok := p.Field("properties"); ok {
			writeKeys(b, prefix+p.Key()+".", p)
		}
		if items, ok := p.Field("items"); ok {
			if _, ok := items.Field("properties"); ok {
				writeKeys(b, prefix+p.Key()+"[].", items)
			}
		}
	}
}

// valueWords says what value a key has.
func valueWords(n manifest.Node) string {
	if enum, ok := n.Field("enum"); ok {
		var values []string
		for v := range enum.Children() {
			values = append(values, "`"+v.Text()+"`")
		}
		return strings.Join(values, ", ")
	}
	if items, ok := n.Field("items"); ok {
		return "list of " + strings.ReplaceAll(valueWords(items), "string", "strings")
	}
	if values, ok := n.Field("additionalProperties"); ok {
		return "names, each with: " + valueWords(values)
	}
	if field(n, "format") == "date" {
		return "date"
	}
	return strings.ReplaceAll(field(n, "type"), "object", "keys below")
}

func field(n manifest.Node, name string) string {
	f, ok := n.Field(name)
	if !ok {
		return ""
	}
	return f.Text()
}
