package check

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Secrets are the values of a file that must never be shown, and their lines.
type Secrets struct {
	texts []string
	lines []lineRange
}

type lineRange struct{ first, last int }

func (s *Secrets) none() bool { return len(s.texts) == 0 && len(s.lines) == 0 }

// note records the secrets of a document of a kind. It must be called before the check edits the document.
func (s *Secrets) note(src *source.Source, n manifest.Node, kind *catalog.Kind) {
	kind.EachSecret(n, func(f manifest.Node) {
		place := src.Place(f.Span())
		s.lines = append(s.lines, lineRange{place.Start().Line, place.End().Line})
		s.texts = append(s.texts, secretTexts(f)...)
	})
}

// noteOld records the secrets of an old object. Its lines never appear in an excerpt.
func (s *Secrets) noteOld(old manifest.Node, kind *catalog.Kind) {
	kind.EachSecret(old, func(f manifest.Node) { s.texts = append(s.texts, secretTexts(f)...) })
}

// noteSecrets records the secrets of an object. The values of a Secret of Kubernetes are often words that stand openly
// in other objects, such as a user name. So only long ones are recorded; all are returned, for [hideValues].
func (c *checker) noteSecrets(n, old manifest.Node, kind *catalog.Kind) (values []string) {
	if !kind.HoldsSecrets() {
		return nil
	}
	s := &c.result.Secrets
	before := len(s.texts)
	s.note(c.src, n, kind)
	if old.Valid() {
		s.noteOld(old, kind)
	}
	if kind.Origin != catalog.Kubernetes {
		return nil
	}
	values = slices.Clone(s.texts[before:])
	s.texts = s.texts[:before]
	for _, value := range values {
		if len(value) >= longValue && len(s.texts) < mostValues {
			s.texts = append(s.texts, value)
		}
	}
	return values
}

// Limits of hiding the values of Secrets, each of which is searched in each finding. A file of 29 public repositories
// has at most 9 Secrets. Raise mostValues if one has hundreds.
const (
	longValue  = 12        // the minimum length of a recorded value of a Secret, in bytes
	mostValues = 2000      // values of the Secrets of a text are recorded up to this number of secrets
	mostHidden = 1_000_000 // the maximum number of values times findings for which values are hidden one by one
)

// hideValues removes the values of a Secret from the findings about it. If there are too many of both, the title of
// the rule replaces the message.
func hideValues(violations []diag.Violation, values []string) {
	if len(violations) == 0 || len(values) == 0 {
		return
	}
	if len(violations)*len(values) > mostHidden {
		for i := range violations {
			v := &violations[i]
			*v = diag.Violation{
				Rule: v.Rule, Severity: v.Severity, Path: v.Path, Place: v.Place, More: v.More,
				Message: (&diag.Report{}).Describe(v.Rule).Title,
			}
			v.Place.Hide(source.Secret)
		}
		return
	}
	m := newMask(values)
	for i := range violations {
		m.hide(&violations[i], nil)
	}
}

// secretTexts returns the texts of a value that may appear in a message: the parsed and the written form of a scalar,
// and those of all scalars in a map or list.
func secretTexts(n manifest.Node) []string {
	switch n.Type() {
	case manifest.Map, manifest.List:
		var texts []string
		for child := range n.Children() {
			texts = append(texts, secretTexts(child)...)
		}
		return texts
	case manifest.Null, manifest.Boolean:
		return nil
	}
	return []string{strings.Clone(n.Text()), strings.Clone(n.Raw())}
}

// noteMisnamed records the secrets of a document whose kind cannot be looked up. It assumes every kind that may have
// been intended.
func (c *checker) noteMisnamed(n manifest.Node, d *document) {
	group, _ := catalog.SplitAPIVersion(d.APIVersion)
	for _, kind := range c.engine.options.Catalog.WithSecrets(group, d.Kind) {
		c.result.Secrets.note(c.src, n, kind)
		if items, ok := n.Field("items"); ok {
			for item := range items.Children() {
				c.result.Secrets.note(c.src, item, kind)
			}
		}
	}
}

// fieldOfName matches the values of name fields in YAML and JSON.
var fieldOfName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)["']?\bname["']?[ \t]*:[ \t]*["']?([^"'\s,}#]+)`)
})

// noteUnreadable records the secrets of a document that cannot be read. If the text names a kind with secrets, none
// of its lines and names is shown.
func (c *checker) noteUnreadable(part manifest.Part) {
	text := c.src.Text[part.Span.Start:part.Span.End]
	if len(c.engine.options.Catalog.SecretsMentioned(text)) == 0 {
		return
	}
	place := c.src.Place(part.Span)
	c.result.Secrets.lines = append(c.result.Secrets.lines, lineRange{place.Start().Line, place.End().Line})
	for _, m := range fieldOfName().FindAllStringSubmatch(text, -1) {
		c.result.Secrets.texts = append(c.result.Secrets.texts, strings.Clone(m[1]))
	}
}

