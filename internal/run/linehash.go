package run

import (
	"bytes"
	"io"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/source"
)

// keepStdin keeps a copy of what is read from standard input if line hashes will want it.
func (o *Options) keepStdin() *bytes.Buffer {
	copied := &bytes.Buffer{}
	if o.LineHashes && o.Stdin != nil {
		o.Stdin = io.TeeReader(o.Stdin, copied)
	}
	return copied
}

// addLineHashes gives the violations the hashes of their lines. Files with violations are read once more for that, because a hash
// counts the lines of a whole file; one that has gone meanwhile leaves its violations without.
func addLineHashes(r *diag.Report, found *find.Found, stdin *bytes.Buffer) {
	byFile := map[string][]*diag.Violation{}
	for _, list := range [][]diag.Violation{r.Violations, r.Suppressed} {
		for i := range list {
			if v := &list[i]; v.Place.Excerpt.Hidden == 0 { // a hash would say something about a secret
				byFile[v.Place.File] = append(byFile[v.Place.File], v)
			}
		}
	}
	for _, f := range found.Files {
		violations := byFile[f.Name]
		if len(violations) == 0 {
			continue
		}
		text := stdin.String()
		if !f.IsStdin {
			var ok bool
			if text, ok = f.Again(found.Tree); !ok {
				continue
			}
		}
		byLine := map[int][]*diag.Violation{}
		for _, v := range violations {
			byLine[v.Place.Start.Line] = append(byLine[v.Place.Start.Line], v)
		}
		source.LineHashes(text, func(line int, hash string) {
			for _, v := range byLine[line] {
				v.LineHash = hash
			}
		})
	}
}
