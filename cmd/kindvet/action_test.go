package main

import (
	"crypto/sha256"
	"fmt"
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

var actionDir = filepath.Join(repository, ".github", "action")

// action is the content of action.yml (docs.github.com, "Metadata syntax for GitHub Actions").
type action struct {
	Name, Description string
	Branding          map[string]string
	Inputs            map[string]struct{ Description, Default string }
	Outputs           map[string]struct{ Description, Value string }
	Runs              struct {
		Using string
		Steps []struct {
			ID, Shell, Run string
			Env            map[string]string
		}
	}
}

func readAction(t *testing.T) action {
	t.Helper()
	var a action
	if err := yaml.UnmarshalStrict([]byte(readFile(t, filepath.Join(actionDir, "action.yml"))), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// The shell would interpret text interpolated into a script, so nothing is interpolated. Steps use no third-party
// actions.
func TestNoInputOfTheActionIsReadByAShell(t *testing.T) {
	a := readAction(t)
	if a.Runs.Using != "composite" || len(a.Runs.Steps) == 0 {
		t.Fatalf("not a composite action: %+v", a.Runs)
	}
	for _, step := range a.Runs.Steps {
		if step.Run == "" || strings.Contains(step.Run, "${{") {
			t.Errorf("step %s: interpolates into its script: %q", step.ID, step.Run)
		}
		if step.Shell != "bash" {
			t.Errorf("step %s: shell %q, want bash", step.ID, step.Shell)
		}
	}
	for _, script := range []string{"install", "validate"} {
		text := readFile(t, filepath.Join(actionDir, script))
		for _, evil := range []string{"eval ", "${{", "| bash", "| sh", "bash -c", "sh -c"} {
			if strings.Contains(text, evil) {
				t.Errorf("%s: contains %q", script, evil)
			}
		}
	}
}

func TestEveryInputAndOutputOfTheActionIsUsedAndExplained(t *testing.T) {
	a := readAction(t)
	var expressions, scripts strings.Builder
	for _, step := range a.Runs.Steps {
		for name, value := range step.Env {
			expressions.WriteString(value)
			scripts.WriteString(readFile(t, filepath.Join(actionDir, step.ID)))
			if !strings.Contains(scripts.String(), name) {
				t.Errorf("step %s does not read %s", step.ID, name)
			}
		}
	}
	for name, input := range a.Inputs {
		if input.Description == "" || !strings.Contains(expressions.String(), "${{ inputs."+name+" }}") {
			t.Errorf("input %s: not explained or not used", name)
		}
	}
	for _, use := range regexp.MustCompile(`inputs\.([a-z-]+)`).FindAllStringSubmatch(expressions.String(), -1) {
		if _, ok := a.Inputs[use[1]]; !ok {
			t.Errorf("there is no input %s", use[1])
		}
	}
	for name, output := range a.Outputs {
		if output.Description == "" || !strings.Contains(scripts.String(), name+"=") ||
			!strings.HasSuffix(output.Value, "."+name+" }}") {
			t.Errorf("output %s: not explained or not written", name)
		}
	}
	for _, name := range []string{"exit-code", "errors", "warnings", "sarif-file"} {
		if _, ok := a.Outputs[name]; !ok {
			t.Errorf("no output %s", name)
		}
	}
}

// runner is the environment of a script of the action on a GitHub runner.
type runner struct {
	temp, path, output string
	env                []string
}

func newRunner(t *testing.T, env ...string) *runner {
	needShell(t, "bash")
	dir := t.TempDir()
	r := &runner{temp: filepath.Join(dir, "temp"), path: filepath.Join(dir, "path"), output: filepath.Join(dir, "output")}
	if err := os.Mkdir(r.temp, 0o755); err != nil {
		t.Fatal(err)
	}
	r.env = append(os.Environ(), "RUNNER_TEMP="+r.temp, "GITHUB_PATH="+r.path, "GITHUB_OUTPUT="+r.output)
	r.env = append(r.env, env...)
	return r
}

func (r *runner) run(t *testing.T, script, dir string) (out string, code int) {
	t.Helper()
	file, err := filepath.Abs(filepath.Join(actionDir, script))
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("bash", file)
	c.Dir, c.Env = dir, r.env
	return call(t, c)
}

func (r *runner) outputs(t *testing.T) map[string]string {
	outputs := map[string]string{}
	for line := range strings.Lines(readFile(t, r.output)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		outputs[name] = value
	}
	return outputs
}

// argumentsOf reads the arguments that recorder has recorded, each followed by a NUL byte.
func argumentsOf(t *testing.T, file string) []string {
	return strings.Split(strings.TrimSuffix(readFile(t, file), "\x00"), "\x00")
}

// recorder replaces kindvet: it records its arguments, writes the requested reports, and exits with the requested
// code.
const recorder = `#!/bin/sh
printf '%s\0' "$@" >"$RECORD"
for argument; do
  case $argument in
    json=*) printf '{\n  "summary": {\n    "valid": 1,\n    "errors": 3,\n    "warnings": 2,\n    "infos": 0\n  }\n}\n' >"${argument#json=}" ;;
    text=*) echo "a.yaml:1:2: error: wrong [cel]" >"${argument#text=}" ;;
    sarif=*) echo '{}' >"${argument#sarif=}" ;;
  esac
done
exit "$CODE"
`

func validateRunner(t *testing.T, code int, env ...string) (r *runner, record string) {
	r = newRunner(t)
	program := filepath.Join(r.temp, "kindvet")
	record = filepath.Join(r.temp, "record")
	writeFile(t, program, recorder, 0o755)
	r.env = append(r.env, "KINDVET_ACTION_PROGRAM="+program, "RECORD="+record, fmt.Sprint("CODE=", code))
	inputs := map[string]string{}
	for name, input := range readAction(t).Inputs {
		inputs["KINDVET_ACTION_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_"))] = input.Default
	}
	for name, value := range inputs {
		r.env = append(r.env, name+"="+value)
	}
	r.env = append(r.env, env...)
	return r, record
}

func TestTheActionPassesWhatItIsGivenAsArguments(t *testing.T) {
	evil := `$(touch pwned)`
	r, record := validateRunner(t, 1,
		"KINDVET_ACTION_PATHS=deploy dir/\r\n"+evil+"\n\n-o\n\"; touch pwned; \"",
		"KINDVET_ACTION_ARGS=--unknown-kinds=error\n`touch pwned`", "KINDVET_ACTION_SCHEMAS=crds/\nmore crds/",
		"KINDVET_ACTION_FAIL_ON=warning", "KINDVET_ACTION_SARIF_FILE=out.sarif")
	dir := t.TempDir()
	out, code := r.run(t, "validate", dir)
	if code != 1 {
		t.Fatalf("exit code %d, want 1 as kindvet's\n%s", code, out)
	}
	have := argumentsOf(t, record)
	want := []string{"validate", "--fail-on", "warning", "--output", "json=", "--output", "sarif=out.sarif",
		"--output", "text=", "--output", "github", "--schemas", "crds/", "--schemas", "more crds/", "--unknown-kinds=error",
		"`touch pwned`", "--", "deploy dir/", evil, "-o", `"; touch pwned; "`}
	for i := range have { // reports go to a directory whose name is new each time
		for _, format := range []string{"json=", "text="} {
			if strings.HasPrefix(have[i], format+r.temp) {
				have[i] = format
			}
		}
	}
	if !slices.Equal(have, want) {
		t.Errorf("have %q\nwant %q", have, want)
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("an input was run by the shell")
	}
	outputs := r.outputs(t)
	for name, value := range map[string]string{
		"exit-code": "1", "errors": "3", "warnings": "2", "sarif-file": "out.sarif",
	} {
		if outputs[name] != value {
			t.Errorf("output %s: have %q, want %q", name, outputs[name], value)
		}
	}
	if !strings.Contains(out, "a.yaml:1:2: error: wrong [cel]") {
		t.Errorf("the log does not say where:\n%s", out)
	}
}

// The program itself accepts the arguments of the action, and the action reads its reports.
func TestTheActionReportsWhatTheProgramFinds(t *testing.T) {
	program, err := filepath.Abs(filepath.Join(installed, "kindvet"))
	if err != nil {
		t.Fatal(err)
	}
	r, _ := validateRunner(t, 0, "KINDVET_ACTION_PROGRAM="+program, "KINDVET_ACTION_PATHS=testdata/demo",
		"KINDVET_ACTION_SARIF_FILE="+filepath.Join(t.TempDir(), "a.sarif"))
	out, code := r.run(t, "validate", repository)
	if code != 1 || strings.Count(out, "\n::error file=testdata/demo/")+1 != 10 ||
		strings.Count(out, "\ntestdata/demo/") < 12 {
		t.Errorf("exit code %d, want 1, 10 annotations and 12 lines of text\n%s", code, out)
	}
	outputs := r.outputs(t)
	if outputs["errors"] != "12" || outputs["warnings"] != "2" || outputs["exit-code"] != "1" {
		t.Errorf("outputs %q, want 12 errors and 2 warnings", outputs)
	}
	if sarif := readFile(t, outputs["sarif-file"]); strings.Count(sarif, `"ruleId"`) != 14 {
		t.Errorf("a SARIF report of %d results, want 14", strings.Count(sarif, `"ruleId"`))
	}
}

func TestTheActionHasDefaults(t *testing.T) {
	r, record := validateRunner(t, 0, "KINDVET_ACTION_ANNOTATIONS=false")
	if out, code := r.run(t, "validate", t.TempDir()); code != 0 {
		t.Fatalf("exit code %d, want 0\n%s", code, out)
	}
	have := argumentsOf(t, record)
	if tail := have[len(have)-4:]; !slices.Equal(tail, []string{"--output", "text", "--", "."}) {
		t.Errorf("have %q, want text to the log, and the whole repository", have)
	}
	if _, ok := r.outputs(t)["sarif-file"]; ok {
		t.Error("an output for a missing SARIF report")
	}
}

func TestTheActionSaysThatItCouldNotWork(t *testing.T) {
	r, _ := validateRunner(t, 2)
	writeFile(t, filepath.Join(r.temp, "kindvet"), "#!/bin/sh\nexit 2\n", 0o755)
	if out, code := r.run(t, "validate", t.TempDir()); code != 2 {
		t.Errorf("exit code %d, want 2\n%s", code, out)
	}
	outputs := r.outputs(t)
	if _, counted := outputs["errors"]; counted || outputs["exit-code"] != "2" {
		t.Errorf("have %q, want the exit code and no counts", outputs)
	}
}

// download replaces curl: it returns the files in $RELEASE, and records the URLs.
const download = `#!/bin/sh
while [ $# -gt 1 ]; do
  [ "$1" = --output ] && to=$2
  shift
done
echo "$1" >>"$RECORD"
cp "$RELEASE/$(basename "$1")" "$to"
`

// newRelease creates a release whose program prints its name.
func newRelease(t *testing.T, version string) string {
	return newReleaseOf(t, version, "#!/bin/sh\necho kindvet "+version+"\n")
}

// newReleaseOf creates the archive of a release with the given program, and its checksums.
func newReleaseOf(t *testing.T, version, program string) string {
	needShell(t, "bash", "tar")
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "kindvet"), program, 0o755)
	archive := "kindvet_" + version + "_linux_amd64.tar.gz"
	pack := exec.Command("tar", "-czf", archive, "kindvet")
	pack.Dir = dir
	if out, code := call(t, pack); code != 0 {
		t.Fatal(out)
	}
	sum := sha256.Sum256([]byte(readFile(t, filepath.Join(dir, archive))))
	writeFile(t, filepath.Join(dir, "checksums.txt"),
		fmt.Sprintf("%064d  kindvet_%s_linux_arm64.tar.gz\n%x  %s\n%064d  %s.sbom.json\n", 0, version, sum, archive, 0,
			archive), 0o644)
	return dir
}

