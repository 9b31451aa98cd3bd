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
	// home is the empty directory that the tool takes for the user's, so that no configuration of the machine counts.
	home string
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
	kindvet, err := installKindvet(repository, cache)
	if err != nil {
		return tools{}, err
	}
	programs := filepath.Dir(kindvet.program)
	for _, module := range []string{
		kubeconformModule + "@" + kubeconformVersion, kubectlValidateModule + "@" + kubectlValidateVersion,
	} {
		if err := build(cache, module, programs); err != nil {
			return tools{}, err
		}
	}
	t := tools{
		kindvet: kindvet,
		kubeconform: tool{
			name: "kubeconform", version: kubeconformVersion, program: filepath.Join(programs, "kubeconform"),
			home:    kindvet.home,
			missing: "could not find schema",
			before: []string{
				"-strict", "-schema-location", filepath.Join(inputs, bench.JSONSchemasDir, bench.JSONSchemaLocation),
			},
		},
		kubectlValidate: tool{
			name: "kubectl-validate", version: kubectlValidateVersion, program: filepath.Join(programs, "kubectl-validate"),
			home:    kindvet.home,
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

// installKindvet builds kindvet from the working tree.
func installKindvet(repository, cache string) (tool, error) {
	programs, home := filepath.Join(cache, "bin"), filepath.Join(cache, "home")
	for _, dir := range []string{programs, home} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return tool{}, err
		}
	}
	if err := build(repository, "./cmd/kindvet", programs); err != nil {
		return tool{}, err
	}
	commit, err := output(repository, "git", "describe", "--always", "--dirty")
	if err != nil {
		commit = "of no commit"
	}
	return tool{
		name: "kindvet", version: commit, program: filepath.Join(programs, "kindvet"), home: home,
		before: []string{"validate", "--profile", "schema"},
	}, nil
}

// build installs a program from a directory.
func build(dir, target, programs string) error {
	progress("building %s", target)
	c := exec.Command("go", "install", "-trimpath", "-ldflags=-s -w", target)
	c.Dir, c.Stderr = dir, os.Stderr
	c.Env = append(os.Environ(), "GOBIN="+programs, "CGO_ENABLED=0")
	if err := c.Run(); err != nil {
		return fmt.Errorf("building %s: %w", target, err)
	}
	return nil
}

func (t *tool) command(path string) *exec.Cmd {
	c := exec.Command(t.program, append(t.before[:len(t.before):len(t.before)], path)...)
	c.Env = []string{"HOME=" + t.home, "KUBECONFIG=" + os.DevNull,
		"PATH=" + os.Getenv("PATH")} // for git
	return c
}
