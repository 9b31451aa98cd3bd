package oracle

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// variant is an object with a single change, and a description of that change.
type variant struct {
	name   string
	object any
	common bool // the change applies to any value
}

// variants walks an object along its schema and changes one thing at a time: values on both sides of every boundary
// in the schema, other types, null, a missing value, an unknown field next to the others, a duplicate key.
func variants(object any, s *structuralschema.Structural) []variant {
	w := &walker{root: object}
	w.walk(nil, object, s)
	return w.out
}

type walker struct {
	root any
	out  []variant
}

func (w *walker) set(path []step, what string, value any) {
	w.out = append(w.out, variant{name: pathText(path) + " " + what, object: with(w.root, path, value, false)})
}

func (w *walker) walk(path []step, v any, s *structuralschema.Structural) {
	if len(path) > 0 {
		w.common(path, v)
	}
	if s == nil {
		return
	}
	w.bounds(path, v, s)
	switch v := v.(type) {
	case map[string]any:
		w.walkMap(path, v, s)
	case []any:
		for i, item := range v {
			w.walk(append(path[:len(path):len(path)], step{index: i}), item, s.Items)
		}
	}
}

func (w *walker) walkMap(path []step, m map[string]any, s *structuralschema.Structural) {
	child := func(key string) []step { return append(path[:len(path):len(path)], step{key, -1}) }
	w.set(child("unknownField"), "is unknown", "x")
	for _, key := range keysOf(m) {
		if len(path) == 0 && (key == "apiVersion" || key == "kind" || key == "metadata") {
			continue
		}
		below := s.AdditionalProperties
		field, ok := s.Properties[key]
		switch {
		case ok:
			w.walk(child(key), m[key], &field)
		case below != nil:
			w.walk(child(key), m[key], below.Structural)
		default:
			w.walk(child(key), m[key], nil)
		}
		w.set(child(key), "is set twice", twice{m[key], m[key]})
	}
	for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
		if _, ok := m[key]; !ok && len(path) > 0 {
			w.set(child(key), "is null where it was absent", nil)
		}
	}
}

func (w *walker) common(path []step, v any) {
	before := len(w.out)
	w.out = append(w.out, variant{name: pathText(path) + " is absent", object: with(w.root, path, nil, true)})
	w.set(path, "is null", nil)
	for _, other := range []variant{
		{name: "a string", object: "x"}, {name: "an empty string", object: ""},
		{name: "an integer", object: json.Number("7")},
		{name: "a fraction", object: json.Number("1.5")}, {name: "a whole float", object: json.Number("2.0")},
		{name: "a boolean", object: true},
		{name: "an empty list", object: []any{}}, {name: "an empty object", object: map[string]any{}},
		{name: "a list with null", object: []any{nil}},
	} {
		w.set(path, "is "+other.name, other.object)
	}
	for i := before; i < len(w.out); i++ {
		w.out[i].common = true
	}
	if list, ok := v.([]any); ok && len(list) > 0 {
		w.set(path, "has its first item twice", append(append([]any{}, list...), list[0]))
		w.set(path, "is reversed", reversed(list))
	}
}

func reversed(list []any) []any {
	out := make([]any, len(list))
	for i, item := range list {
		out[len(list)-1-i] = item
	}
	return out
}

// maxRepeat is the maximum length of a list or string that is created to exceed a bound. Larger bounds are not tested.
const maxRepeat = 1100

func (w *walker) bounds(path []step, v any, s *structuralschema.Structural) {
	vv := s.ValueValidation
	if vv == nil {
		return
	}
	if text, ok := v.(string); ok {
		w.textBounds(path, text, vv)
	}
	if _, ok := v.(json.Number); ok {
		w.numberBounds(path, s, vv)
	}
	if list, ok := v.([]any); ok && len(list) > 0 {
		w.counts(vv.MinItems, vv.MaxItems, func(n int64) {
			long := make([]any, n)
			for i := range long {
				long[i] = list[0]
			}
			w.set(path, "has "+strconv.FormatInt(n, 10)+" items", long)
		})
	}
	if m, ok := v.(map[string]any); ok && len(path) > 0 {
		w.counts(vv.MinProperties, vv.MaxProperties, func(n int64) {
			cut := map[string]any{}
			for _, key := range keysOf(m) {
				if int64(len(cut)) < n {
					cut[key] = m[key]
				}
			}
			w.set(path, "has at most "+strconv.FormatInt(n, 10)+" fields", cut)
		})
	}
}

func (w *walker) counts(least, most *int64, visit func(int64)) {
	for _, bound := range []*int64{least, most} {
		if bound == nil || *bound > maxRepeat {
			continue
		}
		for n := max(*bound-1, 0); n <= *bound+1; n++ {
			visit(n)
		}
	}
}