// hideSecrets removes the secrets of a chunk from its findings.
func (o *Result) hideSecrets() {
	if o.Secrets.none() {
		return
	}
	m := newMask(o.Secrets.texts)
	for i := range o.Violations {
		m.hide(&o.Violations[i], o.Secrets.lines)
	}
	for i := range o.Suppressions {
		s := &o.Suppressions[i]
		s.Reason = m.text(s.Reason)
		m.object(&s.Object)
		hideExcerpt(&s.Place, o.Secrets.lines, m)
	}
	for i := range o.NotEvaluated {
		n := &o.NotEvaluated[i]
		n.Reason, n.Path = m.text(n.Reason), m.path(n.Path)
		m.object(&n.Object)
		hideExcerpt(&n.Place, o.Secrets.lines, m)
	}
	for i := range o.Objects {
		m.object(&o.Objects[i].Object)
		hideExcerpt(&o.Objects[i].Place, o.Secrets.lines, m)
	}
}

func hideExcerpt(p *source.Place, lines []lineRange, m mask) {
	if isSecretLine(*p, lines, m) {
		p.Hide(source.Secret)
	}
}

func isSecretLine(p source.Place, lines []lineRange, m mask) bool {
	line, text := p.Start().Line, p.Excerpt().Text
	inside := func(r lineRange) bool { return r.first <= line && line <= r.last }
	return slices.ContainsFunc(lines, inside) || m.text(text) != text || m.isValueIn(text)
}

// isValueIn reports whether a word of a line, other than a key, is a secret.
func (m mask) isValueIn(line string) bool {
	return len(m.words) > 0 && slices.ContainsFunc(strings.Fields(line), func(word string) bool {
		return slices.Contains(m.words, strings.Trim(word, `,[]{}"'`))
	})
}

// dropFixes drops all fixes of a violation if one of them shows a secret or edits a line with a secret.
func dropFixes(v *diag.Violation, lines []lineRange, m mask) {
	isSecret := func(text string) bool { return m.text(text) != text }
	for _, fix := range v.Fixes {
		for _, e := range fix.Edits {
			if isSecret(fix.Title) || isSecret(e.NewText) || isSecretLine(e.Place, lines, m) || isSecretBelow(e.Place, lines, m) {
				v.Fixes, v.NotFixed = nil, whySecret
				return
			}
		}
	}
}

// longestShown is the maximum number of bytes that an edit may remove from a file with secrets. They are searched for each
// secret, because a diff shows them.
const longestShown = 4 << 10

// isSecretBelow reports whether a secret is on a line of an edit after its first one.
func isSecretBelow(p source.Place, lines []lineRange, m mask) bool {
	start, end := p.Start(), p.End()
	last := end.Line
	if end.Column == 1 { // the edit ends with a line break
		last--
	}
	if last <= start.Line {
		return false
	}
	inside := func(r lineRange) bool { return r.first <= last && start.Line < r.last }
	text := p.Text()
	return len(text) > longestShown || slices.ContainsFunc(lines, inside) || m.text(text) != text || m.isValueIn(text)
}

// mask replaces secrets in texts.
type mask struct {
	forms []string // the longest first
	// words are secrets that are also words of messages and names of fields, such as spec. They are replaced only in
	// quotes, where values are. Elsewhere they would mask the words of kindvet, and so tell the secret.
	words []string
}

// longestWord is the maximum length of a secret that counts as a word. A longer one is replaced everywhere.
const longestWord = 8

// isWord reports whether a secret may be a word of a message or the name of a field. Decide anew if a report shows a
// secret because of this.
func isWord(secret string) bool {
	return shortSecret <= len(secret) && len(secret) <= longestWord && strings.Trim(secret, "abcdefghijklmnopqrstuvwxyz") == ""
}

// secretWord replaces a secret.
const secretWord = diag.Masked

// A secret of fewer bytes than this is replaced only if it appears in quotes or as a separate word. Otherwise it
// would match parts of many words.
const shortSecret = 3

func newMask(secrets []string) mask {
	var m mask
	for _, secret := range secrets {
		m.add(secret)
		m.add(strings.TrimSuffix(diag.Cut(secret, diag.LongestQuote), "…")) // cut as in messages
		m.add(diag.CutKey(secret))                                          // cut as in paths
	}
	slices.SortFunc(m.forms, longBeforeShort)
	m.forms = slices.Compact(m.forms)
	return m
}

