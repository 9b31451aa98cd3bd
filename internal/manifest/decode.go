package manifest

import (
	"errors"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/kindvet/kindvet/internal/source"
)

var errAliases = errors.New("the aliases exceed the expansion limit")

// Unmarshal is [yaml.Unmarshal] with a limit on aliases. A map or list that it decodes into is empty.
func Unmarshal(text string, into any) error {
	switch into := into.(type) {
	case *map[string]any:
		if decodedAs(text, into) {
			return nil
		}
	case *[]any:
		if decodedAs(text, into) {
			return nil
		}
	}
	if Aliased(text) > MaxAliased {
		return errAliases
	}
	return yaml.Unmarshal([]byte(text), into)
}

// decodedAs decodes a text without the library, if it can.
func decodedAs[T any](text string, into *T) bool {
	v, _ := Decode(text)
	t, ok := v.(T)
	if ok {
		*into = t
	}
	return ok
}

// Decode returns the value of a YAML document as [yaml.Unmarshal] decodes it: all numbers are float64. It
// returns false if the hand-written reader declines the text, or if a key is set twice; then only the library knows.
// The value may share memory with the text.
//
// Charts read their values and much of what their templates write. The library writes YAML as JSON and reads that. For
// a list of rules of Prometheus, that takes 15 times as long.
func Decode(text string) (any, bool) {
	t := Tree{Source: &source.Source{Text: text}}
	if len(text) > MaxPart || !strings.HasSuffix(text, "\n") && strings.ContainsAny(text, "|>") {
		return nil, false // the reader adds a line break to a document, so a block scalar at its end would have one more
	}
	violations, ok := t.readByHand(Part{Span: source.Span{End: len(text)}, Index: 1, Format: YAML})
	if !ok || len(violations) > 0 || !t.Root().Valid() {
		return nil, false
	}
	return t.Root().decoded(), true
}

func (n Node) decoded() any {
	switch n.Type() {
	case Boolean:
		return n.Boolean()
	case Integer, Float:
		return n.Float()
	case String:
		return n.Text()
	case List:
		list := make([]any, 0, n.Len())
		for item := range n.Children() {
			list = append(list, item.decoded())
		}
		return list
	case Map:
		m := make(map[string]any, n.Len())
		for f := range n.Children() {
			m[f.Key()] = f.decoded()
		}
		return m
	}
	return nil
}
