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
		{"the same error", "data:\n  a: 5 # é\n  b: x", "data:\n  a: 5 # é\n  b: new", nil},
		{"another error", "data:\n  a: 5 # é", "data:\n  a: 5 # é\nimmutable: 5", []diag.Rule{diag.WrongType}},
		{"the same limit", "data:\n  a: " + deep + "\n  b: é", "data:\n  a: " + deep + "\n  b: ü", []diag.Rule{diag.ReaderLimit}},
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
