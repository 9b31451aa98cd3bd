package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// These tests look for the summary of the demo manifests to see that the program has checked them.
const (
	demoSummary = " in 7 documents: 2 valid, 5 invalid (4 files)"
	violations  = 1 // the exit code
	trouble     = 2
)

// onDemo is a call of the program that checks the demo manifests, by absolute paths.
func onDemo(t *testing.T) *exec.Cmd {
	t.Helper()
	return exec.Command(program(), "validate", absolute(t, filepath.Join(repository, "testdata", "demo")))
}

func program() string { return filepath.Join(installed, "kindvet") }

func absolute(t *testing.T, name string) string {
	t.Helper()
	name, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// wantWork runs a call, and fails if the program does not print the summary of the demo manifests.
func wantWork(t *testing.T, c *exec.Cmd) {
	t.Helper()
	out, code := call(t, c)
	if code != violations || !strings.Contains(out, demoSummary) {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

// Libraries in the program can use the network. Of kindvet's own packages, only the one for 'kindvet schemas add' can.
func TestOnlyFetchImportsTheNetwork(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}}{{range .Imports}} {{.}}{{end}}", "./cmd/kindvet")
	list.Dir = repository
	out, code := call(t, list)
	if code != 0 {
		t.Fatal(out)
	}
	ours := 0
	for line := range strings.Lines(out) {
		words := strings.Fields(line)
		if !strings.HasPrefix(words[0], "github.com/kindvet/") || strings.HasSuffix(words[0], "/internal/fetch") {
			continue
		}
		ours++
		for _, imported := range words[1:] {
			if slices.Contains([]string{"net", "net/http", "net/rpc", "net/smtp", "net/textproto", "crypto/tls"}, imported) {
				t.Errorf("%s imports %s", words[0], imported)
			}
		}
	}
	if ours < 10 {
		t.Errorf("only %d packages of ours", ours)
	}
}

// The program works in a separate network namespace without other hosts.
func TestTheProgramWorksWithoutANetwork(t *testing.T) {
	alone := []string{"--user", "--map-root-user", "--net"}
	if exec.Command("unshare", append(alone, "true")...).Run() != nil {
		t.Skip("no unshare, or not allowed")
	}
	c := onDemo(t)
	wantWork(t, exec.Command("unshare", append(alone, c.Args...)...))
}

// socketCall is what strace prints for a system call that begins to use the network or a local socket.
var socketCall = regexp.MustCompile(`(?m)^.*\b(socket|connect|bind|sendto|sendmsg)\(.*$`)

// The program opens no socket.
func TestTheProgramOpensNoSocket(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "trace")
	under := []string{"--follow-forks", "--trace=network", "--output=" + trace}
	if exec.Command("strace", append(under, "true")...).Run() != nil {
		t.Skip("no strace, or not allowed")
	}
	for _, arguments := range [][]string{
		{"validate", "testdata/demo"}, {"validate", "--schemas", "testdata/documents/crds", "testdata/demo"},
		{"explain", "open-inbound-cidr"}, {"kinds"}, {"rules"}, {"version"}, {"export", "crd"}, {"config", "schema"},
	} {
		c := exec.Command("strace", slices.Concat(under, []string{program()}, arguments)...)
		c.Dir = repository
		if out, code := call(t, c); code > violations {
			t.Errorf("%q: exit code %d: %s", arguments, code, out)
		}
		if calls := socketCall.FindAllString(readFile(t, trace), -1); len(calls) > 0 {
			t.Errorf("%q: %q", arguments, calls)
		}
	}
}

func TestTheProgramWorksInAnEmptyEnvironment(t *testing.T) {
	c := onDemo(t)
	c.Env = []string{}
	wantWork(t, c)
}
