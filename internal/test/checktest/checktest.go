// Package checktest compares what a check finds in the documents of archives with what comments in them want.
package checktest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Checker is the check of the documents of one archive.
type Checker struct {
	Prepare func(old manifest.Node)
	Check   func(root, old manifest.Node) []diag.Violation
}

// Run checks the archives that a pattern matches: the documents of good.yaml and bad.yaml. Those of old.yaml are the
// states of the documents of bad.yaml before an update. checkerOf gets the comment of an archive and its files.
func Run(t *testing.T, pattern string, checkerOf func(t *testing.T, comment string, files map[string]*source.Source) Checker) {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parts := map[string]*source.Source{}
			for _, f := range archive.Files {
				parts[f.Name] = &source.Source{Name: f.Name, Text: string(f.Data)}
			}
			run(t, checkerOf(t, string(archive.Comment), parts), parts)
		})
	}
}

func run(t *testing.T, c Checker, parts map[string]*source.Source) {
	var old []manifest.Node
	if parts["old.yaml"] != nil {
		for _, root := range Roots(t, parts["old.yaml"]) {
			c.Prepare(root)
			old = append(old, root)
		}
	}
	for _, name := range []string{"good.yaml", "bad.yaml"} {
		if parts[name] == nil {
			continue
		}
		have := map[string]bool{}
		for i, root := range Roots(t, parts[name]) {
			before := manifest.Node{}
			if name == "bad.yaml" && i < len(old) {
				before = old[i]
			}
			for _, v := range c.Check(root, before) {
				for x := range v.All() {
					rule := string(x.Rule)
					if x != &v {
						rule = "(" + rule + ")"
					}
					have[fmt.Sprintf("%s:%d %s", name, x.Place.Start().Line, rule)] = true
				}
				t.Logf("%s:%d:%d: %s: %s [%s]", name, v.Place.Start().Line, v.Place.Start().Column, v.Path, v.Message, v.Rule)
			}
		}
		compareFindings(t, have, wanted(parts[name]))
	}
}

// Roots reads the documents of a text, which may have duplicate keys.
func Roots(t *testing.T, src *source.Source) (roots []manifest.Node) {
	t.Helper()
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		for _, v := range tree.Read(src, part) {
			if v.Rule != diag.DuplicateKey {
				t.Fatalf("%s:%d: %s", src.Name, v.Place.Start().Line, v.Message)
			}
		}
		roots = append(roots, tree.Root())
	}
	return roots
}

// wanted returns the findings that a text asks for in its comments.
func wanted(src *source.Source) map[string]bool {
	want := map[string]bool{}
	for i, line := range strings.Split(src.Text, "\n") {
		if _, rules, ok := strings.Cut(line, "# want "); ok {
			for _, rule := range strings.Fields(rules) {
				want[fmt.Sprintf("%s:%d %s", src.Name, i+1, rule)] = true
			}
		}
	}
	return want
}

func compareFindings(t *testing.T, have, want map[string]bool) {
	t.Helper()
	for f := range have {
		if !want[f] {
			t.Errorf("not wanted: %s", f)
		}
	}
	for f := range want {
		if !have[f] {
			t.Errorf("missing: %s", f)
		}
	}
}
