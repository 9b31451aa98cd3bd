package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	program := func() { os.Exit(Main(os.Args[1:], System())) }
	testscript.Main(m, map[string]func(){"kindvet": program, "kubectl-kindvet": program})
}

// The sessions under testdata/script are the command line as a person uses it: what is typed, the exit code, both streams.
func TestSessions(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			e.Setenv("HOME", e.WorkDir)
			return nil
		},
	})
}
