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
// rule at all. The first line names the columns. The test of this package writes the file from the rule files and checks
// that it is current. A rule file is read only when a document may break the rule.
//
// The index is a table and no Go code: if a field of [Head] changes its name, the test can still be built, and write the
// table anew. Reading it takes 0.3 ms at each start (343 rules); decide anew if a start takes less than 5 ms.
const indexFile = "lint/index.tsv"

// column is a column of the index: a field of [Head]. A field without a value is empty there.
type column struct {
	name  string
	write func(h *Head) string
	read  func(h *Head, text string)
}

func textColumn(name string, field func(h *Head) *string) column {
	return column{name, func(h *Head) string { return *field(h) }, func(h *Head, text string) { *field(h) = text }}
}

// quotedColumn is for texts that may have any character.
func quotedColumn(name string, field func(h *Head) *string) column {
	write := func(h *Head) string {
		if *field(h) == "" {
			return ""
		}
		return strconv.QuoteToASCII(*field(h))
	}
	return column{name, write, func(h *Head, text string) { *field(h) = unquote(text) }}
}

func listColumn(name string, field func(h *Head) *[]string) column {
	return column{
		name, func(h *Head) string { return strings.Join(*field(h), ",") },
		func(h *Head, text string) { *field(h) = strings.Split(text, ",") },
	}
}

func flagColumn(name string, field func(h *Head) *bool) column {
	write := func(h *Head) string {
		if *field(h) {
			return name
		}
		return ""
	}
	return column{name, write, func(h *Head, text string) { *field(h) = text == name }}
}

// columns returns the columns of the index in their order.
func columns() []column {
	return []column{
		textColumn("id", func(h *Head) *string { return (*string)(&h.ID) }),
		{
			"severity", func(h *Head) string { return h.Severity.String() },
			func(h *Head, text string) { h.Severity, _ = diag.ParseSeverity(text) },
		},
		textColumn("title", func(h *Head) *string { return &h.Title }),
		listColumn("tags", func(h *Head) *[]string { return &h.Tags }),
		listColumn("kinds", func(h *Head) *[]string { return &h.Kinds }),
		textColumn("type", func(h *Head) *string { return &h.Type }),
		flagColumn("not-recommended", func(h *Head) *bool { return &h.NotRecommended }),
		flagColumn("needs-params", func(h *Head) *bool { return &h.NeedsParams }),
		listColumn("each", func(h *Head) *[]string { return &h.Each }),
		{"contains", writeContains, func(h *Head, text string) { h.Contains = unquoteAll(text) }},
		listColumn("written.type", func(h *Head) *[]string { return &h.Written.Types }),
		textColumn("written.style", func(h *Head) *string { return &h.Written.Style }),
		quotedColumn("written.raw", func(h *Head) *string { return &h.Written.Raw }),
		quotedColumn("written.key", func(h *Head) *string { return &h.Written.Key }),
		listColumn("lacks", func(h *Head) *[]string { return &h.Lacks }),
		{"items", writeItems, readItems},
		textColumn("unique", func(h *Head) *string { return &h.Unique }),
		listColumn("key", func(h *Head) *[]string { return &h.Key }),
		listColumn("keep", func(h *Head) *[]string { return &h.Keep }),
		flagColumn("misspelled", func(h *Head) *bool { return &h.Misspelled }),
		textColumn("selector", func(h *Head) *string { return &h.Selector }),
		listColumn("target.kinds", func(h *Head) *[]string { return &h.Target.Kinds }),
		textColumn("target.type", func(h *Head) *string { return &h.Target.Type }),
		listColumn("target.each", func(h *Head) *[]string { return &h.Target.Each }),
		listColumn("target.key", func(h *Head) *[]string { return &h.Target.Key }),
		textColumn("target.labels", func(h *Head) *string { return &h.Target.Labels }),
		textColumn("target.among", func(h *Head) *string { return &h.Target.Among }),
		flagColumn("target.conflicts", func(h *Head) *bool { return &h.Target.Conflicts }),
	}
}

func writeItems(h *Head) string {
	if h.Items == 0 {
		return ""
	}
	return strconv.Itoa(h.Items)
}

func readItems(h *Head, text string) {
	items, err := strconv.Atoi(text)
	if err != nil {
		panic("the index of lint rules counts items: " + err.Error())
	}
	h.Items = items
}

func writeContains(h *Head) string {
	var quoted []string
	for _, text := range h.Contains {
		quoted = append(quoted, strconv.QuoteToASCII(text))
	}
	return strings.Join(quoted, ",")
}

// header returns the first line of the index.
func header(columns []column) string {
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].name
	}
	return strings.Join(names, "\t")
}

func (h *Head) line(columns []column) string {
	texts := make([]string, len(columns))
	for i := range columns {
		texts[i] = columns[i].write(h)
	}
	return strings.Join(texts, "\t")
}

// embedded returns the heads of the embedded rules, sorted by id.
var embedded = sync.OnceValue(func() []Head {
	columns := columns()
	names, lines, _ := strings.Cut(rules.LintIndex, "\n")
	if want := header(columns); names != want {
		panic("the index of lint rules has the columns " + names + ", not " + want)
	}
	heads := make([]Head, strings.Count(lines, "\n"))
	for i := range heads {
		var line string
		line, lines, _ = strings.Cut(lines, "\n")
		heads[i].parse(line, columns)
	}
	return heads
})

// parse reads a line of the index.
func (h *Head) parse(line string, columns []column) {
	n, hasMore := 0, true
	for ; hasMore; n++ {
		var text string
		if text, line, hasMore = strings.Cut(line, "\t"); text != "" && n < len(columns) {
			columns[n].read(h, text)
		}
	}
	if n != len(columns) {
		panic("the index of lint rules has a line of " + strconv.Itoa(n) + " columns: " + string(h.ID))
	}
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
	flat := precompiled()[id].fixes
	for _, e := range r.fixExpressions() {
		e.encoded, flat, _ = strings.Cut(flat, "\t")
	}
	return r
}
