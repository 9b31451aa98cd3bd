package sprig

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/mitchellh/copystructure"

	"github.com/kindvet/kindvet/internal/semver"
)

type (
	namedMap   map[string]any
	namedFiles map[string][]byte
	namedBytes []byte
	namedKey   string
	crate      struct {
		fruit
		Inner  *fruit
		List   []any
		hidden string
	}
)

// copied returns values with one of each kind that a template can hold, alone and in maps and lists.
func copied() map[string]any {
	v := kiwi
	text, nothing := "text", (*fruit)(nil)
	var anyOf any = kiwi
	values := map[string]any{
		"text": "a", "key": namedKey("k"), "bool": true, "int": 1, "int64": int64(2), "float": 1.5, "uintptr": uintptr(3),
		"complex": 1i, "duration": time.Minute, "time": time.Unix(1, 0).UTC(), "nil pointer": nothing, "pointer": v,
		"pointer to text": &text, "pointer to pointer": &v, "pointer to any": &anyOf, "struct": fruit{"fig"},
		"structs":    crate{fruit: fruit{"fig"}, Inner: kiwi, List: []any{kiwi, nil}, hidden: "h"},
		"map":        map[string]any{"a": nil, "b": map[string]any{}, "c": []any{nil, []any{}}},
		"nil map":    map[string]any(nil),
		"nil list":   []any(nil),
		"empty list": []any{},
		"named map":  namedMap{"a": []any{1}, "b": nil},
		"texts":      []string{"a", "b"}, "nil texts": []string(nil), "empty texts": []string{}, "ints": []int{1},
		"bytes": []byte("ab"), "nil bytes": []byte(nil), "named bytes": namedBytes("ab"), "array": [2]byte{1, 2},
		"files":       namedFiles{"a": []byte("x"), "b": {}, "c": nil},
		"nil files":   namedFiles(nil),
		"byte map":    map[string][]byte{"a": []byte("x")},
		"keyed files": map[namedKey][]byte{"a": []byte("x")},
		"numbered":    map[int][]byte{1: []byte("x")},
		"text map":    map[string]string{"a": "b"},
		"lists":       [][]byte{[]byte("x"), nil},
		"maps":        []map[string]any{{"a": 1}, nil},
		"pointers":    []*fruit{kiwi, nil},
		"spare":       append(make([]any, 0, 10), 1, 2),
		"version":     must(semver.NewVersion("1.2.3-a+b")),
		"error":       errBad,
		"any keys":    map[any]any{"a": 1, 2: nil},
	}
	for name, v := range values {
		values["a map with "+name] = map[string]any{"a": v, "b": 1}
		values["a list with "+name] = []any{1, v}
	}
	return values
}

// copiedBy returns a copy, or what stops it.
func copiedBy(function func(any) (any, error), v any) (c any, stopped string) {
	defer func() {
		if r := recover(); r != nil {
			stopped = fmt.Sprint(r)
		}
	}()
	c, err := function(v)
	return c, fmt.Sprint(err)
}

func TestACopyIsThatOfTheLibrary(t *testing.T) {
	values := copied()
	values["all"], values["nothing"] = copied(), nil
	for name, v := range values {
		have, stopped := copiedBy(copyDeep, v)
		want, wantStopped := copiedBy(copystructure.Copy, v)
		if !reflect.DeepEqual(have, want) || stopped != wantStopped {
			t.Errorf("%s: have %#v %s, want %#v %s", name, have, stopped, want, wantStopped)
		}
		if list, ok := want.([]any); ok && cap(have.([]any)) != cap(list) {
			t.Errorf("%s: have the capacity %d, want %d", name, cap(have.([]any)), cap(list))
		}
	}
}

// TestACopySharesNothing changes each part of the original afterwards.
func TestACopySharesNothing(t *testing.T) {
	shared := map[string]any{"a": 1}
	list := append(make([]any, 0, 4), shared, shared)
	original := map[string]any{
		"one": shared, "two": shared, "list": list, "files": namedFiles{"a": []byte("x")}, "bytes": []byte("x"),
	}
	c := must(copyDeep(original)).(map[string]any)
	shared["a"], list[1] = 2, "changed"
	_ = append(list, "appended")
	original["files"].(namedFiles)["a"][0], original["bytes"].([]byte)[0] = 'y', 'y'
	original["more"] = true
	want := map[string]any{
		"one": map[string]any{"a": 1}, "two": map[string]any{"a": 1},
		"list":  []any{map[string]any{"a": 1}, map[string]any{"a": 1}},
		"files": namedFiles{"a": []byte("x")}, "bytes": []byte("x"),
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("have %v, want %v", c, want)
	}
	c["one"].(map[string]any)["a"] = 3
	if !reflect.DeepEqual(c["two"], map[string]any{"a": 1}) {
		t.Errorf("a value that the original has twice is one in the copy: %v", c)
	}
}

// BenchmarkCopyOfFiles copies what a template sees at its top, with 400 kB of files.
func BenchmarkCopyOfFiles(b *testing.B) {
	scope := map[string]any{"Values": map[string]any{"a": []any{1, "b"}}, "Files": namedFiles{"a": make([]byte, 400_000)}}
	b.ReportAllocs()
	for b.Loop() {
		must(copyDeep(scope))
	}
}
