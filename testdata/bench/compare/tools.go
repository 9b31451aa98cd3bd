package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/kindvet/kindvet/testdata/bench"
)

// The peers as they are installed.
const (
	kubeconformModule      = "github.com/yannh/kubeconform/cmd/kubeconform"
	kubeconformVersion     = "v0.8.0"
	kubectlValidateModule  = "sigs.k8s.io/kubectl-validate"
	kubectlValidateVersion = "v0.0.4"
)

// tool is a program that is measured.
type tool struct {
	name, version string
	program       string
	// before stands before the path in the arguments.
	before []string
	// missing is what the tool prints about a kind without a schema; "" if it then exits with another code than 0 and
	// 1.
	missing string
}

// tools are what is compared. kindvet knows the kinds of files, and is told of those of streams; the peers are given
// all. What it is compared in is what an API server enforces; its lint rules, which the peers have no like of, are
// measured beside that.
type tools struct {
	kindvet, kindvetStreams, linting, lintingStreams, kubeconform, kubectlValidate tool
}

// install builds all tools in the same way: static, stripped, without the paths of this machine.
func install(repository, cache, inputs string) (tools, error) {
	programs := filepath.Join(cache, "bin")
	for _, dir := range []string{programs, home(cache)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return tools{}, err
		}
	}
	for _, build := range []struct{ dir, target string }{
		{repository, "./cmd/kindvet"},
		{cache, kubeconformModule + "@" + kubeconformVersion},
		{cache, kubectlValidateModule + "@" + kubectlValidateVersion},
	} {
		progress("building %s", build.target)
		c := exec.Command("go", "install", "-trimpath", "-ldflags=-s -w", build.target)
		c.Dir, c.Stderr = build.dir, os.Stderr
		c.Env = append(os.Environ(), "GOBIN="+programs, "CGO_ENABLED=0")
		if err := c.Run(); err != nil {
			return tools{}, fmt.Errorf("building %s: %w", build.target, err)
		}
	}
	commit, err := output(repository, "git", "describe", "--always", "--dirty")
	if err != nil {
		commit = "of no commit"
	}
	t := tools{
		kindvet: tool{
			name: "kindvet", version: commit, program: filepath.Join(programs, "kindvet"),
			before: []string{"validate", "--profile", "schema"},
		},
		kubeconform: tool{
			name: "kubeconform", version: kubeconformVersion, program: filepath.Join(programs, "kubeconform"),
			missing: "could not find schema",
			before: []string{
				"-strict", "-schema-location", filepath.Join(inputs, bench.JSONSchemasDir, bench.JSONSchemaLocation),
			},
		},
		kubectlValidate: tool{
			name: "kubectl-validate", version: kubectlValidateVersion, program: filepath.Join(programs, "kubectl-validate"),
			missing: "failed to retrieve validator",
			before:  []string{"--local-crds", filepath.Join(inputs, bench.DefinitionsDir)},
		},
	}
	t.kindvetStreams = t.kindvet
	schemas := filepath.Join(repository, "testdata", "bench", "crds")
	t.kindvetStreams.before = []string{"validate", "--profile", "schema", "--schemas", schemas}
	t.linting, t.lintingStreams = t.kindvet, t.kindvet
	t.linting.name, t.lintingStreams.name = "kindvet, with lint rules", "kindvet, with lint rules"
	t.linting.before, t.lintingStreams.before = []string{"validate"}, []string{"validate", "--schemas", schemas}
	return t, nil
}

// home is the empty folder that the tools take for the user's, so that no configuration of the machine counts.
func home(cache string) string { return filepath.Join(cache, "home") }

func (t *tool) command(path string) *exec.Cmd {
	c := exec.Command(t.program, append(t.before[:len(t.before):len(t.before)], path)...)
	c.Env = []string{"HOME=" + home(filepath.Dir(filepath.Dir(t.program))), "KUBECONFIG=" + os.DevNull,
		"PATH=" + os.Getenv("PATH")} // for git
	return c
}
