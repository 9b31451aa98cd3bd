package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/workspace"
)

// lintFlags are the values of the flags that select lint rules.
type lintFlags struct {
	profile         string
	enable, disable []string
	severity        []string
	rules           []string
}

func (f *lintFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.profile, "profile", "",
		"`PROFILE` of lint rules to run: schema (none), recommended (default), security or all")
	flags.StringSliceVar(&f.enable, "enable", nil,
		"also run the lint rules with this `RULE` id, family or tag (repeatable)")
	flags.StringSliceVar(&f.disable, "disable", nil,
		"do not run the lint rules with this `RULE` id, family or tag (repeatable)")
	flags.StringSliceVar(&f.severity, "severity", nil, "set the severity of a lint rule with `RULE=LEVEL` (repeatable)")
	flags.StringArrayVar(&f.rules, "rules", nil, "`PATH` of your own rule files or directories (repeatable)")
}

// apply sets the options of a run from the flags.
func (f *lintFlags) apply(o *workspace.Options) error {
	o.Settings.ProfileGiven = f.profile != ""
	profile := cmp.Or(f.profile, "recommended")
	if !slices.Contains(rule.Profiles, profile) {
		return invalidValue("profile", profile, "use "+list(rule.Profiles))
	}
	o.Settings.Lint, o.Settings.RuleFiles = rule.Options{Profile: profile, Enable: f.enable, Disable: f.disable}, f.rules
	for _, text := range f.severity {
		name, level, _ := strings.Cut(text, "=")
		severity, ok := diag.ParseSeverity(level)
		if !ok {
			return invalidValue("severity", text, "use RULE=LEVEL with the level error, warning or info")
		}
		o.Settings.Lint.Severity = append(o.Settings.Lint.Severity, rule.Override{Name: name, Severity: severity})
	}
	return nil
}
