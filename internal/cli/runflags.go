package cli

import (
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/workspace"
)

// runFlags are the flags of every command that checks manifests.
type runFlags struct {
	unknownKinds string
	lint         lintFlags
	chart        chartFlags
	policy       policyFlags
	run          workspace.Options
}

func (f *runFlags) register(c *cobra.Command) {
	flags := c.Flags()
	kindFlags(c, &f.run, kubernetesVersion{&f.run.Settings.Kubernetes, true}, ", or several to check with each, separated by commas")
	f.lint.register(c)
	f.chart.register(c, &f.run)
	f.policy.register(c, &f.run)
	flags.BoolVar(&f.run.Files.NoIgnore, "no-ignore", false, "also check files that .gitignore and .kindvetignore exclude")
	flags.BoolVar(&f.run.Files.ForceExclude, "force-exclude", false,
		"apply exclusions even to files named on the command line")
	flags.BoolVar(&f.run.NoDiscovery, "no-discovery", false, "do not use CRDs among the checked files as schemas")
	flags.StringVar(&f.unknownKinds, "unknown-kinds", "",
		"`ACTION` for kinds without a schema: auto (default: error if a server would certainly reject it, otherwise skip), error, warn or skip")
	flags.IntVarP(&f.run.Jobs, "jobs", "j", 0, "`NUMBER` of files to check in parallel (0: one per processor)")
	flags.StringVar(&f.run.Files.StdinName, "stdin-filename", "", "`PATH` of standard input in the report")
}

func (f *runFlags) check() error {
	mode, ok := check.UnknownKindsNamed(f.unknownKinds)
	if !ok && f.unknownKinds != "" {
		return invalidValue("unknown-kinds", f.unknownKinds, "use auto, error, warn or skip")
	}
	f.run.Check.UnknownKinds = mode
	var err error
	if f.run.Files.Base, err = here(); err != nil {
		return err
	}
	f.run = turnedOff(f.run)
	if f.run.Jobs < 0 {
		return invalidValue("jobs", strconv.Itoa(f.run.Jobs), "must not be negative")
	}
	if err := f.chart.apply(&f.run); err != nil {
		return err
	}
	if err := f.policy.apply(&f.run); err != nil {
		return err
	}
	return f.lint.apply(&f.run)
}

// setInput decides what to check and returns the paths. Without paths it is the changes that a commit would make with
// --staged, otherwise standard input if it is a pipe or file, otherwise the current directory.
func (f *runFlags) setInput(s *Streams, paths []string) ([]string, error) {
	if len(paths) == 0 && !f.run.Files.Staged {
		path, err := s.impliedPath(f.run.Files.StdinName != "")
		if err != nil {
			return nil, err
		}
		paths = []string{path}
	}
	f.run.Files.Paths, f.run.Stdin, f.run.Report.Today = paths, s.In, s.Now().Format(time.DateOnly)
	return paths, nil
}
