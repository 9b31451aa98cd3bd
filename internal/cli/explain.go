package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/example"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/fix"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/nearest"
	"github.com/kindvet/kindvet/internal/projects"
	"github.com/kindvet/kindvet/internal/render"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/workspace"
)

func explainCommand(s *Streams) *cobra.Command {
	var own []string
	var version, output string
	var o workspace.Options
	c := &cobra.Command{
		Use:   "explain RULE|KIND[.FIELD...]|CHART VALUE",
		Short: "Explain a rule, a kind, a field or a value of a Helm chart",
		Long: `Explain a rule by its id, which reports show in brackets, or describe a kind, a list kind, a field or a list item
(spec.ports[]): its constraints, rules and fields, and the versions of Kubernetes that have it. You can also use the
plural or a short name of a kind, and name its group: GROUP/KIND or KIND.GROUP. "not specified" means that the
specification does not state a type. "Note (kindvet)" marks additions of kindvet.

For a value of a Helm chart, it lists the actions that read it and the fields that it becomes.`,
		Example: `  kindvet explain Deployment.spec.strategy
  kindvet explain hpa --version autoscaling/v1
  kindvet explain ingress/open-inbound-cidr
  kindvet explain open-inbound-cidr
  kindvet explain unknown-field
  kindvet explain tgb.spec
  kindvet explain TargetGroupBinding.spec.networking
  kindvet explain 'ClusterNetworkPolicy.spec.ingress[].from[]'
  kindvet explain charts/shop image.tag`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) > 1:
				return explainValue(c, s, &o, args[0], args[1], output)
			case c.Flags().Changed("output"):
				return invalidValue("output", output, "it is for values of charts: kindvet explain CHART VALUE")
			}
			registry, err := registryOf(c, s, &o)
			if err != nil {
				return err
			}
			f, isKind, err := findField(registry, args[0], version)
			switch {
			case err != nil: // a kind of a project may have the name of a built-in one
				if other, hasGroup := ofProject(args[0]); hasGroup {
					return other
				}
				return err
			case isKind:
				return printClean(s.Out, func(w io.Writer) error { return explainField(w, f) })
			}
			rules, err := ownRules(own)
			if err != nil {
				return err
			}
			if d, ok := diag.Structural(diag.Rule(args[0])); ok {
				return explainStructural(s.Out, d)
			}
			r, ok := rule.Lookup(args[0], rules)
			if !ok {
				return unknownRule(args[0], registry, rules)
			}
			base, err := here()
			if err != nil {
				return err
			}
			return printClean(s.Out, func(w io.Writer) error { return explainRule(w, base, registry, r) })
		},
	}
	c.Flags().StringArrayVar(&own, "rules", nil, "`PATH` of your own rule files or directories (repeatable)")
	c.Flags().StringVarP(&output, "output", "o", "text", "`FORMAT` for a value of a chart: text or json")
	registryFlags(c, &o)
	c.Flags().StringVar(&version, "version", "", "`VERSION` or apiVersion of the kind (default: the last one)")
	return c
}

// printClean writes lines so that text from CRDs and rules of other authors is safe to print.
func printClean(out io.Writer, write func(io.Writer) error) error {
	var lines strings.Builder
	if err := write(&lines); err != nil {
		return err
	}
	_, err := io.WriteString(out, render.CleanLines(lines.String()))
	return err
}

// maxDefining is the maximum number of projects that an error names. The help is one line, and one name is enough to
// go on.
const maxDefining = 3

// ofProject returns an error that says how to add the schema of a kind, which may have a group and a path. It returns nil
// if no known project defines the kind. hasGroup means that the name has the group.
func ofProject(name string) (_ error, hasGroup bool) {
	kind, rest, _ := strings.Cut(name, ".")
	if group, last, ok := strings.Cut(name, "/"); ok {
		kind, _, _ = strings.Cut(last, ".")
		rest = group
	}
	found, groups := projects.Defining(kind)
	for _, plural := range [...]struct{ end, singular string }{{"s", ""}, {"es", ""}, {"ies", "y"}} {
		if singular, ok := strings.CutSuffix(kind, plural.end); ok && len(found) == 0 {
			found, groups = projects.Defining(singular + plural.singular)
		}
	}
	var list []string
	for i := range found {
		text := groups[i] + ": kindvet schemas add " + found[i].Source()
		if rest == groups[i] || strings.HasPrefix(rest, groups[i]+".") {
			list, hasGroup = []string{text}, true
			break
		}
		list = append(list, text)
	}
	if len(list) == 0 {
		return nil, false
	}
	more := ""
	if n := len(list) - maxDefining; n > 0 {
		list, more = list[:maxDefining], fmt.Sprintf("; and %d more", n)
	}
	return fmt.Errorf("kind %s has no schema here; to add that of %s%s", kind, strings.Join(list, "; of "), more), hasGroup
}

