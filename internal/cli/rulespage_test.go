package cli

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/example"
	"github.com/kindvet/kindvet/internal/lint"
)

var update = flag.Bool("update", false, "write rules/README.md")

func TestThePageOfRulesSaysWhatTheRulesSay(t *testing.T) {
	want := rulesPage(t)
	name := filepath.Join("..", "..", "rules", "README.md")
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != want {
		t.Error("rules/README.md is out of date; run 'go generate ./rules'")
	}
}

// rulesPage returns the page about all rules. It shows the bad example of each rule and its findings.
func rulesPage(t *testing.T) string {
	var b strings.Builder
	rules := lint.All(nil)
	fmt.Fprintf(&b, "# Lint rules\n\nThe %d built-in rules find mistakes that an API server does not reject. This page is generated from them; "+
		"see [docs/rules.md](../docs/rules.md)\nto write your own. The profile `recommended`, the default, runs the rules of severity warning; "+
		"`security` those with that tag; `all` runs every rule.\n", len(rules))
	family := ""
	for _, r := range rules {
		if f, _, _ := strings.Cut(string(r.ID), "/"); f != family {
			family = f
			fmt.Fprintf(&b, "\n| %s | severity | |\n|---|---|---|\n", family)
		}
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", r.ID, strings.ReplaceAll(string(r.ID), "/", ""), r.Severity, r.Title)
	}
	structuralTable(&b, "What an API server enforces", "These rules are always applied. Only the configuration and a baseline suppress them.", diag.Enforced)
	structuralTable(&b, "Suppressions and baselines", "These rules are about suppressions and baselines that are not as they should be.", diag.Bookkeeping)
	for _, r := range rules {
		ruleSection(t, &b, r)
	}
	return b.String()
}

// structuralTable writes a table of rules that are not lint rules.
func structuralTable(b *strings.Builder, title, text string, list []diag.Description) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n| rule | severity | | how to fix |\n|---|---|---|---|\n", title, text)
	for _, d := range list {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", d.Rule, d.Severity, d.Title, d.Help)
	}
}

func ruleSection(t *testing.T, b *strings.Builder, r *lint.Rule) {
	fmt.Fprintf(b, "\n## %s\n\n%s (%s; %s).\n\n%s\n\n*How to fix:* %s.\n", r.ID, r.Title, r.Severity, strings.Join(r.Tags, ", "), r.Why, r.Help)
	if r.Origin != "" {
		fmt.Fprintf(b, "\n*Source:* <%s>\n", r.Origin)
	}
	base, err := here()
	if err != nil {
		t.Fatal(err)
	}
	bad, old, err := example.Texts(base, r, lint.BadExample)
	if err != nil {
		t.Fatal(err)
	}
	if old != "" {
		fmt.Fprintf(b, "\nOld object:\n\n```yaml\n%s```\n", old)
	}
	for _, src := range bad {
		fmt.Fprintf(b, "\n```yaml\n%s```\n", example.WithoutMarks(src.Text))
	}
	said, err := exampleOutput(catalog.Embedded(), r, bad, old)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said, "["+string(r.ID)+"]") {
		t.Errorf("%s: kindvet finds nothing in the bad example:\n%s", r.ID, said)
	}
	fmt.Fprintf(b, "\n```text\n%s```\n", said)
}
