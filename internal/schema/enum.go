package schema

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kindvet/kindvet/internal/manifest"
)

// mostCompared is the number of allowed values up to which a value is compared with each of them. A CRD may have tens
// of thousands, and as many values that are compared with them. In 29 public repositories, an enum of a CRD has at
// most 23.
const mostCompared = 16

// inEnum reports whether a value is one of those that the schema allows.
func (s *Schema) inEnum(n manifest.Node) bool {
	if s.allowed != nil {
		return s.allowed.has(n)
	}
	return slices.ContainsFunc(s.Enum, func(allowed manifest.Node) bool { return enumEqual(n, allowed) })
}

// listsText reports whether a string is one of the allowed values.
func (s *Schema) listsText(text string) bool {
	if s.allowed != nil {
		return s.allowed.texts[text]
	}
	return slices.ContainsFunc(s.Enum, func(allowed manifest.Node) bool {
		return allowed.Type() == manifest.String && allowed.Text() == text
	})
}

// enumEqual compares as upstream does, by converting the value to the type of the allowed one as Go does
// (kube-openapi, basicCommonValidator.Validate). A float compared with an integer loses its fraction, and an integer
// compared with a string becomes a character.
func enumEqual(n, allowed manifest.Node) bool {
	switch {
	case n.Type() == manifest.Null || allowed.Type() == manifest.Null:
		return false
	case n.Type() == manifest.Float && allowed.Type() == manifest.Integer:
		return int64(n.Float()) == allowed.Integer()
	case n.Type() == manifest.Integer && allowed.Type() == manifest.Float:
		return n.Float() == allowed.Float()
	case n.Type() == manifest.Integer && allowed.Type() == manifest.String:
		return n.Integer() >= 0 && n.Integer() <= utf8.MaxRune && string(rune(n.Integer())) == allowed.Text()
	}
	return manifest.Equal(n, allowed)
}

// enumIndex finds a value among many allowed ones as enumEqual compares them.
type enumIndex struct {
	texts    map[string]bool
	integers map[int64]bool
	floats   map[float64]bool
	others   map[string]bool // by their exact text
}

func indexEnum(values []manifest.Node) *enumIndex {
	x := &enumIndex{map[string]bool{}, map[int64]bool{}, map[float64]bool{}, map[string]bool{}}
	for _, v := range values {
		switch v.Type() {
		case manifest.Null: // equals no value
		case manifest.String:
			x.texts[v.Text()] = true
		case manifest.Integer:
			x.integers[v.Integer()] = true
		case manifest.Float:
			x.floats[v.Float()] = true
		default:
			x.others[string(appendExact(nil, v))] = true
		}
	}
	return x
}

func (x *enumIndex) has(n manifest.Node) bool {
	switch n.Type() {
	case manifest.Null:
		return false
	case manifest.String:
		return x.texts[n.Text()]
	case manifest.Integer:
		i := n.Integer()
		return x.integers[i] || x.floats[n.Float()] || 0 <= i && i <= utf8.MaxRune && x.texts[string(rune(i))]
	case manifest.Float:
		return x.floats[n.Float()] || x.integers[int64(n.Float())]
	}
	return x.others[string(appendExact(nil, n))]
}

// appendExact appends a text that two values share only if they are equal ([manifest.Equal]).
func appendExact(b []byte, n manifest.Node) []byte {
	switch n.Type() {
	case manifest.Float: // the sum makes 0 of -0
		return strconv.AppendFloat(append(b, 'f'), n.Float()+0, 'g', -1, 64)
	case manifest.List:
		b = append(b, '[')
		for item := range n.Children() {
			b = append(appendExact(b, item), ',')
		}
		return append(b, ']')
	case manifest.Map:
		fields := slices.SortedFunc(n.Children(), func(f, g manifest.Node) int { return strings.Compare(f.Key(), g.Key()) })
		b = append(b, '{')
		for _, f := range fields {
			if !f.Shadowed() {
				b = append(appendExact(append(strconv.AppendQuote(b, f.Key()), ':'), f), ',')
			}
		}
		return append(b, '}')
	}
	return n.AppendJSON(b)
}
