package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/baseline"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/render"
	"github.com/kindvet/kindvet/internal/workspace"
)

func baselineCommand(s *Streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "baseline",
		Short: "Record current findings so that only new ones are reported",
		Long: `Record current findings so that only new ones are reported.

A baseline identifies a finding by its rule, object and path, so entries still match when an object moves. 'kindvet
validate --baseline FILE' suppresses recorded findings and reports entries that no longer match a finding.`,
		Example: `  kindvet baseline create .kindvet-baseline.json deploy/
  kindvet validate --baseline .kindvet-baseline.json deploy/
  kindvet baseline prune .kindvet-baseline.json deploy/`,
	}
	addGroup(c, baselineCreateCommand(s), baselinePruneCommand(s))
	return c
}

func baselineCreateCommand(s *Streams) *cobra.Command {
	f := &runFlags{}
	c := &cobra.Command{
		Use:   "create FILE [PATH...]",
		Short: "Record the findings of PATH... in FILE, which must not exist",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if _, err := os.Stat(args[0]); !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%s already exists; run 'kindvet baseline prune' to remove fixed findings, or delete the file to start over", args[0])
			}
			f.run.Report.Each = true
			result, err := f.checkManifests(c, s, args[1:])
			if err != nil {
				return err
			}
			b := baseline.Make(&result.Report)
			if err := writeFile(c.Context(), args[0], b.Write); err != nil {
				return err
			}
			entries, violations := b.Len()
			fmt.Fprintf(s.Err, "%s: %s for %s\n", render.Clean(args[0]), count(entries, "entry", "entries"),
				diag.Count(violations, "finding"))
			return nil
		},
	}
	f.register(c)
	return c
}

func baselinePruneCommand(s *Streams) *cobra.Command {
	f := &runFlags{}
	c := &cobra.Command{
		Use:   "prune FILE [PATH...]",
		Short: "Remove the entries of FILE that match no finding of PATH...",
		Long:  "Remove the entries of FILE that match no finding of PATH... Entries are never added.",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			f.run.Files.Baseline = args[0]
			result, err := f.checkManifests(c, s, args[1:])
			if err != nil {
				return err
			}
			pruned := result.Baseline.Without(result.Unmatched)
			if err := writeFile(c.Context(), args[0], pruned.Write); err != nil {
				return err
			}
			before, _ := result.Baseline.Len()
			after, violations := pruned.Len()
			fmt.Fprintf(s.Err, "%s: %s removed, %d left for %s\n",
				render.Clean(args[0]), count(before-after, "entry", "entries"), after, diag.Count(violations, "finding"))
			return nil
		},
	}
	f.register(c)
	return c
}

// checkManifests checks the paths of a command. If a file cannot be read, it prints the reason and fails, because a
// baseline of only some files would be wrong.
func (f *runFlags) checkManifests(c *cobra.Command, s *Streams, paths []string) (*workspace.Result, error) {
	if err := completeFlags(c, s, c.Flags(), f.check); err != nil {
		return nil, err
	}
	if _, err := f.setInput(s, paths); err != nil {
		return nil, err
	}
	result, err := f.runWatched(c.Context(), s, workspace.Run)
	if err != nil {
		return nil, err
	}
	for _, failure := range result.Failures {
		fmt.Fprintln(s.Err, "kindvet: "+render.Clean(failureText(failure)))
	}
	if len(result.Failures) > 0 {
		return nil, failed{exitTrouble}
	}
	return &result, nil
}

// count returns a number with its noun, in singular or plural.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