func unknownRule(name string, registry *catalog.Catalog, own []*rule.Rule) error {
	if err, _ := ofProject(name); err != nil {
		return err
	}
	ids, _ := rule.List(nil).Names(own)
	if near, ok := diag.NewRuleNames(ids).Nearest(name); ok {
		return fmt.Errorf("unknown rule or kind %q; did you mean %s?", name, near)
	}
	var kinds []string
	for _, e := range registry.Entries() {
		kinds = append(kinds, e.Name, e.Plural)
	}
	if near, ok := nearest.Name(name, kinds); ok {
		return fmt.Errorf("unknown rule or kind %q; did you mean %s?", name, near)
	}
	return fmt.Errorf("unknown rule or kind %q; see 'kindvet rules' and 'kindvet kinds'", name)
}

// explainStructural writes the page of a rule that is not a lint rule.
func explainStructural(w io.Writer, d diag.Description) error {
	fmt.Fprintf(w, "%s: %s\n\nseverity  %s\ntags      %s\n", d.Rule, d.Title, d.Severity, strings.Join(d.Tags, ", "))
	why := d.Why
	if d.Rule.Enforced() && why == "" {
		why = "An API server rejects the object."
	}
	if why != "" {
		section(w, "Why", wrapParagraphs(why, pageWidth-2))
	}
	section(w, "How to fix", wrapParagraphs(d.Help, pageWidth-2))
	fixSection(w, fix.StructuralDecisions(d.Rule))
	if d.Rule.Enforced() {
		section(w, "How to suppress", fmt.Sprintf("an error   an entry of ignores in the configuration, with rule: %s, or a baseline\n"+
			"a warning  also a comment: # kindvet:ignore[%s] REASON", d.Rule, d.Rule))
	}
	return nil
}

// explainRule writes the page of a rule with the names of the registry.
func explainRule(w io.Writer, base find.Base, registry *catalog.Catalog, r *rule.Rule) error {
	view := registry.ViewOf(r.Patterns())
	fmt.Fprintf(w, "%s: %s\n\n", r.ID, view.Text(r.Title))
	fmt.Fprintf(w, "severity  %s\ntags      %s\nkinds     %s\n", r.Severity, strings.Join(r.Tags, ", "),
		strings.Join(registry.OwnPatterns(r.Patterns()), ", "))
	if len(r.Exclude) > 0 {
		fmt.Fprintf(w, "excludes  %s\n", strings.Join(r.Exclude, ", "))
	}
	for _, p := range r.Params {
		fmt.Fprintf(w, "parameter %s (%s), by default %s\n", p.Name, p.Default.Type, p.Default.Literal)
	}
	if r.Origin != "" {
		fmt.Fprintf(w, "source    %s\n", r.Origin)
	}
	section(w, "Why", view.Text(r.Why))
	section(w, "How to fix", view.Text(r.Help))
	fixSection(w, decisions(registry, r))
	bad, old, err := exampleTexts(base, registry, r, rule.BadExample)
	if err != nil {
		return err
	}
	if old != "" {
		section(w, "Old object", old)
	}
	for _, src := range bad {
		section(w, "Fails: "+src.Name, src.Text)
	}
	said, err := exampleOutput(registry, r, bad, old)
	if err != nil {
		return err
	}
	if said != "" {
		section(w, "Output", said)
	}
	good, _, err := exampleTexts(base, registry, r, rule.GoodExample)
	if err != nil {
		return err
	}
	for _, src := range good {
		section(w, "Passes: "+src.Name, src.Text)
	}
	section(w, "How to suppress", fmt.Sprintf("one value      # kindvet:ignore[%s] REASON, on the line above\n"+
		"the whole run  --disable %s, or --severity %s=info", r.ID, r.ID, r.ID))
	return nil
}

// exampleTexts returns the texts of a bad or good example of a rule, with the names of the registry, and the old text
// if the example is an update.
func exampleTexts(
	base find.Base, registry *catalog.Catalog, r *rule.Rule, sort string,
) (texts []*source.Source, old string, err error) {
	texts, old, err = example.Texts(base, r, sort)
	for i, src := range texts {
		texts[i] = &source.Source{Name: src.Name, Text: registry.InOwnNames(example.WithoutMarks(src.Text))}
	}
	return texts, registry.InOwnNames(old), err
}

// fixSection writes whether and how 'kindvet fix' resolves findings.
func fixSection(w io.Writer, list []fix.Decision) {
	var lines []string
	for _, d := range list {
		lines = append(lines, fmt.Sprintf("%-6s  %s", d.Applicability, d.Edit))
	}
	if len(lines) > 0 {
		section(w, "kindvet fix", strings.Join(lines, "\n"))
	}
}

func section(w io.Writer, title, text string) {
	fmt.Fprintf(w, "\n%s\n", title)
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		if line != "\n" {
			line = "  " + line
		}
		fmt.Fprint(w, line)
	}
}

// exampleOutput returns the report on the bad example of a rule. It contains only the findings of that rule.
func exampleOutput(registry *catalog.Catalog, r *rule.Rule, texts []*source.Source, old string) (string, error) {
	var plain []*source.Source
	for _, src := range texts {
		plain = append(plain, &source.Source{Name: src.Name, Text: example.WithoutMarks(src.Text)})
	}
	report, err := example.Check(registry, r, plain, old)
	if err != nil {
		return "", err
	}
	report.Violations = slices.DeleteFunc(report.Violations, func(v diag.Violation) bool { return v.Rule != r.ID })
	var b strings.Builder
	err = render.Text(&b, &report, render.Options{})
	return b.String(), err
}
