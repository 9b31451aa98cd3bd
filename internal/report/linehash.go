package report

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// MaxHashed is the maximum size in bytes of a file whose lines are hashed, because hashing needs the whole text.
const MaxHashed = manifest.MaxPart

// hashLines adds line hashes to the findings. It reads files with findings again, because a hash depends on all lines of
// a file. If a file no longer exists or is too long, its findings have no hashes and the report says so.
func (d *Draft) hashLines() {
	if !d.Options.LineHashes {
		return
	}
	byFile := map[string][]*diag.Violation{}
	for _, list := range [][]diag.Violation{d.Report.Violations, d.Report.Suppressed} {
		for i := range list {
			if v := &list[i]; v.Place.Excerpt().Hidden == 0 { // a hash would reveal something about a secret
				byFile[v.Place.File] = append(byFile[v.Place.File], v)
			}
		}
	}
	var without []diag.Violation
	for _, f := range withTemplates(d.Read, byFile) {
		findings := byFile[f.Name]
		if len(findings) == 0 {
			continue
		}
		if text, ok := d.Text(f, MaxHashed); ok {
			hashLines(text, findings)
			continue
		}
		without = append(without, withoutHashes(f.Name))
	}
	for _, v := range without {
		d.Report.Violations = append(d.Report.Violations, v)
		d.Report.Summary.Count(v.Severity)
	}
}

// withTemplates returns the files, with each chart replaced by its templates that have findings.
func withTemplates(files []*find.File, byFile map[string][]*diag.Violation) (list []*find.File) {
	for _, f := range files {
		if f.Kind != find.Chart {
			list = append(list, f)
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(byFile)) {
			if rest, ok := strings.CutPrefix(name, f.Name+"/"); ok {
				list = append(list, &find.File{Name: name, Abs: filepath.Join(f.Abs, rest), Config: f.Config})
			}
		}
	}
	return list
}

// withoutHashes returns the finding that a file has no line hashes.
func withoutHashes(file string) diag.Violation {
	return diag.Violation{
		Rule: diag.ReaderLimit, Severity: diag.Info,
		Message: fmt.Sprintf("the findings have no line hashes: the file has more than %d MiB, or cannot be read twice",
			MaxHashed>>20),
		Place: source.FileStart(file),
	}
}

// hashLines adds line hashes to the findings of one file.
func hashLines(text string, findings []*diag.Violation) {
	byLine := map[int][]*diag.Violation{}
	for _, v := range findings {
		byLine[v.Place.Start().Line] = append(byLine[v.Place.Start().Line], v)
	}
	source.LineHashes(text, func(line int, hash string) {
		for _, v := range byLine[line] {
			v.LineHash = hash
		}
	})
}
