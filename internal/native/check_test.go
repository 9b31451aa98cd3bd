package native

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/test/checktest"
	"github.com/kindvet/kindvet/internal/test/manifesttest"
)

// Each archive of testdata/check has documents of the type of testdata/types.yaml that its line "native TYPE" names, as
// those of package schema have.
func TestCheckFindsWhatIsWantedAndNoMore(t *testing.T) {
	checktest.Run(t, filepath.Join("testdata", "check", "*.txtar"),
		func(t *testing.T, comment string, _ map[string]*source.Source) checktest.Checker {
			_, name, _ := strings.Cut(comment, "native ")
			s := nativeType(t, strings.TrimSpace(name), &schema.Compiler{})
			r := schema.Resource{Native: true, Namespaced: true, KnownFinalizers: true}
			return checktest.Checker{
				Prepare: func(old manifest.Node) { Prepare(old, s, r) },
				Check:   func(root, old manifest.Node) []diag.Violation { return Check(root, s, r, old) },
			}
		})
}

// nativeType compiles a type of testdata/types.yaml.
func nativeType(t testing.TB, name string, c *schema.Compiler) *schema.Schema {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "types.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	types := manifesttest.Root(t, string(text))
	c.Native, c.Referred = true, types.Field
	s, violations := c.Compile(types.At(name))
	if len(violations) > 0 {
		t.Fatalf("the schema has faults: %v", violations)
	}
	return s
}

// A violation that follows from a misspelled field of metadata is not reported next to that field.
func TestOneMistakeIsOneViolation(t *testing.T) {
	s := nativeType(t, "v1.Widget", &schema.Compiler{})
	for _, text := range []string{
		"{apiVersion: v1, kind: Widget, metadta: {name: a}, spec: {parts: [{name: a}]}}",
		"{apiVersion: v1, kind: Widget, metadata: {nam: a}, spec: {parts: [{name: a}]}}",
	} {
		violations := Check(manifesttest.Root(t, text), s, schema.Resource{Native: true, Namespaced: true}, manifest.Node{})
		if len(violations) != 1 || violations[0].Rule != diag.UnknownField {
			t.Errorf("%s: have %v", text, violations)
		}
	}
}
