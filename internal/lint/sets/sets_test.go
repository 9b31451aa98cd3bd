package sets

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/test/manifesttest"
)

// setOf returns the rules of a run with a single rule of the user.
func setOf(t *testing.T, text string) *Rules {
	t.Helper()
	r, violations := rule.Parse(&source.Source{Name: "rule.yaml", Text: text})
	if len(violations) > 0 {
		t.Fatal(violations[0].Message)
	}
	list, err := rule.Select(rule.Options{Own: []*rule.Rule{r}})
	if err != nil {
		t.Fatal(err)
	}
	return New(list, false, false)
}

// collect adds what the rules record of a document, and returns its details.
func collect(s *Rules, d *Document, records *Records) []Detail {
	var c Collector
	return c.Collect(s.Plan(rule.Kind{Group: d.Group, Name: d.Kind}, 0), d, records)
}

// newDocument returns a document of the kind that it states.
func newDocument(root manifest.Node) *Document {
	group, _, hasGroup := strings.Cut(root.TextAt("apiVersion"), "/")
	if !hasGroup {
		group = ""
	}
	return &Document{Root: root, Group: group, Kind: root.TextAt("kind")}
}

func readRoot(t *testing.T, text string) manifest.Node {
	t.Helper()
	return manifesttest.Root(t, text)
}
