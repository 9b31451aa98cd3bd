package pattern

import (
	"regexp"
	"testing"
)

var expressions = []string{
	`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`, `^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`,
	`^arn:.+:[0-9]{12}:`, `a|b`, `^a|b$`, `^$`,
	``, `$^`, `a*`, `^a*$`, `(?i)Straße`, `(?i)^k8s$`, `\d+`, `^\w{1,64}$`, `[^a-z]`, `\bword\b`, `(?m)^line$`,
	`^(ab|abc)(d|bcd)$`, `.`, `^.$`, `(?s)^.$`,
	`x{2,5}y`, `^[a-zA-Z][a-zA-Z0-9_]{0,47}$`, `^(?:[0-9]+[smh])+$`, `\.`, `^a$|^b$`, `[[:alpha:]]+\z`, `\Aab`,
	`(a|b)*abb`, `(^|,)x(,|$)`, `^a.*b$`, `[^a-z]|.{5}`, `^a|b$|.{4,}`,
}

var texts = []string{
	"", "a", "b", "ab", "abb", "aabb", "abcd", "abbcd", "word", "a word here", "words", "line", "one\nline\ntwo", "k8s",
	"K8S", "K8s", "straße", "STRASSE", "a-b", "-a", "a-", "a.b", "a..b", "arn:aws:eks:eu-1:123456789012:x", "xxy", "xy",
	"xxxxxxy", "1h30m", "90", "x", "x,y", "y,x", "yx", "\n", "é", "a\x00b", "\xff",
}

// Where a table gives a result, it must be that of package regexp.
func TestTablesDecideAsRegexpDoes(t *testing.T) {
	tables := 0
	for _, expr := range expressions {
		re, table := regexp.MustCompile(expr), newTable(expr)
		if table.next != nil {
			tables++
		}
		for _, text := range texts {
			if have, ok := table.match(text); ok && have != re.MatchString(text) {
				t.Errorf("%s on %q: the table says %t", expr, text, have)
			}
		}
	}
	if want := len(expressions) - 2; tables != want { // there is no table for \b and (?m)
		t.Errorf("%d expressions have tables, want %d", tables, want)
	}
}

// A pattern gives the same results before and after it has a table.
func TestPatternsAnswerAlikeHoweverOftenTheyAreAsked(t *testing.T) {
	p := New(`^a*b$`)
	for i := range 3 * tableAfter {
		if !p.MatchString("aab") || p.MatchString("aba") || p.MatchString("éb") {
			t.Fatalf("wrong after %d texts", 3*i)
		}
	}
	if p.table.Load() == nil {
		t.Error("no table was made")
	}
}

func TestAWrongExpressionSaysSoAndMatchesNothing(t *testing.T) {
	p := New(`a(`)
	for range 2 * tableAfter {
		if p.MatchString("a(") {
			t.Fatal("a text matches")
		}
	}
	if p.Err() == nil {
		t.Error("no error")
	}
}

func FuzzTablesDecideAsRegexpDoes(f *testing.F) {
	for i, expr := range expressions {
		f.Add(expr, texts[i%len(texts)])
	}
	f.Fuzz(func(t *testing.T, expr, text string) {
		re, err := regexp.Compile(expr)
		if err != nil {
			return
		}
		if have, ok := newTable(expr).match(text); ok && have != re.MatchString(text) {
			t.Errorf("%s on %q: the table says %t", expr, text, have)
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	const expr, text = `^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`,
		"checkout-api.shop.example.com"
	b.Run("table", func(b *testing.B) {
		table := newTable(expr)
		for b.Loop() {
			table.match(text)
		}
	})
	b.Run("regexp", func(b *testing.B) {
		re := regexp.MustCompile(expr)
		for b.Loop() {
			re.MatchString(text)
		}
	})
	b.Run("making", func(b *testing.B) {
		for b.Loop() {
			newTable(expr)
		}
	})
}
