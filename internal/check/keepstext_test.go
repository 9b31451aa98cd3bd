package check

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"unsafe"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/source"
)

// copied are the fields of a result whose strings are copies and not parts of the checked text.
var copied = map[string]bool{"Secrets": true, "Records": true, "NotManifests": true, "Tally": true}

// The memory of a text is reused unless its result keeps the text. So the test must know each field that may contain a
// part of the text.
func TestEveryFieldOfAResultThatMayHoldTextKeepsIt(t *testing.T) {
	fields := 0
	for i := range reflect.TypeFor[Result]().NumField() {
		field := reflect.TypeFor[Result]().Field(i)
		if copied[field.Name] || !mayHoldText(field.Type, map[reflect.Type]bool{}) {
			continue
		}
		fields++
		if field.Type.Kind() != reflect.Slice {
			t.Errorf("the field %s may hold text and is not a list; extend this test", field.Name)
			continue
		}
		var r Result
		value := reflect.ValueOf(&r).Elem().Field(i)
		reflect.NewAt(field.Type, unsafe.Pointer(value.UnsafeAddr())).Elem().Set(reflect.MakeSlice(field.Type, 1, 1))
		if !r.KeepsText() {
			t.Errorf("the field %s may hold text, and KeepsText does not know of it", field.Name)
		}
	}
	if fields < 5 {
		t.Errorf("only %d fields may hold text", fields)
	}
}

// A text is overwritten after it has been checked. The copied fields of its result, the kinds that were recorded, and
// the caches of the engine do not change.
func TestCopiesOutliveTheText(t *testing.T) {
	rules, err := lint.New(rule.Options{Profile: "all"})
	if err != nil {
		t.Fatal(err)
	}
	kinds, _, _ := catalog.ReadCRDs(&source.Source{Name: "crd.yaml", Text: `{apiVersion: apiextensions.k8s.io/v1,
		kind: CustomResourceDefinition, metadata: {name: words.lab.example.com}, spec: {group: lab.example.com, names: {kind: Word, plural: words},
		scope: Cluster, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}`})
	engine := New(Options{Catalog: catalog.New(catalog.BuiltInKinds(), kinds), Rules: rules, UnknownKinds: Auto})
	texts := []string{
		"{apiVersion: lab.example.com/v1, kind: Word, metadata: {name: a}}", "{apiVersion: none/v1, kind: None}",
	}
	err = filepath.WalkDir(filepath.Join("..", "..", "testdata", "kinds"),
		func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			texts = append(texts, string(text))
			return err
		})
	if err != nil {
		t.Fatal(err)
	}
	var memory Memory
	secrets, plain := 0, 0
	for _, text := range texts {
		var unused Memory
		want := engine.Check(&unused, &source.Source{Name: "a.yaml", Text: text}, File{})
		overwritten := []byte(text)
		in := unsafe.String(unsafe.SliceData(overwritten), len(overwritten))
		have := engine.Check(&memory, &source.Source{Name: "a.yaml", Text: in}, File{})
		for i := range overwritten {
			overwritten[i] = 'x'
		}
		secrets += len(have.Secrets.texts)
		if !reflect.DeepEqual(have.Secrets, want.Secrets) || !reflect.DeepEqual(have.Records, want.Records) {
			t.Errorf("%.300s\nhave %+v, %+v\nwant %+v, %+v", text, have.Secrets, have.Records, want.Secrets, want.Records)
		}
		if !have.KeepsText() {
			plain++
			if !reflect.DeepEqual(have, want) {
				t.Errorf("%.300s\nhave %+v\nwant %+v", text, have, want)
			}
		}
		for k := range unused.Used() {
			if _, ok := memory.Used()[k]; !ok {
				t.Errorf("%.300s: the kind %s is not noted", text, k.entry.Name)
			}
		}
	}
	if secrets == 0 || plain < 20 || len(memory.Used()) != 1 {
		t.Errorf("%d secrets, %d results that keep nothing, %d kinds", secrets, plain, len(memory.Used()))
	}
}

// mayHoldText reports whether a value of a type may contain a string.
func mayHoldText(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.String, reflect.Interface, reflect.Func, reflect.UnsafePointer:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		return mayHoldText(t.Elem(), seen)
	case reflect.Map:
		return mayHoldText(t.Key(), seen) || mayHoldText(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if mayHoldText(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}
