package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/fix"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/settings"
	"github.com/kindvet/kindvet/internal/workspace"
)

func rulesCommand(s *Streams) *cobra.Command {
	var output, profile string
	var own []string
	var all bool
	var o workspace.Options
	c := &cobra.Command{
		Use:        "rules [NAME...]",
		SuggestFor: []string{"checks", "templates"}, // of kube-linter
		Short:      "List the lint rules",
		Long: `List all lint rules, or only those with the given ids, families or tags.

The list does not contain the checks of an API server, which always apply: see 'kindvet explain KIND'. --all adds their
ids.`,
		Example: `  kindvet rules
  kindvet rules security
  kindvet rules --all
  kindvet rules -o json
  kindvet rules new shop/no-team`,
		RunE: func(c *cobra.Command, names []string) error {
			registry, err := registryOf(c, s, &o)
			if err != nil {
				return err
			}
			rules, err := ownRules(own)
			if err != nil {
				return err
			}
			var listed []ruleJSON
			wanted := names
			if all {
				listed, names = chooseStructural(names)
			}
			if len(wanted) == 0 || len(names) > 0 {
				chosen, err := chooseRules(rule.All(rules), names, profile)
				if err != nil {
					return err
				}
				listed = append(listed, describeRules(registry, chosen)...)
			}
			switch output {
			case "text":
				return printClean(s.Out, func(w io.Writer) error { return rulesText(w, listed) })
			case "json":
				return rulesJSON(s.Out, listed)
			}
			return invalidValue("output", output, "use text or json")
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "text", "`FORMAT` of the list: text or json")
	c.Flags().BoolVar(&all, "all", false, "also list the rules that an API server enforces, and those about suppressions")
	c.Flags().StringVar(&profile, "profile", "all", "list the rules of a `PROFILE`: recommended, security or all")
	c.Flags().StringArrayVar(&own, "rules", nil, "`PATH` of your own rule files or directories (repeatable)")
	registryFlags(c, &o)
	c.AddCommand(newRuleCommand(s), testCommand(s))
	return c
}

// ownRules reads the user's rules. If a rule is invalid, the error contains its place.
func ownRules(paths []string) ([]*rule.Rule, error) {
	base, err := here()
	if err != nil {
		return nil, err
	}
	rules, violations, err := settings.ReadRules(base, paths)
	if err != nil {
		return nil, err
	}
	if len(violations) > 0 {
		v := violations[0]
		return nil, fmt.Errorf("%s:%d:%d: %s", v.Place.File, v.Place.Start().Line, v.Place.Start().Column, v.Message)
	}
	return rules, nil
}

func chooseRules(rules []*rule.Rule, names []string, profile string) ([]*rule.Rule, error) {
	var chosen []*rule.Rule
	called := map[string]bool{}
	for _, r := range rules {
		match := len(names) == 0
		for _, name := range names {
			if r.IsCalled(name) {
				match, called[name] = true, true
			}
		}
		if match && r.InProfile(profile) {
			chosen = append(chosen, r)
		}
	}
	for _, name := range names {
		if !called[name] {
			return nil, rule.Check(name, rules)
		}
	}
	return chosen, nil
}

func rulesText(out io.Writer, rules []ruleJSON) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RULE\tSEVERITY\tFIX\tTAGS\tTITLE")
	for _, r := range rules {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.ID, r.Severity, strings.ReplaceAll(fix.Summary(r.Fixes), " ", ""),
			strings.Join(r.Tags, ","), r.Title)
	}
	return w.Flush()
}

type ruleJSON struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Severity string   `json:"severity"`
	Tags     []string `json:"tags"`
	Kinds    []string `json:"kinds"`
	Profiles []string `json:"profiles"`
	Help     string   `json:"help"`
	Why      string   `json:"why"`
	Source   string   `json:"source"`

	Fixes []fix.Decision `json:"fixes"`
}

