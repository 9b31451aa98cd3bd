package schema

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/test/checktest"
)

// Each file in testdata/check is about one keyword. It has these parts, of which only the schema is required:
//
//	schema.yaml  the schema of the documents
//	good.yaml    documents without a finding
//	bad.yaml     documents with findings exactly on the lines that say "# want RULE"; a cause of a finding is (RULE)
//	old.yaml     the objects before an update: the first belongs to the first document of bad.yaml, and so on
//
// Documents are not resources, unless a line above the parts says "resources".
func TestCheckFindsWhatIsWantedAndNoMore(t *testing.T) {
	checktest.Run(t, filepath.Join("testdata", "check", "*.txtar"),
		func(t *testing.T, comment string, files map[string]*source.Source) checktest.Checker {
			s, r := compiled(t, files["schema.yaml"]), Resource{Plain: !slices.Contains(strings.Split(comment, "\n"), "resources")}
			return checktest.Checker{
				Prepare: func(old manifest.Node) { Prepare(old, s, r) },
				Check:   func(root, old manifest.Node) []diag.Violation { return Check(root, s, r, old) },
			}
		})
}

func compiled(t *testing.T, src *source.Source) *Schema {
	t.Helper()
	s, violations := Compile(checktest.Roots(t, src)[0], false)
	if len(violations) > 0 {
		t.Fatalf("the schema has faults: %v", violations)
	}
	return s
}
