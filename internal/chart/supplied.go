package chart

import (
	"slices"
	"strings"
	"unicode"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// Limits of the values that are tried, and of those that supplied different parts of one place. Each that is tried
// renders a template. Raise a limit if the right value of a public chart is often not among the first.
const (
	mostTried    = 12
	mostShort    = 6 // for a short text
	shortText    = 5 // bytes
	mostSupplied = 3
)

// maxWork is the maximum number of values that are compared with parts of the output. Searching a piece of the output
// counts as a comparison for each few bytes. Without it, each finding would be compared with each value. It is enough
// for thousands of findings in the largest chart of 29 public repositories, with 1,426 values of its own.
const (
	maxWork      = 20_000_000
	bytesPerWork = 16
)

// candidate is a leaf that may have supplied a part of the output.
type candidate struct {
	leaf  *leaf
	score int
	// isBelow means that the part is the key of the leaf.
	isBelow bool
}

// Supplied returns where the values are set that supplied a part of the text: in files of values, or by flags. The
// last file or flag that sets a value counts. It returns nothing if that is not proven.
func (o *Output) Supplied(sp source.Span) []diag.Related {
	if o.suppliers == nil || !o.written.HasAction(sp) {
		return nil
	}
	s, text := o.suppliers, o.Source.Text
	s.prepare()
	if s.loaded.work += len(s.leaves); s.loaded.work > maxWork {
		return nil
	}
	sp = firstScalar(text, sp)
	var found []diag.Related
	covered := map[source.Span]bool{}
	isOdd := false
	for _, c := range o.candidates(sp) {
		part, ok := o.prove(c, sp)
		if !ok || covered[part] {
			continue
		}
		covered[part] = true
		related, ok := s.related(c.leaf)
		if !ok {
			return nil
		}
		if related.Place.IsZero() {
			related.Place = o.Source.Place(sp)
		}
		switch odd := !isPlain(c.leaf.text); {
		case odd && !isOdd:
			found, isOdd = []diag.Related{related}, true
		case odd == isOdd:
			found = append(found, related)
		}
		if c.isBelow || part.Start <= sp.Start && part.End >= sp.End {
			break
		}
	}
	if len(found) > mostSupplied {
		return nil
	}
	return found
}

// isPlain reports whether a text is valid in all names. If several values supplied parts of a text, those that are not
// plain are more likely the reason for a finding.
func isPlain(text string) bool {
	isOther := func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '.') }
	return strings.IndexFunc(text, isOther) < 0 && strings.Trim(text, "-.") == text
}

// related returns the place of a leaf. The place is zero if a flag set it.
func (s *suppliers) related(l *leaf) (diag.Related, bool) {
	from := &s.sources[l.source]
	if at := from.setting.at; !at.IsZero() {
		return diag.Related{Place: at, Message: "set here", IsSupplier: true}, true
	}
	if from.src == nil {
		return diag.Related{Message: "set by " + from.setting.flag + " " + from.setting.key}, true
	}
	place, ok := from.place(l)
	return diag.Related{Place: place, Message: "set here", IsSupplier: true}, ok
}

// firstScalar returns the key or the scalar that a span starts with, without quotes.
func firstScalar(text string, sp source.Span) source.Span {
	part := text[sp.Start:min(sp.End, len(text))]
	if i := strings.IndexByte(part, '\n'); i >= 0 {
		part = part[:i]
	}
	trimmed := strings.TrimLeft(part, " -")
	start := sp.Start + len(part) - len(trimmed)
	if key, _, isKey := strings.Cut(trimmed, ": "); isKey {
		trimmed = key
	}
	trimmed = strings.TrimSuffix(strings.TrimRight(trimmed, " "), ":")
	if len(trimmed) >= 2 && (trimmed[0] == '"' || trimmed[0] == '\'') && trimmed[len(trimmed)-1] == trimmed[0] {
		return source.Span{Start: start + 1, End: start + len(trimmed) - 1}
	}
	return source.Span{Start: start, End: start + len(trimmed)}
}