func installRunner(t *testing.T, release string, env ...string) (r *runner, record string) {
	if runtime.GOOS == "windows" {
		t.Skip("stands for a runner of Linux")
	}
	r = newRunner(t, "RUNNER_OS=Linux", "RUNNER_ARCH=X64", "RELEASE="+release)
	record = filepath.Join(r.temp, "record")
	writeFile(t, filepath.Join(r.temp, "bin", "curl"), download, 0o755)
	r.env = append(r.env, "RECORD="+record, "PATH="+filepath.Join(r.temp, "bin")+":"+os.Getenv("PATH"))
	r.env = append(r.env, env...)
	return r, record
}

func TestTheActionInstallsTheReleaseItIsTold(t *testing.T) {
	for _, c := range []struct{ version, ref, from string }{
		{"v1.2.3", "v9.9.9", "download/v1.2.3"},
		{"", "v1.2.3", "download/v1.2.3"},
		{"", "v1", "latest/download"},
		{"", "0123456789abcdef0123456789abcdef01234567", "latest/download"},
		{"", "", "latest/download"},
	} {
		r, record := installRunner(t, newRelease(t, "1.2.3"), "KINDVET_ACTION_VERSION="+c.version,
			"KINDVET_ACTION_REF="+c.ref)
		out, code := r.run(t, "install", r.temp)
		if code != 0 || !strings.HasSuffix(out, "kindvet 1.2.3\n") {
			t.Errorf("%+v: exit code %d\n%s", c, code, out)
			continue
		}
		base := "https://github.com/kindvet/kindvet/releases/" + c.from + "/"
		if have, want := readFile(t, record),
			base+"checksums.txt\n"+base+"kindvet_1.2.3_linux_amd64.tar.gz\n"; have != want {
			t.Errorf("%+v: downloads\n%swant\n%s", c, have, want)
		}
		if program := r.outputs(t)["program"]; filepath.Dir(program)+"\n" != readFile(t, r.path) {
			t.Errorf("%s is not in the directory that is added to the PATH", program)
		}
	}
}

