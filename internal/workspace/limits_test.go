package workspace

import (
	"fmt"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/settings"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint/rule"
)

const params = "apiVersion: elbv2.platform.cloud/v1beta1\nkind: IngressClassParams\nmetadata: {name: %s}\n"

// A finding about a set of objects has the number of the document in the file, even if the file is read in several
// chunks.
func TestSetsCountDocumentsOverTheWholeFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stream.yaml")
	padding := "# " + strings.Repeat("x", chunkSize) + "\n"
	text := fmt.Sprintf(params, "a") + "---\n" + fmt.Sprintf(params, "b") + padding + "---\n" + fmt.Sprintf(params, "c") +
		padding + "---\n" + fmt.Sprintf(params, "a")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, jobs := range []int{1, 2} {
		result, err := runHere(t.Context(), Options{
			Files: find.Options{Paths: []string{path},
				NoConfig: true},
			Jobs: jobs, Settings: settings.Options{Lint: rule.Options{Enable: []string{"object/duplicate"}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		var have []int
		for _, v := range result.Report.Violations {
			have = append(have, v.Object.Document)
		}
		if fmt.Sprint(have) != "[4]" {
			t.Errorf("%d jobs: findings of documents %v, want one of document 4", jobs, have)
		}
	}
}

// Each directory with names of its own keeps another copy of the built-in kinds in memory.
func TestTheSetsOfNamesOfARunAreLimited(t *testing.T) {
	skipIfShort(t)
	root := t.TempDir()
	add := func(n int) {
		name := fmt.Sprintf("d%d", n)
		if err := os.Mkdir(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{
			".kindvet.yaml": fmt.Sprintf("names: {groups: {elbv2.platform.cloud: g%d.example}}\n", n), "a.yaml": "kind: A\n",
		} {
			if err := os.WriteFile(filepath.Join(root, name, file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	const maxNames = 100 // of package settings
	for n := range maxNames {
		add(n)
	}
	o := Options{Files: find.Options{Paths: []string{root}}, Settings: settings.Options{Lint: rule.Options{Profile: "schema"}}}
	if _, err := runHere(t.Context(), o); err != nil {
		t.Error(err)
	}
	add(maxNames)
	if _, err := runHere(t.Context(), o); err == nil ||
		!strings.Contains(err.Error(), "more than 100 different names sections") {
		t.Errorf("error %v", err)
	}
}

// Files that are not searched for in scripts are checked as they are, which a warning says.
func TestALimitOfScriptsIsReported(t *testing.T) {
	const host = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\nspec: {rules: [{host: \"${HOST}\"}]}\n"
	for names, want := range map[int]string{100: "", 41_000: "b.tmpl.yaml:1"} {
		r := in(t, map[string]string{
			".git/HEAD": "ref: refs/heads/main\n", "a.tmpl.yaml": host, "b.tmpl.yaml": host, "c.tmpl.yaml": host,
			"go.sh": "envsubst < a.tmpl.yaml\nenvsubst < c.tmpl.yaml\n" + strings.Repeat("my-b.tmpl.yaml ", names),
		}, Options{Files: find.Options{Paths: []string{"."}}})
		have, rules := "", map[string]diag.Rule{}
		for _, v := range r.Report.Violations {
			if v.Rule == diag.ReaderLimit {
				have += fmt.Sprintf("%s:%d", v.Place.File, v.Place.Start().Line)
				continue
			}
			rules[v.Place.File] = v.Rule
		}
		isError := rules["c.tmpl.yaml"] == diag.Unsubstituted
		if have != want || rules["a.tmpl.yaml"] != diag.UnknownContext || isError != (want != "") {
			t.Errorf("%d names: limit %q, rules %v", names, have, rules)
		}
	}
}

// What is not read of the scripts near a file is said once, and the error stays.
func TestALimitOfTheScriptsNearAFileIsReported(t *testing.T) {
	for count, want := range map[int]string{
		99: "", 100: `whether scripts set this value is not known: "." has more than 100 scripts and pages`,
	} {
		files := map[string]string{".git/HEAD": "ref: refs/heads/main\n", "z.sh": "sed s/BAD_NAME/x/ b.yaml\n"}
		for _, name := range []string{"a", "b"} {
			files[name+".yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: BAD_NAME}\n"
		}
		for i := range count {
			files[fmt.Sprintf("s%02d.sh", i)] = "echo\n"
		}
		r := in(t, files, Options{Files: find.Options{Paths: []string{"."}}})
		have, errors := "", ""
		for _, v := range r.Report.Violations {
			if strings.HasPrefix(v.Message, "whether scripts") {
				have += v.Message
			}
			if v.Severity == diag.Error {
				errors += v.Place.File
			}
		}
		if wantErrors := map[bool]string{true: "a.yaml", false: "a.yamlb.yaml"}[want == ""]; have != want || errors != wantErrors {
			t.Errorf("%d scripts: have %q, errors in %s", count+1, have, errors)
		}
	}
}

// What is not read of the tests of a file is said once, and the errors stay.
func TestALimitOfTheTestsOfAFileIsReported(t *testing.T) {
	for count, want := range map[int]string{
		299: "", 300: "whether only tests read this file is not known: a directory has more than 300 tests",
	} {
		files := map[string]string{".git/HEAD": "ref: refs/heads/main\n", "p/z_test.go": "var dir = \"testdata\"\n"}
		for i := range count {
			files[fmt.Sprintf("p/a%03d_test.go", i)] = ""
		}
		for _, name := range []string{"a", "größe"} {
			files["p/testdata/"+name+".yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: BAD}\n"
		}
		r := in(t, files, Options{Files: find.Options{Paths: []string{"."}}})
		have, errors := "", 0
		for _, v := range r.Report.Violations {
			if strings.HasPrefix(v.Message, "whether") {
				have += v.Message
			}
			if v.Severity == diag.Error {
				errors++
			}
		}
		if have != want || errors != map[bool]int{true: 0, false: 2}[want == ""] {
			t.Errorf("%d tests: have %q, %d errors", count+1, have, errors)
		}
	}
}

// A kustomization that is not built and changes very many objects may change any, which a warning says.
func TestALimitOfThePartsOfAKustomizationIsReported(t *testing.T) {
	for count, want := range map[int]string{
		1000: "", 1001: "what the kustomization changes is not known: it changes more than 1,000 objects by name, so it may change any",
	} {
		patches := ""
		for i := range count {
			patches += fmt.Sprintf("- {patch: '{}', target: {kind: Pod, name: n%d}}\n", i)
		}
		r := in(t, map[string]string{
			".git/HEAD":                "ref: refs/heads/main\n",
			"größe/kustomization.yaml": "resources: [web.yaml, missing.yaml]\npatches:\n" + patches,
			"größe/web.yaml":           "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {}\n",
		}, Options{Files: find.Options{Paths: []string{"."}}})
		have, isMissing := "", false
		for _, v := range r.Report.Violations {
			if v.Rule == diag.ReaderLimit {
				have += v.Message
			}
			isMissing = isMissing || v.Rule == diag.MissingField
		}
		if have != want || isMissing != (want == "") {
			t.Errorf("%d patches: have %q, ports are missing: %t", count, have, isMissing)
		}
	}
}

// However many files are before the first with a variable, what deploys it is found.
func TestTheVariablesOfManyFilesAreFound(t *testing.T) {
	for _, count := range []int{maxVariableTexts - 1, maxVariableTexts} {
		files := map[string]string{
			".git/HEAD": "ref: refs/heads/main\n",
			"clusters/apps.yaml": `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec:
  interval: 1h
  prune: true
  path: ./apps
  sourceRef: {kind: GitRepository, name: flux-system}
  postBuild: {substituteFrom: [{kind: ConfigMap, name: settings}]}
`,
			"apps/z.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: \"${NAME}\"}\n",
		}
		for i := range count {
			files[fmt.Sprintf("apps/a%04d.yaml", i)] = fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a%d}\n", i)
		}
		r := in(t, files, Options{Files: find.Options{Paths: []string{"apps"}}})
		if r.Report.Summary.Errors > 0 {
			t.Errorf("%d files: %v", count+1, r.Report.Violations)
		}
	}
}
