package suppress

import (
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/nearest"
	"github.com/kindvet/kindvet/internal/source"
)

const (
	commentWord = manifest.IgnoreWord
	wholeFile   = manifest.IgnoreWord + "-file"
	annotation  = "kindvet/ignore"
)

// Find returns the suppressions of a text, and reports those that cannot be read or give no reason. It parses the
// documents that mention any again, because only the nodes tell whether a # starts a comment or is part of a value. It
// finds no suppressions in documents that cannot be read.
func Find(src *source.Source) ([]Suppression, []diag.Violation) {
	f := finder{src: src}
	at := 0
	isJSON := false
	for part := range manifest.Parts(src) {
		isJSON = isJSON || part.Format == manifest.JSON
		if !isJSON {
			f.between(at, part.Span.Start)
		}
		at = part.Span.End
		f.part(part)
	}
	if !isJSON {
		f.between(at, len(src.Text))
	}
	return f.found, f.faults
}

type finder struct {
	src    *source.Source
	found  []Suppression
	faults []diag.Violation
	// isTemplate means that the comments are those of templates, whose scope is not known yet.
	isTemplate bool
	// count is the number of suppressions, and of those that cannot be read.
	count int
}

// between looks for comments outside documents, where there are no nodes.
func (f *finder) between(start, end int) {
	for _, c := range comments(f.src, start, end) {
		f.comment(c, nil)
	}
}

func (f *finder) part(part manifest.Part) {
	if !Mentioned(f.src.Text[part.Span.Start:part.Span.End]) {
		return
	}
	tree := &manifest.Tree{}
	tree.Read(f.src, part)
	root := tree.Root()
	if !root.Valid() {
		return
	}
	if part.Format == manifest.YAML {
		at := newLayout(root)
		for _, c := range comments(f.src, part.Span.Start, part.Span.End) {
			if !at.isInText(c.start) {
				f.comment(c, at)
			}
		}
	}
	f.annotations(root, diag.Object{Document: part.Index})
}

// maxSuppressions is the maximum number of suppressions in a text, and in all texts of a run. Each takes about 2 KB of
// memory until the file has been reported.
const maxSuppressions = 100_000

// longestReason is the maximum number of characters of a reason that a report repeats. A comment may be as long as its
// file.
const longestReason = 500

// comment is a possible comment: from the # to the end of its line.
type comment struct {
	start, end int
	ownLine    bool
}

// comments finds what looks like comments that are meant to suppress something.
func comments(src *source.Source, start, end int) []comment {
	var found []comment
	text := src.Text
	for i := start; ; {
		n := strings.Index(text[i:end], programWord)
		if n < 0 {
			return found
		}
		at := i + n
		i = at + len(programWord)
		hash := len(strings.TrimRight(text[:at], " \t")) - 1
		if hash < start || text[hash] != '#' || hash > 0 && !strings.ContainsRune(" \t\n\r", rune(text[hash-1])) {
			continue
		}
		line := src.Line(hash)
		lineEnd := min(line.End, end)
		if !isAttempt(text[at:lineEnd]) {
			continue
		}
		found = append(found, comment{hash, lineEnd, strings.TrimLeft(text[line.Start:hash], " \t\ufeff") == ""})
		i = lineEnd
	}
}

// comment reads one comment. at is the layout of its document; nil outside of documents.
func (f *finder) comment(c comment, at *layout) {
	text := strings.TrimRight(f.src.Text[c.start:c.end], " \t\r")
	word := strings.TrimLeft(text[1:], " \t")
	wordAt := c.start + len(text) - len(word)
	name := word
	if i := strings.IndexAny(word, "[ \t"); i >= 0 {
		name = word[:i]
	}
	open := len(name)
	if name != commentWord && name != wholeFile {
		f.unknownWord(wordAt, name)
		return
	}
	if open >= len(word) || word[open] != '[' {
		f.malformed(wordAt, len(name), "the suppression has no rule", "add the rules in brackets: "+name+"[rule] reason",
			nil)
		return
	}
	size := strings.IndexByte(word[open:], ']')
	if size < 0 {
		f.malformed(wordAt, len(word), "missing closing bracket", "use "+name+"[rule] reason", nil)
		return
	}
	var scope source.Span
	if !f.isTemplate {
		scope = f.scope(c, name, at)
	}
	reason := strings.Clone(diag.Cut(strings.TrimSpace(word[open+size+1:]), longestReason))
	next, all := open+1, f.whole(c, text)
	inside := source.Span{Start: wordAt + next, End: wordAt + open + size}
	for entry := range strings.SplitSeq(word[open+1:open+size], ",") {
		at := source.Span{Start: wordAt + next, End: wordAt + next + len(entry)}
		f.entry(entry, wordAt+next, Suppression{
			Reason: reason, By: diag.ByComment, scope: scope, entry: f.src.Exactly(f.entrySpan(at, inside, all)),
		})
		if next += len(entry) + 1; f.count > maxSuppressions {
			break
		}
	}
}

