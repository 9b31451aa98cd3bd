package check

import (
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// A document that was too deep for kindvet was not checked, so its error hides nothing in the new version.
func TestAnErrorOfTheOldVersionIsNotReportedAgainUnlessItIsALimit(t *testing.T) {
	deep := strings.Repeat("[", 10001) + strings.Repeat("]", 10001)
	for _, c := range []struct {
		name, old, now string
		want           []diag.Rule
	}{
		{"the same error", "data: {é: 5, b: x}", "data: {é: 5, b: y}", nil},
		{"another error", "data: {é: 5}", "data: {é: 5}\nimmutable: 5", []diag.Rule{diag.WrongType}},
		{"the same limit", "data:\n  é: " + deep + "\n  b: x", "data:\n  é: " + deep + "\n  b: y", []diag.Rule{diag.ReaderLimit}},
	} {
		of := func(fields string) []*source.Source {
			return []*source.Source{{Name: "a.yaml", Text: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n" + fields + "\n"}}
		}
		old, now := of(c.old), of(c.now)
		engine := New(Options{Catalog: catalog.Embedded(), UnknownKinds: Auto}).SinceVersion(old, now)
		var have []diag.Rule
		for _, v := range engine.Check(&Memory{}, now[0], File{IsWritten: true}).Violations {
			have = append(have, v.Rule)
		}
		if !slices.Equal(have, c.want) {
			t.Errorf("%s: have %q, want %q", c.name, have, c.want)
		}
	}
}