func TestTheActionInstallsNothingElse(t *testing.T) {
	forged := newRelease(t, "1.2.3")
	writeFile(t, filepath.Join(forged, "kindvet_1.2.3_linux_amd64.tar.gz"), "something else", 0o644)
	for _, c := range []struct{ name, release, env, says string }{
		{"a forged archive", forged, "KINDVET_ACTION_VERSION=v1.2.3", "does not have its checksum"},
		{"no such release", t.TempDir(), "KINDVET_ACTION_VERSION=v1.2.3", "cannot download checksums.txt"},
		{"no such system", newRelease(t, "1.2.3"), "RUNNER_OS=Plan9", "no release for the system"},
		{"no archive", newRelease(t, "1.2.3"), "RUNNER_OS=macOS", "has no archive for darwin_amd64"},
		{
			"a version that is a path", newRelease(t, "1.2.3"), "KINDVET_ACTION_VERSION=v1.2.3/../../evil",
			"not a full version",
		},
	} {
		r, _ := installRunner(t, c.release, c.env)
		out, code := r.run(t, "install", r.temp)
		if code != 2 || !strings.Contains(out, c.says) {
			t.Errorf("%s: exit code %d, want 2 and %q\n%s", c.name, code, c.says, out)
		}
		if _, err := os.Stat(r.path); err == nil {
			t.Errorf("%s: is on the PATH", c.name)
		}
	}
}
