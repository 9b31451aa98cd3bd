package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/fix"
	"github.com/kindvet/kindvet/internal/render"
	"github.com/kindvet/kindvet/internal/workspace"
)

// fixFlags are the values of the flags that change files.
type fixFlags struct {
	isOn        bool
	unsafeFixes bool
	diff        bool
	rules       []string
	failOnFix   bool
	// stdin is standard input, if that is fixed. out gets the diff or the fixed standard input.
	stdin      string
	out        io.Writer
	isTerminal bool
}

func (f *fixFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.BoolVar(&f.isOn, "fix", false, "apply the safe fixes to the files, and report what is left")
	flags.BoolVar(&f.unsafeFixes, "unsafe-fixes", false,
		"also apply the fixes that guess what was meant, or that change what a server does")
	flags.BoolVar(&f.diff, "diff", false, "with --fix: print the changes as a unified diff instead of writing the files")
	flags.StringSliceVar(&f.rules, "rule", nil, "with --fix: only fix the findings of this `RULE` (repeatable)")
	flags.BoolVar(&f.failOnFix, "exit-non-zero-on-fix", false, "with --fix: exit with 1 if anything was fixed")
}

func fixCommand(s *Streams) *cobra.Command {
	f := &validateFlags{}
	c := &cobra.Command{
		Use:   "fix [PATH...]",
		Short: "Fix what has one right answer, and report what is left",
		Long: `Fix what has one right answer, and report what is left. It is 'kindvet validate --fix', with the same flags.

A fix is applied where the text was written: in a manifest, a template of a chart, or a base or patch of a kustomization. It stays
only if its finding is gone and nothing new is found; otherwise the report says why not. No other byte of a file changes.

With -, standard input is fixed and written to standard output. With --staged, the git index is fixed, and the working tree where it
has the same lines.

Exit codes: as 'kindvet validate', for what is left. With --diff, also 1 if a file would change.`,
		Example: `  kindvet fix
  kindvet fix --diff deploy/
  kindvet fix --unsafe-fixes --rule unknown-field deploy/
  helm template . | kindvet fix - > fixed.yaml`,
		RunE: func(c *cobra.Command, args []string) error {
			return completeFlags(c, s, c.Flags(), func() error { return f.validate(c, s, args) })
		},
	}
	f.register(c)
	for _, err := range []error{c.Flags().Set("fix", "true"), c.Flags().MarkHidden("fix")} {
		if err != nil {
			panic(err)
		}
	}
	return c
}

// check returns an error if a flag needs another one.
func (f *fixFlags) check(v *validateFlags) error {
	if !f.isOn {
		for _, flag := range []struct {
			name  string
			isSet bool
		}{
			{"unsafe-fixes", f.unsafeFixes}, {"diff", f.diff}, {"rule", len(f.rules) > 0}, {"exit-non-zero-on-fix", f.failOnFix},
		} {
			if flag.isSet {
				return flagErrorf(flag.name, "needs --fix")
			}
		}
		return nil
	}
	if v.passthrough {
		return flagErrorf("passthrough", "cannot be combined with --fix, which writes standard input as well")
	}
	return nil
}

// fixed is what a run with --fix did.
type fixed struct {
	fix.Result
	failures []error
}

// fails reports whether fixes make the run fail.
func (d *fixed) fails(f *fixFlags) bool {
	return d != nil && len(d.Fixed) > 0 && (f.diff || f.failOnFix)
}

// run applies the fixes, and writes the files or the diff.
func (f *fixFlags) run(ctx context.Context, o workspace.Options) (*fixed, error) {
	rules, err := f.selected(o)
	if err != nil {
		return nil, err
	}
	result, err := fix.Run(ctx, fix.Options{Check: o, Unsafe: f.unsafeFixes, Rules: rules, Stdin: f.stdin})
	if err != nil {
		return nil, err
	}
	done := &fixed{Result: result}
	if f.diff {
		return done, f.writeDiff(o, &result)
	}
	if isStdin(o.Files.Paths) {
		_, err := fmt.Fprint(f.out, result.Stdin)
		return done, err
	}
	done.failures = result.Write(ctx)
	return done, ctx.Err()
}

