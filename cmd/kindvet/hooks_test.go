package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const (
	goodManifest    = "apiVersion: elbv2.platform.cloud/v1beta1\nkind: IngressClassParams\nmetadata: {name: a}\nspec: {scheme: internal}\n"
	badManifest     = "apiVersion: elbv2.platform.cloud/v1beta1\nkind: IngressClassParams\nmetadata: {name: a}\nspec: {schme: internal}\n"
	foreignManifest = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\n"
)

// hook is an entry of .pre-commit-hooks.yaml (pre-commit.com, "Creating new hooks"). Omitted fields have the defaults
// of pre-commit.
type hook struct {
	ID               string   `json:"id"`
	Name             string   `json:"name"`
	Description      string   `json:"description"`
	Entry            string   `json:"entry"`
	Args             []string `json:"args"`
	Language         string   `json:"language"`
	Files            string   `json:"files"`
	Exclude          string   `json:"exclude"`
	TypesOr          []string `json:"types_or"`
	PassFilenames    *bool    `json:"pass_filenames"`
	RequireSerial    bool     `json:"require_serial"`
	MinimumPreCommit string   `json:"minimum_pre_commit_version"`
	Stages           []string `json:"stages"`
}

func hooks(t *testing.T) map[string]hook {
	t.Helper()
	var list []hook
	if err := yaml.UnmarshalStrict([]byte(readFile(t, filepath.Join(repository, ".pre-commit-hooks.yaml"))),
		&list); err != nil {
		t.Fatal(err)
	}
	byID := map[string]hook{}
	for _, h := range list {
		byID[h.ID] = h
	}
	return byID
}

func (h hook) passesFilenames() bool { return h.PassFilenames == nil || *h.PassFilenames }

// takes reports whether pre-commit passes a file to the hook, or runs the hook because of the file.
func (h hook) takes(file, fileType string) bool {
	return (h.TypesOr == nil || slices.Contains(h.TypesOr, fileType)) &&
		regexp.MustCompile(h.Files).MatchString(file) &&
		(h.Exclude == "" || !regexp.MustCompile(h.Exclude).MatchString(file))
}

// run calls a hook like pre-commit: the installed program, then the arguments, then the files.
func (h hook) run(t *testing.T, dir string, files ...string) (out string, code int) {
	t.Helper()
	words := append(strings.Fields(h.Entry), h.Args...)
	if h.passesFilenames() {
		words = append(words, files...)
	}
	c := exec.Command(filepath.Join(installed, words[0]), words[1:]...)
	c.Dir = dir
	c.Env = append(os.Environ(), "PRE_COMMIT=1")
	return call(t, c)
}

func TestInstallingEverythingGivesOneProgram(t *testing.T) {
	entries, err := os.ReadDir(installed)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".exe"))
	}
	if !slices.Equal(names, []string{"kindvet"}) {
		t.Errorf("go install ./... gives %q, want kindvet alone", names)
	}
}

func TestHooksAreCompleteAndCallTheProgram(t *testing.T) {
	all := hooks(t)
	for _, id := range []string{"kindvet", "kindvet-repo", "kindvet-config", "kindvet-fix", "kindvet-system", "kindvet-repo-system", "kindvet-docker"} {
		h, ok := all[id]
		language, program := "golang", "kindvet "
		switch id {
		case "kindvet-system", "kindvet-repo-system":
			language = "system"
		case "kindvet-docker":
			language, program = "docker_image", "kindvet/kindvet:latest "
		}
		switch {
		case !ok:
			t.Errorf("there is no hook %s", id)
		case h.Name == "" || h.Description == "":
			t.Errorf("%s: without name or description", id)
		case h.Language != language || !strings.HasPrefix(h.Entry, program):
			t.Errorf("%s: does not call %s: %s %s", id, program, h.Language, h.Entry)
		case !h.RequireSerial:
			t.Errorf("%s: several at once would each use all processors", id)
		case h.MinimumPreCommit != "3.0.0" || len(h.Stages) > 0:
			t.Errorf("%s: versions before 3.2.0, such as those of distributions, reject the names of stages", id)
		}
	}
}

// These hooks check the same files in the same way.
func TestTheHooksForChangedFilesDifferOnlyInTheirProgram(t *testing.T) {
	all := hooks(t)
	arguments := func(id string) string {
		_, of, _ := strings.Cut(all[id].Entry, " ")
		return of + " " + strings.Join(all[id].Args, " ")
	}
	want := arguments("kindvet")
	for _, id := range []string{"kindvet-system", "kindvet-docker"} {
		if have := arguments(id); have != want {
			t.Errorf("%s: has the arguments %q, want %q", id, have, want)
		}
	}
}

