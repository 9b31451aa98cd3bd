package main

// The tests of this package check what is published with the program: the hooks, the action and the pipeline templates
// that call it, and the files that define a release.

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

var long = flag.Bool("long", false, "also run the tests that take a minute")

// repository is the root of the sources.
var repository = filepath.Join("..", "..")

// installed is the directory that TestMain installs the program into, as pre-commit does.
var installed string

func TestMain(m *testing.M) {
	os.Exit(runInstalled(m))
}

func runInstalled(m *testing.M) int {
	dir, err := os.MkdirTemp("", "kindvet")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	installed = dir
	install := exec.Command("go", "install", "./...")
	install.Dir = repository
	// As releases are built. With cgo, the package plugin, which kustomize's library imports, makes the program keep
	// all code and 22 MiB more in memory.
	install.Env = append(os.Environ(), "GOBIN="+dir, "CGO_ENABLED=0")
	if out, err := install.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go install ./...: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// call runs a program and returns its output and exit code.
func call(t *testing.T, c *exec.Cmd) (out string, code int) {
	t.Helper()
	text, err := c.CombinedOutput()
	if err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return string(text), c.ProcessState.ExitCode()
}

// needShell skips a test that runs scripts if a program is missing. It skips on Windows, where sh and bash can be
// those of another system with other paths.
func needShell(t *testing.T, programs ...string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("runs scripts for Unix")
	}
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("no " + name)
		}
	}
}

func writeFile(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
