package find

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAScriptSaysWhetherAFileIsATemplate(t *testing.T) {
	for text, want := range map[string]scriptUse{
		"": notUsed, "see web.tmpl.yaml": notUsed,
		"envsubst < web.tmpl.yaml":                                          madeFrom,
		"sed s/a/b/ apps/größe/web.tmpl.yaml":                               madeFrom,
		"sed s/a/b/ apps/other/web.tmpl.yaml":                               notUsed,
		"sed s/a/b/ \\\n  ./web.tmpl.yaml":                                  madeFrom,
		"sed s/a/b/\n./web.tmpl.yaml":                                       notUsed,
		"sed s/a/b/ my-web.tmpl.yaml":                                       notUsed,
		`cp "$dir/web.tmpl.yaml" a`:                                         madeFrom,
		"cat web.tmpl.yaml | envsubst":                                      madeFrom,
		"cat web.tmpl.yaml":                                                 notUsed,
		"kubectl apply -f web.tmpl.yaml":                                    appliedAsIs,
		"kubectl apply --filename=größe/web.tmpl.yaml":                      appliedAsIs,
		"kubectl apply -f - < web.tmpl.yaml":                                notUsed,
		"envsubst < web.tmpl.yaml | kubectl apply -f -":                     madeFrom,
		"kubectl apply -f a.yaml && envsubst < web.tmpl.yaml":               madeFrom,
		"sed -i s/a/b/ web.tmpl.yaml\nkubectl create -f web.tmpl.yaml":      appliedAsIs,
		"sed " + strings.Repeat(" ", longestCommand) + "web.tmpl.yaml":      notUsed,
		"sed " + strings.Repeat(" ", longestCommand-4-1) + " web.tmpl.yaml": madeFrom,
	} {
		if have := NewScripts(Disk{}).useIn(script{"/repo/run.sh", text}, "/repo", "/repo/größe/web.tmpl.yaml"); have != want {
			t.Errorf("%q: have %d, want %d", text, have, want)
		}
	}
	for name, want := range map[string]bool{
		"web.template.yaml": true, "web-tmpl.yml": true, "template.yaml": false, "web.yaml": false, "a.in.yaml": true,
		"templates.yaml": false, "web.TPL.yaml": false, "template-web.yaml": false,
	} {
		if have := isTemplateName(name); have != want {
			t.Errorf("%s: have %t", name, have)
		}
	}
}

func TestAFileIsWrittenByTheCommandThatNamesItAsItsOutput(t *testing.T) {
	const full = "/repo/größe/all.yaml"
	for text, want := range map[string]bool{
		"helm template web . > größe/all.yaml":                      true,
		"helm template web . \\\n  --values a.yaml >größe/all.yaml": true,
		`kustomize build a >> "$DIR/all.yaml"`:                      true,
		"kustomize build -o=größe/all.yaml a":                       true,
		"curl -sL https://example.com/a -o größe/all.yaml":          true,
		"jsonnet a | tee -a ./größe/all.yaml >/dev/null":            true,
		"cp /tmp/a.yaml größe/all.yaml":                             true,
		"größe/all.yaml: Chart.yaml\n\thelm template .":             true,
		"cp größe/all.yaml /tmp/a.yaml":                             false,
		"helm template web . > other/all.yaml":                      false,
		"helm template web . > größe/all.yaml.bak":                  false,
		"helm template web . > größe/small.yaml":                    false,
		"cat größe/all.yaml > /tmp/a.yaml":                          false,
		"kubectl apply -f größe/all.yaml":                           false,
		"kubectl apply -o yaml -f größe/all.yaml":                   false,
		"FILE := größe/all.yaml":                                    false,
		"# größe/all.yaml: what it is":                              false,
		"größe/all.yaml := a":                                       false,
		"größe/all.yaml:= a":                                        false,
	} {
		if have := NewScripts(Disk{}).writes(script{"/repo/größe/run.sh", text}, "/repo", full); have != want {
			t.Errorf("%q: have %t", text, have)
		}
	}
	// A script elsewhere writes a file to directories of which it gets the names.
	for text, want := range map[string]bool{`x > "$DIR/all.yaml"`: false, "x > ${A}/b/$C/all.yaml": false, "x > $A/größe/all.yaml": true} {
		if have := NewScripts(Disk{}).writes(script{"/repo/run.sh", text}, "/repo", full); have != want {
			t.Errorf("%q elsewhere: have %t", text, have)
		}
	}
	const text = "x > all.yaml"
	for left, want := range map[int]bool{len(text) - 1: false, len(text): true} {
		s := NewScripts(Disk{})
		s.left = left
		if s.writes(script{"/repo/run.sh", text}, "/repo", full) != want || (s.left < 0) == want {
			t.Errorf("%d bytes: want %t", left, want)
		}
	}
}

