package cli

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/run"
)

// runFlags are the flags of every command that checks manifests.
type runFlags struct {
	unknownKinds string
	lint         lintFlags
	run          run.Options
}

func (f *runFlags) register(c *cobra.Command) {
	flags := c.Flags()
	registryFlags(c, &f.run)
	f.lint.register(c)
	flags.BoolVar(&f.run.NoIgnore, "no-ignore", false, "check also what .gitignore and .kindvetignore files leave out")
	flags.BoolVar(&f.run.ForceExclude, "force-exclude", false,
		"leave out what the configuration and ignore files leave out also where PATH names it")
	flags.StringVar(&f.unknownKinds, "unknown-kinds", "",
		"what to do about a kind without a schema: auto (the default: an error if a server would certainly reject it, otherwise skipped), error, warn or skip")
	flags.IntVarP(&f.run.Jobs, "jobs", "j", 0, "number of files checked at once (0: one for each processor)")
	flags.StringVar(&f.run.StdinName, "stdin-filename", "", "`PATH` that the report gives standard input")
}

func (f *runFlags) check() error {
	mode, ok := check.UnknownKindsNamed(f.unknownKinds)
	if !ok && f.unknownKinds != "" {
		return flagErrorf("unknown-kinds", "no mode %q; use auto, error, warn or skip", f.unknownKinds)
	}
	f.run.UnknownKinds = mode
	var err error
	if f.run.Base, err = here(); err != nil {
		return err
	}
	f.run = turnedOff(f.run)
	if f.run.Jobs < 0 {
		return flagErrorf("jobs", "%d is negative", f.run.Jobs)
	}
	return f.lint.apply(&f.run)
}

// setInput decides what to check, and returns it. Without paths that is what a commit would change with --staged, what is
// piped in, or else the current directory.
func (f *runFlags) setInput(s *Streams, paths []string) ([]string, error) {
	if len(paths) == 0 && !f.run.Staged {
		path, err := s.impliedPath(f.run.StdinName != "")
		if err != nil {
			return nil, err
		}
		paths = []string{path}
	}
	f.run.Paths, f.run.Stdin, f.run.Today = paths, s.In, s.Now().Format(time.DateOnly)
	return paths, nil
}
