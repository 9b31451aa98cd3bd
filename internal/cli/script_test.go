package cli

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kindvet/kindvet/internal/catalog"
)

func TestMain(m *testing.M) {
	program := func() {
		s := System()
		// a git server with https needs a program that not all machines have
		if settings := os.Getenv("TEST_GIT_SETTING"); settings != "" {
			s.GitProtocols, s.GitSettings = "https:file", []string{"-c", settings}
		}
		os.Exit(Main(os.Args[1:], s))
	}
	testscript.Main(m, map[string]func(){"kindvet": program, "kubectl-kindvet": program})
}

// The sessions in testdata/script test the command line as a person uses it: the command, its exit code and both
// streams.
func TestSessions(t *testing.T) {
	if testing.Short() {
		t.Skip("starts thousands of processes, each of which takes a second with the race detector")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "zip": zipDirectory},
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("NEWEST", strconv.Itoa(catalog.NewestKubernetes)) // minor version of Kubernetes
			e.Setenv("UNKNOWN", strconv.Itoa(catalog.NewestKubernetes+1))
			e.Setenv("NAMES", filepath.Join(root, "testdata", "names"))
			return serveSite(e)
		},
	})
}

// exits runs a command like exec, and fails if the exit code is a different one: exits CODE COMMAND...
func exits(ts *testscript.TestScript, not bool, args []string) {
	if not || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if have := strconv.Itoa(code); have != args[0] {
		ts.Fatalf("the exit code is %s, want %s", have, args[0])
	}
}

// zipDirectory packs a directory: zip ARCHIVE DIRECTORY. Not all machines have a program for that.
func zipDirectory(ts *testscript.TestScript, not bool, args []string) {
	if not || len(args) != 2 {
		ts.Fatalf("usage: zip ARCHIVE DIRECTORY")
	}
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	ts.Check(w.AddFS(os.DirFS(ts.MkAbs(args[1]))))
	ts.Check(w.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), packed.Bytes(), 0o644))
}

// The page shows the configuration that the sessions test.
func TestThePageOnNamesShowsTheTestedExample(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "platform-names.md"))
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile(filepath.Join(root, "testdata", "names", ".kindvet.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	_, names, _ := strings.Cut(string(example), "\n") // without the comment
	if !strings.Contains(string(page), "```yaml\n"+names+"```") {
		t.Error("docs/platform-names.md does not show testdata/names/.kindvet.yaml")
	}
}
