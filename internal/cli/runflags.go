package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

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
	flags.StringArrayVarP(&f.run.Schemas, "schemas", "s", nil,
		"`PATH` of CustomResourceDefinitions, a file or a folder, or of a Helm chart; they win over the embedded ones (repeatable)")
	f.lint.register(c)
	flags.StringVar(&f.unknownKinds, "unknown-kinds", "auto",
		"what to do about a kind without a schema: auto (an error if its group is known or nearly so, else skipped), error, warn or skip")
	flags.IntVarP(&f.run.Jobs, "jobs", "j", 0, "number of files checked at once (0: one for each processor)")
	flags.StringVar(&f.run.StdinName, "stdin-filename", "", "`PATH` that the report gives standard input")
}

var unknownKindsModes = map[string]run.UnknownKinds{"auto": run.Auto, "error": run.Fail, "warn": run.Warn, "skip": run.Skip}

func (f *runFlags) check() error {
	mode, ok := unknownKindsModes[f.unknownKinds]
	if !ok {
		return fmt.Errorf("--unknown-kinds: no mode %q; use auto, error, warn or skip", f.unknownKinds)
	}
	f.run.UnknownKinds = mode
	if f.run.Jobs < 0 {
		return fmt.Errorf("--jobs: %d is negative", f.run.Jobs)
	}
	return f.lint.apply(&f.run)
}

// setInput says what to check, and returns it: the paths, or standard input where there are none and something is piped in.
func (f *runFlags) setInput(s *Streams, paths []string) ([]string, error) {
	switch {
	case len(paths) > 0:
	case f.run.Staged:
		paths = []string{"."}
	default:
		if s.InIsTerminal {
			return nil, errors.New("nothing to check: name files or folders, or pipe manifests in; see 'kindvet validate --help'")
		}
		paths = []string{"-"}
	}
	f.run.Paths, f.run.Stdin, f.run.Today = paths, s.In, s.Now().Format(time.DateOnly)
	return paths, nil
}
