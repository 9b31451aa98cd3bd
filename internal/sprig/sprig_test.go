package sprig

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	upstream "github.com/Masterminds/sprig/v3"

	"github.com/kindvet/kindvet/internal/semver"
)

// left are the functions of sprig that this package does not have: their results differ from run to run or from
// machine to machine, or they are slow.
var left = []string{
	"ago", "bcrypt", "buildCustomCert", "date", "dateInZone", "date_in_zone", "derivePassword", "encryptAES", "env",
	"expandenv", "genCA", "genCAWithKey", "genPrivateKey", "genSelfSignedCert", "genSelfSignedCertWithKey",
	"genSignedCert", "genSignedCertWithKey", "getHostByName", "htmlDate", "htmlDateInZone", "htpasswd", "keys",
	"mustToDate", "now", "randAlpha", "randAlphaNum", "randAscii", "randBytes", "randInt", "randNumeric", "shuffle",
	"toDate", "uuidv4", "values",
}

func TestTheFunctionsAreThoseOfTheLibrary(t *testing.T) {
	own, library := Functions(), upstream.TxtFuncMap()
	for _, name := range left {
		delete(library, name)
	}
	if have, want := slices.Sorted(maps.Keys(own)), slices.Sorted(maps.Keys(library)); !slices.Equal(have, want) {
		t.Fatalf("have %v, want %v", have, want)
	}
	for name, function := range own {
		have, want := reflect.TypeOf(function), reflect.TypeOf(library[name])
		if have != want && name != "semver" {
			t.Errorf("%s: have %s, want %s", name, have, want)
		}
	}
}

type fruit struct{ Name string }

func (f fruit) String() string { return "fruit " + f.Name }

// Values with an address are shared, because the address is part of an outcome.
var (
	kiwi   = &fruit{"kiwi"}
	errBad = errors.New("bad")
)

// samples returns values of a type. Each call makes new ones, because some functions change their arguments.
func samples(t reflect.Type) []any {
	switch t.Kind() {
	case reflect.String:
		return []any{
			"", "a", "Hello world", "foo_bar-BazQux", "a/b/c.yaml", " x\ny ", "ä b", "12", "-0.5", "1h30m", ">=1.2", "1.2.3",
			"[0-9]+", "[", "aGVsbG8=", "NBSWY3DP", "{\"a\": [1, 2.5]}",
			"http://u:p@example.com:80/p?q=1#f", "http://[", "int", "map", "1.5h", "{{", "$1", "0x1f", "017", "<a&b>",
		}
	case reflect.Int:
		return []any{-2, 0, 1, 3, 5, 12}
	case reflect.Bool:
		return []any{true, false}
	case reflect.Float64:
		return []any{0.5, 0.3}
	case reflect.Struct:
		return []any{time.Unix(86400, 0).UTC()}
	case reflect.Map:
		return []any{
			map[string]any{}, map[string]any{"a": 1, "b": map[string]any{"c": "x", "d": nil}, "scheme": "https", "host": "h"},
			map[string]any{"b": map[string]any{"c": "y", "e": 1}, "z": ""},
		}
	}
	return append([]any{
		nil, "", "text", "-12", "3.7", "017", 0, 7, int64(-3), uint8(4), 2.5, -0.1, 0.1, 0.2, 1e20, math.Inf(1), true, false,
		[]any{}, []any{1, "b", nil, 1, 0, 2.5}, []string{"b", "a", ""}, []int{3, 1, 2},
		[2]int{1, 2}, []byte("raw"), fruit{"fig"}, kiwi, errBad, 3 * time.Second, "<a&b>", math.NaN(),
	}, samples(reflect.TypeFor[map[string]any]())...)
}

// outcome is what a call returns, or why it panics.
func outcome(function any, args []reflect.Value) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprintf("panic %v", r)
		}
	}()
	for _, out := range reflect.ValueOf(function).Call(args) {
		if err, ok := out.Interface().(error); ok && out.Type() == reflect.TypeFor[error]() {
			text += "error " + err.Error()
			continue
		}
		text += fmt.Sprintf("%#v %T;", out.Interface(), out.Interface())
	}
	for _, arg := range args { // some functions change their arguments
		if arg.Kind() == reflect.Map || arg.Kind() == reflect.Slice {
			text += fmt.Sprintf(" and %v", arg.Interface())
		}
	}
	return text
}

// argumentLists returns the lists of types of arguments: a variadic function has none to three of the last type.
func argumentLists(t reflect.Type) (lists [][]reflect.Type) {
	var fixed []reflect.Type
	for i := range t.NumIn() {
		fixed = append(fixed, t.In(i))
	}
	if !t.IsVariadic() {
		return [][]reflect.Type{fixed}
	}
	last := fixed[len(fixed)-1].Elem()
	for n := range 4 {
		list := slices.Clone(fixed[:len(fixed)-1])
		for range n {
			list = append(list, last)
		}
		lists = append(lists, list)
	}
	return lists
}

const mostCalls = 1000 // of a function with one number of arguments

func TestEachFunctionReturnsWhatTheLibraryReturns(t *testing.T) {
	library := upstream.TxtFuncMap()
	for name, function := range Functions() {
		if name == "semver" {
			continue // has methods of its own, which package semver tests
		}
		for _, types := range argumentLists(reflect.TypeOf(function)) {
			compareCalls(t, name, function, library[name], types)
		}
	}
}

func compareCalls(t *testing.T, name string, own, library any, types []reflect.Type) {
	t.Helper()
	total := 1
	for _, typ := range types {
		total *= len(samples(typ))
	}
	step, failures := total/mostCalls+1, 0
	for n := 0; n < total && failures < 5; n += step {
		if isSkipped(name, arguments(types, n)) {
			continue
		}
		have, want := outcome(own, arguments(types, n)), outcome(library, arguments(types, n))
		if have != want {
			failures++
			t.Errorf("%s %v:\nhave %s\nwant %s", name, shown(arguments(types, n)), have, want)
		}
	}
}

// arguments returns the arguments of a number.
func arguments(types []reflect.Type, n int) (args []reflect.Value) {
	for _, typ := range types {
		list := samples(typ)
		v := reflect.New(typ).Elem()
		if x := list[n%len(list)]; x != nil {
			v.Set(reflect.ValueOf(x))
		}
		args, n = append(args, v), n/len(list)
	}
	return args
}

func shown(args []reflect.Value) (list []any) {
	for _, arg := range args {
		list = append(list, arg.Interface())
	}
	return list
}

// isSkipped reports whether a call differs on purpose: the library allocates without bounds for such a size.
func isSkipped(name string, args []reflect.Value) bool {
	return (name == "chunk" || name == "mustChunk") && args[0].Int() <= 0
}

func TestVersionsHaveTheMethodsOfTheLibrary(t *testing.T) {
	have, want := reflect.TypeFor[*semver.Version](), upstreamVersion(t)
	for i := range want.NumMethod() {
		name := want.Method(i).Name
		if _, ok := have.MethodByName(name); !ok &&
			!slices.Contains([]string{"Scan", "Value", "UnmarshalJSON", "UnmarshalText"}, name) {
			t.Errorf("versions have no method %s", name)
		}
	}
}

func upstreamVersion(t *testing.T) reflect.Type {
	t.Helper()
	return reflect.TypeOf(upstream.TxtFuncMap()["semver"]).Out(0)
}