// candidates returns the leaves that may have supplied a part of the text, the most likely first. The order is a
// guess, and an experiment decides. In 66 charts of public repositories, it led to the lines of all 68 faults in
// values. Decide anew if it takes more trials.
func (o *Output) candidates(sp source.Span) (list []candidate) {
	text, line := o.Source.Text[sp.Start:sp.End], o.Source.Line(sp.Start)
	lineText := o.Source.Text[line.Start:line.End]
	names := o.namesAt(sp)
	isKey := strings.HasPrefix(strings.TrimLeft(o.Source.Text[sp.End:], `"'`), ":")
	isNamed := false
	for i := range o.suppliers.leaves {
		l := &o.suppliers.leaves[i]
		c := candidate{leaf: l, score: l.scoreOf(names)}
		switch {
		case l.text == text && (text != "" || c.score >= nameScore):
			isNamed = isNamed || c.score >= nameScore
			c.score += 3 * nameScore
		case l.text != "" && !l.isKey && !l.isTemplate() && hasWord(text, l.text):
			c.score += len(l.text) * nameScore / max(len(text), 1)
		case text != "" && !l.isKey && strings.Contains(l.text, text) && strings.Contains(lineText, l.text):
			c.score += 2 * nameScore
		case isKey && !l.isKey && l.last() == text:
			c.isBelow = true
		case l.isTemplate() && l.mayPrint(text, c.score >= nameScore):
		default:
			continue
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return b.score - a.score })
	if len(text) <= shortText && len(list) > 0 { // many values are true or 1
		list = slices.DeleteFunc(list, func(c candidate) bool { return isNamed && c.score < 4*nameScore })
		return list[:min(len(list), mostShort)]
	}
	return list[:min(len(list), mostTried)]
}

// hasWord reports whether a text contains a word, not in the middle of a longer one.
func hasWord(text, word string) bool {
	i := strings.Index(text, word)
	if i < 0 {
		return false
	}
	isEnd := func(before, after byte) bool { return !isAlphanumeric(rune(before)) || !isAlphanumeric(rune(after)) }
	end := i + len(word)
	return (i == 0 || isEnd(text[i-1], word[0])) && (end == len(text) || isEnd(word[len(word)-1], text[end]))
}

// nameScore is the score of a leaf if the action names its field.
const nameScore = 8

// scoreOf returns how many of the names lead to the leaf.
func (l *leaf) scoreOf(names map[string]bool) (score int) {
	for _, step := range l.path {
		if name, ok := step.(string); ok && names[name] {
			score++
		}
	}
	if names[l.last()] {
		score += nameScore
	}
	return score
}

// mayPrint reports whether a template in the values may print a text, because it has a piece of it.
func (l *leaf) mayPrint(text string, isNamed bool) bool {
	for i, piece := range strings.Split(l.text, "{{") {
		if _, after, ok := strings.Cut(piece, "}}"); ok || i > 0 {
			piece = after
		}
		piece = strings.Trim(piece, ` "'`)
		if len(piece) > 2 && (strings.Contains(piece, text) || strings.Contains(text, piece)) {
			return true
		}
	}
	return isNamed
}

// namesAt returns the words of the actions that wrote the start and the end of a part, and the keys before it on its
// line.
func (o *Output) namesAt(sp source.Span) map[string]bool {
	names := map[string]bool{}
	for _, key := range strings.FieldsFunc(o.Source.Text[o.Source.Line(sp.Start).Start:sp.Start], isNoName) {
		names[key] = true
	}
	for _, at := range []int{sp.Start, max(sp.End-1, sp.Start)} {
		for _, action := range o.written.ActionsAt(at) {
			for _, word := range strings.FieldsFunc(action, isNoName) {
				names[word] = true
			}
		}
	}
	return names
}

func isNoName(r rune) bool {
	return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// prove returns the part that a leaf supplied. It must be in sp, or follow it, if sp is the key of the leaf.
func (o *Output) prove(c candidate, sp source.Span) (source.Span, bool) {
	s, text := o.suppliers, o.Source.Text
	line := o.Source.Line(sp.Start)
	s.loaded.work += len(text) / bytesPerWork
	for _, ch := range c.leaf.changes(s.valueOf(c.leaf), text) {
		after, ok := s.try(o, c.leaf, &ch)
		if !ok {
			continue
		}
		for _, part := range ch.printed(text, after, line) {
			if c.leaf.isTemplate() {
				part.Start = o.written.StartOf(part.End, line)
			}
			if c.isBelow && part.Start >= sp.End && part.Start <= line.End &&
				strings.Trim(text[sp.End:part.Start], `:"' `) == "" {
				return part, true
			}
			isEmpty := sp.Start == sp.End && part.Start <= sp.End && part.End >= sp.Start
			if !c.isBelow && (isEmpty || part.Start < sp.End && part.End > sp.Start) {
				return part, true
			}
		}
	}
	return source.Span{}, false
}
