package run

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// maxHashed is the maximum size in bytes of a file whose lines are hashed, because hashing needs the whole text.
const maxHashed = manifest.MaxPart

// keptText keeps a copy of the bytes written to it, up to a maximum size.
type keptText struct {
	text bytes.Buffer
	most int64
	over bool
}

// Write implements [io.Writer].
func (k *keptText) Write(b []byte) (int, error) {
	if k.over = k.over || int64(k.text.Len()+len(b)) > k.most; k.over {
		k.text = bytes.Buffer{}
		return len(b), nil
	}
	return k.text.Write(b)
}

// keepStdin copies standard input as it is read, if line hashes need it. The copy holds at most the given number of
// bytes.
func (o *Options) keepStdin(most int64) *keptText {
	copied := &keptText{most: most}
	if o.LineHashes && o.Stdin != nil {
		o.Stdin = io.TeeReader(o.Stdin, copied)
	}
	return copied
}

// addLineHashes adds line hashes to the findings. It reads files with findings again, because a hash depends on all
// lines of a file. If a file no longer exists or is too long, its findings have no hashes and the report says so.
func addLineHashes(r *diag.Report, found *find.Found, stdin *keptText) {
	byFile := map[string][]*diag.Violation{}
	for _, list := range [][]diag.Violation{r.Violations, r.Suppressed} {
		for i := range list {
			if v := &list[i]; v.Place.Excerpt().Hidden == 0 { // a hash would reveal something about a secret
				byFile[v.Place.File] = append(byFile[v.Place.File], v)
			}
		}
	}
	var without []diag.Violation
	for _, f := range withTemplates(found.Files, byFile) {
		findings := byFile[f.Name]
		if len(findings) == 0 {
			continue
		}
		text, ok := stdin.text.String(), !stdin.over
		if !f.IsStdin {
			text, ok = f.Again(found.Tree, stdin.most)
		}
		if !ok {
			without = append(without, withoutHashes(f.Name, stdin.most))
			continue
		}
		hashLines(text, findings)
	}
	for _, v := range without {
		r.Violations = append(r.Violations, v)
		r.Summary.Count(v.Severity)
	}
	diag.SortViolations(r.Violations)
}

// withTemplates returns the files, with each chart replaced by its templates that have findings.
func withTemplates(files []find.File, byFile map[string][]*diag.Violation) (list []find.File) {
	for _, f := range files {
		if !f.IsChart {
			if !f.IsBuilt {
				list = append(list, f)
			}
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(byFile)) {
			if rest, ok := strings.CutPrefix(name, f.Name+"/"); ok {
				list = append(list, find.File{Name: name, Abs: filepath.Join(f.Abs, rest), Config: f.Config})
			}
		}
	}
	return list
}

// withoutHashes returns the finding that a file has no line hashes.
func withoutHashes(file string, most int64) diag.Violation {
	return diag.Violation{
		Rule: diag.ReaderLimit, Severity: diag.Info,
		Message: fmt.Sprintf("the findings have no line hashes: the file has more than %d MiB, or cannot be read twice",
			most>>20),
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