// describeRules describes lint rules with the names of the registry.
func describeRules(registry *catalog.Catalog, rules []*rule.Rule) []ruleJSON {
	list := make([]ruleJSON, 0, len(rules))
	for _, r := range rules {
		view := registry.ViewOf(r.Patterns())
		j := ruleJSON{
			ID: string(r.ID), Title: view.Text(r.Title), Severity: r.Severity.String(), Tags: r.Tags,
			Kinds:    registry.OwnPatterns(r.Patterns()),
			Profiles: []string{}, Help: view.Text(r.Help), Why: view.Text(r.Why), Source: r.Origin,
			Fixes: decisions(registry, r),
		}
		for _, profile := range rule.Profiles {
			if r.InProfile(profile) {
				j.Profiles = append(j.Profiles, profile)
			}
		}
		list = append(list, j)
	}
	return list
}

// decisions returns how findings of a lint rule are fixed, with the names of the registry.
func decisions(registry *catalog.Catalog, r *rule.Rule) []fix.Decision {
	view := registry.ViewOf(r.Patterns())
	list := []fix.Decision{}
	for _, d := range fix.Decisions(r) {
		list = append(list, fix.Decision{Applicability: d.Applicability, Edit: view.Text(d.Edit)})
	}
	return list
}

// chooseStructural describes the rules that are not lint rules and have one of the names as ID or tag. If there are
// no names, it describes all of them. rest are the remaining names, which must be those of lint rules.
func chooseStructural(names []string) (list []ruleJSON, rest []string) {
	isUsed := map[string]bool{}
	for _, d := range slices.Concat(diag.Enforced, diag.Bookkeeping, diag.Settings) {
		match := len(names) == 0
		for _, name := range names {
			if string(d.Rule) == name || slices.Contains(d.Tags, name) {
				match, isUsed[name] = true, true
			}
		}
		if match {
			list = append(list, ruleJSON{
				ID: string(d.Rule), Title: d.Title, Severity: d.Severity.String(), Tags: d.Tags, Kinds: []string{"*"},
				Profiles: []string{}, Help: d.Help, Why: d.Why, Fixes: fix.StructuralDecisions(d.Rule),
			})
		}
	}
	return list, slices.DeleteFunc(slices.Clone(names), func(name string) bool { return isUsed[name] })
}

func rulesJSON(out io.Writer, rules []ruleJSON) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(map[string]any{"rules": rules})
}

func newRuleCommand(s *Streams) *cobra.Command {
	var in string
	c := &cobra.Command{
		Use:   "new FAMILY/MISTAKE",
		Short: "Create a custom rule with a failing and a passing example",
		Example: `  kindvet rules new --in rules shop/no-team
  kindvet rules test rules
  kindvet validate --rules rules deploy/`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return newRule(s.Out, in, args[0]) },
	}
	c.Flags().StringVar(&in, "in", ".", "`DIRECTORY` of your rules")
	return c
}

// newRule writes a working rule as a template for the user.
func newRule(out io.Writer, in, id string) error {
	if !rule.IsID(id) {
		return fmt.Errorf("%q is not a valid rule id: use the form FAMILY/MISTAKE, in lower case with hyphens, such as shop/no-team", id)
	}
	dir := filepath.Join(in, filepath.FromSlash(id))
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	_, fault, _ := strings.Cut(id, "/")
	for _, file := range []struct{ name, text string }{
		{"rule.yaml", ruleTemplate}, {"bad.yaml", badTemplate}, {"good.yaml", goodTemplate},
	} {
		text := strings.NewReplacer("ID", id, "TITLE", strings.ReplaceAll(fault, "-", " ")).Replace(file.text)
		name := filepath.ToSlash(filepath.Join(dir, file.name))
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
		fmt.Fprintln(out, name)
	}
	return nil
}

const ruleTemplate = `id: ID
title: TITLE
severity: warning
tags: [own]
# The objects to check: Kind.group, Kind for the core API group, *.group, or "*".
kinds: [ConfigMap]
# The values to check: field names; [] matches each item of a list, * each field, ** any depth.
each: metadata
# The CEL expression that must be true: self is the value, object the whole object, oldObject the object before an update.
check: has(self.labels) && has(self.labels.team)
message: the object has no label team
help: add the label team
why: |
  The person on call needs to know which team owns an object.
source: our conventions
`

const badTemplate = `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  labels: # want ID
    app: shop
`

const goodTemplate = `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  labels:
    team: shop
`
