package placeholder

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/rules"
)

func TestAPlaceholderIsAWordOfAValue(t *testing.T) {
	for text, want := range map[string]string{
		"override_me": "override_me", "OVERRIDE_ME": "OVERRIDE_ME", "override_me-app": "override_me",
		"CHANGEME": "CHANGEME", "change-me": "change-me", "https://changeme/path": "changeme", "änderung CHANGEME": "CHANGEME",
		"AUTOMATIC_REPLACE": "AUTOMATIC_REPLACE", "AUTOREPLACE_X": "AUTOREPLACE_X", "REPLACE_WITH_HOST": "REPLACE_WITH_HOST",
		"TODO": "TODO", "db.example.com": "db.example.com", "https://example.org/x": "example.org",
		"<your-account-id>": "<your-account-id>", "your-domain": "your-domain", "xxxx": "xxxx",
		"TODOS": "", "myTODO": "", "TODOé": "", "éTODO": "", "replace": "", "exchangement": "", "local-path": "", "": "",
		"counterexample.com": "", "xx": "",
		strings.Repeat(" ", longest-4) + "TODO": "TODO",
		strings.Repeat(" ", longest-3) + "TODO": "",
	} {
		sp, ok := In(text)
		if have := text[sp.Start:sp.End]; have != want || ok != (want != "") {
			t.Errorf("%q: have %q, want %q", text, have, want)
		}
	}
}

// The lint rule lists the same words: its language has regular expressions only.
func TestTheLintRuleHasTheWords(t *testing.T) {
	text, err := rules.Lint.ReadFile("lint/template/placeholder/rule.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := `  raw: ^["']?(` + strings.Join(words("any"), "|") + `)["']?$` + "\n"
	if !strings.Contains(string(text), want) {
		t.Errorf("the rule must have the line\n%s", want)
	}
}
