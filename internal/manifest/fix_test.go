package manifest

import (
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
)

// fixed returns a text after the one fix in a list, "none" if there is none.
func fixed(t *testing.T, text string, fixes []diag.Fix) string {
	t.Helper()
	if len(fixes) == 0 {
		return "none"
	}
	return edited(text, fixes[0].Edits)
}

func TestAKeyIsReplacedInTheStyleThatItIsWrittenIn(t *testing.T) {
	for _, c := range []struct{ text, key, want string }{
		{"top:\n  olt: 1 # x\n", "old", "top:\n  old: 1 # x\n"},
		{"top:\n- {a: 1}\n- olt:\n    b: 1\n", "old", "top:\n- {a: 1}\n- old:\n    b: 1\n"},
		{"top: {olt: 1}\n", "old", "top: {old: 1}\n"},
		{"top: {'olt': 1}\n", "it's", "top: {'it''s': 1}\n"},
		{"top: {\"olt\": 1}\n", "a\"b", "top: {\"a\\\"b\": 1}\n"},
		{`{"top":{"olt":1}}`, "old", `{"top":{"old":1}}`},
		{"top:\n  olt: 1\n", "on", "top:\n  \"on\": 1\n"},
		{"top:\n  olt: 1\n", "1.10", "top:\n  \"1.10\": 1\n"},
		{"top:\n  olt: 1\n", "a: b", "top:\n  \"a: b\": 1\n"},
		{"top:\n  olt: 1\n", "a\u202eb", "none"},
		{"top:\n  olt: 1\n", "a\nb", "none"},
		{"top:\n  olt: 1\n  old: 2\n", "old", "none"},
		{"top:\n  olt: 1\n  old:\n", "old", "none"},
		{"top: &x\n  olt: 1\n", "old", "none"},
		{"top:\n  !!str olt: 1\n", "old", "none"},
		{"a: {b: &x {olt: 1}}\ntop: *x\n", "old", "none"},
		{"a: &x {olt: 1}\ntop:\n  <<: *x\n  c: 1\n", "old", "none"},
	} {
		field := find(readFirst(t, c.text).At("top"), "olt")
		if have := fixed(t, c.text, field.KeyFix(c.key)); have != c.want {
			t.Errorf("%q in %q: have %q, want %q", c.key, c.text, have, c.want)
		}
	}
}

// find returns the field of a key in n or in an item of it.
func find(n Node, key string) Node {
	if f, ok := n.Field(key); ok {
		return f
	}
	for c := range n.Children() {
		if f, ok := c.Field(key); ok {
			return f
		}
	}
	return Node{}
}

func TestAFieldIsNotRenamedToThatOfADroppedNull(t *testing.T) {
	root := readFirst(t, "old: null\nolt: 1\n")
	old, _ := root.Field("old")
	old.DropNull(Node{})
	if fixes := root.At("olt").KeyFix("old"); fixes != nil {
		t.Errorf("have %v: the key would be set twice", fixes)
	}
}

func TestValuesAreReplacedInTheStyleThatTheyAreWrittenIn(t *testing.T) {
	replace := func(text string) func(Node) []diag.Fix { return func(n Node) []diag.Fix { return n.TextFix(text) } }
	quote := func(n Node) []diag.Fix { return n.QuoteFix() }
	unquote := func(types ...Type) func(Node) []diag.Fix {
		return func(n Node) []diag.Fix { return n.UnquoteFix(types...) }
	}
	for _, c := range []struct {
		name, value string
		fix         func(Node) []diag.Fix
		want        string
	}{
		{"plain", "tpc", replace("TCP"), "TCP"},
		{"plain that needs quotes", "nn", replace("no"), `"no"`},
		{"single quotes", "'tpc'", replace("it's"), "'it''s'"},
		{"double quotes", `"tpc"`, replace("TCP"), `"TCP"`},
		{"over two lines", "t\n  pc", replace("TCP"), "none"},
		{"literal", "|\n  tpc\n", replace("TCP"), "none"},
		{"tag", "!!str tpc", replace("TCP"), "none"},
		{"not a string", "1", replace("TCP"), "none"},

		{"integer", "8080", quote, `"8080"`},
		{"trailing zero", "1.10", quote, `"1.10"`},
		{"word", "yes", quote, `"yes"`},
		{"octal", "0755", quote, `"0755"`},
		{"in brackets", "[1, 2]", func(n Node) []diag.Fix { return n.First().QuoteFix() }, `["1", 2]`},
		{"null", "~", quote, "none"},
		{"nothing", "", quote, "none"},
		{"already quoted", `"a"`, quote, "none"},
		{"tagged integer", "!!int 1", quote, "none"},
		{"anchored integer", "&x 1", quote, "none"},

		{"integer in quotes", `"8080"`, unquote(Integer), "8080"},
		{"integer in single quotes", `'-1'`, unquote(Integer), "-1"},
		{"octal in quotes", `"0755"`, unquote(Integer), "none"},
		{"sign", `"+1"`, unquote(Integer), "none"},
		{"minus zero", `"-0"`, unquote(Integer), "none"},
		{"blank", `" 1"`, unquote(Integer), "none"},
		{"escape", `"\x31"`, unquote(Integer), "none"},
		{"float for an integer", `"1.5"`, unquote(Integer), "none"},
		{"float", `"1.5"`, unquote(Integer, Float), "1.5"},
		{"exponent", `"1e3"`, unquote(Float), "1e3"},
		{"true", `"true"`, unquote(Boolean), "true"},
		{"yes", `"yes"`, unquote(Boolean), "none"},
		{"True", `"True"`, unquote(Boolean), "none"},
		{"word for a boolean", `"null"`, unquote(Boolean), "none"},
		{"empty", `""`, unquote(Boolean), "none"},
		{"not in quotes", "a", unquote(Boolean), "none"},
	} {
		text := "a: " + c.value + "\n"
		want := "a: " + c.want + "\n"
		if c.want == "none" {
			want = c.want
		}
		if have := fixed(t, text, c.fix(readFirst(t, text).At("a"))); have != want {
			t.Errorf("%s: have %q, want %q", c.name, have, want)
		}
	}
}

func TestADocumentWithATagHasNoFix(t *testing.T) {
	if fixes := readFirst(t, "!!int 1\n").QuoteFix(); fixes != nil {
		t.Errorf("have %v: the tag would be quoted", fixes)
	}
}

func TestAFixIsSafeIfItKeepsWhatIsWritten(t *testing.T) {
	root := readFirst(t, "{number: 1, text: '1', word: a}")
	for name, c := range map[string]struct {
		fixes []diag.Fix
		want  bool
	}{
		"key":                      {root.At("word").KeyFix("b"), false},
		"text":                     {root.At("word").TextFix("b"), false},
		"quotes":                   {root.At("number").QuoteFix(), true},
		"quotes that are too much": {root.At("text").UnquoteFix(Integer), true},
	} {
		if len(c.fixes) != 1 || c.fixes[0].Safe != c.want {
			t.Errorf("%s: have %+v, want safe %v", name, c.fixes, c.want)
		}
	}
}
