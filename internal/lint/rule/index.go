package rule

import (
	"io/fs"
	"strconv"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/rules"
)

// indexFile lists the embedded rules, one per line, with the conditions that decide whether a document needs the
// rule at all. The test of this package writes it from the rule files and checks that it is current. A rule file is
// read only when a document may break the rule.
const indexFile = "lint/index.tsv"

// The columns of the index: id, severity, title, tags, kinds, each, lacks, items, contains; types, style, raw and key
// of written; key, keep; kinds, each and key of target; misspelled; unique; type; not recommended; selector; type,
// labels, among and conflicts of target; needs parameters.
const columns = 28

// embedded returns the heads of the embedded rules, sorted by id.
var embedded = sync.OnceValue(func() []Head {
	heads := make([]Head, 0, strings.Count(rules.LintIndex, "\n"))
	for line := range strings.Lines(rules.LintIndex) {
		heads = append(heads, parseHead(strings.TrimSuffix(line, "\n")))
	}
	return heads
})

func (h *Head) line() string {
	var contains []string
	for _, c := range h.Contains {
		contains = append(contains, strconv.QuoteToASCII(c))
	}
	return strings.Join([]string{
		string(h.ID), h.Severity.String(), h.Title, join(h.Tags), join(h.Kinds), join(h.Each), join(h.Lacks),
		strconv.Itoa(h.Items), join(contains), join(h.Written.Types), h.Written.Style, strconv.QuoteToASCII(h.Written.Raw),
		strconv.QuoteToASCII(h.Written.Key),
		join(h.Key), join(h.Keep), join(h.Target.Kinds), join(h.Target.Each), join(h.Target.Key),
		strconv.FormatBool(h.Misspelled), h.Unique, h.Type, strconv.FormatBool(h.NotRecommended),
		h.Selector, h.Target.Type, h.Target.Labels, h.Target.Among, strconv.FormatBool(h.Target.Conflicts),
		strconv.FormatBool(h.NeedsParams),
	}, "\t")
}

func parseHead(line string) Head {
	var f [columns]string
	n := 0
	for column := range strings.SplitSeq(line, "\t") {
		if n < columns {
			f[n] = column
		}
		n++
	}
	if n != columns {
		panic("the index of lint rules has a line of " + strconv.Itoa(n) + " columns: " + line)
	}
	severity, _ := diag.ParseSeverity(f[1])
	items, err := strconv.Atoi(f[7])
	if err != nil {
		panic("the index of lint rules counts items: " + err.Error())
	}
	return Head{
		ID: diag.Rule(f[0]), Severity: severity, Title: f[2], Tags: split(f[3]), Kinds: split(f[4]), Each: split(f[5]),
		Lacks: split(f[6]), Items: items, Contains: unquoteAll(f[8]),
		Written: Written{Types: split(f[9]), Style: f[10], Raw: unquote(f[11]), Key: unquote(f[12])},
		Key:     split(f[13]), Keep: split(f[14]),
		Target: Target{Kinds: split(f[15]), Type: f[23], Each: split(f[16]), Key: split(f[17]), Labels: f[24], Among: f[25],
			Conflicts: f[26] == "true"},
		Misspelled: f[18] == "true", Unique: f[19], Type: f[20], NotRecommended: f[21] == "true", Selector: f[22],
		NeedsParams: f[27] == "true",
	}
}

func join(list []string) string { return strings.Join(list, ",") }

func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// unquoteAll parses a comma-separated list of quoted texts.
func unquoteAll(text string) []string {
	var list []string
	for text != "" {
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			panic("the index of lint rules has a text that is not quoted: " + text)
		}
		list = append(list, unquote(quoted))
		text = strings.TrimPrefix(text[len(quoted):], ",")
	}
	return list
}

func unquote(quoted string) string {
	if quoted == `""` {
		return ""
	}
	text, err := strconv.Unquote(quoted)
	if err != nil {
		panic("the index of lint rules has a text that is not quoted: " + quoted)
	}
	return text
}

// loadEmbedded reads and parses the file of an embedded rule.
func loadEmbedded(id diag.Rule) *Rule {
	name := "lint/" + string(id) + "/rule.yaml"
	text, err := fs.ReadFile(rules.Lint, name)
	if err != nil {
		panic("the index of lint rules names a file: " + err.Error())
	}
	r, p := parseRule(&source.Source{Name: name, Text: string(text)})
	if r == nil {
		panic("an embedded rule is tested: " + name + ": " + p.violations[0].Message)
	}
	r.Embedded = true
	if r.message != nil {
		r.message.encoded = precompiled()[id].message
	}
	return r
}