// whole returns the span of a comment with its line, or with the blanks before it if something else is on the line.
func (f *finder) whole(c comment, text string) source.Span {
	sp := source.Span{Start: c.start, End: c.start + len(text)}
	if !c.ownLine {
		sp.Start = len(strings.TrimRight(f.src.Text[:sp.Start], " \t"))
		return sp
	}
	line := f.src.Line(c.start)
	sp.Start = line.Start
	if strings.HasPrefix(f.src.Text[sp.Start:], bom) {
		sp.Start += len(bom)
	}
	sp.End = line.End
	switch rest := f.src.Text[line.End:]; {
	case strings.HasPrefix(rest, "\r\n"):
		sp.End += 2
	case rest != "":
		sp.End++
	}
	return sp
}

const bom = "\ufeff"

// entrySpan returns what to remove with an entry of a list, whose text is inside the brackets: a comma, or the whole comment
// if there is no other entry.
func (f *finder) entrySpan(entry, inside, all source.Span) source.Span {
	text := f.src.Text
	switch {
	case entry == inside:
		return all
	case entry.End < inside.End: // a comma follows
		end := entry.End + 1
		return source.Span{Start: entry.Start, End: end + len(text[end:inside.End]) - len(strings.TrimLeft(text[end:inside.End], " \t"))}
	}
	return source.Span{Start: entry.Start - 1, End: entry.End}
}

// unknownWord reports a comment that is meant to suppress something but starts with an unknown word.
func (f *finder) unknownWord(at int, name string) {
	help, fixes := "use "+commentWord+"[rule] reason or "+wholeFile+"[rule] reason", []diag.Fix(nil)
	if near, ok := nearest.Name(name, []string{commentWord, wholeFile}); ok {
		place := f.src.Exactly(source.Span{Start: at, End: at + len(name)})
		help, fixes = "use "+near, diag.FixesUse(near, diag.Edit{Place: place, NewText: near})
	}
	f.malformed(at, len(name), "the comment suppresses nothing", help, fixes)
}

// entry adds the suppression of one rule. at is the offset of the entry.
func (f *finder) entry(entry string, at int, s Suppression) {
	trimmed := strings.TrimSpace(entry)
	at += strings.Index(entry, trimmed)
	rule, until, ok := splitUntil(trimmed)
	if !ok {
		f.malformed(at, max(len(trimmed), 1), "a suppression must be RULE or RULE until DATE",
			"for example: rule until 2027-01-31", nil)
		return
	}
	s.Name, s.Until, s.Place = strings.Clone(rule), strings.Clone(until),
		f.src.Place(source.Span{Start: at, End: at + len(rule)})
	f.add(s)
}

func (f *finder) add(s Suppression) {
	if f.isFull(s.Place) {
		return
	}
	f.found = append(f.found, s)
	if s.Reason == "" {
		f.faults = append(f.faults, diag.Violation{
			Rule: diag.SuppressionWithoutReason, Severity: diag.Info, Message: "the suppression has no reason",
			Help: "add one after the closing bracket", Place: s.Place, Object: s.Object,
		})
	}
}

func (f *finder) malformed(at, size int, message, help string, fixes []diag.Fix) {
	f.fault(diag.Violation{
		Message: message, Help: help, Fixes: fixes, Place: f.src.Place(source.Span{Start: at, End: at + size}),
	})
}

// fault adds a suppression that cannot be read.
func (f *finder) fault(v diag.Violation) {
	if f.isFull(v.Place) {
		return
	}
	v.Rule, v.Severity = diag.SuppressionMalformed, diag.Warning
	f.faults = append(f.faults, v)
}

// isFull counts the suppression at a place, and reports whether the text has too many. It reports the first that is
// ignored.
func (f *finder) isFull(place source.Place) bool {
	f.count++
	if f.count == maxSuppressions+1 {
		f.faults = append(f.faults,
			tooMany(place, "more than 100,000 suppressions in a file: this one and those after it are ignored"))
	}
	return f.count > maxSuppressions
}

