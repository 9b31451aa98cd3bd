package expr_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/expr"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/parity"
	"github.com/kindvet/kindvet/internal/schema"
)

// subject is an object, with its state before if it has one, and the rules to judge it by.
type subject struct {
	rules       *expr.Rules
	kind        *catalog.Kind // nil for the expressions of the table
	object, old any
}

// FuzzClosures draws an object, changes some of its values and fields, and runs its rules both ways.
func FuzzClosures(f *testing.F) {
	subjects := slices.Concat(expressedSubjects(f), kindSubjects(f), recordedSubjects(f))
	for i := range 64 {
		f.Add(uint64(i), uint64(i))
	}
	f.Fuzz(func(t *testing.T, which, seed uint64) {
		s := subjects[which%uint64(len(subjects))]
		if which%3 > 0 { // the expressions are few, and have the most in them
			s = subjects[which%3]
		}
		r := rand.New(rand.NewPCG(seed, which))
		n := redraw(t, r, s.object)
		var old manifest.Node
		if s.old != nil && r.IntN(8) > 0 {
			old = redraw(t, r, s.old)
		}
		if s.kind != nil && r.IntN(4) > 0 { // else as it is, with all that the server would not let pass
			if old.Valid() {
				schema.Prepare(old, s.kind.Schema, s.kind.Resource)
			}
			schema.Check(n, s.kind.Schema, s.kind.Resource, old)
		}
		for _, d := range s.rules.Compare(n, old, map[any]bool{}).Different {
			t.Error(d)
		}
	})
}

func expressedSubjects(f *testing.F) (list []subject) {
	rules, text, before := expr.Expressed(f)
	for _, r := range rules {
		list = append(list, subject{rules: r, object: decode(f, text), old: decode(f, before)})
	}
	return list
}

func kindSubjects(f *testing.F) (list []subject) {
	r := catalog.Embedded()
	err := filepath.WalkDir(filepath.Join(root, "testdata", "kinds"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".yaml" {
			list = addSubject(list, r, f, readFile(f, path), "")
		}
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	return list
}

// recordedSubjects takes one of twenty cases.
func recordedSubjects(f *testing.F) (list []subject) {
	cases, err := parity.Cases(root)
	if err != nil {
		f.Fatal(err)
	}
	registries := map[string]*catalog.Catalog{}
	for i, c := range cases {
		if i%20 > 0 {
			continue
		}
		if registries[c.Schema] == nil {
			registries[c.Schema], _ = parity.Registry(readFile(f, filepath.Join(root, filepath.FromSlash(c.Schema))))
		}
		list = addSubject(list, registries[c.Schema], f, c.New, c.Old)
	}
	return list
}

func addSubject(list []subject, r *catalog.Catalog, f *testing.F, text, old string) []subject {
	k, ok := kindOf(r, object("a.yaml", text))
	if !ok || !k.Schema.HasRules() {
		return list
	}
	s := subject{rules: k.Rules, kind: k, object: decode(f, text)}
	if old != "" {
		s.old = decode(f, old)
	} else {
		s.old = s.object
	}
	return append(list, s)
}

// decode reads an object as maps and lists.
func decode(f *testing.F, text string) (v any) {
	n := object("a.yaml", text)
	if !n.Valid() {
		return nil
	}
	return decodeNode(f, n)
}

func decodeNode(t testing.TB, n manifest.Node) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(n.AppendJSON(nil)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// redraw changes up to four values of an object, and reads it.
func redraw(t *testing.T, r *rand.Rand, v any) manifest.Node {
	places := 0
	count(v, &places)
	changes := map[int]bool{}
	for range r.IntN(5) {
		changes[r.IntN(max(places, 1))+1] = true
	}
	at := 0
	text, err := json.Marshal(change(r, v, changes, &at))
	if err != nil {
		t.Fatal(err)
	}
	return object("a.json", string(text))
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

// change returns a copy in which the values with the given numbers, the root apart, are others.
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
			m[drawn(r, []string{"a", "web", "a.b/c", "a__dash__b", "if", "name", "undeclared"})] = drawn(r, scalars)
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
			return append(list, drawn(r, list))
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
	return drawn(r, scalars)
}

// gone stands for a value that is left out.
const gone = "\x00gone"

var scalars = []any{
	nil, true, false, "", "a", "b", "web", "x", "Straße", "10.0.0.0/8", "10.1.2.3", "2001:db8::1", "1.2.3", "2Gi", "90s", "2026-01-02T03:04:05Z", "2026-01-02",
	"https://example.com/", "In", "Exists", "instance", "Accept", "aGVsbG8=", "true", "7", json.Number("0"), json.Number("1"), json.Number("-1"), json.Number("7"),
	json.Number("1.0"), json.Number("2.5"), json.Number("1e3"), json.Number("80"), json.Number("9223372036854775807"), json.Number("-9223372036854775808"),
	json.Number("9223372036854775808"), json.Number("1e300"), []any{}, map[string]any{}, []any{"a", "b"}, []any{json.Number("1"), json.Number("2")},
}

func drawn[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
