package manifest

import (
	"strings"
	"testing"
)

// Each text has a ^ before the fault. What explains it is between « and ».
func TestWhichStatementExplainsAFault(t *testing.T) {
	for _, text := range []string{
		"a: ^«{{ .b }}»\n",
		"a: ü\nb: ^«{{ .b }}»-c\n",
		"a: ^«{{ include \"a\" (dict\n  \"b\" .c) }}»\n",
		"a: «{{ include \"a\" (dict\n  ^\"b\" .c) }}»\n",
		"«{{- if .a }}»\n^b: c\n",
		"- «{% if a %}»\n\n# a comment\n^b: c\n",
		"«{{ a }}» {{ b }} # a comment\n^c\n",
		"{{ a }} b\n^c\n",
		"{{ a }}\nb: c\n^d\n",
		"a: [b, «{{ c }}^»]\n",
		"a: {b: «{{ c }}^»}\n",
		"? &a !b «{{ c }}^»\n",
		"{\"a\":\"{{ b }}\",\"c\":{\"d\":\"{{ e }}\"}^\n",
		"{\"a\":«{{ b }}»}^\n",
		"a: \"«{{ default \"»^b\" .c }}\"\n",
		"a: '{{ b }}' ^c\n",
		"a: \"{{ b }}\" ^c\n",
		"a: b {{ c }}: ^d\n",
		"# {{ a }}\n^b\n",
		"a: b # {{ c }} ^\n",
		"a: |\n  {{ b }}\n ^c\n",
		"a: |2-  # {{ x }}\n  {{ b }}\n ^c\n",
		"- >-\n\n  {{ b }}\n^c\n",
		"a: |\n  b\n^«{{ c }}»\n",
		"a: [|, «{{ c }}^»]\n",
		"a: \"b\n  {{ c }}\n  {{ ^d }}\"\n",
		"a: \"b\nc: \"{{ d }}\"^\n", // a quote is missing
		"a: 'it''s {{ b }}' ^c\n",
		"a: it's ^«»b\n",
		"^«{{ a»\n",
		"a: ^«{# b #}»\n",
		"^",
	} {
		want := ""
		if from, rest, ok := strings.Cut(text, "«"); ok {
			inside, _, _ := strings.Cut(rest, "»")
			_ = from
			want = strings.ReplaceAll(inside, "^", "")
		}
		clean := strings.NewReplacer("«", "", "»", "").Replace(text)
		at := strings.Index(clean, "^")
		clean = strings.Replace(clean, "^", "", 1)
		have := ""
		if found, ok := TemplateStatement(clean, at); ok {
			have = clean[found.Start:found.End]
		}
		if have != want {
			t.Errorf("%q: have %q, want %q", text, have, want)
		}
	}
}

// The time is linear in texts of a single line, of many marks and of many quotes.
func TestStatementsAreFoundInLongTexts(t *testing.T) {
	for _, part := range []string{"{{a}}", "[a,", "{{", "|a ", "[|,", "\"a\" ", "'", "a\n{{ b }}\n", "# {{ a }}", "&", "{% "} {
		text := strings.Repeat(part, 1<<20/len(part)) + "\n"
		TemplateStatement(text, len(text)-1)
		TemplateStatement(text+"\n\n", len(text)+1)
	}
}