// selected returns the rules whose findings are fixed; nil means all.
func (f *fixFlags) selected(o workspace.Options) (rules []diag.Rule, err error) {
	if len(f.rules) == 0 {
		return nil, nil
	}
	names, err := workspace.RuleNames(o)
	if err != nil {
		return nil, err
	}
	for _, name := range f.rules {
		found := names.Find(name)
		if len(found) == 0 {
			help := "see 'kindvet rules --all'"
			if near, ok := names.Nearest(name); ok {
				help = "did you mean " + string(near) + "?"
			}
			return nil, invalidValue("rule", name, help)
		}
		rules = append(rules, found...)
	}
	return rules, nil
}

// writeDiff prints the changes. Lines around them are printed only in files that cannot have a secret.
func (f *fixFlags) writeDiff(o workspace.Options, result *fix.Result) error {
	known, err := workspace.Catalog(o)
	if err != nil {
		return err
	}
	for i := range result.Changes {
		c := &result.Changes[i]
		text := c.Diff(isPlain(c.Before, known, result.Report.Report.Discovered))
		if f.isTerminal {
			text = render.CleanLines(text)
		}
		if _, err := fmt.Fprint(f.out, text); err != nil {
			return err
		}
	}
	return nil
}

// isPlain reports whether a text is a manifest itself, which mentions neither a known kind with secrets nor a kind of a CRD
// among the checked files. What is a part of a chart or kustomization may have values of a Secret.
func isPlain(text string, known *catalog.Catalog, discovered []diag.Discovered) bool {
	isManifest := strings.Contains(text, "apiVersion") && strings.Contains(text, "kind") && !strings.Contains(text, "{{")
	return isManifest && len(known.SecretsMentioned(text)) == 0 &&
		!slices.ContainsFunc(discovered, func(d diag.Discovered) bool { return strings.Contains(text, d.Kind) })
}

// fixAndReport fixes files or standard input, and reports what is left: to standard error if standard output has a diff or
// the fixed text.
func (f *validateFlags) fixAndReport(c *cobra.Command, s *Streams, paths []string) error {
	inner := *s
	switch {
	case isStdin(paths):
		text, err := s.readAll(s.In, "the limit of --fix; write it to a file and fix the file")
		if err != nil {
			return err
		}
		f.fix.stdin = string(text)
	case slices.Contains(paths, "-"):
		return flagErrorf("fix", "standard input must be the only PATH")
	case !f.fix.diff:
		return f.report(c, s, paths)
	}
	inner.Out, inner.OutIsTerminal, f.fix.out, f.fix.isTerminal = s.Err, s.ErrIsTerminal, s.Out, s.OutIsTerminal
	return f.report(c, &inner, paths)
}

// runOrFix makes the report, with --fix that of what is left.
func (f *validateFlags) runOrFix(ctx context.Context, o workspace.Options) (workspace.Result, error) {
	if !f.fix.isOn {
		return workspace.Run(ctx, o)
	}
	done, err := f.fix.run(ctx, o)
	if err != nil {
		return workspace.Result{}, err
	}
	f.fixed = done
	done.Report.Failures = append(done.Report.Failures, done.failures...)
	return done.Report, nil
}

// summarizeFixes prints what was fixed, what could be, and which fixes were not right.
func (f *validateFlags) summarizeFixes(w io.Writer, r *diag.Report) {
	if f.fixed == nil {
		return
	}
	for i := range f.fixed.Declined {
		d := &f.fixed.Declined[i]
		v := &d.Finding
		fmt.Fprintln(w, render.Clean(fmt.Sprintf("kindvet: %s:%d: [%s] is not fixed: %s", v.Place.File, v.Place.Start().Line, v.Rule, d.Why)))
	}
	if f.fixed.Waiting > 0 {
		fmt.Fprintf(w, "kindvet: %s left after the last pass; run the command again\n", count(f.fixed.Waiting, "fix is", "fixes are"))
	}
	verb := "fixed"
	if f.fix.diff {
		verb = "would be fixed"
	}
	text := fmt.Sprintf("%d %s", len(f.fixed.Fixed), verb)
	if left := len(r.Violations); left > 0 {
		text += fmt.Sprintf(", %d left", left)
		others := unsafelyFixable(r)
		if others > 0 && !f.fix.unsafeFixes {
			text += fmt.Sprintf(": %d with --unsafe-fixes", others)
		}
	}
	if !f.quiet {
		fmt.Fprintln(w, text)
	}
}

// unsafelyFixable returns how many findings have only fixes that are not safe.
func unsafelyFixable(r *diag.Report) (count int) {
	for i := range r.Violations {
		if v := &r.Violations[i]; len(v.Applicable(false)) == 0 && len(v.Applicable(true)) > 0 {
			count++
		}
	}
	return count
}
