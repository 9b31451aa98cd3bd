package chart

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Input is a part of the values that an object sets for a chart, such as an Application of Argo CD. Its places are in
// the object.
type Input struct {
	// Key is what the value sets, as in --set; "" for a map of values.
	Key string
	// Value is a map, a string that is a file of values, or the scalar for Key. Text replaces the text of a scalar.
	Value manifest.Node
	Text  string
	// Values are the known values of Value, if it is a map with others; nil if all are known. File is a file of values, which has no
	// Key and no Value.
	Values map[string]any
	File   *source.Source
	// IsString means that the scalar is a string, as in --set-string.
	IsString bool
	// IsChecked means that a check of the object tells if a file of values cannot be read.
	IsChecked bool
}

// MaySet reports whether the input sets the value of a key, which starts with the outermost, or one above or below it.
func (in Input) MaySet(key []string) bool {
	var values Values
	if err := values.addInput(in); err != nil {
		return true
	}
	var at any = values.merged()
	for _, name := range key {
		table, ok := at.(map[string]any)
		if !ok {
			break
		}
		if at, ok = table[name]; !ok {
			return false
		}
	}
	return true
}

// addInput adds a part of the values.
func (v *Values) addInput(in Input) error {
	n := in.Value
	switch {
	case in.File != nil:
		return v.addFile(in.File)
	case in.Key != "":
		return v.addSetting(in)
	case n.Type() == manifest.String:
		return v.addFile(Inlined(n))
	case n.Type() != manifest.Map:
		return fault{message: "the values must be a map", at: n.Place()}
	}
	values := map[string]any{}
	if in.Values != nil {
		values = in.Values
	} else if err := json.Unmarshal(n.AppendJSON(nil), &values); err != nil {
		return fault{message: "invalid values: " + cause(err), at: n.Place()}
	}
	v.layers = append(v.layers, layer{src: n.Tree().Source, values: values, roots: []manifest.Node{n}})
	return nil
}

// addSetting adds a value as Argo CD passes it to --set: a comma does not start another one, except in braces.
func (v *Values) addSetting(in Input) error {
	text := in.Text
	if !strings.HasPrefix(text, "{") || !strings.HasSuffix(text, "}") {
		text = bareComma().ReplaceAllString(text, `$1\,`)
	}
	list, err := settings(in.Key+"="+text, in.IsString)
	if err != nil {
		return fault{message: err.Error(), at: in.Value.Place()}
	}
	for _, one := range list {
		one.at = in.Value.Place()
		v.layers = append(v.layers, layer{setting: one})
	}
	return nil
}

// bareComma matches a comma without a backslash before it.
var bareComma = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[^\\]),`) })

// Inlined returns the text of a string as a source whose places are in the file of the string.
func Inlined(n manifest.Node) *source.Source {
	outer := n.Tree().Source
	return &source.Source{Name: outer.Name, Text: n.Text(), Written: func(sp source.Span) source.Origin {
		start, end := n.TextOffset(sp.Start), n.TextOffset(max(sp.End-1, sp.Start))
		return source.Origin{Source: outer, Span: source.Span{Start: start, End: end + min(sp.End-sp.Start, 1)}}
	}}
}
