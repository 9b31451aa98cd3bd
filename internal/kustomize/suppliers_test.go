package kustomize

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// wantPlace is a comment in a line that must be the place of a field of the output. A place that is a guess has
// "likely" in front of it.
var wantPlace = regexp.MustCompile(`# want (likely )?(\S+)/(\S+) (\S+)`)

// Each file has the texts of a kustomization, and a comment in each line that must be the place of a field of the
// output.
func TestValuesArePlacedWhereTheyAreSet(t *testing.T) {
	names, err := filepath.Glob("testdata/places/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("there are no files: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts := map[string]string{}
			for _, f := range archive.Files {
				texts[f.Name] = string(f.Data)
			}
			comment := string(archive.Comment)
			if !strings.Contains(comment, "(without trials)") {
				checkPlaces(t, texts, MostTrials)
			}
			if !strings.Contains(comment, "(needs trials)") {
				checkPlaces(t, texts, 0)
			}
		})
	}
}

// checkPlaces compares the places of fields with the comments.
func checkPlaces(t *testing.T, texts map[string]string, trials int) {
	t.Helper()
	r := repository(texts)
	r.reader.Chart = func(dir string) (files []chart.File, err error) {
		for name, text := range texts {
			if below, ok := strings.CutPrefix(name, dir+"/"); ok {
				files = append(files, chart.File{Name: below, Text: text})
			}
		}
		return files, nil
	}
	k, fault := r.Load("top")
	if fault != nil {
		t.Fatal(fault.Violation.Message)
	}
	built, fault := k.Build()
	if fault != nil {
		t.Fatal(fault.Violation.Message)
	}
	built.AllowTrials(trials)
	src, supplied := built.Source(func(string) bool { return false })
	count := 0
	for name, text := range texts {
		for i, line := range strings.Split(text, "\n") {
			for _, want := range wantPlace.FindAllStringSubmatch(line, -1) {
				count++
				n := fieldOfObject(src, want[2], want[3], want[4])
				if !n.Valid() {
					t.Fatalf("%s has no %s:\n%s", want[2]+" "+want[3], want[4], src.Text)
				}
				p := src.Place(n.MarkSpan())
				isGuess := slices.ContainsFunc(supplied(n.MarkSpan()), isLikely)
				if _, isEdited := (diag.Edit{Place: p, NewText: "b"}).Written(); isGuess && isEdited {
					t.Errorf("%s/%s %s: a fix would edit a guess", want[2], want[3], want[4])
				}
				p.Detach()
				have, wanted := fmt.Sprintf("%s:%d", p.File, p.Start().Line), fmt.Sprintf("%s:%d", name, i+1)
				if have != wanted || isGuess != (want[1] != "") {
					t.Errorf("%s/%s %s: have %s (a guess: %t), want %s, with %d trials", want[2], want[3], want[4], have, isGuess, wanted, trials)
				}
			}
		}
	}
	if count == 0 {
		t.Error("the file has no want")
	}
}

// fieldOfObject returns the field at a path of an object of the output; not valid if there is none.
func fieldOfObject(src *source.Source, kind, name, path string) (none manifest.Node) {
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		tree.Read(src, part)
		root := tree.Root()
		if !root.Valid() || textAt(root, "kind") != kind || short(kind, textAt(root, "metadata", "name")) != name {
			continue
		}
		n, ok := root, true
		for step := range strings.SplitSeq(path, ".") {
			var index int
			if _, err := fmt.Sscanf(step, "%d", &index); err == nil && n.Type() == manifest.List {
				n, ok = n.Item(index)
			} else {
				n, ok = n.Field(step)
			}
			if !ok {
				return none
			}
		}
		return n
	}
	return none
}

func isLikely(r diag.Related) bool { return r.Message == "likely set here" }
