package check

import (
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/suppress"
)

// Known counts the findings of the old version of a text. They are not findings about a change. A nil *Known is empty.
type Known struct{ count map[knownFinding]int }

// knownFinding is what two findings have in common if both are the same finding in two versions of a text.
type knownFinding struct {
	rule     diag.Rule
	severity diag.Severity
	object   diag.Object // without the number of the document
	path     string
	message  string
	line     string // the whole line, without the blanks around it
	text     string // of the place
	places   int
	more     int
}

// knownAs returns what identifies a finding of a text in another version of the text.
func knownAs(v *diag.Violation, o diag.Object, src *source.Source) knownFinding {
	o.Document = 0
	start, end := v.Place.Span.Start-src.FirstByte, v.Place.Span.End-src.FirstByte
	line := src.Line(start)
	return knownFinding{
		rule: v.Rule, severity: v.Severity, object: o, path: v.Path.String(), message: v.Message,
		line: strings.TrimSpace(src.Text[line.Start:line.End]), text: src.Text[start:end], places: v.Places, more: v.More,
	}
}

// SinceVersion returns an engine that checks the new version of what a program makes. It skips unchanged documents,
// and does not report findings that the old version has.
func (e *Engine) SinceVersion(old, new []*source.Source) *Engine {
	now, was := *e, *e
	changed := e.options.Since.changedKinds()
	now.options.Since, now.known = NewOldTexts(changed), &Known{map[knownFinding]int{}}
	was.options.Since, was.known, was.options.MaxFindings, was.options.Objects = nil, nil, 0, false
	texts := map[string]string{}
	for _, src := range new {
		texts[src.Rendering] = src.Text
	}
	for _, src := range old {
		now.options.Since.addSource(src)
		if text, ok := texts[src.Rendering]; ok && text == src.Text && !suppress.Mentioned(text) && changed.IsEmpty() {
			continue // all documents are unchanged
		}
		result := was.Check(&Memory{}, src, File{IsWritten: true})
		for i := range result.Violations {
			v := &result.Violations[i]
			if v.Rule == diag.ReaderLimit || changed.affectObject(v.Object) {
				continue // what follows a limit was not checked, and what depends on a change may be new
			}
			now.known.count[knownAs(v, v.Object, src)]++
		}
	}
	return &now
}

// withoutKnown drops the violations that the old version has, too. It reports whether one of them was an error.
func (c *checker) withoutKnown(o diag.Object, violations []diag.Violation) (unknown []diag.Violation, hadErrors bool) {
	if c.engine.known == nil {
		return violations, false
	}
	unknown = violations[:0]
	for i := range violations {
		v := &violations[i]
		key := knownAs(v, o, c.src)
		if c.engine.known.count[key] == 0 {
			unknown = append(unknown, *v)
			continue
		}
		c.engine.known.count[key]--
		c.result.Summary.Known++
		hadErrors = hadErrors || v.Severity == diag.Error
	}
	return unknown, hadErrors
}
