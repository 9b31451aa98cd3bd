package cli

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/example"
	"github.com/kindvet/kindvet/internal/fix"
	"github.com/kindvet/kindvet/internal/lint/rule"
)

var update = flag.Bool("update", false, "write the generated pages")

// The pages of rules are rules/README.md, which lists all rules, and a page for each family in rules/families. They
// have no number of rules, and a table for each family, so that two changes conflict only if they are about one
// family.
func TestThePagesOfRulesAreTheRules(t *testing.T) {
	dir := filepath.Join("..", "..", "rules")
	pages := map[string]string{"README.md": rulesIndex(), "fixes.md": fixesPage()}
	for family, rules := range families() {
		pages[familyPage(family)] = rulesPage(t, family, rules)
	}
	old, err := filepath.Glob(filepath.Join(dir, "families", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range old {
		if page := "families/" + filepath.Base(name); pages[page] == "" {
			pages[page] = "" // of a family that has no rules now
		}
	}
	for page, want := range pages {
		comparePage(t, filepath.Join(dir, filepath.FromSlash(page)), want)
	}
}

func familyPage(family string) string { return "families/" + family + ".md" }

// comparePage compares a page, or writes it. A page without text must not exist.
func comparePage(t *testing.T, name, want string) {
	t.Helper()
	have, err := os.ReadFile(name)
	switch {
	case err == nil && string(have) == want:
	case !*update:
		t.Errorf("%s is out of date; run 'go generate ./rules'", name)
	case want == "":
		err = os.Remove(name)
	default:
		if err = os.MkdirAll(filepath.Dir(name), 0o755); err == nil {
			err = os.WriteFile(name, []byte(want), 0o644)
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// families returns the built-in lint rules by family.
func families() map[string][]*rule.Rule {
	list := map[string][]*rule.Rule{}
	for _, r := range rule.All(nil) {
		family, _, _ := strings.Cut(string(r.ID), "/")
		list[family] = append(list[family], r)
	}
	return list
}

// ruleLink is the place of a rule on its page, from the directory rules.
func ruleLink(id diag.Rule) string {
	family, _, _ := strings.Cut(string(id), "/")
	return familyPage(family) + "#" + anchor(string(id))
}

const rulesHead = `# Rules

Each finding has the id of its rule in brackets, such as ` + "`[unknown-field]`" + `.
` + "`kindvet explain ID`" + ` describes a rule.

- [Errors of an API server, Helm and kustomize](#errors-of-an-api-server-helm-and-kustomize).
- [Suppressions, baselines and charts](#suppressions-baselines-and-charts).
- [Configurations and lint rules](#configurations-and-lint-rules).
- [Lint rules](#lint-rules): mistakes that an API server does not reject.

This page and those of the families are generated. [Writing a lint rule](../docs/rules.md) shows how to add a rule.
`

const lintHead = `
## Lint rules

Each rule belongs to a profile: ` + "`recommended`" + `, the default, has the mistakes that are almost certain;
` + "`security`" + ` has rules for hardening in addition, and ` + "`all`" + ` has every rule. The page of a family has an
example for each rule.
`

// rulesIndex returns the page that lists all rules.
func rulesIndex() string {
	var b strings.Builder
	b.WriteString(rulesHead)
	structuralTable(&b, "Errors of an API server, Helm and kustomize",
		"These rules are always applied. The configuration and a baseline suppress them; comments suppress only warnings.", diag.Enforced)
	structuralTable(&b, "Suppressions, baselines and charts",
		"These rules belong to no profile and are always applied.", diag.Bookkeeping)
	structuralTable(&b, "Configurations and lint rules",
		"These rules are about `.kindvet.yaml` and rule files.", diag.Settings)
	b.WriteString(lintHead)
	all := families()
	for _, family := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "\n### [%s](%s)\n\n", family, familyPage(family))
		b.WriteString("| rule | severity | profile | mistake |\n|---|---|---|---|\n")
		for _, r := range all[family] {
			fmt.Fprintf(&b, "| [%s](%s) | %s | %s | %s |\n", r.ID, ruleLink(r.ID), r.Severity, profileOf(string(r.ID)), r.Title)
		}
	}
	return b.String()
}

const fixesHead = `# Fixes

This page is generated. It says for each [rule](README.md) whether and how [` + "`kindvet fix`" + `](../docs/fixing.md) resolves its
findings: *safe* ones always, *unsafe* ones with ` + "`--unsafe-fixes`" + `. A *choice* has several answers, so only editors and JSON reports
offer it. Where there is no fix, the reason is given. A finding may have no fix in spite of this page, for example if its value
comes from an alias.
`

// fixesPage returns the page that says of each rule how its findings are fixed.
func fixesPage() string {
	var b strings.Builder
	b.WriteString(fixesHead)
	rows := func(title string, ids []diag.Rule, decisions func(id diag.Rule) (name string, list []fix.Decision)) {
		fmt.Fprintf(&b, "\n## %s\n\n| rule | fix | edit |\n|---|---|---|\n", title)
		for _, id := range ids {
			name, list := decisions(id)
			for _, d := range list {
				fmt.Fprintf(&b, "| %s | %s | %s |\n", name, d.Applicability, strings.ReplaceAll(d.Edit, "|", "\\|"))
			}
		}
	}
	var structural []diag.Rule
	for _, d := range slices.Concat(diag.Enforced, diag.Bookkeeping, diag.Settings) {
		structural = append(structural, d.Rule)
	}
	rows("Rules that are not lint rules", structural, func(id diag.Rule) (string, []fix.Decision) {
		return "`" + string(id) + "`", fix.StructuralDecisions(id)
	})
	all := families()
	for _, family := range slices.Sorted(maps.Keys(all)) {
		byID := map[diag.Rule]*rule.Rule{}
		var ids []diag.Rule
		for _, r := range all[family] {
			byID[r.ID], ids = r, append(ids, r.ID)
		}
		rows(family, ids, func(id diag.Rule) (string, []fix.Decision) {
			return fmt.Sprintf("[%s](%s)", id, ruleLink(id)), fix.Decisions(byID[id])
		})
	}
	return b.String()
}

// rulesPage returns the page about a family. It shows the bad example of each rule and its findings.
func rulesPage(t *testing.T, family string, rules []*rule.Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Lint rules: %s\n\nThis page is generated from [rules/lint/%[1]s](../lint/%[1]s). "+
		"[All rules](../README.md).\n\n"+
		"| rule | severity | mistake |\n|---|---|---|\n", family)
	for _, r := range rules {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", r.ID, anchor(string(r.ID)), r.Severity, r.Title)
	}
	for _, r := range rules {
		ruleSection(t, &b, r)
	}
	return b.String()
}

// structuralTable writes a table of rules that are not lint rules.
func structuralTable(b *strings.Builder, title, text string, list []diag.Description) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n| rule | severity | mistake | how to fix |\n|---|---|---|---|\n", title, text)
	for _, d := range list {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", d.Rule, d.Severity, d.Title, d.Help)
	}
}

func ruleSection(t *testing.T, b *strings.Builder, r *rule.Rule) {
	fmt.Fprintf(b, "\n## %s\n\n%s (%s; %s).\n\n", r.ID, r.Title, r.Severity, strings.Join(r.Tags, ", "))
	fmt.Fprintf(b, "%s\n\n*How to fix:* %s.\n", r.Why, r.Help)
	if r.Origin != "" {
		fmt.Fprintf(b, "\n*Source:* <%s>\n", r.Origin)
	}
	base, err := here()
	if err != nil {
		t.Fatal(err)
	}
	bad, old, err := example.Texts(base, r, rule.BadExample)
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