func longBeforeShort(a, b string) int {
	return cmp.Or(len(b)-len(a), strings.Compare(a, b))
}

// add adds a secret: as it is, and as messages and JSON write it.
func (m *mask) add(secret string) {
	if secret == "" {
		return
	}
	quoted := strconv.Quote(secret)
	asJSON, err := json.Marshal(secret)
	if err != nil {
		panic("a string can be written as JSON: " + err.Error())
	}
	if isWord(secret) {
		m.words = append(m.words, secret)
		return
	}
	for _, form := range []string{secret, quoted[1 : len(quoted)-1], string(asJSON[1 : len(asJSON)-1])} {
		if len(form) < shortSecret {
			form = strconv.Quote(form)
		}
		m.forms = append(m.forms, form)
	}
}

func (m mask) text(text string) string {
	if text == "" {
		return text
	}
	text = m.quotedWords(text)
	for _, form := range m.forms {
		text = strings.ReplaceAll(text, form, secretWord)
		if text == strings.Trim(form, `"`) {
			return secretWord
		}
		text = maskCut(text, form)
	}
	return text
}

// quotedWords replaces words that stand alone or, as a word, in quotes.
func (m mask) quotedWords(text string) string {
	for _, word := range m.words {
		if text == word {
			return secretWord
		}
		if !strings.Contains(text, word) {
			continue
		}
		var b strings.Builder
		for i, part := range strings.Split(text, `"`) {
			if i > 0 {
				b.WriteByte('"')
			}
			if i%2 == 1 {
				part = replaceWord(part, word)
			}
			b.WriteString(part)
		}
		text = b.String()
	}
	return text
}

// replaceWord replaces a secret that is not part of a longer word.
func replaceWord(text, word string) string {
	isLetter := func(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
	var b strings.Builder
	for {
		i := strings.Index(text, word)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		end := i + len(word)
		if i > 0 && isLetter(text[i-1]) || end < len(text) && isLetter(text[end]) {
			b.WriteString(text[:end])
		} else {
			b.WriteString(text[:i] + secretWord)
		}
		text = text[end:]
	}
}

// maskCut replaces the beginning of a secret that a message has cut short.
func maskCut(text, form string) string {
	const ellipsis = "…"
	for from := 0; ; {
		i := strings.Index(text[from:], ellipsis)
		if i < 0 {
			return text
		}
		i += from
		for n := min(len(form), i); n > 0; n-- {
			if n >= shortSecret && strings.HasSuffix(text[:i], form[:n]) {
				text = text[:i-n] + secretWord + text[i:]
				i += len(secretWord) - n
				break
			}
		}
		from = i + len(ellipsis)
	}
}

// path masks keys that equal a secret. It keeps names that only contain one, because a token may equal a field name.
func (m mask) path(path diag.Path) diag.Path {
	isCopy := false
	for i, step := range path {
		if _, ok := slices.BinarySearchFunc(m.forms, step.Name, longBeforeShort); !ok {
			continue
		}
		if !isCopy {
			path, isCopy = slices.Clone(path), true
		}
		path[i].Name = secretWord
	}
	return path
}

func (m mask) object(o *diag.Object) {
	o.Name, o.Namespace = m.text(o.Name), m.text(o.Namespace)
}

// hide masks secrets in a violation and its causes. It drops fixes that show secrets, and hides lines with secrets.
func (m mask) hide(v *diag.Violation, lines []lineRange) {
	for x := range v.All() {
		x.Message, x.Help, x.Path = m.text(x.Message), m.text(x.Help), m.path(x.Path)
		m.object(&x.Object)
		dropFixes(x, lines, m)
		hideExcerpt(&x.Place, lines, m)
		for i := range x.Related {
			x.Related[i].Message = m.text(x.Related[i].Message)
			hideExcerpt(&x.Related[i].Place, lines, m)
		}
	}
}

// A secret of at least this many bytes is hidden in the whole report, not only in the findings of its file. Such a
// string hardly has another meaning.
const longSecret = 8

// hideAcrossFiles removes the secrets of each file from the findings of all other files.
func hideAcrossFiles(report *diag.Report, results [][]*Result) {
	var long []string
	for o := range each(results) {
		for _, secret := range o.Secrets.texts {
			if len(secret) >= longSecret {
				long = append(long, secret)
			}
		}
	}
	if len(long) == 0 {
		return
	}
	m := newMask(long)
	for i := range report.Violations {
		m.hide(&report.Violations[i], nil)
	}
	for i := range report.Objects {
		m.object(&report.Objects[i].Object)
	}
	for i := range report.NotEvaluated {
		m.object(&report.NotEvaluated[i].Object)
	}
}
