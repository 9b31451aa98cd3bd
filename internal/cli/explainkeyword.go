package cli

import (
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// keyword is a schema keyword that limits values, and its description in words.
type keyword struct{ keyword, text string }

func keywords(s *schema.Schema) []keyword {
	var list []keyword
	add := func(ok bool, name, text string) {
		if ok {
			list = append(list, keyword{name, text})
		}
	}
	add(s.Nullable, "nullable", "may be null")
	if s.Default.Valid() {
		add(true, "default", "default "+string(s.Default.AppendJSON(nil)))
	}
	add(len(s.Enum) > 0 && !s.Native, "enum", "one of "+values(s.Enum))
	add(s.Pattern != "", "pattern", "matches "+s.Pattern)
	list = append(list, size("Length", "character", s.MinLength, s.MaxLength)...)
	list = append(list, size("Items", "item", s.MinItems, s.MaxItems)...)
	list = append(list, size("Properties", "field", s.MinProperties, s.MaxProperties)...)
	add(s.Minimum != nil, "minimum", bound("at least", "more than", s.Minimum, s.ExclusiveMinimum))
	add(s.Maximum != nil, "maximum", bound("at most", "less than", s.Maximum, s.ExclusiveMaximum))
	add(s.MultipleOf != nil, "multipleOf", bound("a multiple of", "", s.MultipleOf, false))
	if s.Native {
		return append(list, nativeKeywords(s)...)
	}
	add(s.ListType == "atomic", "x-kubernetes-list-type", "atomic list")
	add(s.ListType == "set", "x-kubernetes-list-type", "each item once")
	add(s.ListType == "map", "x-kubernetes-list-type", "each "+strings.Join(s.ListMapKeys, ", ")+" once")
	add(s.MapType == "atomic", "x-kubernetes-map-type", "atomic")
	return list
}

// size describes the limits of a length: exactly n, at least n, at most n.
func size(name, unit string, least, most *int64) []keyword {
	count := func(words string, n int64) string {
		text := words + " " + strconv.FormatInt(n, 10) + " " + unit
		if n != 1 {
			text += "s"
		}
		return text
	}
	if least != nil && most != nil && *least == *most {
		return []keyword{{"min" + name, count("exactly", *least)}}
	}
	var list []keyword
	if least != nil {
		list = append(list, keyword{"min" + name, count("at least", *least)})
	}
	if most != nil {
		list = append(list, keyword{"max" + name, count("at most", *most)})
	}
	return list
}

func bound(words, exclusive string, n *float64, isExclusive bool) string {
	if n == nil {
		return ""
	}
	if isExclusive {
		words = exclusive
	}
	return words + " " + strconv.FormatFloat(*n, 'f', -1, 64)
}

func values(list []manifest.Node) string {
	var texts []string
	for _, n := range list {
		texts = append(texts, string(n.AppendJSON(nil)))
	}
	return strings.Join(texts, ", ")
}