// tooMany returns the finding that suppressions are ignored.
func tooMany(at source.Place, message string) diag.Violation {
	return diag.Violation{
		Rule: diag.SuppressionMalformed, Severity: diag.Warning, Place: at, Message: message,
		Help: "use " + wholeFile + "[rule] reason, or turn the rule off in the configuration",
	}
}

// scope returns the span that a comment applies to, in bytes of the file: the whole file, the line of the comment, or
// the next node.
func (f *finder) scope(c comment, name string, at *layout) source.Span {
	if name == wholeFile {
		return wholeFileSpan
	}
	if !c.ownLine {
		line := f.src.Line(c.start)
		return f.inFile(source.Span{Start: line.Start, End: line.End + 1})
	}
	if at != nil {
		if next, ok := at.next(c.end); ok {
			return f.extent(next)
		}
	}
	return source.Span{}
}

func (f *finder) extent(n manifest.Node) source.Span {
	return f.inFile(source.Span{Start: start(n), End: max(n.Span().End, n.KeySpan().End) + 1})
}

// inFile converts a span of the source, which may be a part of the file, to a span in the file.
func (f *finder) inFile(sp source.Span) source.Span {
	return source.Span{Start: f.src.FirstByte + sp.Start, End: f.src.FirstByte + sp.End}
}

// templates are the paths of the templates in an object: of pods, and of the Jobs of a CronJob. A chart often lets its
// users set only the annotations of pods.
var templates = [][]string{
	{"template"}, {"spec", "template"}, {"spec", "jobTemplate"}, {"spec", "jobTemplate", "spec", "template"},
}

// annotations looks for the annotation in a document and its templates, or in the items of a list.
func (f *finder) annotations(n manifest.Node, o diag.Object) {
	if n.Type() == manifest.List {
		for item := range n.Children() {
			f.annotations(item, o)
		}
		return
	}
	if items, ok := n.Field("items"); ok {
		f.annotations(items, o)
	}
	meta, _ := n.Field("metadata")
	o.APIVersion, o.Kind, o.Namespace, o.Name = text(n, "apiVersion"), text(n, "kind"), text(meta, "namespace"),
		text(meta, "name")
	if value, ok := annotationOf(n); ok {
		f.annotation(value, n, o)
	}
	for _, path := range templates {
		template, ok := at(n, path)
		if !ok {
			continue
		}
		if value, ok := annotationOf(template); ok {
			f.annotation(value, template, o)
		}
	}
}

// annotationOf returns the annotation of an object or a template.
func annotationOf(n manifest.Node) (manifest.Node, bool) {
	value, ok := at(n, []string{"metadata", "annotations", annotation})
	return value, ok && value.Type() == manifest.String
}

// at returns the value at a path.
func at(n manifest.Node, path []string) (manifest.Node, bool) {
	for _, name := range path {
		if !n.Valid() {
			return n, false
		}
		n, _ = n.Field(name)
	}
	return n, n.Valid()
}

func text(n manifest.Node, name string) string {
	f, ok := at(n, []string{name})
	if !ok {
		return ""
	}
	return strings.Clone(f.Text())
}

// maxMisses is the number of entries in an annotation that are searched for without success. Their places are that of
// the annotation. An entry is not found if it contains escapes or a line break. Each search reads the rest of the
// annotation.
const maxMisses = 100

func (f *finder) annotation(value, object manifest.Node, o diag.Object) {
	scope := f.extent(object)
	raw, next, misses := value.Raw(), 0, 0
	for entry := range strings.SplitSeq(value.Text(), ";") {
		if f.count > maxSuppressions {
			break
		}
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		left, reason, _ := strings.Cut(entry, "=")
		place := f.src.Place(value.Span())
		if name := strings.TrimSpace(left); misses < maxMisses {
			if i := strings.Index(raw[next:], name); i >= 0 {
				at := value.Span().Start + next + i
				place = f.src.Place(source.Span{Start: at, End: at + len(name)})
				next += i + len(name)
			} else {
				misses++
			}
		}
		rule, until, ok := splitUntil(left)
		if !ok {
			f.fault(diag.Violation{
				Message: "a suppression must be RULE=REASON or RULE until DATE=REASON",
				Help:    "for example: rule until 2027-01-31=reason", Place: place, Object: o,
			})
			continue
		}
		f.add(Suppression{
			Name: strings.Clone(rule), Until: strings.Clone(until),
			Reason: strings.Clone(diag.Cut(strings.TrimSpace(reason), longestReason)),
			By:     diag.ByAnnotation, Place: place, Object: o, scope: scope,
		})
	}
}
