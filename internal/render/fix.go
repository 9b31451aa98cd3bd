package render

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
)

// shownFixes returns the fixes whose new text can be shown unchanged. A fix with escaped text would be a different
// fix.
func shownFixes(fixes []diag.Fix) (shown []diag.Fix) {
	for _, fix := range fixes {
		isShown := true
		for _, e := range fix.Edits {
			text := strings.ReplaceAll(e.NewText, "\r\n", "\n")
			for line := range strings.SplitSeq(text, "\n") { // a new field has a line of its own
				isShown = isShown && clean(line) == line
			}
		}
		if isShown {
			shown = append(shown, fix)
		}
	}
	return shown
}

// suggestedFixes returns the fixes of formats that cannot say which of them are choices of the user.
func suggestedFixes(v *diag.Violation) []diag.Fix {
	return slices.DeleteFunc(shownFixes(v.AllFixes()), func(f diag.Fix) bool { return f.Choice })
}

type jsonFix struct {
	Title  string     `json:"title"`
	Safe   bool       `json:"safe"`
	Choice bool       `json:"choice,omitempty"`
	File   string     `json:"file,omitempty"` // if it is not that of the finding
	Edits  []jsonEdit `json:"edits"`
}

type jsonEdit struct {
	StartByte   int    `json:"startByte"`
	EndByte     int    `json:"endByte"`
	StartLine   int    `json:"startLine"`
	StartColumn int    `json:"startColumn"`
	EndLine     int    `json:"endLine"`
	EndColumn   int    `json:"endColumn"`
	NewText     string `json:"newText"`
}

func fixesJSON(v *diag.Violation) (fixes []jsonFix) {
	for _, fix := range shownFixes(v.Fixes) {
		j := jsonFix{Title: clean(fix.Title), Safe: fix.Safe, Choice: fix.Choice}
		for _, e := range fix.Edits {
			if e.Place.File != v.Place.File {
				j.File = clean(e.Place.File)
			}
			start, end := e.Place.Start(), e.Place.End()
			j.Edits = append(j.Edits, jsonEdit{
				StartByte: e.Place.Span.Start, EndByte: e.Place.Span.End,
				StartLine: start.Line, StartColumn: start.Column, EndLine: end.Line, EndColumn: end.Column, NewText: e.NewText,
			})
		}
		fixes = append(fixes, j)
	}
	return fixes
}

type rdjsonSuggestion struct {
	Range *rdjsonRange `json:"range"`
	Text  string       `json:"text"`
}

// rdjsonSuggestions returns the fixes that consist of one edit in the file of the finding. The format does not support any
// others.
func rdjsonSuggestions(v *diag.Violation) (suggestions []rdjsonSuggestion) {
	for _, fix := range suggestedFixes(v) {
		if len(fix.Edits) == 1 && fix.Edits[0].Place.File == v.Place.File {
			suggestions = append(suggestions, rdjsonSuggestion{rdjsonRangeOf(fix.Edits[0].Place), fix.Edits[0].NewText})
		}
	}
	return suggestions
}

type sarifFix struct {
	Description sarifMessage  `json:"description"`
	Changes     []sarifChange `json:"artifactChanges"`
}

type sarifChange struct {
	Artifact     sarifArtifact      `json:"artifactLocation"`
	Replacements []sarifReplacement `json:"replacements"`
}

type sarifReplacement struct {
	Deleted  *sarifRegion  `json:"deletedRegion"`
	Inserted *sarifContent `json:"insertedContent"`
}

type sarifContent struct {
	Text string `json:"text"`
}

func sarifFixes(v *diag.Violation, o *Options) (fixes []sarifFix) {
	for _, fix := range suggestedFixes(v) {
		file := v.Place.File
		if len(fix.Edits) > 0 {
			file = fix.Edits[0].Place.File
		}
		change := sarifChange{Artifact: sarifArtifactOf(file, o)}
		for _, e := range fix.Edits {
			start, end := e.Place.Start(), e.Place.End()
			region := &sarifRegion{start.Line, start.Column, end.Line, end.Column}
			change.Replacements = append(change.Replacements, sarifReplacement{region, &sarifContent{e.NewText}})
		}
		fixes = append(fixes, sarifFix{sarifMessage{Text: withoutLinks(clean(fix.Title))}, []sarifChange{change}})
	}
	return fixes
}