// A hook that has changed a file fails, so that the commit is made again with the change. Then it has nothing to do.
func TestTheHookThatFixesFailsOnce(t *testing.T) {
	dir := t.TempDir()
	fixable := strings.Replace(badManifest, "schme", "Scheme", 1)
	if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(fixable), 0o600); err != nil {
		t.Fatal(err)
	}
	h := hooks(t)["kindvet-fix"]
	for _, want := range []int{1, 0} {
		if out, code := h.run(t, dir, "a.yaml"); code != want {
			t.Errorf("exit code %d, want %d\n%s", code, want, out)
		}
		if have := readFile(t, filepath.Join(dir, "a.yaml")); have != goodManifest {
			t.Errorf("have\n%s", have)
		}
	}
}

// The hook uses the image that a release builds.
func TestTheHookNamesTheImageOfReleases(t *testing.T) {
	text := readFile(t, filepath.Join(repository, ".goreleaser.yml"))
	image, _, _ := strings.Cut(hooks(t)["kindvet-docker"].Entry, ":")
	if !strings.Contains(text, "images: ["+image+"]") || !strings.Contains(text, ", latest]") {
		t.Errorf("no release makes %s:latest", image)
	}
}

// everyHook are the hooks that take manifests.
const everyHook = "kindvet kindvet-docker kindvet-fix kindvet-repo kindvet-repo-system kindvet-system"

func TestHooksTakeTheirFiles(t *testing.T) {
	all := hooks(t)
	for _, c := range []struct {
		file, fileType string
		takers         string
	}{
		{"deploy/a.yaml", "yaml", everyHook},
		{"deploy/a.yml", "yaml", everyHook},
		{"deploy/a.json", "json", everyHook},
		{"charts/web/templates/_helpers.tpl", "", everyHook},
		{"charts/web/templates/NOTES.txt", "plain-text", everyHook},
		{"web/templates/index.html", "html", ""},
		{"web.tpl", "", ""},
		{"deploy/web.env", "", "kindvet-repo kindvet-repo-system"},
		{"README.md", "markdown", ""},
		{".github/workflows/ci.yml", "yaml", "kindvet-repo kindvet-repo-system"},
		{"deploy/.hidden.yaml", "yaml", "kindvet-repo kindvet-repo-system"},
		{".kindvet.yaml", "yaml", "kindvet-config kindvet-repo kindvet-repo-system"},
		{"team/.kindvet.yml", "yaml", "kindvet-config kindvet-repo kindvet-repo-system"},
		{"notes.kindvet.yaml", "yaml", everyHook},
	} {
		var takers []string
		for id, h := range all {
			if h.takes(c.file, c.fileType) {
				takers = append(takers, id)
			}
		}
		slices.Sort(takers)
		if have := strings.Join(takers, " "); have != c.takers {
			t.Errorf("%s (%s): taken by %q, want %q", c.file, c.fileType, have, c.takers)
		}
	}
}

func TestTheHookForFilesFailsOnFaultsOfTheFilesItIsGiven(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "good.yaml"), goodManifest, 0o644)
	writeFile(t, filepath.Join(dir, "bad.yaml"), badManifest, 0o644)
	writeFile(t, filepath.Join(dir, "with space.yaml"), badManifest, 0o644)
	writeFile(t, filepath.Join(dir, "foreign.yaml"), foreignManifest, 0o644)
	h := hooks(t)["kindvet"]
	for _, c := range []struct {
		files []string
		code  int
		says  string
	}{
		{[]string{"good.yaml"}, 0, ""},
		{[]string{"good.yaml", "bad.yaml"}, 1, "bad.yaml:4:8: error: "},
		{[]string{"with space.yaml"}, 1, "with space.yaml:4:8: error: "},
		{[]string{"foreign.yaml"}, 0, ""}, // a batch without a file with a schema
		{[]string{"good.yaml", "gone.yaml"}, 2, "gone.yaml"},
	} {
		out, code := h.run(t, dir, c.files...)
		if code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("%q: exit code %d, want %d\n%s", c.files, code, c.code, out)
		}
	}
}

