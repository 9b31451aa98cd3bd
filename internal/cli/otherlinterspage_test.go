package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint/rule"
)

// otherCheck is a check of another linter: a line of rules/other-linters.tsv.
type otherCheck struct {
	linter, name string
	// rules are the rules that find the same mistake. If there are none, the note says why.
	rules []string
	note  string
}

func otherChecks(t *testing.T) (list []otherCheck) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "rules", "other-linters.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := append(strings.Split(strings.TrimSuffix(line, "\n"), "\t"), "")
		c := otherCheck{linter: f[0], name: f[1], note: f[3]}
		if f[2] != "" {
			c.rules = strings.Split(f[2], ",")
		}
		list = append(list, c)
	}
	return list
}

func TestThePageOfOtherLintersSaysWhatTheTableSays(t *testing.T) {
	checks := otherChecks(t)
	for _, c := range checks {
		if len(c.rules) == 0 && c.note == "" {
			t.Errorf("%s, %s: neither a rule nor a reason", c.linter, c.name)
		}
		for _, id := range c.rules {
			if profileOf(id) == "" {
				t.Errorf("%s, %s: no rule has the id %s", c.linter, c.name, id)
			}
		}
	}
	want := otherLintersPage(checks)
	name := filepath.Join("..", "..", "docs", "other-linters.md")
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
		t.Error("docs/other-linters.md is out of date; run 'go generate ./rules'")
	}
}

// profileOf returns the smallest profile that contains a rule, or "" if there is no such rule.
func profileOf(id string) string {
	if slices.ContainsFunc(diag.Enforced, func(d diag.Description) bool { return string(d.Rule) == id }) {
		return "always"
	}
	r, ok := rule.Lookup(id, nil)
	if !ok || string(r.ID) != id {
		return ""
	}
	for _, profile := range []string{"recommended", "security"} {
		if r.InProfile(profile) {
			return profile
		}
	}
	return "all"
}

func otherLintersPage(checks []otherCheck) string {
	var b strings.Builder
	covered := 0
	for _, c := range checks {
		if len(c.rules) > 0 {
			covered++
		}
	}
	fmt.Fprintf(&b, `# Coming from another linter

Each check of four other linters, and the rules of kindvet that find the same mistake. Of %d checks, %d have a rule, and
%d are left out for the reason in the table. This page is generated from
[other-linters.tsv](../rules/other-linters.tsv).

The default profile `+"`recommended`"+` reports only what is almost certainly a mistake. Use `+"`--profile security`"+` for hardening and
`+"`--profile all`"+` for everything, or enable single rules:

`+"```sh"+`
kindvet validate --enable image/latest-tag --enable probe --severity probe=warning deploy/
`+"```"+`
`, len(checks), covered, len(checks)-covered)
	for i, c := range checks {
		if i == 0 || checks[i-1].linter != c.linter {
			fmt.Fprintf(&b, "\n## %s\n\n| check | rule | profile | |\n|---|---|---|---|\n", c.linter)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.name, ruleLinks(c.rules),
			strings.Join(profilesOf(c.rules), ", "), c.note)
	}
	fmt.Fprintf(&b, "\n## Only in kindvet\n\nThese rules about kinds of Kubernetes have no counterpart there:\n\n")
	for _, r := range withoutCounterpart(checks) {
		fmt.Fprintf(&b, "- [%s](../rules/%s): %s\n", r.ID, ruleLink(r.ID), r.Title)
	}
	return b.String()
}

func ruleLinks(ids []string) string {
	var links []string
	for _, id := range ids {
		if !strings.Contains(id, "/") {
			links = append(links, "`"+id+"`")
			continue
		}
		links = append(links, fmt.Sprintf("[%s](../rules/%s)", id, ruleLink(diag.Rule(id))))
	}
	if len(links) == 0 {
		return "–"
	}
	return strings.Join(links, ", ")
}

func anchor(id string) string { return strings.ReplaceAll(id, "/", "") }

func profilesOf(ids []string) (profiles []string) {
	for _, id := range ids {
		if p := profileOf(id); !slices.Contains(profiles, p) {
			profiles = append(profiles, p)
		}
	}
	return profiles
}

// withoutCounterpart returns the rules that no check corresponds to, of the families of those with a counterpart.
func withoutCounterpart(checks []otherCheck) (list []*rule.Rule) {
	var ids, families []string
	for _, c := range checks {
		for _, id := range c.rules {
			family, _, _ := strings.Cut(id, "/")
			ids, families = append(ids, id), append(families, family)
		}
	}
	for _, r := range rule.All(nil) {
		family, _, _ := strings.Cut(string(r.ID), "/")
		if slices.Contains(families, family) && !slices.Contains(ids, string(r.ID)) &&
			slices.ContainsFunc(r.Patterns(), isOfKubernetes) {
			list = append(list, r)
		}
	}
	return list
}

// isOfKubernetes reports whether the pattern of a rule is about kinds of Kubernetes itself.
func isOfKubernetes(pattern string) bool {
	_, group, _ := strings.Cut(pattern, ".")
	return !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io")
}
