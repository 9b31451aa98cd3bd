package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/example"
	"github.com/kindvet/kindvet/internal/render"
)

func testCommand(s *Streams) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "test [DIRECTORY]",
		Short: "Run the examples of lint rules",
		Long: `Run the examples of all lint rules below a directory, by default the current one.

Each rule.yaml needs a bad.yaml and a good.yaml in its directory. In bad.yaml, each line where the rule reports a finding has a comment
"# want RULE". In good.yaml, the rule must not report findings. If there is an old.yaml, both examples are updates of its objects.
If the rule has a fix, fixed.yaml must be bad.yaml after the fix, without the comments.

Exit codes: 0 if all examples pass, 1 if one fails, 2 if there is no rule.`,
		Example: `  kindvet rules test rules/
  kindvet rules test -o junit rules/ > junit.xml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			if output != "text" && output != "junit" {
				return invalidValue("output", output, "use text or junit")
			}
			base, err := here()
			if err != nil {
				return err
			}
			outcomes, err := example.Run(c.Context(), base, dir)
			if err != nil {
				return err
			}
			write := testText
			if output == "junit" {
				write = testJUnit
			}
			if err := write(s.Out, outcomes); err != nil {
				return err
			}
			return testConclusion(s.Err, outcomes)
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "text", "`FORMAT` of the report: text or junit")
	return c
}

func testText(w io.Writer, outcomes []example.Outcome) error {
	for _, o := range outcomes {
		for _, fault := range o.Faults {
			if _, err := fmt.Fprintln(w, render.Clean(fault)); err != nil {
				return err
			}
		}
	}
	return nil
}

func testConclusion(w io.Writer, outcomes []example.Outcome) error {
	failures := 0
	for _, o := range outcomes {
		if len(o.Faults) > 0 {
			failures++
		}
	}
	if failures > 0 {
		fmt.Fprintf(w, "%s: examples of %d fail\n", diag.Count(len(outcomes), "rule"), failures)
		return failed{exitViolations}
	}
	fmt.Fprintf(w, "%s: all examples pass\n", diag.Count(len(outcomes), "rule"))
	return nil
}

func testJUnit(w io.Writer, outcomes []example.Outcome) error {
	tests := make([]render.Test, len(outcomes))
	for i, o := range outcomes {
		family, fault, _ := strings.Cut(string(o.Rule), "/")
		tests[i] = render.Test{Class: family, Name: fault, Failures: o.Faults}
	}
	return render.JUnitTests(w, "kindvet rules", tests)
}
