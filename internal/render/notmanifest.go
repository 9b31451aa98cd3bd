package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
)

// typeCount is a type of file and the number of such files, or of the objects in them.
type typeCount struct {
	name, plural string
	files        int
}

// countTypes counts files that are not manifests, or skipped objects, by type. The most frequent type is first. other is the number of
// files without a type.
func countTypes(files []diag.NotManifest) (types []typeCount, other int) {
	byName := map[string]int{}
	for _, f := range files {
		if f.Type == "" {
			other++
			continue
		}
		if _, ok := byName[f.Type]; !ok {
			byName[f.Type] = len(types)
			types = append(types, typeCount{name: f.Type, plural: f.Plural})
		}
		types[byName[f.Type]].files += max(1, f.Objects)
	}
	slices.SortFunc(types, func(a, b typeCount) int { return cmp.Or(b.files-a.files, strings.Compare(a.name, b.name)) })
	return types, other
}

// NotManifests returns lines about the number of files that were skipped because they are not manifests: one line for
// those of known types, and one for the others.
func NotManifests(r *diag.Report) (lines []string) {
	types, other := countTypes(r.NotManifests)
	if len(types) > 0 {
		lines = append(lines, countText(types)+" skipped")
	}
	switch {
	case other == 1:
		lines = append(lines, "1 file is not a manifest")
	case other > 1:
		lines = append(lines, fmt.Sprintf("%d files are not manifests", other))
	}
	return lines
}

// SkippedObjects returns the number of files with documents that were skipped only because of the name of the file or
// a mark in its text, or "" if there are none.
func SkippedObjects(r *diag.Report) string {
	types, _ := countTypes(slices.DeleteFunc(slices.Clone(r.NotManifests),
		func(f diag.NotManifest) bool { return !f.HasSchema }))
	if len(types) == 0 {
		return ""
	}
	return countText(types) + " with known kinds skipped"
}

// countText formats types with their counts.
func countText(types []typeCount) string {
	var parts []string
	for _, t := range types {
		noun := t.plural
		if t.files == 1 {
			noun = t.name
		}
		parts = append(parts, fmt.Sprintf("%d %s", t.files, noun))
	}
	return strings.Join(parts, ", ")
}

// ListNotManifests writes a line for each file that is not a manifest, with its type.
func ListNotManifests(w io.Writer, r *diag.Report) {
	for _, f := range r.NotManifests {
		what := "not a manifest"
		if f.Type != "" {
			what = f.Type
		}
		if f.Format != f.Type {
			what += " (" + f.Format + ")"
		}
		fmt.Fprintf(w, "%s: skipped: %s\n", clean(f.File), what)
	}
}

type jsonNotManifests struct {
	Files int             `json:"files"`
	Types []jsonTypeCount `json:"types,omitempty"`
}

type jsonTypeCount struct {
	Type  string `json:"type"`
	Files int    `json:"files"`
}

// notManifestsJSON returns the counts of files by type, or nil if there are none.
func notManifestsJSON(files []diag.NotManifest) *jsonNotManifests {
	if len(files) == 0 {
		return nil
	}
	types, other := countTypes(files)
	j := &jsonNotManifests{Files: other}
	for _, t := range types {
		j.Files += t.files
		j.Types = append(j.Types, jsonTypeCount{t.name, t.files})
	}
	return j
}