// A changed file may not be a manifest itself: what its chart renders, and what its kustomization builds, is checked.
func TestTheHookForFilesChecksWhatTheyBelongTo(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"chart/Chart.yaml":             "apiVersion: v2\nname: web\nversion: 1.0.0\n",
		"chart/values.yaml":            "scheme: internal\n",
		"chart/templates/_helpers.tpl": "{{- define \"field\" }}schme{{ end }}\n",
		"chart/templates/params.yaml": strings.Replace(goodManifest, "{scheme: internal}",
			"{ {{- include \"field\" . }}: {{ .Values.scheme }}}", 1),
		"base/kustomization.yaml": "resources: [params.yaml]\n", "base/params.yaml": goodManifest,
		"prod/kustomization.yaml": "resources: [../base]\npatches: [{path: patch.yaml}]\n", "prod/patch.yaml": badManifest,
		"web/templates/index.txt": "hello: [\n",
	} {
		writeFile(t, filepath.Join(dir, filepath.FromSlash(name)), text, 0o644)
	}
	git(t, dir, "init", "-q")
	for file, says := range map[string]string{
		"chart/Chart.yaml":             "chart/templates/_helpers.tpl:1:",
		"chart/values.yaml":            "chart/templates/_helpers.tpl:1:",
		"chart/templates/_helpers.tpl": "chart/templates/_helpers.tpl:1:",
		"chart/templates/params.yaml":  "chart/templates/_helpers.tpl:1:",
		"prod/patch.yaml":              "prod/patch.yaml:4:8: error: ",
		"prod/kustomization.yaml":      "prod/patch.yaml:4:8: error: ",
		"base/params.yaml":             "",
		"web/templates/index.txt":      "",
	} {
		out, code := hooks(t)["kindvet"].run(t, dir, file)
		if !strings.Contains(out, says) || (code == 1) != (says != "") || code > 1 {
			t.Errorf("%s: exit code %d, want %q\n%s", file, code, says, out)
		}
	}
}

// pre-commit passes the names of files as they are.
func TestTheNameOfAFileIsNoFlag(t *testing.T) {
	dir := t.TempDir()
	const config, old = "--config=none/.kindvet.yaml", "--old=none.yaml"
	writeFile(t, filepath.Join(dir, config), "exclud: []\n", 0o644)
	writeFile(t, filepath.Join(dir, old), badManifest, 0o644)
	all := hooks(t)
	for _, id := range []string{"kindvet", "kindvet-system"} {
		if out, code := all[id].run(t, dir, old); code != 1 || !strings.Contains(out, old+":4:8: error: ") {
			t.Errorf("%s: exit code %d, want 1\n%s", id, code, out)
		}
	}
	if out, code := all["kindvet-config"].run(t, dir, config); code != 1 || !strings.Contains(out, config+":1:1: error: ") {
		t.Errorf("kindvet-config: exit code %d, want 1\n%s", code, out)
	}
}

// pre-commit splits files that do not fit on one command line into batches. The hook fails if one of them fails.
func TestTheHookForFilesTakesManyFilesInBatches(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for i := range 600 {
		text := goodManifest
		if i == 599 {
			text = badManifest
		}
		files = append(files, fmt.Sprintf("deploy/%03d.yaml", i))
		writeFile(t, filepath.Join(dir, files[i]), text, 0o644)
	}
	h := hooks(t)["kindvet"]
	worst := 0
	for batch := range slices.Chunk(files, 250) {
		_, code := h.run(t, dir, batch...)
		worst = max(worst, code)
	}
	if worst != 1 {
		t.Errorf("exit code %d, want 1 of the last batch", worst)
	}
}

func TestTheHookForTheRepositoryChecksFilesThatHaveNotChanged(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	writeFile(t, filepath.Join(dir, "good.yaml"), goodManifest, 0o644)
	writeFile(t, filepath.Join(dir, ".pre-commit-config.yaml"), "repos: []\n", 0o644)
	git(t, dir, "add", "-A")
	h := hooks(t)["kindvet-repo"]
	if out, code := h.run(t, dir, "good.yaml"); code != 0 {
		t.Errorf("exit code %d, want 0\n%s", code, out)
	}
	writeFile(t, filepath.Join(dir, "deploy", "bad.yaml"), badManifest, 0o644)
	if out, code := h.run(t, dir, "good.yaml"); code != 0 {
		t.Errorf("what git does not have: exit code %d, want 0\n%s", code, out)
	}
	git(t, dir, "add", "-A")
	if out, code := h.run(t, dir, "good.yaml"); code != 1 || !strings.Contains(out, "bad.yaml:4:8: error: ") {
		t.Errorf("exit code %d, want 1\n%s", code, out)
	}
}

func TestHooksAllowACommitWithoutManifests(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	for name, text := range map[string]string{
		"chart/values.yaml": "replicas: 1\n", "package.json": "{\"name\": \"a\"}\n", "list.yaml": "[1, 2]\n",
	} {
		writeFile(t, filepath.Join(dir, filepath.FromSlash(name)), text, 0o644)
	}
	git(t, dir, "add", "-A")
	for _, id := range []string{"kindvet", "kindvet-system", "kindvet-repo"} {
		if out, code := hooks(t)[id].run(t, dir, "chart/values.yaml", "package.json", "list.yaml"); code != 0 {
			t.Errorf("%s: exit code %d, want 0\n%s", id, code, out)
		}
	}
}

func git(t *testing.T, dir string, arguments ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	c := exec.Command("git", arguments...)
	c.Dir = dir
	if out, code := call(t, c); code != 0 {
		t.Fatalf("git %q: %s", arguments, out)
	}
}
