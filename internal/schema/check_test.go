package schema

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/test/checktest"
	"github.com/kindvet/kindvet/internal/test/manifesttest"
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

func TestWhatAServerAcceptsIsAWarning(t *testing.T) {
	root := manifesttest.Root(t, "a: 1\n")
	c := &Checker{}
	c.Start(root, &Schema{}, Resource{}, manifest.Node{}, nil)
	c.AddBlocking(root.At("a"), diag.Violation{Rule: diag.OutOfRange, Message: "must be 2"})
	if before := c.Accept("servers accept this"); before != "" {
		t.Errorf("before: %q", before)
	}
	c.AddBlocking(root, diag.Violation{Rule: diag.OutOfRange, Message: "must be 3"})
	for range 2 * diag.MaxDescribed { // the findings at the end are only counted
		c.Add(root, diag.Violation{Rule: diag.BadFormat, Message: "must be a name"})
	}
	if before := c.Accept(""); before != "servers accept this" {
		t.Errorf("before: %q", before)
	}
	c.Add(root, diag.Violation{Rule: diag.BadFormat, Message: "must be a name"})
	all := c.Report()
	want := []string{"error: must be 2", "warning: must be 3: servers accept this", "warning: must be a name: servers accept this"}
	for i, w := range want {
		if have := fmt.Sprintf("%s: %s", all[i].Severity, all[i].Message); have != w {
			t.Errorf("have %q, want %q", have, w)
		}
	}
	count := map[diag.Severity]int{}
	for _, v := range all {
		count[v.Severity] += 1 + v.More
	}
	if count[diag.Warning] != 1+2*diag.MaxDescribed || count[diag.Error] != 2 {
		t.Errorf("have %v", count)
	}
	c.Start(root, &Schema{}, Resource{}, manifest.Node{}, nil)
	c.Accept("servers accept this")
	c.AddBlocking(root, diag.Violation{Rule: diag.OutOfRange, Message: "must be 3"})
	other := manifesttest.Root(t, "a: 1\n")
	c.found[0].node = other
	if c.Report(); other.IsBlocked() {
		t.Error("the server evaluates no rules of a value that it does not look at")
	}
}
