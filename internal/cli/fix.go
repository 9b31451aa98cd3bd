package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

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
	// out gets the diff or the fixed standard input.
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

A fix is applied where the text was written: in a manifest, a template or values of a chart, or a base or patch of a kustomization. It stays
only if its finding is gone and nothing new is found; otherwise the report says why not. No other byte of a file changes.

With -, standard input is fixed and written to standard output.

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
		for name, isSet := range map[string]bool{
			"unsafe-fixes": f.unsafeFixes, "diff": f.diff, "rule": len(f.rules) > 0, "exit-non-zero-on-fix": f.failOnFix,
		} {
			if isSet {
				return flagErrorf(name, "needs --fix")
			}
		}
		return nil
	}
	switch {
	case v.passthrough:
		return flagErrorf("passthrough", "cannot be combined with --fix, which writes standard input as well")
	case v.run.Files.Staged:
		return flagErrorf("staged", "cannot be combined with --fix; fix the files of the working tree")
	}
	return nil
}

// fixed is what a run with --fix did.
type fixed struct {
	fix.Result
	written  int
	failures []error
}

// fails reports whether fixes make the run fail.
func (d *fixed) fails(f *fixFlags) bool {
	return d != nil && len(d.Fixed) > 0 && (f.diff || f.failOnFix)
}

// run applies the fixes, and writes the files or the diff.
func (f *fixFlags) run(ctx context.Context, o workspace.Options) (*fixed, error) {
	options := fix.Options{Check: o, Unsafe: f.unsafeFixes}
	for _, name := range f.rules {
		options.Rules = append(options.Rules, diag.Rule(name))
	}
	result, err := fix.Run(ctx, options)
	if err != nil {
		return nil, err
	}
	done := &fixed{Result: result}
	if f.diff {
		return done, f.writeDiff(o, result.Changes)
	}
	if isStdin(o.Files.Paths) {
		_, err := fmt.Fprint(f.out, result.Stdin)
		return done, err
	}
	for i := range result.Changes {
		c := &result.Changes[i]
		if c.Path == "" {
			continue
		}
		if err := c.Write(); err != nil {
			done.failures = append(done.failures, err)
			continue
		}
		done.written++
	}
	return done, nil
}

// writeDiff prints the changes. Lines around them are printed only if no kind with secrets is mentioned in the file.
func (f *fixFlags) writeDiff(o workspace.Options, changes []fix.Change) error {
	known, err := workspace.Catalog(o)
	if err != nil {
		return err
	}
	for i := range changes {
		text := changes[i].Diff(isPlainManifest(changes[i].Before) && len(known.SecretsMentioned(changes[i].Before)) == 0)
		if f.isTerminal {
			text = cleanLines(text)
		}
		if _, err := fmt.Fprint(f.out, text); err != nil {
			return err
		}
	}
	return nil
}

// isPlainManifest reports whether a text is a manifest itself, and no part of a chart or kustomization.
func isPlainManifest(text string) bool {
	return strings.Contains(text, "apiVersion") && strings.Contains(text, "kind") && !strings.Contains(text, "{{")
}

// cleanLines makes a text safe for a terminal, line by line.
func cleanLines(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		body := strings.TrimSuffix(line, "\n")
		lines[i] = render.Clean(body) + line[len(body):]
	}
	return strings.Join(lines, "")
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
		safe, others := fixable(r)
		switch {
		case others > 0 && !f.fix.unsafeFixes:
			text += fmt.Sprintf(": %d with --unsafe-fixes", others)
		case safe+others > 0:
		}
	}
	fmt.Fprintln(w, text)
}

// fixable returns how many findings have a safe fix, and how many only an unsafe one.
func fixable(r *diag.Report) (safe, others int) {
	for i := range r.Violations {
		switch v := &r.Violations[i]; {
		case len(v.Applicable(false)) > 0:
			safe++
		case len(v.Applicable(true)) > 0:
			others++
		}
	}
	return safe, others
}
