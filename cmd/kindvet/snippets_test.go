package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// snippet is an example in the README or in docs/ci/README.md: hooks, a workflow or an include.
type snippet struct {
	Repos []struct {
		Repo, Rev string
		Hooks     []struct {
			ID, Entry, Files string
			Args             []string
		}
	}
	Jobs map[string]struct {
		RunsOn      string `json:"runs-on"`
		Permissions map[string]string
		Steps       []struct {
			ID, If, Uses string
			With         map[string]string
		}
	}
	Include []struct {
		Local  string
		Inputs map[string]string
	}
}

var yamlBlock = regexp.MustCompile("(?s)\n```yaml\n((?:repos|jobs|include):.*?)```\n")

// The hooks, inputs and outputs that the examples name exist. There are examples of all three types.
func TestExamplesOfPipelinesNameWhatThereIs(t *testing.T) {
	text := readFile(t, filepath.Join(repository, "README.md")) +
		readFile(t, filepath.Join(repository, "docs", "ci", "README.md"))
	blocks := yamlBlock.FindAllStringSubmatch(text, -1)
	seen := map[string]bool{}
	for _, block := range blocks {
		var s snippet
		if err := yaml.UnmarshalStrict([]byte(block[1]), &s); err != nil {
			t.Fatalf("%v in\n%s", err, block[1])
		}
		checkHookExamples(t, s, seen)
		checkActionExamples(t, s, block[1], seen)
		checkGitLabExamples(t, s, seen)
	}
	for _, id := range []string{
		"kindvet", "kindvet-repo", "kindvet-config", "kindvet-system", "kindvet-docker", "action", "gitlab",
	} {
		if !seen[id] {
			t.Errorf("no example of %s", id)
		}
	}
}

func checkHookExamples(t *testing.T, s snippet, seen map[string]bool) {
	known := hooks(t)
	for _, repo := range s.Repos {
		for _, h := range repo.Hooks {
			if _, ok := known[h.ID]; !ok {
				t.Errorf("there is no hook %s", h.ID)
			}
			seen[h.ID] = true
		}
	}
}

func checkActionExamples(t *testing.T, s snippet, text string, seen map[string]bool) {
	a := readAction(t)
	for _, job := range s.Jobs {
		for _, step := range job.Steps {
			if !strings.HasPrefix(step.Uses, "kindvet/") {
				continue
			}
			if !regexp.MustCompile(`^kindvet/kindvet/\.github/action@v\d`).MatchString(step.Uses) {
				t.Errorf("the action is not at %s", step.Uses)
			}
			for name := range step.With {
				if _, ok := a.Inputs[name]; !ok {
					t.Errorf("the action has no input %s", name)
				}
			}
			seen["action"] = true
		}
	}
	for _, use := range regexp.MustCompile(`steps\.kindvet\.outputs\.([a-z-]+)`).FindAllStringSubmatch(text, -1) {
		if _, ok := a.Outputs[use[1]]; !ok {
			t.Errorf("the action has no output %s", use[1])
		}
	}
}

func checkGitLabExamples(t *testing.T, s snippet, seen map[string]bool) {
	inputs, _ := gitlab(t)
	for _, include := range s.Include {
		var required []string
		for name, input := range inputs {
			if _, ok := input["default"]; !ok {
				required = append(required, name)
			}
		}
		for name := range include.Inputs {
			if _, ok := inputs[name]; !ok {
				t.Errorf("the GitLab job has no input %s", name)
			}
			required = slices.DeleteFunc(required, func(r string) bool { return r == name })
		}
		if len(required) > 0 {
			t.Errorf("the GitLab job needs %q", required)
		}
		seen["gitlab"] = true
	}
}