func (w *walker) textBounds(path []step, text string, vv *structuralschema.ValueValidation) {
	w.counts(vv.MinLength, vv.MaxLength, func(n int64) {
		w.set(path, "is "+strconv.FormatInt(n, 10)+" characters long", strings.Repeat("a", int(n)))
		w.set(path, "is "+strconv.FormatInt(n, 10)+" characters of two bytes long", strings.Repeat("é", int(n)))
	})
	for _, e := range vv.Enum {
		w.set(path, "is an allowed value", e.Object)
	}
	if len(vv.Enum) > 0 {
		w.set(path, "is allowed but for its case", strings.ToUpper(text)+"x")
	}
	if vv.Pattern != "" {
		w.set(path, "ends in a line break", text+"\n")
		w.set(path, "starts with a space", " "+text)
	}
	for _, sample := range formatSamples[strings.ReplaceAll(vv.Format, "-", "")] {
		w.set(path, "is "+strconv.Quote(sample), sample)
	}
}

func (w *walker) numberBounds(path []step, s *structuralschema.Structural, vv *structuralschema.ValueValidation) {
	numbers := []string{
		"0", "-0.0", "1e3", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "2147483647", "2147483648",
		"-2147483649", "1e20", "3.5e38",
	}
	for _, bound := range []*float64{vv.Minimum, vv.Maximum, vv.MultipleOf} {
		if bound == nil || math.Abs(*bound) > 1e15 {
			continue
		}
		for _, d := range []float64{-1, -0.5, 0, 0.5, 1} {
			numbers = append(numbers, strconv.FormatFloat(*bound+d, 'f', -1, 64))
		}
	}
	for _, n := range numbers {
		w.set(path, "is "+n, json.Number(n))
	}
}

// formatSamples are texts on both sides of each format's boundary, and texts where the server is lenient.
var formatSamples = map[string][]string{
	"datetime": {"2026-01-02T03:04:05Z", "2026-01-02t03:04:05z", "2026-01-02T03:04:05,1Z", "2026-01-02 03:04:05Z",
		"2026-01-02T03:04Z", "2026-01-02T03:04:05",
		"2026-01-02T03:04:60Z", "2026-01-02T03:04:05+0200", "2026-01-02T03:04:05+25:00", "0000-01-02T03:04:05Z",
		"2026-02-30T03:04:05Z", ""},
	"date": {"2026-01-02", "2026-02-30", "26-01-02", "2026-1-2", "2026-01-02T00:00:00Z", ""},
	"duration": {
		"1h", "1d", "1 day", "2 weeks", "1w", "foo 1h bar", "PT1H", "9999999999h", "", "1", "1y", "1 month",
		"99999999999999999999s", "-5m", "1.5h",
	},
	"cidr":         {"10.0.0.0/8", "10.0.0.1/8", "010.0.0.0/8", "10.0.0.0/33", "::/0", "fe80::1%eth0/64", "10.0.0.0", ""},
	"ipv4":         {"192.0.2.1", "192.0.2.256", "192.0.2.01", "::1", ""},
	"ipv6":         {"2001:db8::1", "::ffff:192.0.2.1", "192.0.2.1", "2001:db8::g", ""},
	"uri":          {"https://example.com", "/path", "example.com", "http://[::1", "a b", ""},
	"email":        {"a@example.com", "A <a@example.com>", "a@", ""},
	"hostname":     {"example.com", "localhost", "a_b.com", "-a.com", "example.c", "1.2.3.4", ""},
	"mac":          {"00:00:5e:00:53:01", "00-00-5e-00-53-01", "00:00:5e", ""},
	"uuid":         {"123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000", "123e4567", ""},
	"uuid3":        {"123e4567-e89b-32d3-a456-426614174000", "123e4567-e89b-42d3-a456-426614174000"},
	"uuid4":        {"123e4567-e89b-42d3-a456-426614174000", "123e4567-e89b-42d3-c456-426614174000"},
	"uuid5":        {"123e4567-e89b-52d3-a456-426614174000", "123e4567-e89b-42d3-a456-426614174000"},
	"isbn":         {"0321751043", "978-0321751041", "0321751044", ""},
	"isbn10":       {"0321751043", "978-0321751041"},
	"isbn13":       {"0321751043", "978-0321751041"},
	"creditcard":   {"4111 1111 1111 1111", "4111 1111 1111 1112", ""},
	"ssn":          {"123-45-6789", "123 45 6789", "12-45-6789"},
	"hexcolor":     {"#fff", "fff", "#ff88001", ""},
	"rgbcolor":     {"rgb(1,2,3)", "rgb(256,2,3)", "rgb(1, 2, 3)"},
	"byte":         {"", "aGVsbG8=", "aGVsbG8", "a b=", "aGVs\nbG8="},
	"bsonobjectid": {"507f1f77bcf86cd799439011", "507f1f77bcf86cd79943901", ""},
	"k8sshortname": {"a-b", "A-b", "-a", "a.b", strings.Repeat("a", 63), strings.Repeat("a", 64), ""},
	"k8slongname":  {"a.b-c", "a..b", "A.b", strings.Repeat("a", 253), strings.Repeat("a", 254), ""},
	"password":     {"", "x"},
}
