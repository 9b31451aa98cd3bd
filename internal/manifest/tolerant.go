package manifest

import (
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// Text that is being typed is broken most of the time. A tolerant read takes the following steps, in this order, until
// one succeeds:
//
//   1. Read it like any other text.
//   2. Repair the line of the cursor and read again: add the colon after a lone key, or blank the value or the line.
//   3. Divide the text by its indentation, repair the smallest blocks that cannot be read, and read again.
//   4. Repair the line that the reader reports and read again, as long as the budget lasts.
//   5. Read the text before the line that the reader reports.
//
// JSON has a reader that continues after each error (jsontolerant.go).

// maxTolerant is the maximum size in bytes of a broken text of which a part is kept. Nobody types a longer one. The
// longest file of 29 public repositories has 3.7 MB.
const maxTolerant = 8 << 20

// ReadTolerant reads one part like [Tree.Read] and returns the same findings. If the part has a syntax error, the tree
// is not emptied: it holds what can be read without the broken lines or values, which may be nothing. All offsets are
// those of the original text. In such a tree, a key whose value cannot be read has the value null, and duplicate keys
// are not reported.
//
// The cursor is the offset in the source at which somebody is typing, where the error is most likely to be. It is -1
// if there is no cursor. The time is linear in the size of the part.
func (t *Tree) ReadTolerant(s *source.Source, p Part, cursor int) []diag.Violation {
	fault := p.fault
	p.fault = nil
	findings := t.Read(s, p)
	if len(findings) > 0 && findings[0].Rule == diag.Syntax && p.Span.End-p.Span.Start <= maxTolerant {
		t.readBroken(p, cursor)
	}
	if fault != nil {
		return []diag.Violation{*fault}
	}
	return findings
}

// readBroken keeps what can be read of a part with a syntax error.
func (t *Tree) readBroken(p Part, cursor int) {
	if p.Format == JSON || startsJSON(t.Source.Text[p.Span.Start:p.Span.End]) {
		t.readBrokenJSON(p)
		return
	}
	src := t.Source
	r := newRepair(src.Text[p.Span.Start:p.Span.End])
	if !r.readAtCursor(t, cursor-p.Span.Start) && !r.readDivided(t) || t.nodes[0].typ == Null {
		t.Reset(src)
		return
	}
	t.Source = src
	r.restoreOffsets(t, p.Span.Start)
}

// startsJSON reports whether text starts like a JSON object and not like a template.
func startsJSON(text string) bool {
	start := skipBlank(text, 0)
	if start >= len(text) || text[start] != '{' {
		return false
	}
	next := skipBlank(text, start+1)
	return next >= len(text) || text[next] == '"' || text[next] == '}'
}

// readWhole reads the repaired text. It uses only the hand-written reader, or the libraries if that reader declines.
// It returns the findings of [Tree.Read], and whether the tree has been filled.
func (r *repair) readWhole(t *Tree, cost int) ([]diag.Violation, bool) {
	return r.read(t, r.slice(0, len(r.text)), cost)
}

func (r *repair) read(t *Tree, text string, cost int) ([]diag.Violation, bool) {
	if r.budget -= cost * len(text); r.budget < 0 {
		return nil, false
	}
	p := Part{Span: source.Span{End: len(text)}, Index: 1, Format: YAML}
	t.Reset(&source.Source{Text: text})
	if findings, ok := t.readByHand(p); ok {
		return findings, true
	}
	if cost == handCost {
		return nil, false
	}
	t.Reset(t.Source)
	findings := t.readByLibrary(p)
	return findings, len(t.nodes) > 0
}

// readAtCursor reads the text with the line of the cursor repaired, with the repair that keeps the most of it.
func (r *repair) readAtCursor(t *Tree, cursor int) bool {
	line := r.lineAt(cursor)
	if line < 0 || r.lines[line].indent < 0 {
		return false
	}
	undo := r.save(line, line+1)
	for _, attempt := range []func(line int) bool{r.supplyColon, r.blankValue, r.blankContent, r.blankLine} {
		if attempt(line) {
			if findings, ok := r.readWhole(t, handCost); ok && !r.blankSecondKeys(findings) {
				return true
			}
		}
		undo()
	}
	return false
}

// blankSecondKeys blanks keys that got a colon and are already present in the same map. Otherwise the new null value
// would replace the written one. It reports whether there were any.
func (r *repair) blankSecondKeys(findings []diag.Violation) (some bool) {
	for i := range findings {
		line := min(findings[i].Place.Start().Line, len(r.lines)) - 1
		if first, end := r.colonsIn(r.lines[line].start, r.lines[line].end); first < end {
			some = r.blankLine(line)
		}
	}
	return some
}
