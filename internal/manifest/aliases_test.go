package manifest

import (
	"strings"
	"testing"
)

// nested returns a document of lists in which each list has nine aliases of the one before.
func nested(lists int, value string) string {
	var b strings.Builder
	b.WriteString("l0: &l0 " + value + "\n")
	for i := 1; i <= lists; i++ {
		name, last := string(rune('a'+i)), string(rune('a'+i-1))
		if i == 1 {
			last = "l0"
		}
		b.WriteString(name + ": &" + name + " [" + strings.TrimSuffix(strings.Repeat("*"+last+", ", 9), ", ") + "]\n")
	}
	return b.String()
}

func TestAliasesAreMeasuredWithoutExpandingThem(t *testing.T) {
	for _, c := range []struct {
		name, text   string
		least, below int
	}{
		{"no alias", "a: &a b\nc: d*\n", 0, 1},
		{"schedules", "a: '* * * * *'\nb: x & y\nc: */5\n", 0, 1},
		{"one alias", "a: &a " + strings.Repeat("z", 100) + "\nb: *a\n", 100, 200},
		{"merge key", "a: &a {b: " + strings.Repeat("z", 100) + "}\nc:\n  <<: *a\n", 100, 300},
		{"aliases of aliases", nested(3, strings.Repeat("z", 1000)), 9 * 9 * 9 * 1000, MaxAliased},
		{"a long value in aliases of aliases", nested(5, strings.Repeat("z", 30_000)), MaxAliased + 1, 1 << 31},
		{"more than fits a number", nested(20, strings.Repeat("z", 30_000)), MaxAliased + 1, 1 << 31},
		{"within its own anchor", "a: &a [*a, *a]\n", 0, 1},
		{"syntax error", "a: &a b\nc: [*a, *a, *a, *a, *a, *a, *a, *a, *a\n", 0, 1},
		{"second document", "a: b\n--- # c\na: &a " + strings.Repeat("z", 100) + "\nb: *a\n", 0, 1},
	} {
		if have := Aliased(c.text); have < c.least || have >= c.below {
			t.Errorf("%s: have %d, want at least %d and less than %d", c.name, have, c.least, c.below)
		}
	}
}

// TestOnlyWhatLooksLikeAnAliasIsParsed compares the search with the form of an anchor and of an alias.
func TestOnlyWhatLooksLikeAnAliasIsParsed(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "*": 0, "*a": 1, "**a": 0, "a: *a": 1, "a:*a": 1, "[*a,*b]": 2, "{*a: 1}": 1, "- *a\n- *a": 2, "-*a": 1, "x*a": 0,
		"a: *\n": 0, "* a": 0, "a: *ä": 0, "\t*_": 1, "\f*-": 1, "\v*a": 0, "a &b *c": 1,
	} {
		if have := len(aliasesIn(text, 9)); have != want {
			t.Errorf("%q: have %d aliases, want %d", text, have, want)
		}
	}
	if have := len(aliasesIn("*a *b *c", 2)); have != 2 {
		t.Errorf("have %d aliases, want at most 2", have)
	}
	for text, want := range map[string]bool{
		"": false, "&": false, "a && b": false, "a & b": false, "& &a": true, "&a": true, "a: &-": true, "&ä": false, "a&1": true,
	} {
		if have := hasAnchor(text); have != want {
			t.Errorf("%q: have an anchor %v, want %v", text, have, want)
		}
	}
}
