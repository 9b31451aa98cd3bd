package config

import (
	"fmt"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
)

// reference returns a Markdown table of the keys of a configuration file.
func reference() string {
	var b strings.Builder
	b.WriteString("| key | value | meaning |\n| --- | --- | --- |\n")
	writeKeys(&b, "", fileSchema().Node)
	return b.String()
}

// writeKeys writes a row for each key of an object, and below it the rows for the keys of its value.
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

// valueWords returns a short description of the values of a key.
func valueWords(n manifest.Node) string {
	if enum, ok := n.Field("enum"); ok {
		var values []string
		for v := range enum.Children() {
			values = append(values, "`"+v.Text()+"`")
		}
		return strings.Join(values, ", ")
	}
	if items, ok := n.Field("items"); ok {
		return "list of " + plural(valueWords(items))
	}
	if values, ok := n.Field("additionalProperties"); ok {
		return "map of names to " + plural(valueWords(values))
	}
	if _, isOpen := n.Field("x-kubernetes-preserve-unknown-fields"); isOpen {
		return "value"
	}
	if field(n, "format") == "date" {
		return "date"
	}
	return field(n, "type")
}

// plural returns the plural of the words for a value. An enum has no plural.
func plural(words string) string {
	return strings.NewReplacer("list of", "lists of", "strings", "strings", "string", "strings", "objects", "objects",
		"object", "objects", "values", "values", "value", "values", "map of", "maps of").Replace(words)
}

func field(n manifest.Node, name string) string {
	f, ok := n.Field(name)
	if !ok {
		return ""
	}
	return f.Text()
}