func TestABuildThatBecomesATemplateOfAChartIsFound(t *testing.T) {
	for text, want := range map[string]bool{
		"kustomize build config/größe > charts/web/templates/all.yaml":                                    true,
		"$(KUSTOMIZE) build config/größe | \\\n  sed \"s/'{{/{{/\" >> $(CHART_TEMPLATE_PATH)/all.yaml":    true,
		"kustomize build config/größe > all.yaml":                                                         false,
		"kustomize build config/other > charts/web/templates/all.yaml":                                    false,
		"kustomize build größe > charts/web/templates/all.yaml":                                           false, // which one is it?
		"kustomize build config/größe | kubectl apply -f - > chart.log":                                   false,
		"kustomize build config/größe > charts/a.yaml; kubectl apply -f charts/a.yaml":                    false,
		"kubectl apply -k config/größe > charts/log":                                                      false,
		"kustomize build config/größe\nkustomize build a > charts/web/templates/all.yaml":                 false,
		"kustomize build config/größe > charts/a.yaml\nkubectl apply -k config/größe":                     false,
		"kustomize build config/größe | kubectl apply -f -\nkustomize build config/größe > charts/a.yaml": false,
		"kustomize build config/größe > charts/a.yaml\nkubectl apply -k config/other":                     true,
	} {
		root := t.TempDir()
		write(t, root, map[string]string{".git/HEAD": "", "Makefile": text, "config/größe/kustomization.yaml": ""})
		f := findFile(t, root, "config/größe/kustomization.yaml")
		s := NewScripts(f.Tree)
		if by, have := s.TemplateMaker(&f.Files[0], f.Files[0].Abs); have != want || have && filepath.Base(by) != "Makefile" {
			t.Errorf("%q: have %t, %s", text, have, by)
		}
		s.left = 0
		if _, have := s.TemplateMaker(&f.Files[0], f.Files[0].Abs); have {
			t.Errorf("%q: no byte is left", text)
		}
	}
}

func TestTheVersionOfKustomizeIsThatOfAScript(t *testing.T) {
	for text, want := range map[string]string{
		"KUSTOMIZE_VERSION := 4.5.7":                                    "4.5.7",
		"KUSTOMIZE_VERSION ?= v5.0.0":                                   "5.0.0",
		`  KUSTOMIZE_VERSION: "3.8.1"`:                                  "3.8.1",
		"curl -L https://example.com/kustomize/v4.1.2/kustomize.tar.gz": "4.1.2",
		"go install sigs.k8s.io/kustomize/kustomize/v4@v4.5.5":          "4.5.5", "go get sigs.k8s.io/kustomize/kyaml": "",
		"kustomize 4.5.7":      "",
		"MY_KUSTOMIZE_VERSION": "",
	} {
		root := t.TempDir()
		write(t, root, map[string]string{".git/HEAD": "", "go.sh": text, "größe/kustomization.yaml": ""})
		f := findFile(t, root, "größe/kustomization.yaml")
		if have, by := NewScripts(f.Tree).KustomizeVersion(&f.Files[0]); have != want || have != "" && filepath.Base(by) != "go.sh" {
			t.Errorf("%q: have %q of %q", text, have, by)
		}
	}
}

func TestTheSearchInScriptsIsLimited(t *testing.T) {
	const text = "envsubst < a.tmpl.yaml\n"
	root := t.TempDir()
	write(t, root, map[string]string{".git/HEAD": "", "go.sh": text, "a.tmpl.yaml": "", "d/a.tmpl.yaml": ""})
	f := findFile(t, root, "a.tmpl.yaml")
	const first = len(text)*(costOfByte+1) + costOfName
	for left, want := range map[int][2]bool{
		first - 1: {false, false}, first: {true, false}, first + len(text) - 1: {true, false},
		first + len(text) + costOfName - 1: {true, false}, first + len(text) + costOfName: {true, true},
	} {
		s := NewScripts(f.Tree)
		s.left = left
		for i, want := range want {
			if _, have := s.TemplateOf(&f.Files[0]); have != want || s.AreTooLarge() == want {
				t.Errorf("%d bytes, file %d: have %t, too large %t", left, i, have, s.AreTooLarge())
			}
		}
	}
}

// A link of a repository that leads out of it is not followed, so that files of the machine do not matter.
func TestScriptsStayInTheRepository(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{
		"outside/go.sh": "envsubst < x.tmpl.yaml", "repo/.git/HEAD": "", "repo/tools/go.sh": "envsubst < x.tmpl.yaml",
		"repo/x.tmpl.yaml": "",
	})
	for to, want := range map[string]string{"../outside": "", "tools": "scripts/go.sh"} {
		link := filepath.Join(root, "repo", "scripts")
		_ = os.Remove(link)
		if err := os.Symlink(to, link); err != nil {
			t.Skip(err)
		}
		f := findFile(t, root, "repo/x.tmpl.yaml")
		if have, _ := NewScripts(f.Tree).TemplateOf(&f.Files[0]); strings.TrimPrefix(have, "repo/") != want {
			t.Errorf("scripts leads to %s: have %q, want %q", to, have, want)
		}
	}
}
