package main

import (
	"io/fs"
	"maps"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// workflow is the part of a workflow that the tests read.
type workflow struct {
	Permissions map[string]string
	Jobs        map[string]struct {
		Uses           string
		TimeoutMinutes int `json:"timeout-minutes"`
		Permissions    map[string]string
		Steps          []struct {
			Uses, Run string
			With      map[string]any
		}
	}
}

func workflows(t *testing.T) map[string]workflow {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(repository, ".github", "workflows", "*.yml"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	all := map[string]workflow{}
	for _, name := range names {
		var w workflow
		if err := yaml.Unmarshal([]byte(readFile(t, name)), &w); err != nil {
			t.Fatal(name, err)
		}
		all[filepath.Base(name)] = w
	}
	return all
}

// pinned matches the use of an action by the hash of a commit, with its version for people and for Dependabot.
var pinned = regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)

func TestWorkflowsUseActionsByHash(t *testing.T) {
	uses := regexp.MustCompile(`(?m)^ +-? ?uses: (.+)$`)
	hashes := map[string]string{}
	for name := range workflows(t) {
		text := readFile(t, filepath.Join(repository, ".github", "workflows", name))
		for _, use := range uses.FindAllStringSubmatch(text, -1) {
			if strings.HasPrefix(use[1], "./") {
				continue
			}
			action, hash, _ := strings.Cut(use[1], "@")
			if !pinned.MatchString(use[1]) {
				t.Errorf("%s: %s is not a hash with a version", name, use[1])
			}
			if other, ok := hashes[action]; ok && other != hash {
				t.Errorf("%s: %s is also used at %s", name, use[1], other)
			}
			hashes[action] = hash
		}
	}
}

// A job has no permission that it does not name, ends in time, keeps no token in the clone, and runs no script with
// interpolated text.
func TestWorkflowsHaveFewPermissions(t *testing.T) {
	written := map[string][]string{
		"release.yml release": {"contents", "id-token"}, "pages.yml deploy": {"id-token", "pages"},
	}
	for name, w := range workflows(t) {
		if w.Permissions == nil || len(w.Permissions) != 0 {
			t.Errorf("%s: permissions are not {}: %v", name, w.Permissions)
		}
		for id, job := range w.Jobs {
			job, of := job, name+" "+id
			var writes []string
			for _, p := range slices.Sorted(maps.Keys(job.Permissions)) {
				if job.Permissions[p] != "read" {
					writes = append(writes, p)
				}
			}
			if !slices.Equal(writes, written[of]) {
				t.Errorf("%s: writes %v, want %v", of, writes, written[of])
			}
			if job.Uses == "" && job.TimeoutMinutes == 0 {
				t.Errorf("%s: no timeout", of)
			}
			for _, step := range job.Steps {
				if strings.HasPrefix(step.Uses, "actions/checkout@") && step.With["persist-credentials"] != false {
					t.Errorf("%s: keeps its token in the clone", of)
				}
				if strings.Contains(step.Run, "${{") {
					t.Errorf("%s: interpolates into a script: %s", of, step.Run)
				}
			}
		}
	}
}

func TestDependabotUpdatesAllModules(t *testing.T) {
	var d struct {
		Updates []struct {
			Ecosystem   string `json:"package-ecosystem"`
			Directories []string
		}
	}
	if err := yaml.Unmarshal([]byte(readFile(t, filepath.Join(repository, ".github", "dependabot.yml"))),
		&d); err != nil {
		t.Fatal(err)
	}
	var modules []string
	for _, name := range tracked(t) {
		// Each module in versions stays at a version of Kubernetes.
		if path.Base(name) == "go.mod" && !strings.Contains(name, "/versions/") {
			modules = append(modules, path.Join("/", path.Dir(name)))
		}
	}
	have := slices.Sorted(slices.Values(d.Updates[0].Directories))
	if want := slices.Sorted(slices.Values(modules)); d.Updates[0].Ecosystem != "gomod" || !slices.Equal(have, want) {
		t.Errorf("have %v, want %v", have, want)
	}
	if len(d.Updates) != 2 || d.Updates[1].Ecosystem != "github-actions" {
		t.Error("no updates of actions")
	}
}

// The changelog has the form of Keep a Changelog: a version has at most these sections, in this order.
func TestChangelogHasTheUsualSections(t *testing.T) {
	sections := []string{"", "Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
	text := readFile(t, filepath.Join(repository, "CHANGELOG.md"))
	last := 0
	for _, h := range regexp.MustCompile(`(?m)^(##+) (.*)$`).FindAllStringSubmatch(text, -1) {
		if h[1] == "##" {
			if last = 0; !strings.Contains(text, "\n"+h[2]+": https://") {
				t.Errorf("%s: is not the name of a link", h[2])
			}
			continue
		}
		i := slices.Index(sections, h[2])
		if i <= last {
			t.Errorf("%s: not a section, or after %s", h[2], sections[last])
		}
		last = i
	}
}

// Every file can exist on Windows and macOS: no reserved characters and names, no two names that differ only in case,
// and paths with room for the directory of the clone.
func TestFilesCanExistOnAllSystems(t *testing.T) {
	reserved := regexp.MustCompile(`(?i)[<>:"|?*\\\x00-\x1f]|[. ](/|$)|(^|/)(con|prn|aux|nul|com\d|lpt\d)(\.|/|$)`)
	seen := map[string]string{}
	for _, name := range tracked(t) {
		if reserved.MatchString(name) || len(name) > 160 || !fs.ValidPath(name) {
			t.Errorf("%s: cannot be a file on Windows", name)
		}
		if other, ok := seen[strings.ToLower(name)]; ok {
			t.Errorf("%s and %s differ only in case", name, other)
		}
		seen[strings.ToLower(name)] = name
	}
}

// tracked returns the files of the repository, with slashes.
func tracked(t *testing.T) []string {
	t.Helper()
	c := exec.Command("git", "ls-files", "-z")
	c.Dir = repository
	out, err := c.Output()
	if err != nil {
		t.Skip("not a clone, or no git")
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}
