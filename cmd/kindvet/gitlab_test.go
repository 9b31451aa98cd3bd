package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// gitlabJob is the job of docs/ci/gitlab.yml (docs.gitlab.com/ci/yaml).
type gitlabJob struct {
	Stage, Image string
	Variables    map[string]struct {
		Value  string
		Expand *bool
	}
	Script    []string
	Artifacts struct {
		When    string
		Paths   []string
		Reports map[string]string
	}
}

// gitlab reads the template: its inputs, and its one job.
func gitlab(t *testing.T) (inputs map[string]map[string]any, job gitlabJob) {
	t.Helper()
	header, body, ok := strings.Cut(readFile(t, filepath.Join(repository, "docs", "ci", "gitlab.yml")), "\n---\n")
	if !ok {
		t.Fatal("no inputs above the job")
	}
	var spec struct {
		Spec struct{ Inputs map[string]map[string]any }
	}
	var jobs map[string]gitlabJob
	if err := yaml.UnmarshalStrict([]byte(header), &spec); err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict([]byte(body), &jobs); err != nil {
		t.Fatal(err)
	}
	if job, ok = jobs["$[[ inputs.job ]]"]; !ok || len(jobs) != 1 {
		t.Fatalf("not one job of the given name: %v", jobs)
	}
	return spec.Spec.Inputs, job
}

func TestNoInputOfTheGitLabJobIsReadByItsShell(t *testing.T) {
	_, job := gitlab(t)
	for _, script := range job.Script {
		if strings.Contains(script, "$[[") || strings.Contains(script, "eval") {
			t.Errorf("interpolates into its script: %s", script)
		}
		for name, v := range job.Variables {
			if !strings.Contains(script, "$"+name) && !strings.Contains(script, "${"+name) {
				t.Errorf("%s is not used", name)
			}
			if v.Expand == nil || *v.Expand {
				t.Errorf("%s: a $ in it would be expanded", name)
			}
		}
	}
}

func TestEveryInputOfTheGitLabJobIsUsedAndExplained(t *testing.T) {
	inputs, _ := gitlab(t)
	_, body, _ := strings.Cut(readFile(t, filepath.Join(repository, "docs", "ci", "gitlab.yml")), "\n---\n")
	var used []string
	for _, use := range regexp.MustCompile(`\$\[\[ inputs\.([a-z-]+) \]\]`).FindAllStringSubmatch(body, -1) {
		used = append(used, use[1])
		if _, ok := inputs[use[1]]; !ok {
			t.Errorf("there is no input %s", use[1])
		}
	}
	for name, input := range inputs {
		if input["description"] == nil || !slices.Contains(used, name) {
			t.Errorf("input %s: not explained or not used", name)
		}
	}
}

// wget replaces the wget of the image, as download replaces curl.
const wget = `#!/bin/sh
for argument; do address=$argument; done
cp "$RELEASE/$(basename "$address")" "$3"
`

// The test runs the job like a runner, with inputs that contain characters of shell syntax. They reach the program
// unchanged.
func TestTheGitLabJobCallsTheProgramOfTheRelease(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the release that it is given is for Linux on x86-64")
	}
	_, job := gitlab(t)
	if job.Artifacts.When != "always" || job.Artifacts.Reports["codequality"] == "" ||
		job.Artifacts.Reports["junit"] == "" {
		t.Errorf("reports are not kept: %+v", job.Artifacts)
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "bin", "wget"), wget, 0o755)
	writeFile(t, filepath.Join(dir, "work", "a.yaml"), goodManifest, 0o644)
	run := func(release string) (out string, code int) {
		c := exec.Command("sh", "-c", strings.Join(job.Script, "\n"))
		c.Dir = filepath.Join(dir, "work")
		c.Env = append(os.Environ(), "RELEASE="+release, "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"),
			"KINDVET_CI_VERSION=v1.2.3", "KINDVET_CI_FAIL_ON=warning", "KINDVET_CI_ARGS=--profile all",
			"KINDVET_CI_PATHS=* $(touch pwned) ;touch${IFS}pwned")
		return call(t, c)
	}
	release := newReleaseOf(t, "1.2.3", "#!/bin/sh\nfor word; do echo \"[$word]\"; done\nexit 1\n")
	out, code := run(release)
	want := []string{"[validate]", "[--fail-on]", "[warning]", "[-o]", "[text]",
		"[-o]", "[gitlab=" + job.Artifacts.Reports["codequality"] + "]", "[-o]",
		"[junit=" + job.Artifacts.Reports["junit"] + "]",
		"[--profile]", "[all]", "[--]", "[*]", "[$(touch]", "[pwned)]", "[;touch${IFS}pwned]"}
	if !strings.HasSuffix(out, strings.Join(want, "\n")+"\n") || code != 1 {
		t.Errorf("exit code %d, want 1 as the program's\n%s\nwant %q", code, out, want)
	}
	if _, err := os.Stat(filepath.Join(dir, "work", "pwned")); err == nil {
		t.Error("an input was run by the shell")
	}
	writeFile(t, filepath.Join(release, "kindvet_1.2.3_linux_amd64.tar.gz"), "something else", 0o644)
	if out, code := run(release); code == 0 || strings.Contains(out, "[validate]") {
		t.Errorf("a forged archive was run: exit code %d\n%s", code, out)
	}
}
