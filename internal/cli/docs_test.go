package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/render"
)

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// The commands of the pages about reports are run as they are written there, one after the other, over the manifests of the
// demonstration: they find violations, and none of them is wrong usage.
func TestCommandsOfTheDocumentationWork(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	demo, err := filepath.Abs(filepath.Join("..", "..", "testdata", "demo"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"output-formats.md", "accepting-findings.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(page, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.CopyFS(filepath.Join(folder, "deploy"), os.DirFS(demo)); err != nil {
				t.Fatal(err)
			}
			gitIn(t, folder, "init", "-q", "-b", "main")
			gitIn(t, folder, "add", "-A")
			gitIn(t, folder, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "first")
			count := 0
			for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
				for line := range strings.Lines(block[1]) {
					words := strings.Fields(strings.TrimPrefix(line, "exec "))
					if len(words) == 0 || words[0] != "kindvet" {
						continue
					}
					count++
					if code, _, stderr := kindvetIn(t, folder, words[1:]...); code != exitOK && code != exitViolations {
						t.Errorf("%s: exit code %d: %s", strings.TrimSpace(line), code, stderr)
					}
				}
			}
			if count < 6 {
				t.Errorf("the page has %d commands", count)
			}
		})
	}
}

func gitIn(t *testing.T, folder string, args ...string) {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir = folder
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func TestEachFormatHasASectionOfTheDocumentation(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "output-formats.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range render.Names() {
		if !strings.Contains(string(text), "\n## `"+name+"`\n") {
			t.Errorf("no section for %s", name)
		}
	}
}
