package celtest

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/kindvet/kindvet/internal/manifest"
)

// Decode decodes an object into maps and lists.
func Decode(text string) (v any) {
	n := Object("a.yaml", text)
	if !n.Valid() {
		return nil
	}
	return DecodeNode(n)
}

// DecodeNode decodes a node into maps and lists.
func DecodeNode(n manifest.Node) (v any) {
	d := json.NewDecoder(bytes.NewReader(n.AppendJSON(nil)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		panic("a node is written as JSON: " + err.Error())
	}
	return v
}

// Redraw changes up to four values of an object and parses the result.
func Redraw(r *rand.Rand, v any) manifest.Node {
	places := 0
	count(v, &places)
	changes := map[int]bool{}
	for range r.IntN(5) {
		changes[r.IntN(max(places, 1))+1] = true
	}
	at := 0
	text, err := json.Marshal(change(r, v, changes, &at))
	if err != nil {
		panic("an object is written as JSON: " + err.Error())
	}
	return Object("a.json", string(text))
}

func count(v any, n *int) {
	*n++
	switch v := v.(type) {
	case map[string]any:
		for _, field := range v {
			count(field, n)
		}
	case []any:
		for _, item := range v {
			count(item, n)
		}
	}
}

// change returns a copy in which the values with the given numbers are replaced. The root is never replaced.
func change(r *rand.Rand, v any, changes map[int]bool, at *int) any {
	*at++
	isChanged := changes[*at] && *at > 1
	switch x := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for _, key := range slices.Sorted(maps.Keys(x)) {
			if field := change(r, x[key], changes, at); field != gone {
				m[key] = field
			}
		}
		v = m
		if isChanged && r.IntN(2) == 0 {
			m[Drawn(r, []string{"a", "web", "a.b/c", "a__dash__b", "if", "name", "undeclared"})] = Drawn(r, scalars)
			return m
		}
	case []any:
		list := []any{}
		for _, item := range x {
			if item := change(r, item, changes, at); item != gone {
				list = append(list, item)
			}
		}
		v = list
		if isChanged && r.IntN(2) == 0 && len(list) > 0 {
			r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			return append(list, Drawn(r, list))
		}
	}
	if !isChanged {
		return v
	}
	switch r.IntN(8) {
	case 0:
		return gone
	case 1:
		return []any{v}
	case 2:
		return map[string]any{"a": v}
	}
	return Drawn(r, scalars)
}

// gone marks a value that is removed.
const gone = "\x00gone"

var scalars = []any{
	nil, true, false, "", "a", "b", "web", "x", "Straße", "10.0.0.0/8", "10.1.2.3", "2001:db8::1", "1.2.3", "2Gi", "90s",
	"2026-01-02T03:04:05Z", "2026-01-02",
	"https://example.com/", "In", "Exists", "instance", "Accept", "aGVsbG8=", "true", "7", json.Number("0"),
	json.Number("1"), json.Number("-1"), json.Number("7"),
	json.Number("1.0"), json.Number("2.5"), json.Number("1e3"), json.Number("80"), json.Number("9223372036854775807"),
	json.Number("-9223372036854775808"),
	json.Number("9223372036854775808"), json.Number("1e300"), []any{}, map[string]any{}, []any{"a", "b"},
	[]any{json.Number("1"), json.Number("2")},
}

// Drawn returns a random item of a list.
func Drawn[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
