package lint

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/source"
)

// A single pass finds the same texts as a separate search for each, wherever they are in the document.
func TestTextsAreFoundWhereverTheyStand(t *testing.T) {
	wanted := []string{
		"", "<", "\t", "{{", "${", "AKIA", "://", "eyJ", "change", "PRIVATE KEY-----", "\u200b", "\u00ad", "aab", "abab",
	}
	found := &texts{}
	for i, w := range wanted {
		found.add(w, 1<<i)
	}
	check := func(text string) {
		t.Helper()
		have := found.in(text)
		for i, w := range wanted {
			if is := have&(1<<i) != 0; is != strings.Contains(text, w) {
				t.Errorf("%q in %q: have %v", w, text, is)
			}
		}
	}
	for _, w := range wanted {
		for before := range 20 {
			for after := range 10 {
				check(strings.Repeat("a", before) + w + strings.Repeat("b", after))
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	pieces := append([]string{"a", "b", "ab", "e", "\n", "{", "$", ":/", "PRIVATE KEY---", "\u2014", "é"}, wanted...)
	for range 2000 {
		var text strings.Builder
		for range r.IntN(12) {
			text.WriteString(pieces[r.IntN(len(pieces))])
		}
		check(text.String())
	}
}

func TestRulesThatRequireDifferentTextsAreAskedOnTheirOwn(t *testing.T) {
	var own []*rule.Rule
	for _, text := range []string{"[first]", "[second]", "[first]"} {
		id := "own/rule-" + strconv.Itoa(len(own))
		r, violations := rule.Parse(&source.Source{Name: "rule.yaml", Text: strings.Replace(ownRule, "own/rule", id, 1) +
			"each: a\ncheck: \"false\"\ncontains: " + text + "\n"})
		if len(violations) > 0 {
			t.Fatal(violations[0].Message)
		}
		own = append(own, r)
	}
	set, err := New(rule.Options{Own: own})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"a: first": "own/rule-0 own/rule-2", "a: second": "own/rule-1",
		"a: first second": "own/rule-0 own/rule-1 own/rule-2", "a: b": "",
	} {
		var have []string
		for _, v := range set.Check(documentOf(readRoot(t, text+"\n"), "", "K")).Violations {
			have = append(have, string(v.Rule))
		}
		if slices.Sort(have); strings.Join(have, " ") != want {
			t.Errorf("%s: have %v, want %s", text, have, want)
		}
	}
}
